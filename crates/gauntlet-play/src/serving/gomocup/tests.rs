//! Tests of the Gomocup engine as a state machine.

use super::*;
use crate::players::PlayerSpec;

fn engine(player: &str) -> GomocupServer {
    let player: PlayerSpec = toml::from_str(player).unwrap();
    let served = ServedPlayer { name: player.name(), player, weights: None, most: None };
    GomocupServer::new(served, &toml::from_str("gomoku = { size = 15 }").unwrap(), Seed::new(1)).unwrap()
}

/// The lines of the answers to some lines.
fn said(engine: &mut GomocupServer, lines: &str) -> Vec<String> {
    let mut out = String::new();
    for line in lines.lines() {
        let mut next = engine.handle(Input::Line(line), &mut out);
        while matches!(next, Next::Busy | Next::Think) {
            next = engine.think(&mut out);
        }
        assert_eq!(next, Next::Listen, "{line}");
    }
    out.lines().map(str::to_owned).collect()
}

fn point(text: &str) -> [usize; 2] {
    let (column, row) = text.split_once(',').unwrap_or_else(|| panic!("{text}"));
    [column.parse().unwrap(), row.parse().unwrap()]
}

#[test]
fn a_game_is_played() {
    let mut naive = engine("benchmark = {}");
    let found = said(&mut naive, "START 9\nINFO timeout_turn 1000\nINFO rule 0\nBEGIN\nTURN 0,0\nTURN 8,0");
    assert_eq!((found.len(), &found[0][..]), (4, "OK"));
    let points: Vec<[usize; 2]> = found[1..].iter().map(|text| point(text)).collect();
    assert!(points.iter().all(|point| point.iter().all(|at| *at < 9) && ![[0, 0], [8, 0]].contains(point)));
    let [column, row] = points[2];
    assert_eq!(said(&mut naive, &format!("TAKEBACK 4,4\nTAKEBACK {column},{row}\nRESTART"))[1..], ["OK", "OK"]);
    assert_eq!(said(&mut naive, "TURN 4,4\nABOUT").len(), 2);
}

/// Four in a row: the engine has to close or to complete it.
#[test]
fn boards_are_set_up_in_order_or_without() {
    let mut naive = engine("naive = {}");
    let four = "0,5,1\n0,0,2\n1,5,1\n1,0,2\n2,5,1\n2,0,2\n3,5,1\n3,0,2";
    assert_eq!(said(&mut naive, &format!("START 15\nBOARD\n{four}\nDONE"))[1], "4,5");
    let shuffled = "0,5,1\n1,5,1\n2,5,1\n3,5,1\n0,0,2\n1,0,2\n2,0,2\n3,0,2";
    assert_eq!(said(&mut naive, &format!("BOARD\n{shuffled}\nDONE")), ["4,5"]);
    let second = "0,0,2\n0,5,1\n1,0,2\n1,5,1\n2,0,2\n2,5,1\n7,0,2\n3,5,1\n14,14,2";
    assert_eq!(said(&mut naive, &format!("BOARD\n{second}\nDONE\nTURN 7,7"))[0], "4,5");
    assert_eq!(said(&mut naive, "BOARD\nDONE").len(), 1);
}

#[test]
fn mistakes_are_answered() {
    let mut naive = engine("naive = {}");
    for (lines, answer) in [
        ("BEGIN", "ERROR no game: send START first"),
        ("START 99", "ERROR unsupported size: board size 99 is outside 5 to 25"),
        ("START x", "ERROR START needs the size of the board"),
        ("RECTSTART 15,10", "ERROR unsupported size: the board has to be square"),
        ("START 15 10", "ERROR unsupported size: the board has to be square"),
        ("start 15 15 15", "ERROR START needs the size of the board"),
        ("yxboard", "ERROR no game: send START first"),
        ("SWAP2BOARD", "UNKNOWN command SWAP2BOARD"),
        ("INFO rule 4", "ERROR unsupported rule: this engine plays without forbidden moves, and not caro"),
        ("INFO timeout_turn x", "ERROR INFO timeout_turn needs a number"),
    ] {
        assert_eq!(said(&mut naive, lines), [answer], "{lines}");
    }
    assert_eq!(said(&mut naive, "INFO rule 0\nRECTSTART 15,15\nINFO new 7"), ["OK"]);
    for (lines, answer) in [
        ("TURN 15,0", "ERROR 15,0 is not on the board"),
        ("TURN 1", "ERROR a point is COLUMN,ROW, not 1"),
        ("TURN -1,0", "ERROR a point is COLUMN,ROW, not -1,0"),
        ("BOARD\n1,1\nRESTART", "ERROR a stone is COLUMN,ROW,OWNER, not 1,1"),
        ("BOARD\n1,1,1\n2,2,1\nDONE", "ERROR the numbers of stones do not fit the engine's turn"),
        ("BOARD\n1,1,2\n1,1,1\n2,2,2\nDONE", "ERROR the move B14 is not legal"),
    ] {
        assert_eq!(said(&mut naive, lines)[0], answer, "{lines}");
    }
    assert_eq!(said(&mut naive, "RESTART\nINFO rule 4\nBEGIN").len(), 3, "a refused rule is not played by");
    assert_eq!(said(&mut naive, "INFO rule 0\nBEGIN\nBEGIN")[1], "ERROR the game has begun: send RESTART");
    assert_eq!(said(&mut naive, "TURN 1,1\nTURN 1,1")[1], "ERROR the move B14 is not legal");
    let mut out = String::new();
    assert_eq!(naive.handle(Input::TooLong, &mut out), Next::Listen);
    assert_eq!(naive.handle(Input::Line("end"), &mut out), Next::Leave);
}

