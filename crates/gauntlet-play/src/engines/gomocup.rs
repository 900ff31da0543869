//! Engines that speak Gomocup's protocol, for Gomoku (Lasota, "Gomoku AI protocol", version 2, <https://plastovicka.github.io/protocl2en.htm>).

mod info;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use super::engine::{Ask, Engine, EngineStart, Protocol, Reply, patience};
use super::error::{EngineError, shown};
use super::lines::{LONGEST_LINE, OnBoard, illegal, is_kind, is_legal, plain};
use super::messages::Budget;
use super::process::{Process, Wait};
use gauntlet_games::base::{Action, Side};
use gauntlet_games::games::{Game, GameSpec, View};
use info::infos;

/// The protocol, for both sides.
pub const GOMOCUP: Protocol = Protocol {
    name: "gomocup",
    programs: "The protocol of the Gomocup: Gomoku in Piskvork and other managers",
    usual_game: Some("gomoku = { size = 15 }"),
    plays: |game| is_kind(game, "gomoku") && !game.name().contains(" row "),
    takes: |budget| matches!(budget, Budget::TimeMs(_)),
    start: |start| Ok(Box::new(GomocupEngine::start(start)?)),
};

/// An engine that speaks Gomocup's protocol.
pub struct GomocupEngine {
    process: Process,
    game: Arc<dyn Game>,
    budget: Option<Budget>,
    board: OnBoard,
    /// The game that is begun and has no stones yet.
    prepared: Option<usize>,
    /// Whether it answers `INFO` by `UNKNOWN`, which the protocol does not foresee.
    answers_info: bool,
    /// The lines `UNKNOWN` that may still come for lines that have no other answer.
    refusals: usize,
    /// Its own suggestion that was confirmed by `PLAY`; it may still repeat it.
    confirmed: Option<Action>,
}

impl GomocupEngine {
    /// Starts an engine and sets up its board. `options` are keys of `INFO`: `{ max_memory = 100000000 }`.
    ///
    /// # Errors
    /// If it does not start, or refuses the board or an option.
    fn start(EngineStart { launch, game, options, budget, .. }: EngineStart<'_>) -> Result<GomocupEngine, EngineError> {
        let process = Process::start(launch, LONGEST_LINE)?;
        // 1: only rows of exactly five win.
        let rule = u8::from(matches!(game, GameSpec::Gomoku(gomoku) if gomoku.exact));
        let options = infos(options, rule, budget).map_err(|fault| process.broken(fault))?;
        let startup = process.startup();
        let mut engine = GomocupEngine {
            process,
            game: game.build(),
            budget,
            board: OnBoard::default(),
            prepared: None,
            answers_info: false,
            refusals: 0,
            confirmed: None,
        };
        engine.set_up_board(startup)?;
        engine.process.send("ABOUT");
        let about = engine.answer(startup, "`ABOUT`")?;
        engine.process.says = if is_word(&about, "UNKNOWN") { NAMELESS.to_owned() } else { named(&about) };
        // Without a name, nothing shows which lines it refuses: any of them may be.
        let is_nameless = engine.process.says == NAMELESS;
        engine.answers_info = is_nameless;
        engine.inform(format!("INFO rule {rule}"));
        engine.inform("INFO game_type 1".to_owned());
        // A limit of 0 would mean: as fast as possible. Without a budget of time, an engine has its own limit.
        if let Some(Budget::TimeMs(time)) = budget {
            engine.inform(format!("INFO timeout_turn {time}"));
            engine.inform("INFO timeout_match 0".to_owned());
        }
        engine.answers_info = is_nameless || !engine.refused(startup)?.is_empty();
        for info in options {
            if is_nameless {
                engine.inform(info);
                continue;
            }
            engine.process.send(info.as_str());
            if let Some(refusal) = engine.refused(startup)?.first() {
                return Err(engine.process.broken(format!("answered `{info}` by `{}`", shown(refusal))));
            }
        }
        Ok(engine)
    }

    /// Sets up an empty board.
    fn set_up_board(&mut self, limit: Duration) -> Result<(), EngineError> {
        self.process.send(format!("START {}", self.game.topology().rows()));
        let answer = self.answer(limit, "`START`")?;
        // The protocol's own example goes on: `OK - everything is good`.
        match is_word(&answer, "OK") {
            true => Ok(()),
            false => Err(self.process.broken(format!("answered `START` by `{}`", shown(&answer)))),
        }
    }

    /// The lines `UNKNOWN` that answer the lines before. Its answer to `ABOUT` shows that it has read them; without one,
    /// none are known.
    fn refused(&mut self, limit: Duration) -> Result<Vec<String>, EngineError> {
        let mut refused = Vec::new();
        if self.process.says == NAMELESS {
            return Ok(refused);
        }
        self.process.send("ABOUT");
        loop {
            let line = self.answer(limit, "`ABOUT`")?;
            if !is_word(&line, "UNKNOWN") {
                return Ok(refused);
            }
            refused.push(line);
        }
    }

    /// Sends a line that has no answer.
    fn inform(&mut self, line: String) {
        self.process.send(line);
        self.refusals += usize::from(self.answers_info);
    }

    /// The next line that is an answer, and not a note. It may be `UNKNOWN`.
    fn answer(&mut self, limit: Duration, awaited: &str) -> Result<String, EngineError> {
        let wait = Wait::of(limit);
        loop {
            let line = self.process.text(wait, awaited)?;
            let line = line.trim();
            if is_word(line, "ERROR") {
                return Err(self.process.broken(format!("answered {awaited} by `{}`", shown(line))));
            }
            if !self.is_note(line) {
                return Ok(line.to_owned());
            }
        }
    }

