//! Games as tools write them, and games that nobody should.

use super::*;

/// Names, outcome and line of a game, or line and words of what is wrong.
type Found = Result<(String, String, Outcome, u64), (u64, String)>;

fn games(text: &[u8]) -> Vec<Found> {
    let mut reader = Reader::new(text);
    let mut games = Vec::new();
    loop {
        match reader.next_game() {
            Ok(None) => return games,
            Ok(Some(game)) => games.push(Ok((game.first.into(), game.second.into(), game.outcome, game.line))),
            Err(PgnError::Bad { line, what }) => games.push(Err((line, what))),
            Err(error) => panic!("{error}"),
        }
    }
}

fn game(white: &str, black: &str, result: &str) -> String {
    format!("[Event \"x\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 e5 {result}\n\n")
}

#[test]
fn tags_are_read_and_everything_else_is_passed() {
    let text = "\u{feff}% escaped [White \"no\"]\r\n[Event \"a \"quoted\" event\"]\r\n[White \"A \\\"x\\\" \\\\\"]\r\n\
        [Black \"B\"] [Result \"1-0\"]\r\n\r\n1. e4 {a comment\n[White \"inside\"]\n} e5 ; [Result \"0-1\"]\n\
        [%clk 0:01] 2. Nf3\n(2. d4 d5) 1-0\n[Event \"next\"]\n[White \"C\"]\n[Black \"D\"]\n[Result \"1/2-1/2\"]";
    let found = games(text.as_bytes());
    let first = ("A \"x\" \\".to_owned(), "B".to_owned(), Outcome::Win(Side::First), 2);
    assert_eq!(found, [Ok(first), Ok(("C".into(), "D".into(), Outcome::Draw, 11))]);
}

#[test]
fn a_bad_game_is_one_error_with_its_line_and_the_next_one_is_read() {
    let no_result = "[Event \"x\"]\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 *\n\n";
    let torn = "[Event \"x\"]\n[White \"A\n[Black \"B\"]\n[Result \"1-0\"]\n\n1-0\n\n";
    let cases = [
        (no_result.to_owned(), 8, "no Result tag"),
        (game("A", "B", "*"), 8, "was not finished"),
        (game("A", "B", "1-O"), 8, "unknown result \"1-O\""),
        (game("A", "A", "1-0"), 8, "\"A\" plays against itself"),
        (game("", "B", "1-0"), 8, "nobody as White"),
        (torn.to_owned(), 9, "a tag reads"),
    ];
    for (bad, line, message) in cases {
        let text = format!("{}{bad}{}", game("A", "B", "1-0"), game("C", "D", "0-1"));
        let found = games(text.as_bytes());
        assert_eq!(found.len(), 3, "{found:?}");
        let (at, what) = found[1].as_ref().expect_err("the second game is bad");
        assert!(*at == line && what.contains(message), "{at} {what}");
        assert!(found[2].as_ref().is_ok_and(|game| game.0 == "C"), "{found:?}");
    }
}

#[test]
fn text_before_the_first_tag_is_no_pgn() {
    let found = games(b"\n1. e4 e5 1-0\n\n");
    assert!(matches!(&found[..], [Err((2, what))] if what.contains("no PGN")), "{found:?}");
    assert_eq!(games(b"  \n\n"), []);
}

#[test]
fn games_without_moves_and_latin_letters() {
    let mut text = b"[White \"J\xf6rg\"]\n[Black \"B\"]\n[Result \"0-1\"]\n\n".to_vec();
    text.extend_from_slice(b"[White \"C\"]\n[Black \"D\"]\n[Result \"1-0\"]\n");
    let found = games(&text);
    assert!(matches!(&found[..], [Ok(a), Ok(c)] if a.0 == "J\u{f6}rg" && c.0 == "C"), "{found:?}");
}

#[test]
fn moves_come_without_decoration() {
    let text = format!(
        "{}1. d4",
        game("A", "B", "1-0").replace(
            "1. e4 e5 1-0",
            "1. e4! {best} 1... e5 $1 2.Nf3 (2. d4 (2. c4) exd4) (2. f4) Nc6?! ; comment\n3. O-O-O a1=Q# -- 1-0",
        )
    );
    let mut reader = Reader::new(text.as_bytes()).with_moves();
    let game = reader.next_game().expect("readable").expect("a game");
    assert_eq!(game.moves, "e4 e5 Nf3 Nc6 O-O-O a1=Q# -- d4");
}

#[test]
fn lines_may_end_anywhere_in_the_buffer() {
    struct Drops<'a>(&'a [u8]);
    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(buffer.len()).min(3);
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }
    let text = game("Alice", "Bob", "1-0").replace("e5", "{ [White \"x\"] ; }\n{\n[Black \"y\"]\n} e5").repeat(20);
    let mut reader = Reader::new(Drops(text.as_bytes()));
    let mut n = 0;
    while let Some(game) = reader.next_game().expect("all are fine") {
        assert_eq!((game.first, game.second), ("Alice", "Bob"));
        n += 1;
    }
    assert_eq!(n, 20);
}
