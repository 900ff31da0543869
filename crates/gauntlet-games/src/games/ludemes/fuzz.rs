//! Tests of invalid descriptions: nothing panics or hangs, and every mistake has its place.

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use rayon::prelude::*;

use super::library::{LIBRARY, described};
use super::spec::LudemeSpec;
use crate::base::{Rng, Seed};

fn mistakes(text: &str) -> String {
    LudemeSpec::read("my.lud", text, &[], &[]).err().unwrap_or_default()
}

/// A description of the library with one part replaced by another.
fn changed(name: &str, from: &str, to: &str) -> String {
    let text = described(name).unwrap().text;
    assert!(text.contains(from), "{name} has no {from}");
    text.replacen(from, to, 1)
}

#[test]
fn mistakes_name_their_place_and_a_way_out() {
    for (text, message) in [
        (changed("squava", "sites Empty", "sites Empti"), "unknown ludeme `sites Empti`; did you mean `Empty`?"),
        (changed("squava", "(square 5)", "(squar 5)"), "unknown ludeme `squar`; did you mean `square`?"),
        (
            changed("squava", "(move Add", "(custodial Adjacent) (move Add"),
            "`play` has no place for `(custodial Adjacent ...)`",
        ),
        (changed("squava", "(is Line 4)", "(is Line 0)"), "a line has at least one site"),
        (changed("squava", "(square 5)", "(square 400)"), "a length is a number from 1 to 40"),
        (changed("squava", "(square 5)", "(square 40)"), "1600 sites"),
        (changed("squava", "(players 2)", "(players 3)"), "games for 3 players are not read"),
        (changed("squava", "(is Line 4)", "(is Full)"), "unknown ludeme `is Full`"),
        (changed("squava", "(is Line 4)", "(is Line 4 exact:True exact:False)"), "`exact:` stands twice in `is Line`"),
        (changed("squava", "(sites Empty)", "(sites { \"Z9\" })"), "there is no site `Z9` on this board"),
        (changed("squava", "(sites Empty)", "(sites { 99 })"), "there is no site 99: the last one is 24"),
        (
            changed("yavalath", "<Board:side>", "<Bord:side>"),
            "no option defines `<Bord:side>`; did you mean `Board:side`?",
        ),
        (
            changed("fanorona", "(define \"Approached\"", "(define \"Approached\" (\"Approached\"))(define \"X\""),
            "stands in itself",
        ),
        (
            changed("minishogi", "(forEach Piece \"Pawn\" container:(mover)", "(forEach Piece"),
            "my.lud:95:69: to answer this, it has to be answered again",
        ),
        (
            changed("minishogi", "(define \"MayGo\" (or (is Empty (to))", "(define \"MayGo\" (or (\"InCheck\" Mover)"),
            "my.lud:21:19: to answer this, it has to be answered again",
        ),
        (
            changed("squava", "(play ", "(play (if (no Moves Mover) (move Pass) ").replace("(end", ") (end"),
            "to answer this, it has to be answered again",
        ),
        ("(game".to_owned(), "`(` is never closed"),
        ("(game \"X\" (players 2)))".to_owned(), "`)` closes nothing"),
        (format!("(game \"X\" {}", "(".repeat(100_000)), "nested deeper than"),
        (String::new(), "there is no `(game ...)` here"),
    ] {
        let found = mistakes(&text);
        assert!(found.contains(message), "{message:?} is not in {found:?}");
    }
}

#[test]
fn all_mistakes_are_found_in_one_go() {
    let text =
        changed("squava", "(square 5)", "(squar 5)").replace("is Line", "is Lien").replace("Mover Win", "Mover Wins");
    assert_eq!(mistakes(&text).lines().count(), 4, "{}", mistakes(&text));
}

#[test]
fn mistakes_within_one_ludeme_are_told_together() {
    for (from, to, messages) in [
        ("(square 5)) (piece \"Stone\" Each)", "(squar 5)) (piece \"Stone\" Eech)", &["`squar`", "`Eech`"][..]),
        ("(if (is Line 4) (result Mover Win))", "(if (is Lien 4) (result Mover Wins))", &["`is Lien`", "`Wins`"]),
        (
            "(if (is Line 4) (result Mover Win))",
            "(of (is Lien 4) (result Mover Wins))",
            &["`of`", "`is Lien`", "`Wins`"],
        ),
        (
            "(if (is Line 4) (result Mover Win))",
            "(if (is Line 4) (result Mover Win) Here Their)",
            &["`Here`", "`Their`"],
        ),
    ] {
        let found = mistakes(&changed("squava", from, to));
        assert_eq!(found.lines().count(), messages.len(), "{found}");
        assert!(messages.iter().all(|message| found.contains(message)), "{messages:?} {found}");
    }
}

