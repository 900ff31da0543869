//! Engines that speak GTP, version 2 (Farnebäck, "Specification of the Go Text Protocol", 2002): Go, and as many programs
//! do it, other games with moves on points.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::engine::{Ask, Engine, EngineStart, Protocol, Reply, patience};
use super::error::{EngineError, shown};
use super::lines::{LONGEST_LINE, OnBoard, chosen, plain};
use super::messages::Budget;
use super::options::{spelled, text, undeclared};
use super::process::{Process, Wait};
use gauntlet_games::base::Side;
use gauntlet_games::games::{Game, GameSpec};

/// The protocol, for both sides.
pub const GTP: Protocol = Protocol {
    name: "gtp",
    programs: "GTP 2: Go and other games in GoGui, Sabaki, Lizzie and HexGui",
    usual_game: Some("go = { size = 9 }"),
    plays: |game| game.topology().rows() == game.topology().columns(),
    takes: |budget| matches!(budget, Budget::TimeMs(_)),
    start: |start| Ok(Box::new(GtpEngine::start(start)?)),
};

/// Commands that set up a game or play it: not options.
const OF_THE_GAME: [&str; 12] = [
    "boardsize",
    "clear_board",
    "fixed_handicap",
    "genmove",
    "komi",
    "loadsgf",
    "place_free_handicap",
    "play",
    "quit",
    "set_free_handicap",
    "time_left",
    "undo",
];

/// An engine that speaks GTP.
pub struct GtpEngine {
    process: Process,
    game: Arc<dyn Game>,
    /// Points for the second side, in Go.
    komi: Option<f64>,
    budget: Option<Budget>,
    board: OnBoard,
}

impl GtpEngine {
    /// Starts an engine and sets up its board. `options` are commands with their arguments: `{ level = 5 }`.
    ///
    /// # Errors
    /// If it does not start, refuses the board or an option, or does not know its command.
    fn start(EngineStart { launch, game, options, budget, .. }: EngineStart<'_>) -> Result<GtpEngine, EngineError> {
        let process = Process::start(launch, LONGEST_LINE)?;
        let startup = process.startup();
        let komi = if let GameSpec::Go(go) = game { Some(go.komi.get()) } else { None };
        let mut engine = GtpEngine { process, game: game.build(), komi, budget, board: OnBoard::default() };
        let name = engine.command("name", startup)?;
        let version = engine.command("version", startup)?;
        engine.process.says = format!("{name} {version}").trim().to_owned();
        let rows = engine.game.topology().rows();
        engine.command(format!("boardsize {rows}"), startup)?;
        engine.set_options(options, startup)?;
        if let Some(Budget::TimeMs(time)) = budget {
            // Whole seconds, as the settings of a player require.
            engine.command(format!("time_settings 0 {} 1", time / 1000), startup)?;
        }
        Ok(engine)
    }

    /// Sends the commands of options, in the spelling of the engine's own list of commands if it has one.
    fn set_options(&mut self, options: &Map<String, Value>, limit: Duration) -> Result<(), EngineError> {
        let options = undeclared(options).map_err(|fault| self.process.broken(fault))?;
        let listed = match options.is_empty() {
            true => String::new(),
            false => self.asked("list_commands", limit)?.unwrap_or_default(),
        };
        for (written, value) in options {
            let arguments = text(written, value).map_err(|fault| self.process.broken(fault))?;
            let (name, more) = written.split_once(' ').unwrap_or((written, ""));
            let name = self.known(name, &listed, limit)?;
            let words = [name.as_str(), more, &arguments].into_iter().filter(|word| !word.is_empty());
            self.command(words.collect::<Vec<_>>().join(" "), limit)?;
        }
        Ok(())
    }

    /// The engine's own spelling of a command. Engines that list none may know it.
    fn known(&mut self, name: &str, listed: &str, limit: Duration) -> Result<String, EngineError> {
        let lower = name.to_ascii_lowercase();
        if OF_THE_GAME.contains(&&*lower) || self.budget.is_some() && lower.ends_with("time_settings") {
            let fault = format!("cannot take the option `{}`: the game or the budget decides it", shown(name));
            return Err(self.process.broken(fault));
        }
        let words = listed.split_whitespace();
        let spelling = spelled(name, words.clone()).unwrap_or(name);
        let is_known = listed.is_empty()
            || words.clone().any(|word| word == spelling)
            || self.asked(&format!("known_command {name}"), limit)?.is_ok_and(|answer| answer == "true");
        match is_known {
            true => Ok(spelling.to_owned()),
            false => Err(self.process.broken(format!(
                "has no command `{}` for an option of this name; it lists {}",
                shown(name),
                shown(&words.collect::<Vec<_>>().join(", "))
            ))),
        }
    }

