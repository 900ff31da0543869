//! The protocol of the Gomocup (Piskvork), for Gomoku.
//!
//! Coordinates count from 0: the column, then the row from the top. Lines that arrive within a search wait for its end,
//! except `END` and `YXSTOP`. Commands that begin with `YX` are those of Yixin's dialect.

mod info;
mod listing;

use std::collections::VecDeque;
use std::sync::Arc;

use super::board::Board;
use super::thinker::{Limits, MEMORY, Thinker};
use super::{Input, Next, ServedPlayer, Server, excerpt};
use crate::engines::{gomocup_action, gomocup_point};
use gauntlet_games::base::{Action, Seed, Side};
use gauntlet_games::games::{Game, GameSpec, Piece};
use info::{ManagerSettings, RuleBits};
use listing::Listing;

/// Most lines that wait for the end of a search.
const MOST_WAITING: usize = 64;

/// An engine for Gomoku.
pub struct GomocupServer {
    served: ServedPlayer,
    seed: Seed,
    spec: GameSpec,
    board: Board,
    thinker: Thinker,
    settings: ManagerSettings,
    /// Whether `START` has come.
    has_started: bool,
    /// The list of stones that is being read.
    listing: Option<Listing>,
    /// Why a rule of the manager is refused, since its last `INFO rule`.
    refused_rule: Option<String>,
    is_searching: bool,
    /// Lines that have arrived within the search; `None` for one that is too long.
    waiting: VecDeque<Option<String>>,
}

impl GomocupServer {
    /// An engine with this player.
    ///
    /// # Errors
    /// If the game is not Gomoku, or the player cannot play it; the message is a sentence.
    pub fn new(served: ServedPlayer, spec: &GameSpec, seed: Seed) -> Result<GomocupServer, String> {
        let game = spec.build();
        if !matches!(spec, GameSpec::Gomoku(_)) {
            let name = game.name();
            return Err(format!("the Gomocup's protocol is for gomoku, not for {name}; use --protocol gtp or json"));
        }
        let thinker = Thinker::new(&served, &game, &seed, MEMORY)?;
        Ok(GomocupServer {
            served,
            seed,
            spec: spec.clone(),
            board: Board::new(game),
            thinker,
            settings: ManagerSettings::default(),
            has_started: false,
            listing: None,
            refused_rule: None,
            is_searching: false,
            waiting: VecDeque::new(),
        })
    }

    fn game(&self) -> &Arc<dyn Game> {
        self.board.game()
    }

    /// Handles a line. Returns the answer: nothing if it comes later, or never.
    fn obey(&mut self, line: &str) -> Result<Option<String>, Refusal> {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (command, rest) = (command.to_ascii_uppercase(), rest.trim());
        if self.listing.is_some() {
            return self.list(line);
        }
        match command.as_str() {
            "START" | "RECTSTART" => self.start(rest).map(Some),
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
            "BOARD" | "YXBOARD" if self.has_started => {
                self.clear();
                self.listing = Some(Listing { asks: command == "BOARD", ..Listing::default() });
                Ok(None)
            }
            "YXNBEST" if self.has_started => self.begin().map(|()| None),
            "YXHASHCLEAR" => {
                self.thinker.forget();
                Ok(None)
            }
            // No point is forbidden by our rules.
            "YXSHOWFORBID" => Ok(Some("FORBID .".to_owned())),
            "YXSTOP" | "YXSHOWINFO" => Ok(None),
            "RESTART" | "BEGIN" | "TURN" | "TAKEBACK" | "BOARD" | "YXBOARD" | "YXNBEST" => {
                Err(error("no game: send START first"))
            }
            _ => Err(Refusal::Unknown(format!("command {}", excerpt(line)))),
        }
    }

    fn about(&self) -> String {
        let (name, version) = (self.served.name.replace('"', "'"), env!("CARGO_PKG_VERSION"));
        format!("name=\"Gauntlet {name}\", version=\"{version}\", author=\"the Gauntlet authors\"")
    }

    /// Starts a game on a board of `SIZE`, or of `COLUMNS ROWS` with a space or a comma between them.
    fn start(&mut self, size: &str) -> Result<String, Refusal> {
        let sides: Result<Vec<u32>, _> =
            size.split([' ', ',']).filter(|side| !side.is_empty()).map(str::parse).collect();
        let size = match sides.as_deref() {
            Ok([size]) => *size,
            Ok([columns, rows]) if columns == rows => *columns,
            Ok([_, _]) => return Err(error("unsupported size: the board has to be square")),
            _ => return Err(error("START needs the size of the board")),
        };
        let unsupported = |reason: String| error(&format!("unsupported size: {reason}"));
        let spec = self.spec.resized(size).map_err(unsupported)?;
        if spec != self.spec {
            self.board = self.change(spec).map_err(unsupported)?;
        }
        self.clear();
        self.has_started = true;
        Ok("OK".to_owned())
    }

    /// Changes the rules. Returns an empty board.
    fn change(&mut self, spec: GameSpec) -> Result<Board, String> {
        let game = spec.build();
        self.thinker = Thinker::new(&self.served, &game, &self.seed, self.settings.memory(MEMORY))?;
        self.spec = spec;
        Ok(Board::new(game))
    }

    fn clear(&mut self) {
        self.board.clear();
        self.thinker.forget();
    }