#[test]
fn messages_name_what_exists_and_the_place_where_a_shared_macro_is_called() {
    let wrong = mistakes(&changed("squava", "(square 5)", "(remove (square 4))"));
    assert!(wrong.contains("`square`, `rectangle`, `hex`"), "{wrong}");
    assert_eq!(wrong.lines().count(), 1, "{wrong}");
    let wrong = mistakes(&changed("squava", "(is Line 4)", "(is Lien 4)"));
    assert!(wrong.contains("did you mean `Line`?") && wrong.lines().count() == 1, "{wrong}");
    let files = [("four.def".to_owned(), "\n(define \"Four\" (is Lien 4))".to_owned())];
    let text = changed("squava", "(is Line 4)", "(\"Four\")");
    let wrong = LudemeSpec::read("my.lud", &text, &files, &[]).unwrap_err();
    let line = text.lines().position(|line| line.contains("Four")).unwrap() + 1;
    assert!(wrong.starts_with(&format!("my.lud:{line}:")), "{wrong}");
    assert!(wrong.contains("(in a macro of four.def:2:"), "{wrong}");
}

#[test]
fn hints_are_words_that_are_allowed_there() {
    for (from, to, message) in [
        ("(is Line 4)", "(nat (is Line 4))", "unknown ludeme `nat`; did you mean `not`?"),
        ("(play (move", "(play (mave", "unknown ludeme `mave`; did you mean `move`?"),
        ("(piece \"Stone\" Each)", "(price \"Stone\" Each)", "unknown ludeme `price`; did you mean `piece`?"),
        ("(sites Empty)", "(sites Emty)", "unknown ludeme `sites Emty`; did you mean `Empty`?"),
        // The nearest words of all are of another type: `map`, `play`, `sites Left`, `count Moves`.
        ("(is Line 4)", "(ma (is Line 4))", "unknown ludeme `ma`\n"),
        ("(square 5)", "(plays 5)", "unknown ludeme `plays`\n"),
        ("(is Line 4)", "(sites Lift)", "`if` has no place for `(sites Lift ...)`"),
        ("(is Line 4)", "(is Line 4 if:(count Movs))", "`count` is a number or a site; here a condition is expected"),
        // Words that no parameter is left for.
        ("(result Mover Win)", "(result Movr Win)", "no place for `Movr`; did you mean `Mover`?"),
        ("(result Mover Win)", "(result Mover Wins)", "no place for `Wins`; did you mean `Win`?"),
        ("(result Mover Win)", "(result Mover Win Movr)", "no place for `Movr`; it is written"),
        // An unknown label, and a known one with another value.
        ("(is Line 4)", "(is Line 4 exat:True)", "`is Line` has no `exat:`; did you mean `exact`?"),
        ("(is Line 4)", "(is Line 4 exact:Tru)", "is a condition, not `Tru`; did you mean `True`?"),
        ("(is Line 4)", "(is Line 4 exact:7)", "`exact:` of `is Line` is a condition, not `7`; it is written"),
    ] {
        let found = mistakes(&changed("squava", from, to)) + "\n";
        assert!(found.contains(message), "{message:?} is not in {found:?}");
    }
}

#[test]
fn macros_that_double_are_stopped() {
    let double = |level: usize| format!("(define \"D{level}\" (and (\"D{}\") (\"D{}\")))", level + 1, level + 1);
    let text: String = (0..40).map(double).collect();
    assert!(mistakes(&format!("{text}(game \"X\" (\"D0\"))")).contains("parts"));
}

