//! Engines that speak Gomocup's protocol, for Gomoku (Lasota, "Gomoku AI protocol", version 2, <https://plastovicka.github.io/protocl2en.htm>).

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::engine::{Ask, Engine, Reply, patience};
use super::error::{EngineError, shown};
use super::lines::{LONGEST_LINE, OnBoard, illegal, option_text, plain};
use super::messages::Budget;
use super::process::{Launch, Process, Wait};
use gauntlet_games::base::{Action, Side};
use gauntlet_games::games::{Game, GameSpec, View};

/// An engine that speaks Gomocup's protocol.
pub struct GomocupEngine {
    process: Process,
    game: Arc<dyn Game>,
    says: String,
    budget: Option<Budget>,
    board: OnBoard,
    /// The game that is begun and has no stones yet.
    prepared: Option<usize>,
}

impl GomocupEngine {
    /// Starts an engine and sets up its board. `options` are keys of `INFO`: `{ max_memory = 100000000 }`.
    ///
    /// # Errors
    /// If it does not start, or refuses the board.
    pub fn start(
        launch: Launch,
        spec: &GameSpec,
        options: &Map<String, Value>,
        budget: Option<Budget>,
    ) -> Result<GomocupEngine, EngineError> {
        let mut process = Process::start(launch, LONGEST_LINE)?;
        let game = spec.build();
        let [startup, _] = process.limits();
        process.send(format!("START {}", game.topology().rows()));
        let answer = reply(&mut process, startup, "`START`")?;
        if !answer.eq_ignore_ascii_case("ok") {
            return Err(process.broken(format!("answered `START` by `{}`", shown(&answer))));
        }
        // 1: only rows of exactly five win.
        let rule = u8::from(matches!(spec, GameSpec::Gomoku(gomoku) if gomoku.exact));
        for (key, value) in [("rule", rule), ("game_type", 1)] {
            process.send(format!("INFO {key} {value}"));
        }
        // A limit of 0 would mean: as fast as possible. Without a budget of time, an engine has its own limit.
        if let Some(Budget::TimeMs(time)) = budget {
            process.send(format!("INFO timeout_turn {time}"));
            process.send("INFO timeout_match 0");
        }
        for (key, value) in options {
            process.send(format!("INFO {key} {}", option_text(value)));
        }
        process.send("ABOUT");
        let about = reply(&mut process, startup, "`ABOUT`")?;
        Ok(GomocupEngine { process, game, says: named(&about), budget, board: OnBoard::default(), prepared: None })
    }

    fn point(&self, action: Action) -> String {
        let columns = self.game.topology().columns();
        format!("{},{}", action.index() % columns, action.index() / columns)
    }

    /// The opponent's last move, if the engine has the rest of the game.
    fn next_move(&self, ask: &Ask<'_>) -> Option<Action> {
        let missing = self.board.missing(ask).filter(|_| ask.actions.len() > 1)?;
        if let [last] = missing { Some(*last) } else { None }
    }

    /// The command that asks for a move: the opponent's last move if the engine has the rest, otherwise the whole board.
    fn question(&mut self, ask: &Ask<'_>) -> Result<String, EngineError> {
        if let Some(last) = self.next_move(ask) {
            return Ok(format!("TURN {}", self.point(last)));
        }
        if self.prepared.take() != Some(ask.game) {
            self.restart(ask)?;
        }
        if ask.actions.is_empty() && ask.start.is_none() {
            return Ok("BEGIN".to_owned());
        }
        Ok(self.whole_board(ask))
    }

    /// Begins a game.
    fn restart(&mut self, ask: &Ask<'_>) -> Result<(), EngineError> {
        let [_, timeout] = self.process.limits();
        self.process.send("RESTART");
        let answer = reply(&mut self.process, timeout, "`RESTART`")?;
        if !answer.eq_ignore_ascii_case("ok") {
            return Err(self.process.broken(format!("answered `RESTART` by `{}`", shown(&answer))));
        }
        if let Some(left) = own_time(ask) {
            // A turn may take all of the time that is left.
            self.process.send(format!("INFO timeout_match {left}"));
            self.process.send(format!("INFO timeout_turn {left}"));
        }
        Ok(())
    }

