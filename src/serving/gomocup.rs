//! The protocol of the Gomocup (Piskvork), for Gomoku.
//!
//! Coordinates count from 0: the column, then the row from the top. A search ends before other lines are read, except
//! `END`.

mod info;

use std::sync::Arc;

use super::board::Board;
use super::thinker::{Limits, Thinker};
use super::{Entrant, Input, Next, Protocol, excerpt};
use gauntlet_games::base::{Action, Seed, Side};
use gauntlet_games::games::{Game, GameSpec, Piece};
use info::Told;

/// Most memory of a tree in bytes, unless the manager names less.
const MEMORY: usize = 1 << 30;

/// An engine for Gomoku.
pub struct Gomocup {
    entrant: Entrant,
    seed: Seed,
    spec: GameSpec,
    board: Board,
    thinker: Thinker,
    told: Told,
    /// Whether `START` has come.
    has_started: bool,
    /// The lines of a `BOARD` so far.
    listed: Option<Vec<[usize; 3]>>,
    is_searching: bool,
}

impl Gomocup {
    /// An engine with this player.
    ///
    /// # Errors
    /// If the game is not Gomoku, or the player cannot play it; the message is a sentence.
    pub fn new(entrant: Entrant, spec: &GameSpec, seed: Seed) -> Result<Gomocup, String> {
        let game = spec.build();
        if !matches!(spec, GameSpec::Gomoku(_)) {
            let name = game.name();
            return Err(format!("the Gomocup's protocol is for gomoku, not for {name}; use --protocol gtp or json"));
        }
        let thinker = Thinker::new(&entrant, &game, &seed, MEMORY)?;
        Ok(Gomocup {
            entrant,
            seed,
            spec: spec.clone(),
            board: Board::new(game),
            thinker,
            told: Told::default(),
            has_started: false,
            listed: None,
            is_searching: false,
        })
    }

    fn game(&self) -> &Arc<dyn Game> {
        self.board.game()
    }

    /// Handles a line. Returns the answer: nothing if it comes later, or never.
    fn obey(&mut self, line: &str) -> Result<Option<String>, Refusal> {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (command, rest) = (command.to_ascii_uppercase(), rest.trim());
        if self.listed.is_some() {
            return self.list(line);
        }
        match command.as_str() {
            "START" => self.start(rest).map(Some),
            "RECTSTART" => match rest.split_once(',') {
                Some((columns, rows)) if columns.trim() == rows.trim() => self.start(columns).map(Some),
                _ => Err(error("unsupported size: the board has to be square")),
            },
            "INFO" => self.inform(rest).map(|()| None),
            "ABOUT" => Ok(Some(self.about())),
            "RESTART" if self.has_started => {
                self.clear();
                Ok(Some("OK".to_owned()))
            }
            "BEGIN" if self.has_started => match self.board.ply() {
                0 => self.begin().map(|()| None),
                _ => Err(error("the game has begun: send RESTART")),
            },
            "TURN" if self.has_started => {
                self.play(rest)?;
                self.begin().map(|()| None)
            }
            "TAKEBACK" if self.has_started => self.take_back(rest).map(Some),
            "BOARD" if self.has_started => {
                self.clear();
                self.listed = Some(Vec::new());
                Ok(None)
            }
            "RESTART" | "BEGIN" | "TURN" | "TAKEBACK" | "BOARD" => Err(error("no game: send START first")),
            _ => Err(Refusal::Unknown(format!("command {}", excerpt(line)))),
        }
    }

    fn about(&self) -> String {
        let (name, version) = (self.entrant.name.replace('"', "'"), env!("CARGO_PKG_VERSION"));
        format!("name=\"Gauntlet {name}\", version=\"{version}\", author=\"the Gauntlet authors\"")
    }

    fn start(&mut self, size: &str) -> Result<String, Refusal> {
        let size: u32 = size.trim().parse().map_err(|_| error("START needs the size of the board"))?;
        let unsupported = |reason: String| error(&format!("unsupported size: {reason}"));
        let spec = self.spec.resized(size).map_err(unsupported)?;
        if spec != self.spec {
            let game = spec.build();
            self.thinker =
                Thinker::new(&self.entrant, &game, &self.seed, self.told.memory(MEMORY)).map_err(unsupported)?;
            (self.board, self.spec) = (Board::new(game), spec);
        }
        self.clear();
        self.has_started = true;
        Ok("OK".to_owned())
    }

    fn clear(&mut self) {
        self.board.clear();
        self.thinker.forget();
    }