#[test]
fn macros_that_double_their_arguments_are_stopped_before_they_take_memory() {
    let nested = |macros: &str, levels: usize, open: &str, inner: &str| {
        let close = ")".repeat(levels);
        let play = format!("(play (if {}{inner}{close} (move Add (to (sites Empty)))))", open.repeat(levels));
        let equipment = "(equipment { (board (square 3)) (piece \"Stone\" Each) })";
        mistakes(&format!("{macros}(game \"X\" (players 2) {equipment} (rules {play}))"))
    };
    let double = "(define \"D\" (and #1 #1))";
    let text = nested(double, 4, "(\"D\" ", "True");
    assert_eq!(text, "");
    for levels in [16, 24, 50] {
        let wrong = nested(double, levels, "(\"D\" ", "True");
        assert!(wrong.contains("parts"), "{levels}: {wrong}");
    }
    let deep = format!("(define \"D\" {}#1{})", "(not ".repeat(30), ")".repeat(30));
    for levels in [4, 7, 50] {
        let wrong = nested(&deep, levels, "(\"D\" ", "True");
        assert!(wrong.contains("nested"), "{levels}: {wrong}");
    }
    let long = format!("(define \"D\" \"{}\")", "#1".repeat(1000));
    let wrong = nested(&long, 50, "(\"D\" ", "\"abc\"");
    assert!(wrong.contains("parts"), "{wrong}");
}

#[test]
fn what_macros_make_can_be_written_down() {
    let text = |define: &str, name: &str| {
        let equipment = "(equipment { (board (square 3)) (piece \"Stone\" Each) })";
        let rules = "(rules (play (move Add (to (sites Empty)))))";
        format!("{define}(game {name} (players 2) {equipment} {rules})")
    };
    let name = text("(define \"N\" \"A #1\")", "(\"N\" \"b \\\" (c\")");
    let spec = LudemeSpec::read("a", &name, &[], &[]).unwrap();
    assert_eq!(spec.program().name, "A b \" (c");
    for (define, name) in [
        ("(define \"W\" x#1)", "(\"W\" \"( y\")"),
        ("(define \"W\" #1#2)", "(\"W\" \"\")"),
        ("(define \"N\" \"A \\#1\")", "(\"N\" \"\")"),
    ] {
        assert!(!mistakes(&text(define, name)).is_empty());
    }
}