    /// All stones: 1 for the engine's own, 2 for the opponent's; in the order of play, as far as it is known.
    fn whole_board(&self, ask: &Ask<'_>) -> String {
        let mut view = View::new();
        ask.position.view(&mut view);
        let own = ask.position.side();
        let owner = |side: Side| if side == own { 1 } else { 2 };
        let played = ask.actions.iter().copied();
        let set_up = (0..view.pieces.len()).map(Action::from).filter(|action| !ask.actions.contains(action));
        let mut text = "BOARD\n".to_owned();
        for action in set_up.chain(played) {
            if let Some(side) = view.pieces[action.index()].side() {
                let _ = writeln!(text, "{},{}", self.point(action), owner(side));
            }
        }
        text + "DONE"
    }

    /// The site of `x,y`.
    fn action_at(&self, text: &str) -> Option<Action> {
        let (x, y) = text.split_once(',')?;
        let (x, y): (usize, usize) = (x.trim().parse().ok()?, y.trim().parse().ok()?);
        let board = self.game.topology();
        (x < board.columns() && y < board.rows()).then(|| Action::from(y * board.columns() + x))
    }
}

impl Engine for GomocupEngine {
    fn says(&self) -> String {
        self.says.clone()
    }

    fn process(&self) -> &Process {
        &self.process
    }

    fn prepare(&mut self, ask: &Ask<'_>) -> Result<(), EngineError> {
        if self.next_move(ask).is_none() {
            self.process.unread();
            self.restart(ask)?;
            self.prepared = Some(ask.game);
        }
        Ok(())
    }

    fn ask(&mut self, asks: &[Ask<'_>]) -> Result<(), EngineError> {
        self.process.unread();
        for ask in asks {
            if let Some(left) = own_time(ask) {
                self.process.send(format!("INFO time_left {left}"));
            }
            let question = self.question(ask)?;
            self.board.set(ask);
            self.process.send(question);
        }
        Ok(())
    }

    fn answers(&mut self, asks: &[Ask<'_>]) -> Result<Vec<Reply>, EngineError> {
        let [_, timeout] = self.process.limits();
        let limit = patience(timeout, self.budget, asks);
        let mut replies = Vec::with_capacity(asks.len());
        for ask in asks {
            let text = reply(&mut self.process, limit, "its turn")?;
            let mut legal = Vec::new();
            ask.position.actions(&mut legal);
            let action = self.action_at(&text).filter(|action| legal.binary_search(action).is_ok());
            let action = action.ok_or_else(|| illegal(&self.process, ask, &text))?;
            self.board.add(action);
            replies.push(plain(action));
        }
        Ok(replies)
    }

    fn over(&mut self, games: &[usize]) {
        self.board.end(games);
    }

    fn quit(&mut self) {
        self.process.quit("END");
    }
}

/// Milliseconds on the clock of the engine.
fn own_time(ask: &Ask<'_>) -> Option<u64> {
    let clock = ask.clock.as_ref()?;
    Some(if ask.position.side() == Side::First { clock.first_ms } else { clock.second_ms })
}

/// The next line that is an answer, and not a note.
fn reply(process: &mut Process, limit: Duration, awaited: &str) -> Result<String, EngineError> {
    let wait = Wait::of(limit);
    loop {
        let line = process.text(wait, awaited)?;
        let is_note = ["MESSAGE", "DEBUG", "UNKNOWN"].iter().any(|word| line.starts_with(word));
        if line.starts_with("ERROR") {
            return Err(process.broken(format!("answered {awaited} by `{}`", shown(&line))));
        }
        if !is_note && !line.trim().is_empty() {
            return Ok(line.trim().to_owned());
        }
    }
}

/// Name and version of `name="Some engine", version="1.0", ...`; the whole line if it has no name.
fn named(about: &str) -> String {
    let field = |key: &str| {
        let (_, rest) = about.split_once(&format!("{key}=\""))?;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    match field("name") {
        Some(name) => format!("{name} {}", field("version").unwrap_or_default()).trim().to_owned(),
        None => shown(about),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_tell_their_names() {
        assert_eq!(named(r#"name="Rapfi", version="0.41", author="x""#), "Rapfi 0.41");
        assert_eq!(named("an engine"), "an engine");
    }
}