    /// Whether a line answers no question: a message, a late refusal, or a repeated suggestion.
    fn is_note(&mut self, line: &str) -> bool {
        if line.is_empty() || is_word(line, "MESSAGE") || is_word(line, "DEBUG") {
            return true;
        }
        let repeats = self.confirmed.is_some() && self.action_at(line) == self.confirmed;
        if repeats {
            self.confirmed = None;
        }
        let is_late = repeats || is_word(line, "UNKNOWN") && self.refusals > 0;
        self.refusals = self.refusals.saturating_sub(usize::from(is_late));
        is_late
    }

    /// Drops the lines that have arrived late.
    fn drop_late(&mut self) {
        for line in self.process.unread() {
            self.is_note(String::from_utf8_lossy(&line).trim());
        }
    }

    fn point(&self, action: Action) -> String {
        gomocup_point(&*self.game, action)
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

    /// Whether the engine obeys `RESTART`.
    fn restarts(&mut self, limit: Duration) -> Result<bool, EngineError> {
        self.process.send("RESTART");
        Ok(is_word(&self.answer(limit, "`RESTART`")?, "OK"))
    }

    /// Begins a game.
    fn restart(&mut self, ask: &Ask<'_>) -> Result<(), EngineError> {
        let timeout = self.process.timeout();
        // The command is optional; `START` is not.
        if self.process.says == NAMELESS || !self.restarts(timeout)? {
            self.set_up_board(timeout)?;
        }
        (self.refusals, self.confirmed) = (0, None);
        if let Some(left) = own_time(ask) {
            // A turn may take all of the time that is left.
            self.inform(format!("INFO timeout_match {left}"));
            self.inform(format!("INFO timeout_turn {left}"));
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

    /// The legal action of an answer: `x,y`, or a suggestion of it, which is confirmed.
    fn chosen(&mut self, ask: &Ask<'_>, answer: &str) -> Result<Action, EngineError> {
        if is_word(answer, "UNKNOWN") {
            return Err(self.process.broken(format!("answered its turn by `{}`", shown(answer))));
        }
        let suggested = is_word(answer, "SUGGEST").then(|| answer["SUGGEST".len()..].trim());
        let action = self.action_at(suggested.unwrap_or(answer)).filter(|&action| is_legal(ask, action));
        let action = action.ok_or_else(|| illegal(&self.process, ask, answer))?;
        if suggested.is_some() {
            self.process.send(format!("PLAY {}", self.point(action)));
            (self.confirmed, self.refusals) = (Some(action), self.refusals + 1);
        }
        Ok(action)
    }

    /// The site of `x,y`; more text may follow.
    fn action_at(&self, text: &str) -> Option<Action> {
        let (x, y) = text.split_once(',')?;
        let y = y.trim_start().split(|letter: char| !letter.is_ascii_digit()).next()?;
        gomocup_action(&*self.game, [x.trim().parse().ok()?, y.parse().ok()?])
    }
}

impl Engine for GomocupEngine {
    fn process(&self) -> &Process {
        &self.process
    }

    fn prepare(&mut self, ask: &Ask<'_>) -> Result<(), EngineError> {
        if self.next_move(ask).is_none() {
            self.drop_late();
            self.restart(ask)?;
            self.prepared = Some(ask.game);
        }
        Ok(())
    }

    fn ask(&mut self, asks: &[Ask<'_>]) -> Result<(), EngineError> {
        self.drop_late();
        for ask in asks {
            if let Some(left) = own_time(ask) {
                self.inform(format!("INFO time_left {left}"));
            }
            let question = self.question(ask)?;
            self.board.set(ask);
            self.process.send(question);
        }
        Ok(())
    }

    fn answers(&mut self, asks: &[Ask<'_>]) -> Result<Vec<Reply>, EngineError> {
        let limit = patience(self.process.timeout(), self.budget, asks);
        let answer = |ask: &Ask<'_>| {
            let answer = self.answer(limit, "its turn")?;
            let action = self.chosen(ask, &answer)?;
            self.board.add(action);
            Ok(plain(action))
        };
        asks.iter().map(answer).collect()
    }

    fn over(&mut self, games: &[usize]) {
        self.board.end(games);
    }

    fn quit(&mut self) {
        self.process.quit("END");
    }
}

/// The text of a point: `COLUMN,ROW`, both from 0, the row from the top.
#[must_use]
pub fn gomocup_point(game: &dyn Game, action: Action) -> String {
    let columns = game.topology().columns();
    format!("{},{}", action.index() % columns, action.index() / columns)
}

/// The action of a point; `None` if it is not on the board.
#[must_use]
pub fn gomocup_action(game: &dyn Game, [column, row]: [usize; 2]) -> Option<Action> {
    let board = game.topology();
    (column < board.columns() && row < board.rows()).then(|| Action::from(row * board.columns() + column))
}

/// Milliseconds on the clock of the engine.
fn own_time(ask: &Ask<'_>) -> Option<u64> {
    Some(ask.clock?.left(ask.position.side()))
}

/// The name of an engine that does not know `ABOUT`.
const NAMELESS: &str = "an engine without a name";

/// Whether a line begins with a word, in any case.
fn is_word(line: &str, word: &str) -> bool {
    line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
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