#[test]
fn time_limits_a_search() {
    let mut slow = engine("uct = { simulations = 10000000 }");
    let begun = std::time::Instant::now();
    let found = said(&mut slow, "START 15\nINFO timeout_turn 100\nINFO max_memory 400000000\nBEGIN");
    assert!(found.len() == 2 && begun.elapsed().as_secs() < 2);
}

#[test]
fn it_plays_gomoku_alone() {
    let player = toml::from_str("random = {}").unwrap();
    let served = ServedPlayer { name: "r".to_owned(), player, weights: None, most: None };
    let error = GomocupServer::new(served, &toml::from_str("go = { size = 9 }").unwrap(), Seed::new(1)).err().unwrap();
    assert!(error.contains("use --protocol gtp or json"), "{error}");
}

/// Black has a row of four and can make it five or, with a stone behind the gap, six.
#[test]
fn the_manager_chooses_the_rule() {
    let row = "0,5,1\n0,0,2\n1,5,1\n2,0,2\n2,5,1\n4,0,2\n3,5,1\n6,0,2\n5,5,1\n8,0,2";
    let wins = |engine: &mut GomocupServer, rule: u8| {
        let found = said(engine, &format!("START 15\nINFO rule {rule}\nBOARD\n{row}\nDONE"));
        (found[1] == "4,5").then(|| engine.board.position().outcome().is_some())
    };
    let mut naive = engine("naive = {}");
    assert_eq!(wins(&mut naive, 0), Some(true), "six in a row win");
    assert_ne!(wins(&mut naive, 1), Some(true), "only five win");
    assert_eq!(wins(&mut naive, 0), Some(true));
    // Within a game, the moves so far are kept.
    let found = said(&mut naive, "START 15\nBEGIN\nINFO rule 1\nTURN 14,14");
    assert_eq!((found.len(), naive.board.ply()), (3, 3), "{found:?}");
    assert_eq!(naive.spec, toml::from_str("gomoku = { size = 15, exact = true }").unwrap());
}

#[test]
fn the_dialect_of_yixin_is_understood() {
    let mut naive = engine("naive = {}");
    assert_eq!(said(&mut naive, "start 15 15\nINFO RULE 0\nyxshowinfo\nyxhashclear\nyxstop"), ["OK"]);
    let four = "0,0,2\n0,5,1\n1,0,2\n1,5,1\n2,0,2\n2,5,1\n7,0,2\n3,5,1\n14,14,2";
    // The list alone asks for nothing; then the engine completes its row.
    assert_eq!(said(&mut naive, &format!("yxboard\n{four}\ndone\nyxshowforbid")), ["FORBID ."]);
    assert_eq!(said(&mut naive, "yxnbest 1"), ["4,5"]);
    // The opponent is to move: it moved first, or second.
    for list in ["0,5,2\n0,0,1", "0,0,1", ""] {
        assert_eq!(said(&mut naive, &format!("yxboard\n{list}\ndone\nTURN 9,9")).len(), 1, "{list}");
    }
    assert!(said(&mut naive, "yxboard\n0,0,1\n1,1,1\ndone")[0].contains("numbers of stones"));
}

#[test]
fn a_search_is_stopped_and_lines_wait_for_its_end() {
    let mut slow = engine("uct = { simulations = 10000000 }");
    let mut out = String::new();
    for line in ["START 15", "BEGIN", "INFO time_left 5", "YXNBEST 1", "ABOUT"] {
        slow.handle(Input::Line(line), &mut out);
    }
    assert_eq!((slow.think(&mut out), &out[..]), (Next::Think, "OK\n"));
    assert_eq!(slow.handle(Input::Line("yxstop"), &mut out), Next::Think, "the next move is searched");
    assert_eq!(out.lines().count(), 2, "{out}");
    while slow.think(&mut out) == Next::Think {}
    assert_eq!(out.lines().count(), 4, "the move by the new limit, and ABOUT: {out}");
    // The end of the input lets a search end; a flood of lines is not read.
    slow.handle(Input::Line("YXNBEST 1"), &mut out);
    assert_eq!(slow.handle(Input::End, &mut out), Next::Think);
    for _ in 0..MOST_WAITING {
        slow.handle(Input::Line("RESTART"), &mut out);
    }
    assert_eq!(slow.next(), Next::Busy);
    assert_eq!(slow.handle(Input::Line("end"), &mut out), Next::Leave);
}