    fn inform(&mut self, rest: &str) -> Result<(), Refusal> {
        let (key, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        self.told.set(key, value.trim(), &self.spec).map_err(|reason| error(&reason))?;
        self.thinker.set_memory(self.told.memory(MEMORY));
        Ok(())
    }

    /// The action of a point; an error if there is no such point.
    fn point(&self, text: &str) -> Result<Action, Refusal> {
        let numbers: Vec<usize> = text.split(',').map_while(|number| number.trim().parse().ok()).collect();
        match numbers[..] {
            [column, row] => self.site(column, row),
            _ => Err(error(&format!("a point is COLUMN,ROW, not {}", excerpt(text)))),
        }
    }

    fn site(&self, column: usize, row: usize) -> Result<Action, Refusal> {
        let board = self.game().topology();
        match column < board.columns() && row < board.rows() {
            true => Ok(Action::from(row * board.columns() + column)),
            false => Err(error(&format!("{column},{row} is not on the board"))),
        }
    }

    /// Plays a legal move for the side to move.
    fn play(&mut self, point: &str) -> Result<(), Refusal> {
        let action = self.point(point)?;
        self.place(self.board.side(), action)
    }

    fn place(&mut self, side: Side, action: Action) -> Result<(), Refusal> {
        let name = self.game().action_name(action);
        match self.board.play(side, &name) {
            Some(action) => {
                self.thinker.played(action);
                Ok(())
            }
            None => Err(error(&format!("the move {name} is not legal"))),
        }
    }

    fn take_back(&mut self, point: &str) -> Result<String, Refusal> {
        let action = self.point(point)?;
        if self.board.last() != Some(action) {
            return Err(error("only the last move can be taken back"));
        }
        self.board.undo();
        self.thinker.forget();
        Ok("OK".to_owned())
    }

    /// A line of a `BOARD`: `COLUMN,ROW,OWNER`, where 1 is the engine, 2 the opponent; or `DONE`.
    fn list(&mut self, line: &str) -> Result<Option<String>, Refusal> {
        if line.eq_ignore_ascii_case("DONE") {
            let listed = self.listed.take().unwrap_or_default();
            self.set_up(&listed).inspect_err(|_| self.clear())?;
            return self.begin().map(|()| None);
        }
        let numbers: Vec<usize> = line.split(',').map_while(|number| number.trim().parse().ok()).collect();
        let most = self.game().topology().sites();
        match (&numbers[..], &mut self.listed) {
            ([column, row, owner @ 1..=3], Some(listed)) if listed.len() < most => {
                listed.push([*column, *row, *owner]);
                Ok(None)
            }
            _ => {
                self.listed = None;
                Err(error(&format!("a stone is COLUMN,ROW,OWNER, not {}", excerpt(line))))
            }
        }
    }

    /// Sets up stones: as moves in their order if the sides alternate, or else without an order.
    fn set_up(&mut self, listed: &[[usize; 3]]) -> Result<(), Refusal> {
        let mut stones = Vec::new();
        for &[column, row, owner] in listed {
            stones.push((self.site(column, row)?, owner));
        }
        let own = stones.iter().filter(|(_, owner)| *owner == 1).count();
        let other = stones.len() - own;
        // The engine is to move: it has as many stones as the opponent if it moved first.
        let engine = if own < other { Side::Second } else { Side::First };
        if own > other || other > own + 1 {
            return Err(error("the numbers of stones do not fit the engine's turn"));
        }
        let side = |owner| if owner == 1 { engine } else { engine.opponent() };
        let in_turn = stones.iter().enumerate().all(|(at, (_, owner))| side(*owner) == Side::BOTH[at % 2]);
        if in_turn {
            return stones.iter().try_for_each(|(action, owner)| self.place(side(*owner), *action));
        }
        let mut pieces = vec![Piece::EMPTY; self.game().topology().sites()];
        for (action, owner) in stones {
            pieces[action.index()] = Piece::stone(side(owner));
        }
        let position = self.game().set_up(&pieces, engine).map_err(|reason| error(&reason.to_string()))?;
        self.board.start_from(position);
        Ok(())
    }

    /// Starts the search of the engine's move.
    fn begin(&mut self) -> Result<(), Refusal> {
        if let Some(reason) = self.told.contradiction() {
            return Err(error(reason));
        }
        if self.board.position().outcome().is_some() {
            return Err(error("the game is over"));
        }
        let limits = match self.told.time() {
            Some(time) => Limits { time: Some(time), simulations: self.entrant.most, ..Limits::default() },
            None => Limits::default(),
        };
        let position = self.board.position().fork();
        self.thinker.begin(&*position, self.board.ply(), limits);
        self.is_searching = true;
        Ok(())
    }

    fn next(&self) -> Next {
        if self.is_searching { Next::Busy } else { Next::Listen }
    }
}

/// Why a line is refused.
enum Refusal {
    Unknown(String),
    Error(String),
}

fn error(reason: &str) -> Refusal {
    Refusal::Error(reason.to_owned())
}

impl Protocol for Gomocup {
    fn hear(&mut self, input: Input<'_>, out: &mut String) -> Next {
        let answer = match input {
            Input::End => return Next::Leave,
            Input::TooLong => Err(error("a line is too long")),
            Input::Line(line) if line.trim().is_empty() => Ok(None),
            Input::Line(line) if is_end(line) => return Next::Leave,
            Input::Line(line) => self.obey(line.trim()),
        };
        match answer {
            Ok(None) => {}
            Ok(Some(text)) => *out += &(text + "\n"),
            Err(Refusal::Unknown(text)) => *out += &format!("UNKNOWN {text}\n"),
            Err(Refusal::Error(text)) => *out += &format!("ERROR {text}\n"),
        }
        self.next()
    }

    fn think(&mut self, out: &mut String) -> Next {
        match self.thinker.think() {
            Err(reason) => {
                *out += &format!("ERROR {reason}\n");
                return Next::Fail(reason);
            }
            Ok(false) => {}
            Ok(true) => {
                self.is_searching = false;
                let Some(action) = self.thinker.choose() else {
                    *out += "ERROR no move is legal\n";
                    return self.next();
                };
                let position = self.board.position().fork();
                self.board.play_from(position, action);
                self.thinker.played(action);
                let columns = self.game().topology().columns();
                *out += &format!("{},{}\n", action.index() % columns, action.index() / columns);
            }
        }
        self.next()
    }

    fn is_farewell(&self) -> fn(&str) -> bool {
        is_end
    }
}

fn is_end(line: &str) -> bool {
    line.trim().eq_ignore_ascii_case("END")
}

#[cfg(test)]
mod tests;