    /// Sends a command and returns its answer.
    fn command(&mut self, command: impl Display, limit: Duration) -> Result<String, EngineError> {
        let command = command.to_string();
        let answer = self.asked(&command, limit)?;
        answer.map_err(|text| self.refusal(&command, &text))
    }

    /// Sends a command and returns its answer, or the text of its refusal.
    fn asked(&mut self, command: &str, limit: Duration) -> Result<Result<String, String>, EngineError> {
        self.process.send(command);
        self.response(command, limit)
    }

    fn refusal(&self, command: &str, text: &str) -> EngineError {
        self.process.broken(format!("refused `{command}`: {}", shown(text)))
    }

    /// The answer to a command that was sent, or the text of its refusal.
    fn response(&mut self, command: &str, limit: Duration) -> Result<Result<String, String>, EngineError> {
        let (awaited, wait) = (format!("`{command}`"), Wait::of(limit));
        let first = loop {
            let line = self.process.text(wait, &awaited)?;
            if !line.is_empty() {
                break line;
            }
        };
        let mut text = first.get(1..).unwrap_or_default().trim().to_owned();
        loop {
            let line = self.process.text(wait, &awaited)?;
            if line.is_empty() {
                break;
            }
            text.push('\n');
            text += &line;
        }
        match first.chars().next() {
            Some('=') => Ok(Ok(text)),
            Some('?') => Ok(Err(text)),
            _ => Err(self.process.broken(format!("answered {awaited} by `{}`, which is not GTP", shown(&first)))),
        }
    }

    /// Brings the engine's board to the position.
    fn set_board(&mut self, ask: &Ask<'_>) -> Result<(), EngineError> {
        let timeout = self.process.timeout();
        if ask.start.is_some() {
            return Err(self.process.broken("cannot set up positions: GTP has moves alone"));
        }
        let known = match self.board.missing(ask) {
            Some(missing) => ask.actions.len() - missing.len(),
            None => {
                self.command("clear_board", timeout)?;
                if let Some(komi) = self.komi {
                    self.command(format!("komi {komi}"), timeout)?;
                }
                if let Some(clock) = &ask.clock {
                    // Without byo-yomi. GTP has no increments: `time_left` shows them.
                    self.command(format!("time_settings {} 0 0", clock.longest() / 1000), timeout)?;
                }
                0
            }
        };
        let mut position = self.game.start();
        for (ply, &action) in ask.actions.iter().enumerate() {
            if ply >= known {
                let (colour, name) = (letter(&*self.game, position.side()), self.game.action_name(action));
                self.command(format!("play {colour} {name}"), timeout)?;
            }
            position.play(action);
        }
        self.board.set(ask);
        Ok(())
    }
}

/// The letter of a side.
fn letter(game: &dyn Game, side: Side) -> &'static str {
    &colour(game, side)[..1]
}

/// The colour of a side: the first side is black, except in games where it is white.
#[must_use]
pub fn colour(game: &dyn Game, side: Side) -> &'static str {
    let is_first = side == Side::First;
    let first_is_white = game.side_name(Side::First) == "white";
    if is_first == first_is_white { "white" } else { "black" }
}

impl Engine for GtpEngine {
    fn process(&self) -> &Process {
        &self.process
    }

    fn prepare(&mut self, ask: &Ask<'_>) -> Result<(), EngineError> {
        self.process.unread();
        self.set_board(ask)
    }

    fn ask(&mut self, asks: &[Ask<'_>]) -> Result<(), EngineError> {
        self.process.unread();
        for ask in asks {
            self.set_board(ask)?;
            if let Some(clock) = &ask.clock {
                for side in Side::BOTH {
                    // Whole seconds; 0 would mean that the time is up.
                    let (colour, seconds) = (letter(&*self.game, side), (clock.left(side) / 1000).max(1));
                    self.command(format!("time_left {colour} {seconds} 0"), self.process.timeout())?;
                }
            }
            self.process.send(format!("genmove {}", letter(&*self.game, ask.position.side())));
        }
        Ok(())
    }

    fn answers(&mut self, asks: &[Ask<'_>]) -> Result<Vec<Reply>, EngineError> {
        let limit = patience(self.process.timeout(), self.budget, asks);
        let answer = |ask: &Ask<'_>| {
            let text = self.response("genmove", limit)?.map_err(|text| self.refusal("genmove", &text))?;
            if text.eq_ignore_ascii_case("resign") {
                return Ok(Reply { action: None, value: Some(-1.0), policy: Vec::new() });
            }
            let action = chosen(&self.process, &*self.game, ask, &text)?;
            self.board.add(action);
            Ok(plain(action))
        };
        asks.iter().map(answer).collect()
    }

    fn over(&mut self, games: &[usize]) {
        self.board.end(games);
    }

    fn quit(&mut self) {
        self.process.quit("quit");
    }
}
