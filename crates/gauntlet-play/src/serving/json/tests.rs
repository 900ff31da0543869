//! Tests of the engine's side of Gauntlet's own protocol.

use super::*;
use crate::arena::{Cohort, PlayedGame, Terms};
use crate::engines::messages::GameFacts;
use crate::players::{PlayerError, PlayerSpec, Source};

fn served(player: &str) -> ServedPlayer {
    let player: PlayerSpec = toml::from_str(player).unwrap();
    ServedPlayer { name: player.name(), player, weights: None, most: None }
}

fn spec(game: &str) -> GameSpec {
    toml::from_str(game).unwrap()
}

/// A player whose decisions come from an engine, by its messages.
struct Remote {
    engine: JsonServer,
    game: Arc<dyn Game>,
    played: HashMap<usize, Vec<String>>,
    seeds: Seed,
    asked: u64,
}

impl Remote {
    fn new(player: &str, game: &str, seed: Seed, seeds: Seed) -> Remote {
        let mut engine = JsonServer::new(served(player), None, Cores::default());
        let answer = answer(&mut engine, &hello(game, &seed, "{}"));
        assert!(answer.contains("\"wants\":[\"moves\"]"), "{answer}");
        Remote { engine, game: spec(game).build(), played: HashMap::new(), seeds, asked: 0 }
    }
}