    fn inform(&mut self, rest: &str) -> Result<(), Refusal> {
        let (key, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if key.eq_ignore_ascii_case("rule") {
            let rule = RuleBits::read(value.trim()).map_err(|reason| error(&reason))?;
            self.refused_rule = self.set_rule(rule).err();
            return self.refused_rule.as_deref().map_or(Ok(()), |reason| Err(error(reason)));
        }
        self.settings.set(key, value.trim()).map_err(|reason| error(&reason))?;
        self.thinker.set_memory(self.settings.memory(MEMORY));
        Ok(())
    }

    /// Plays by a rule of the manager, if our game has it.
    fn set_rule(&mut self, rule: RuleBits) -> Result<(), String> {
        let spec = rule.of(&self.spec)?;
        if spec != self.spec {
            let board = self.board.under(spec.build());
            let board = board.ok_or("unsupported rule: the moves so far do not allow it; send RESTART first")?;
            self.change(spec).map_err(|reason| format!("unsupported rule: {reason}"))?;
            self.board = board;
        }
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
        let action = gomocup_action(&**self.game(), [column, row]);
        action.ok_or_else(|| error(&format!("{column},{row} is not on the board")))
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

    /// A line of a list: `COLUMN,ROW,OWNER`, where 1 is the engine, 2 the opponent; or `DONE`.
    fn list(&mut self, line: &str) -> Result<Option<String>, Refusal> {
        if line.eq_ignore_ascii_case("DONE") {
            let listing = self.listing.take().unwrap_or_default();
            self.set_up(&listing).inspect_err(|_| self.clear())?;
            return if listing.asks { self.begin().map(|()| None) } else { Ok(None) };
        }
        let numbers: Vec<usize> = line.split(',').map_while(|number| number.trim().parse().ok()).collect();
        let most = self.game().topology().sites();
        match (&numbers[..], &mut self.listing) {
            ([column, row, owner @ 1..=3], Some(listing)) if listing.stones.len() < most => {
                listing.stones.push([*column, *row, *owner]);
                Ok(None)
            }
            _ => {
                self.listing = None;
                Err(error(&format!("a stone is COLUMN,ROW,OWNER, not {}", excerpt(line))))
            }
        }
    }

    /// Sets up stones: as moves in their order if the sides alternate, or else without an order.
    fn set_up(&mut self, listing: &Listing) -> Result<(), Refusal> {
        let mut stones = Vec::new();
        for &[column, row, owner] in &listing.stones {
            stones.push((self.site(column, row)?, owner));
        }
        let engine = listing.engine().ok_or_else(|| error("the numbers of stones do not fit the engine's turn"))?;
        let side = |owner| if owner == 1 { engine } else { engine.opponent() };
        let in_turn = stones.iter().enumerate().all(|(at, (_, owner))| side(*owner) == Side::BOTH[at % 2]);
        if in_turn {
            return stones.iter().try_for_each(|(action, owner)| self.place(side(*owner), *action));
        }
        let to_move = Side::BOTH[stones.len() % 2];
        let mut pieces = vec![Piece::EMPTY; self.game().topology().sites()];
        for (action, owner) in stones {
            pieces[action.index()] = Piece::stone(side(owner));
        }
        let position = self.game().set_up(&pieces, to_move).map_err(|reason| error(&reason.to_string()))?;
        self.board.start_from(position);
        Ok(())
    }

    /// Starts the search of the engine's move.
    fn begin(&mut self) -> Result<(), Refusal> {
        if let Some(reason) = &self.refused_rule {
            return Err(error(reason));
        }
        if self.board.position().outcome().is_some() {
            return Err(error("the game is over"));
        }
        let limits = match self.settings.time() {
            Some(time) => Limits { time: Some(time), simulations: self.served.most, ..Limits::default() },
            None => Limits::default(),
        };
        let position = self.board.position().fork();
        self.thinker.begin(&*position, self.board.ply(), limits);
        self.is_searching = true;
        Ok(())
    }

    fn next(&self) -> Next {
        match self.is_searching {
            true if self.waiting.len() < MOST_WAITING => Next::Think,
            true => Next::Busy,
            false => Next::Listen,
        }
    }

    /// Ends the search with its move.
    fn answer(&mut self, out: &mut String) {
        self.is_searching = false;
        let Some(action) = self.thinker.choose() else {
            *out += "ERROR no move is legal\n";
            return;
        };
        let position = self.board.position().fork();
        self.board.play_from(position, action);
        self.thinker.played(action);
        *out += &(gomocup_point(&**self.game(), action) + "\n");
    }

    /// Answers the lines that have waited, until one starts a search.
    fn catch_up(&mut self, out: &mut String) -> Next {
        while !self.is_searching {
            let Some(line) = self.waiting.pop_front() else { break };
            let next = self.handle(line.as_deref().map_or(Input::TooLong, Input::Line), out);
            if next == Next::Leave {
                return next;
            }
        }
        self.next()
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

impl Server for GomocupServer {
    fn handle(&mut self, input: Input<'_>, out: &mut String) -> Next {
        let answer = match input {
            Input::End if self.is_searching => return self.next(),
            Input::End => return Next::Leave,
            Input::Line(line) if is_end(line) => return Next::Leave,
            Input::Line(line) if self.is_searching && line.trim().eq_ignore_ascii_case("YXSTOP") => {
                self.answer(out);
                return self.catch_up(out);
            }
            Input::Line(line) if self.is_searching => {
                self.waiting.push_back(Some(line.to_owned()));
                return self.next();
            }
            Input::TooLong if self.is_searching => {
                self.waiting.push_back(None);
                return self.next();
            }
            Input::TooLong => Err(error("a line is too long")),
            Input::Line(line) if line.trim().is_empty() => Ok(None),
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
                Next::Fail(reason)
            }
            Ok(false) => self.next(),
            Ok(true) => {
                self.answer(out);
                self.catch_up(out)
            }
        }
    }

    fn is_exit_request(&self) -> fn(&str) -> bool {
        is_end
    }
}

fn is_end(line: &str) -> bool {
    line.trim().eq_ignore_ascii_case("END")
}

#[cfg(test)]
mod tests;
