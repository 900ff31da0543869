//! Engines that speak UCI, the protocol of chess engines (Huber and Meyer-Kahlen, "Universal Chess Interface", 2004).

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::engine::{Ask, Engine, EngineStart, Protocol, Reply, patience};
use super::error::{EngineError, shown};
use super::lines::{LONGEST_LINE, chosen, is_kind};
use super::messages::{Budget, ClockTimes};
use super::options::{named, spelled};
use super::process::{Process, Wait};
use super::uci_option::UciOption;
use gauntlet_games::base::Action;
use gauntlet_games::games::{Game, Position};

/// The protocol, for both sides.
pub const UCI: Protocol = Protocol {
    name: "uci",
    programs: "UCI: chess in cutechess, fastchess, python-chess and most graphical programs",
    usual_game: Some("chess = {}"),
    plays: |game| is_kind(game, "chess") && game.topology().rows() == 8,
    takes: |_| true,
    start: |start| Ok(Box::new(UciEngine::start(start)?)),
};

/// A difference of 400 points, as between players, is ten times the odds. UCI engines give hundredths of a pawn; on this
/// scale 4 pawns are ten times the odds.
const CENTIPAWNS: f64 = 400.0;

/// An engine that speaks UCI.
pub struct UciEngine {
    process: Process,
    game: Arc<dyn Game>,
    budget: Option<Budget>,
    /// The game that it thinks about.
    playing: Option<usize>,
    /// The game that is set up for the next question.
    prepared: Option<usize>,
}

impl UciEngine {
    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// If it does not start, does not have an option, or does not allow its value.
    fn start(EngineStart { launch, game, options, budget, .. }: EngineStart<'_>) -> Result<UciEngine, EngineError> {
        let mut process = Process::start(launch, LONGEST_LINE)?;
        process.send("uci");
        let (startup, mut declared) = (process.startup(), Vec::new());
        let wait = Wait::of(startup);
        loop {
            let line = process.text(wait, "`uci`")?;
            let line = line.trim();
            if let Some(name) = line.strip_prefix("id name ") {
                name.trim().clone_into(&mut process.says);
            } else if let Some(option) = UciOption::read(line) {
                declared.push(option);
            } else if line == "uciok" {
                break;
            }
        }
        for line in commands(options, &declared).map_err(|fault| process.broken(fault))? {
            process.send(line);
        }
        let mut engine = UciEngine { process, game: game.build(), budget, playing: None, prepared: None };
        engine.wait_until_ready(startup)?;
        Ok(engine)
    }

    fn wait_until_ready(&mut self, limit: Duration) -> Result<(), EngineError> {
        self.process.send("isready");
        let wait = Wait::of(limit);
        while self.process.text(wait, "`isready`")?.trim() != "readyok" {}
        Ok(())
    }

    /// The command that starts the search.
    fn go(&self, clock: Option<ClockTimes>) -> String {
        match (clock, self.budget) {
            (Some(ClockTimes { first_ms, second_ms, increment_ms }), _) => {
                format!("go wtime {first_ms} btime {second_ms} winc {increment_ms} binc {increment_ms}")
            }
            (None, Some(Budget::TimeMs(time))) => format!("go movetime {time}"),
            (None, Some(Budget::Nodes(nodes) | Budget::Simulations(nodes))) => format!("go nodes {nodes}"),
            (None, Some(Budget::Depth(depth))) => format!("go depth {depth}"),
            // Without a clock, a manifest requires a budget.
            (None, None) => "go".to_owned(),
        }
    }
}

impl Engine for UciEngine {
    fn process(&self) -> &Process {
        &self.process
    }

    fn prepare(&mut self, ask: &Ask<'_>) -> Result<(), EngineError> {
        // Late lines of the last search: what an engine wrote before `readyok` answers nothing.
        self.process.unread();
        if self.playing != Some(ask.game) {
            self.playing = Some(ask.game);
            self.process.send("ucinewgame");
        }
        self.wait_until_ready(self.process.timeout())?;
        self.prepared = Some(ask.game);
        Ok(())
    }