#[test]
fn texts_options_and_marks_are_read_as_people_write_them() {
    let game = |play: &str, rest: &str| {
        let equipment = "(equipment { (board (square <Size>)) (piece \"Stone\" Each) })";
        format!("\u{feff}(game \"X\" (players 2) {equipment} (rules (play {play}) (end <End:rule>))) {rest}")
    };
    let rest = r#"
        (option "Size" <Size> args:{ <n> } { (item "Small" <3> "a \"small\" board")* (item "Large" <4> "over
        two lines") })
        (option "End" <End> args:{ <rule> <how> } {
            (item "Plain" <(if (is Line 3) (result Mover Win))> <Add> "words")
            (item "Exact" <(if (is Line 3 <Exact:exact>) (result Mover Win))> <Add> "words")* })
        (option "Exact" <Exact> args:{ <exact> } { (item "Yes" <exact:True> "")* (item "No" <> "") })
        (metadata (info { (source "<a href=\"http://x.y/z\">w</a>") (rules "First,
            second.") }))"#;
    let read = |options: &[&str]| {
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        let text = game("(move <End:how> (to (sites Empty)))", rest);
        LudemeSpec::read("a", &text, &[], &options).unwrap_or_else(|wrong| panic!("{wrong}")).program()
    };
    assert_eq!(read(&[]).sites, 9);
    assert_eq!(read(&["Size/Large"]).sites, 16);
    assert!(read(&[]).lines[0].exact);
    assert!(!read(&["Exact/No"]).lines[0].exact);
    let headed = game("(<End:how> Add (to (sites Empty)))", &rest.replace("<Add>", "<move>"));
    assert_eq!(mistakes(&headed), "");
}

#[test]
fn a_missing_quote_is_one_mistake_where_it_is_missing() {
    let wrong = mistakes(&changed("squava", "(piece \"Stone\" Each)", "(piece \"Stone Each)"));
    assert_eq!(wrong.lines().count(), 1, "{wrong}");
    let line = described("squava").unwrap().text.lines().position(|line| line.contains("\"Stone\"")).unwrap() + 1;
    assert!(wrong.starts_with(&format!("my.lud:{line}:")), "{wrong}");
}

#[test]
fn what_a_text_means_is_what_it_is() {
    let text = described("yavalath").unwrap().text;
    let read = |text: &str, options: &[&str]| {
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        LudemeSpec::read("a", text, &[], &options)
    };
    let plain = read(text, &[]).unwrap();
    assert_eq!(read(&format!("// new\n{}", text.replace('\n', "\n\n")), &[]).unwrap(), plain);
    assert_eq!(read(text, &["Board/5x5"]).unwrap(), plain);
    assert_ne!(read(text, &["Board/6x6"]).unwrap(), plain);
    let wrong = read(text, &["Board/7x7"]).unwrap_err();
    assert!(wrong.contains("there is no option `Board/7x7`; did you mean"), "{wrong}");
    let both = read(text, &["Board/5x5", "Board/6x6"]).unwrap_err();
    assert!(both.contains("are of one option: choose one") && both.contains("`Board/6x6`"), "{both}");
    for game in LIBRARY {
        let spec = LudemeSpec::read(game.name, game.text, &[], &[]).unwrap();
        let written = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<LudemeSpec>(&written).unwrap(), spec, "{}", game.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_makes_it_panic(at in 0..LIBRARY.len(), cuts in prop::collection::vec((0.0..1.0_f64, 0..6_usize, 0.0..1.0_f64), 1..8)) {
        let mut text: Vec<char> = LIBRARY[at].text.chars().collect();
        for (place, what, other) in cuts {
            let [place, other] = [place, other].map(|part| (part * text.len() as f64) as usize);
            match what {
                0 => drop(text.remove(place)),
                1 => text.insert(place, "(){}<>\"#:*1-".chars().nth(other % 12).unwrap()),
                2 => text.swap(place, other),
                3 => { let part: Vec<char> = text[place.min(other)..place.max(other)].to_vec(); text.truncate(place.max(other)); text.extend(part); }
                4 => text.truncate(place.max(1)),
                _ => { let copied: Vec<char> = text[place..(place + 20).min(text.len())].to_vec(); text.splice(other..other, copied); }
            }
            prop_assume!(!text.is_empty() && text.len() < 20_000);
        }
        try_out(&text.into_iter().collect::<String>());
    }
}

/// Compiles a text, and plays some moves if it is a game.
fn try_out(text: &str) {
    if let Ok(spec) = LudemeSpec::read("a", text, &[], &[]) {
        let start = spec.build();
        crate::games::Game::start(&*start).rollout_within(&mut Seed::new(1).rng(), 300);
    }
}

/// Cuts, copies and swaps parts of a text, including lines and tokens.
fn mutated(text: &str, rng: &mut Rng) -> String {
    let mut parts: Vec<String> = text.split_inclusive([' ', '\n', '(', ')', '{', '}']).map(str::to_owned).collect();
    for _ in 0..rng.random_range(1..6) {
        let (from, to) = (rng.random_range(0..parts.len()), rng.random_range(0..parts.len()));
        let last = (from + rng.random_range(1..12)).min(parts.len());
        match rng.random_range(0..5) {
            0 => drop(parts.drain(from..last)),
            1 => parts.swap(from, to),
            2 => drop(parts.splice(to..to, parts[from..last].to_vec())),
            3 => parts[from] = parts[to].clone(),
            _ => {
                parts[from].insert_str(0, ["(", ")", "{", "}", "<", "\"", "#1", ":", "*", "-1", "99999999999"][to % 11])
            }
        }
        if parts.is_empty() {
            break;
        }
    }
    parts.concat()
}

/// Time limit for one text, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Whether a text causes a panic or exceeds the time limit.
fn does_harm(number: u64) -> bool {
    let mut rng = Seed::new(1).child("text", number).rng();
    let text = mutated(LIBRARY[number as usize % LIBRARY.len()].text, &mut rng);
    let clock = Instant::now();
    let panics = catch_unwind(|| try_out(&text)).is_err();
    let harm = panics || clock.elapsed() > PATIENCE;
    if harm {
        eprintln!("text {number}, {:?}:\n{text}", clock.elapsed());
    }
    harm
}

/// The long form, for changes of the language: `cargo test --release --lib a_million -- --ignored`.
#[test]
#[ignore = "long: a million texts"]
fn a_million_texts_do_no_harm() {
    let harmful: Vec<u64> = (0..1_000_000).into_par_iter().filter(|&number| does_harm(number)).collect();
    assert!(harmful.is_empty(), "{harmful:?}");
}