fn hello(game: &str, seed: &Seed, options: &str) -> String {
    let facts = serde_json::to_string(&GameFacts::new(&spec(game))).unwrap();
    let seed = seed.to_hex();
    format!(r#"{{"hello":{{"protocol":1,"program":"t","game":{facts},"seed":"{seed}","options":{options}}}}}"#)
}

fn answer(engine: &mut JsonServer, line: &str) -> String {
    let mut out = String::new();
    engine.handle(Input::Line(line), &mut out);
    out
}

impl Player for Remote {
    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError> {
        let mut think = Vec::new();
        for turn in &*turns {
            let side = turn.position.side();
            let label = ["first", "second"][side.index()];
            think.push(Question {
                game: turn.game,
                ply: turn.ply,
                side,
                seed: self.seeds.child(label, turn.game as u64).to_hex(),
                start: None,
                moves: self.played.get(&turn.game).cloned().or(Some(Vec::new())),
                position: None,
                legal: None,
                planes: None,
                slots: None,
                clock: None,
            });
        }
        self.asked += 1;
        let line = serde_json::to_string(&ToEngine::Think { think, id: self.asked, budget: None }).unwrap();
        let answer = answer(&mut self.engine, &line);
        let Ok(FromEngine::Moves { moves, id }) = serde_json::from_str(&answer) else { panic!("{answer}") };
        assert_eq!((id, moves.len()), (Some(self.asked), turns.len()));
        for (turn, answer) in turns.iter_mut().zip(moves) {
            assert_eq!(answer.game, turn.game);
            turn.decision.action = self.game.parse_action(&answer.choice);
            turn.decision.value = answer.value.map(|value| value as f32);
        }
        Ok(())
    }

    fn forget(&mut self, game: usize) {
        self.played.remove(&game);
        assert_eq!(answer(&mut self.engine, &format!(r#"{{"over":[{game}]}}"#)), "");
    }
}

/// Both players of a match are the same object here, so that each side of a game has its own stream and both moves are
/// known.
fn play(player: &mut dyn Player, game: &str, seed: Seed) -> Vec<PlayedGame> {
    let terms = Terms { keep_actions: true, ..Terms::default() };
    let cohort = Cohort { games_at_once: 5, terms, ..Cohort::default() };
    cohort.play(&*spec(game).build(), &mut [player], 8, |_| [0, 0], &seed).unwrap()
}

/// Keeps the moves of both sides.
struct RemotePlayer(Remote);

impl Player for RemotePlayer {
    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError> {
        self.0.decide(turns)?;
        for turn in turns {
            let name = self.0.game.action_name(turn.decision.action.unwrap());
            self.0.played.entry(turn.game).or_default().push(name);
        }
        Ok(())
    }

    fn forget(&mut self, game: usize) {
        self.0.forget(game);
    }
}

#[test]
fn a_match_through_the_protocol_is_the_internal_match() {
    let keeping = "search = { search = { simulations = 20, reuse = \"keep\" }, temperature = 1.0 }";
    for (game, player) in [
        ("othello = { size = 6 }", "uct = { simulations = 20 }"),
        ("gomoku = { size = 7 }", keeping),
        ("chess = {}", "uct = { simulations = 3 }"),
        ("go = { size = 5 }", "random = {}"),
        ("connect-four = {}", "alpha-beta = { depth = 2 }"),
        ("ludeme = { name = \"hex\" }", "uct = { simulations = 2 }"),
        ("gomoku = { size = 5 }", "guided = { network = { saz = { hidden = 8 } }, search = { simulations = 8 } }"),
    ] {
        let (seed, seeds) = (Seed::new(5).child("weights", 0), Seed::new(9));
        let source = Source { seed: &seed, checkpoint: None };
        let built = toml::from_str::<PlayerSpec>(player).unwrap().build(&spec(game).build(), &source);
        let Ok(mut internal) = built else { panic!("{player} cannot play {game}") };
        let played = play(&mut *internal, game, seeds);
        let mut remote = RemotePlayer(Remote::new(player, game, seed, seeds));
        assert_eq!(play(&mut remote, game, seeds), played, "{player} in {game}");
        let session = remote.0.engine.session.as_ref().unwrap();
        assert!(session.games.is_empty(), "games that are over are forgotten");
    }
}

fn ready(game: &str) -> JsonServer {
    let mut engine = JsonServer::new(served("uct = { simulations = 10 }"), None, Cores::default());
    answer(&mut engine, &hello(game, &Seed::new(1), "{}"));
    engine
}

fn ask(moves: &str, more: &str) -> String {
    let seed = Seed::new(2).to_hex();
    format!(r#"{{"think":[{{"game":4,"side":"first","seed":"{seed}","moves":[{moves}]{more}}}],"id":7}}"#)
}

#[test]
fn another_line_of_play_starts_again() {
    let mut engine = ready("othello = { size = 6 }");
    let first = answer(&mut engine, &ask("", ""));
    assert!(first.starts_with(r#"{"moves":[{"game":4,"move":""#) && first.ends_with("],\"id\":7}\n"), "{first}");
    let name = |answer: &str| answer.split('"').nth(7).unwrap_or_else(|| panic!("{answer}")).to_owned();
    let game = spec("othello = { size = 6 }").build();
    let (mut position, mut rng, mut moves) = (game.start(), Seed::new(3).rng(), Vec::new());
    for _ in 0..4 {
        let action = position.random_action(&mut rng);
        moves.push(format!("{:?}", game.action_name(action)));
        position.play(action);
    }
    for length in [4, 2, 0, 4] {
        assert!(name(&answer(&mut engine, &ask(&moves[..length].join(","), ""))).len() == 2, "{length}");
    }
    let start = r#","start":"3/1x1/2o x""#;
    let mut small = ready("mnk = { rows = 3, columns = 3, row = 3 }");
    assert!(name(&answer(&mut small, &ask("", start))).len() == 2);
}

#[test]
fn invalid_messages_report_the_reason() {
    let said = |engine: &mut JsonServer, line: &str| {
        let answer = answer(engine, line);
        let Ok(FromEngine::Error { error }) = serde_json::from_str(&answer) else { panic!("{line}: {answer}") };
        error
    };
    let othello = "othello = { size = 6 }";
    for (line, message) in [
        ("garbage", "a message cannot be read: expected value at line 1 column 1"),
        ("[1]", "a message is a JSON object"),
        ("{\"think\":[]}", "missing field `id`"),
        ("{\"think\":7,\"id\":1}", "a message cannot be read"),
        (&ask("\"A1\"", ""), "game 4: `A1` is not a legal move"),
        (&ask("\"C2\"", ""), "game 4: the side to move is Second, not First"),
        (&ask("", ",\"start\":\"nonsense\""), "game 4: "),
        (&ask("", "").replace("seed", "sead"), "game 4: the seed has not 64 hexadecimal digits"),
        (&ask("", "").replace("\"moves\":[]", "\"ply\":0"), "game 4: neither moves nor a position"),
        (&ask("", "").replace("\"id\"", "\"budget\":{\"simulations\":0},\"id\""), "1 to 10000000 simulations, not 0"),
        (&hello(othello, &Seed::new(1), "{\"depth\":3}"), "no option `depth`: there are `simulations`"),
        (&hello(othello, &Seed::new(1), "{\"simulations\":\"x\"}"), "option `simulations`: \"x\" is not a number"),
        (&hello(othello, &Seed::new(1), "{}").replace("\"protocol\":1", "\"protocol\":2"), "version 1"),
        (&hello(othello, &Seed::new(1), "{}").replace("{\"othello\"", "{\"shogi\""), "unknown variant `shogi`"),
        (&hello(othello, &Seed::new(1), "{}").replace("\"size\":6", "\"size\":3"), "board size 3"),
    ] {
        let error = said(&mut ready(othello), line);
        assert!(error.contains(message), "{line}: {error}");
    }
    let mut engine = JsonServer::new(served("naive = {}"), Some(spec("othello = { size = 8 }")), Cores::default());
    assert_eq!(said(&mut engine, &ask("", "")), "`think` came before `hello`");
    assert!(said(&mut engine, &hello(othello, &Seed::new(1), "{}")).contains("was started for othello 8x8"));
    let mut benchmark = JsonServer::new(served("benchmark = {}"), None, Cores::default());
    assert!(said(&mut benchmark, &hello(othello, &Seed::new(1), "{}")).contains("cannot play"));
}

#[test]
fn unknown_messages_and_keys_are_ignored() {
    let mut engine = ready("othello = { size = 6 }");
    for line in ["", "  ", r#"{"news":1}"#, r#"{"planes":{"shape":[1,2,3],"logits":4}}"#, r#"{"over":[9]}"#] {
        assert_eq!(answer(&mut engine, line), "", "{line}");
    }
    assert!(answer(&mut engine, &ask("", ",\"new\":[1]")).starts_with("{\"moves\""));
    assert_eq!(engine.handle(Input::Line("{\"quit\":true}"), &mut String::new()), Next::Leave);
    assert!(is_quit("{\"quit\": true}") && !is_quit("{\"over\":[1]}"));
    assert_eq!(engine.handle(Input::End, &mut String::new()), Next::Leave);
}

#[test]
fn options_and_budgets_set_the_simulations() {
    let mut engine = JsonServer::new(served("uct = {}"), None, Cores::default());
    let mut visits = |options: &str, budget: &str| {
        answer(&mut engine, &hello("hex = { size = 4 }", &Seed::new(1), options));
        let question = ask("", "").replace("\"id\"", &format!("{budget}\"id\""));
        answer(&mut engine, &question)
    };
    let few = visits("{\"simulations\":16}", "");
    assert_eq!(visits("{}", "\"budget\":{\"simulations\":16},"), few);
    assert_eq!(visits("{}", "\"budget\":{\"nodes\":16},"), few);
    assert_ne!(visits("{}", ""), few);
}

#[test]
fn time_and_depth_limit_a_search() {
    let begun = std::time::Instant::now();
    let mut engine = JsonServer::new(served("uct = { simulations = 10000000 }"), None, Cores::default());
    answer(&mut engine, &hello("hex = { size = 5 }", &Seed::new(1), "{}"));
    for budget in [r#""budget":{"time-ms":50},"#, r#""budget":{"depth":2},"#] {
        let said = answer(&mut engine, &ask("", "").replace("\"id\"", &format!("{budget}\"id\"")));
        assert!(said.starts_with("{\"moves\"") && said.contains("\"value\""), "{said}");
    }
    let clock = r#","clock":{"first-ms":1000,"second-ms":1,"increment-ms":10}"#;
    assert!(answer(&mut engine, &ask("", clock)).starts_with("{\"moves\""));
    assert!(begun.elapsed().as_secs() < 3);
}