    fn ask(&mut self, asks: &[Ask<'_>]) -> Result<(), EngineError> {
        for ask in asks {
            if self.prepared.take() != Some(ask.game) {
                self.prepare(ask)?;
                self.prepared = None;
            }
            let start = ask.start.map_or_else(|| "startpos".to_owned(), |fen| format!("fen {fen}"));
            let moves = moves_of(&*self.game, ask);
            let moves = if moves.is_empty() { String::new() } else { format!(" moves {moves}") };
            self.process.send(format!("position {start}{moves}"));
            self.process.send(self.go(ask.clock));
        }
        Ok(())
    }

    fn answers(&mut self, asks: &[Ask<'_>]) -> Result<Vec<Reply>, EngineError> {
        let limit = patience(self.process.timeout(), self.budget, asks);
        let answer = |ask: &Ask<'_>| {
            let (mut value, wait) = (None, Wait::of(limit));
            loop {
                let line = self.process.text(wait, "`go`")?;
                let line = line.trim();
                if let Some(text) = line.strip_prefix("bestmove") {
                    let text = text.split_whitespace().next().unwrap_or_default();
                    let action = chosen(&self.process, &*self.game, ask, text)?;
                    return Ok(Reply { action: Some(action), value, policy: Vec::new() });
                }
                if line.starts_with("info ") {
                    value = score(line).or(value);
                }
            }
        };
        asks.iter().map(answer).collect()
    }

    fn over(&mut self, games: &[usize]) {
        if self.playing.is_some_and(|game| games.contains(&game)) {
            self.playing = None;
        }
    }

    fn quit(&mut self) {
        self.process.quit("quit");
    }
}

/// The commands that set some options.
fn commands(options: &Map<String, Value>, declared: &[UciOption]) -> Result<Vec<String>, String> {
    let names = || declared.iter().map(|option| option.name.as_str());
    let own = |name: &str| {
        let spelling = spelled(name, names());
        declared.iter().find(|option| Some(option.name.as_str()) == spelling).ok_or_else(|| {
            let all = names().collect::<Vec<_>>().join(", ");
            format!("has no option `{}`, only {}", shown(name), shown(&all))
        })
    };
    named(options, own)?.iter().map(|(option, value)| option.command(value)).collect()
}

/// The moves of a game in UCI's notation. It names every promotion; this program leaves the queen's out.
fn moves_of(game: &dyn Game, ask: &Ask<'_>) -> String {
    let Ok(mut position) = game.begin(ask.start) else { return String::new() };
    let mut moves = Vec::with_capacity(ask.actions.len());
    for &action in ask.actions {
        moves.push(uci_name(game, &*position, action));
        position.play(action);
    }
    moves.join(" ")
}

/// A move in UCI's notation.
#[must_use]
pub fn uci_name(game: &dyn Game, position: &dyn Position, action: Action) -> String {
    let name = game.action_name(action);
    let is_promotion = name.len() == 4 && matches!(&name[3..], "1" | "8");
    if is_promotion && game.write_move(position, action).contains("=Q") { name + "q" } else { name }
}

/// The expected outcome of an `info` line for the side to move, by its score, if it has an exact one.
fn score(line: &str) -> Option<f32> {
    let words: Vec<&str> = line.split_whitespace().collect();
    // Free text, and lines of worse moves, have no value for the position.
    let is_other = words.windows(2).any(|pair| pair[0] == "multipv" && pair[1] != "1");
    if is_other || words.get(1) == Some(&"string") {
        return None;
    }
    let at = words.iter().position(|word| *word == "score")?;
    if words.iter().any(|word| matches!(*word, "lowerbound" | "upperbound")) {
        return None;
    }
    let number: f64 = words.get(at + 2)?.parse().ok()?;
    match *words.get(at + 1)? {
        "cp" => Some((2.0 / (1.0 + 10_f64.powf(-number / CENTIPAWNS)) - 1.0) as f32),
        // `mate 0` is the side to move that is mated.
        "mate" => Some(if number > 0.0 { 1.0 } else { -1.0 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;
    use gauntlet_games::games::GameSpec;

    #[test]
    fn scores_are_expected_outcomes() {
        assert_eq!(score("info depth 1 score cp 0 nodes 20"), Some(0.0));
        let up = score("info depth 1 seldepth 2 score cp 400 pv e2e4").unwrap();
        assert!((up - 9.0 / 11.0).abs() < 1e-6, "ten times the odds");
        assert_eq!(score("info score cp -400").map(|down| down + up), Some(0.0));
        assert_eq!((score("info score mate 3"), score("info score mate -2")), (Some(1.0), Some(-1.0)));
        assert_eq!((score("info multipv 2 score cp -2000"), score("info string score mate -3")), (None, None));
        assert_eq!(score("info multipv 1 score cp 0"), Some(0.0));
        assert_eq!((score("info depth 5 currmove e2e4"), score("info score cp 5 lowerbound")), (None, None));
    }

    #[test]
    fn promotions_are_named() {
        let game = serde_json::from_str::<GameSpec>(r#"{"chess":{}}"#).unwrap().build();
        let position = game.begin(Some("8/P6k/8/8/8/8/8/K7 w - - 0 1")).unwrap();
        let name = |text: &str| uci_name(&*game, &*position, game.read_move(&*position, text).unwrap());
        assert_eq!((name("a8=Q"), name("a8=N"), name("Kb1")), ("a7a8q".into(), "a7a8n".into(), "a1b1".into()));
        // A rook on its way to the last row promotes nothing.
        let position = game.begin(Some("8/R7/7k/8/8/8/8/K7 w - - 0 1")).unwrap();
        assert_eq!(uci_name(&*game, &*position, game.read_move(&*position, "Ra8").unwrap()), "a7a8");
        let ask =
            |actions| Ask { game: 0, start: None, actions, position: &*position, stream: Seed::new(1), clock: None };
        let start = game.start();
        let actions = [game.read_move(&*start, "e4").unwrap()];
        assert_eq!(moves_of(&*game, &ask(&actions)), "e2e4");
    }
}
