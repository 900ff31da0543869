//! Tests of the chess engine as a state machine.

use super::*;
use crate::players::PlayerSpec;

fn engine(player: &str) -> UciServer {
    let player: PlayerSpec = toml::from_str(player).unwrap();
    let served = ServedPlayer { name: player.name(), player, weights: None, most: None };
    UciServer::new(served, &toml::from_str("chess = {}").unwrap(), Seed::new(1)).unwrap()
}

/// The answer to some lines, with all slices of a search that a line starts.
fn said(engine: &mut UciServer, lines: &str) -> String {
    let mut out = String::new();
    for line in lines.lines() {
        let mut next = engine.handle(Input::Line(line), &mut out);
        while next == Next::Think && !engine.thinker.is_endless() {
            next = engine.think(&mut out);
        }
        assert!(matches!(next, Next::Listen | Next::Think), "{line}: {next:?}");
    }
    out
}

fn best(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("bestmove ")).unwrap_or_else(|| panic!("{text}"))
}

const UCT: &str = "uct = { simulations = 30 }";

#[test]
fn it_introduces_itself() {
    let said = said(&mut engine(UCT), "uci\nisready\ndebug on\nregister later\nponderhit\nstop\nxyz isready");
    for part in ["id name Gauntlet ", "id author ", "option name Simulations type spin", "uciok\nreadyok\nreadyok\n"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn it_answers_within_its_limits() {
    let mut uct = engine(UCT);
    let text = said(&mut uct, "position startpos moves e2e4 e7e5\ngo nodes 40");
    let info = text.lines().find(|line| line.starts_with("info depth")).unwrap();
    assert!(info.contains(" nodes 40 ") && info.contains(" score cp ") && info.contains(" pv "), "{info}");
    assert_eq!(best(&text).len(), 4);
    assert_eq!(text.lines().last().unwrap(), format!("bestmove {}", best(&text)));
    let again = said(&mut engine(UCT), "position startpos moves e2e4 e7e5\ngo nodes 40");
    assert_eq!(best(&again), best(&text), "a number of simulations has one answer");
    let begun = std::time::Instant::now();
    for go in ["go movetime 60", "go wtime 3000 btime 3000", "go depth 2", "go"] {
        best(&said(&mut uct, go));
    }
    assert!(begun.elapsed().as_secs() < 5);
}

/// Managers store the score of the last line with the move.
#[test]
fn the_last_line_begins_with_the_move() {
    for (nodes, lines) in [(4, 1), (10, 1), (10, 3), (40, 1), (40, 2)] {
        let mut uct = engine(UCT);
        said(&mut uct, &format!("setoption name MultiPV value {lines}"));
        for moves in ["", "e2e4", "e2e4 e7e5 g1f3", "d2d4 d7d5 c2c4 e7e6"] {
            let text = said(&mut uct, &format!("position startpos moves {moves}\ngo nodes {nodes}"));
            let mut analyses = text.lines().filter(|line| lines == 1 || line.contains(" multipv 1 "));
            let last = analyses.rfind(|line| line.contains(" pv ")).unwrap();
            let first = last.split_once(" pv ").unwrap().1.split(' ').next();
            assert_eq!(first, Some(best(&text)), "{nodes} nodes: {text}");
        }
    }
}

#[test]
fn promotions_are_named() {
    // The king is blocked in: the pawn becomes one of four pieces.
    let place = "setoption name MultiPV value 4\nposition fen 8/P6k/8/8/8/1q6/8/K7 w - - 0 1\n";
    let text = said(&mut engine(UCT), &format!("{place}go nodes 40"));
    let promoting = |text: &str| text.len() == 5 && text.starts_with("a7a8");
    assert!(promoting(best(&text)), "{text}");
    let lines = text.lines().filter_map(|line| line.split(" pv ").nth(1)?.split(' ').next());
    let mut pieces: Vec<&str> = lines.inspect(|first| assert!(promoting(first), "{text}")).collect();
    pieces.sort_unstable();
    pieces.dedup();
    assert!(pieces.contains(&"a7a8q"), "{text}");
}

#[test]
fn mates_are_found_and_told() {
    let mut uct = engine("uct = { simulations = 2000 }");
    let text = said(&mut uct, "position fen 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1\ngo");
    assert_eq!(best(&text), "a1a8");
    assert!(text.contains("score mate 1 "), "{text}");
}

#[test]
fn an_endless_search_is_stopped() {
    let mut uct = engine(UCT);
    for end in ["stop", "go infinite\nstop", "ponderhit\nstop"] {
        let mut out = String::new();
        let go = if end.starts_with("ponder") { "go ponder wtime 100 btime 100" } else { "go infinite" };
        let mut next = uct.handle(Input::Line(go), &mut out);
        for _ in 0..3 {
            assert_eq!(next, Next::Think);
            next = uct.think(&mut out);
        }
        assert!(!out.contains("bestmove"), "{out}");
        for line in end.lines() {
            uct.handle(Input::Line(line), &mut out);
        }
        best(&out);
        assert_eq!(uct.handle(Input::Line("isready"), &mut out), Next::Listen);
    }
    let mut out = String::new();
    uct.handle(Input::Line("go infinite"), &mut out);
    assert_eq!(uct.handle(Input::End, &mut out), Next::Listen);
    best(&out);
    uct.handle(Input::Line("go infinite"), &mut out);
    assert_eq!(uct.handle(Input::Line("quit"), &mut out), Next::Leave);
}

/// After `ponderhit` the limits of the `go` apply, or else the player's own number of simulations.
#[test]
fn a_hit_ends_a_search_of_nodes() {
    for go in ["go ponder nodes 10", "go ponder"] {
        let (mut uct, mut out) = (engine(UCT), String::new());
        let mut next = uct.handle(Input::Line(go), &mut out);
        assert_eq!((next, uct.think(&mut out)), (Next::Think, Next::Think), "{go}");
        assert!(!out.contains("bestmove"), "{out}");
        next = uct.handle(Input::Line("ponderhit"), &mut out);
        for _ in 0..100 {
            if next == Next::Think {
                next = uct.think(&mut out);
            }
        }
        best(&out);
    }
}

#[test]
fn the_time_of_a_search_begins_with_go() {
    let mut uct = engine(UCT);
    let mut out = String::new();
    uct.handle(Input::Line("go ponder wtime 9000 btime 9000 movestogo 1"), &mut out);
    std::thread::sleep(std::time::Duration::from_millis(300));
    uct.think(&mut out);
    out.clear();
    uct.handle(Input::Line("ponderhit"), &mut out);
    uct.think(&mut out);
    uct.handle(Input::Line("stop"), &mut out);
    let words: Vec<&str> = out.split_whitespace().collect();
    let at = words.iter().rposition(|word| *word == "time").unwrap();
    assert!(words[at + 1].parse::<u32>().unwrap() >= 300, "{out}");
}

#[test]
fn options_act() {
    let mut uct = engine(UCT);
    let text = said(&mut uct, "setoption name Simulations value 12\nsetoption name MultiPV value 3\ngo nodes 500");
    assert!(text.contains(" nodes 12 ") && text.contains(" multipv 3 ") && !text.contains(" multipv 4 "), "{text}");
    for (line, message) in [
        ("setoption name Simulations value -4", "option Simulations: -4 is not a value"),
        ("setoption name Clever value 1", "no option Clever"),
        ("setoption", "an option is set by"),
        ("setoption name Temperature value 1", "has no temperature"),
        ("setoption name Temperature value hot", "hot is not a value"),
    ] {
        let text = said(&mut uct, line);
        assert!(text.contains(message), "{line}: {text}");
    }
    assert_eq!(said(&mut uct, "setoption name Hash value 16\nsetoption name Ponder value true"), "");
}

#[test]
fn wrong_positions_get_no_move() {
    let mut uct = engine(UCT);
    for (line, message) in [
        ("position startpos moves e2e5", "move 1, e2e5, is not legal"),
        ("position fen nonsense", "no position of chess"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "no position of chess"),
        ("position", "a position is `position startpos`"),
        ("position fen", "a position is `position startpos`"),
    ] {
        let text = said(&mut uct, &format!("{line}\ngo nodes 5"));
        assert!(text.contains(message) && best(&text) == "0000", "{line}: {text}");
    }
    let mated = "position fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3\ngo nodes 5";
    assert_eq!(best(&said(&mut uct, mated)), "0000");
    assert_eq!(best(&said(&mut uct, "position startpos\ngo nodes 5")).len(), 4, "it goes on");
    assert!(said(&mut uct, &"x".repeat(100_000)).len() < 200);
    let mut out = String::new();
    assert_eq!(uct.handle(Input::TooLong, &mut out), Next::Listen);
    assert!(out.contains("too long"));
}

/// Other programs leave the claim of a draw to the players.
#[test]
fn games_go_on_where_our_rules_see_a_draw() {
    let mut uct = engine(UCT);
    let shuffle = " g1f3 g8f6 f3g1 f6g8".repeat(3);
    let text = said(&mut uct, &format!("position startpos moves{shuffle} e2e4\ngo nodes 20"));
    assert_eq!(best(&text).len(), 4);
    let text = said(&mut uct, "position fen 7k/8/8/8/8/8/R7/K7 w - - 99 80 moves a2a3\ngo nodes 20");
    assert!(best(&text).starts_with("h8"), "{text}");
}

#[test]
fn a_kept_tree_goes_on() {
    let mut keeping = engine("search = { search = { simulations = 200, reuse = \"keep\" } }");
    let start = "position fen 7k/8/8/8/8/8/P7/7K w - - 0 1";
    let first = said(&mut keeping, &format!("{start}\ngo nodes 2000"));
    let line = first.lines().rev().find_map(|line| line.split_once(" pv ")).unwrap().1;
    let moves = line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let kept = said(&mut keeping, &format!("{start} moves {moves}\ngo nodes 300"));
    let fresh = said(&mut keeping, &format!("ucinewgame\n{start} moves {moves}\ngo nodes 300"));
    let nodes = |text: &str| text.split(" nodes ").last().unwrap().split(' ').next().unwrap().parse::<u32>().unwrap();
    assert!(nodes(&kept) > 300 && nodes(&fresh) == 300, "{kept}{fresh}");
}

#[test]
fn players_without_a_search_answer_at_once() {
    for player in ["random = {}", "alpha-beta = { depth = 1 }"] {
        let text = said(&mut engine(player), "position startpos\ngo wtime 1000 btime 1000");
        assert_eq!(best(&text).len(), 4);
    }
    let mut random = engine("random = {}");
    let mut out = String::new();
    let mut next = random.handle(Input::Line("go infinite"), &mut out);
    for _ in 0..5 {
        assert_eq!(next, Next::Think);
        next = random.think(&mut out);
    }
    random.handle(Input::Line("stop"), &mut out);
    best(&out);
}

#[test]
fn it_plays_chess_on_8x8_alone() {
    let served = || ServedPlayer {
        name: "a".to_owned(),
        player: toml::from_str("naive = {}").unwrap(),
        weights: None,
        most: None,
    };
    for game in ["chess = { size = 5 }", "go = { size = 9 }"] {
        let error = UciServer::new(served(), &toml::from_str(game).unwrap(), Seed::new(1)).err().unwrap();
        assert!(error.contains("use --protocol gtp or json"), "{error}");
    }
}
