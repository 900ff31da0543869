//! UCI, the protocol of chess engines (Meyer-Kahlen and Huber 2004).
//!
//! Gauntlet plays chess on 8x8 with it. The search runs in slices between the lines, so that `stop` is answered at once.

mod go;
mod info;
mod options;

use std::sync::Arc;

use super::board::Board;
use super::thinker::{Limits, Thinker};
use super::{Input, Next, ServedPlayer, Server, excerpt};
use crate::engines::uci_name;
use gauntlet_games::base::Seed;
use gauntlet_games::games::{ChessSpec, Game, GameSpec};
use go::Go;
use info::Informer;
use options::Options;

/// A chess engine.
pub struct UciServer {
    served: ServedPlayer,
    game: Arc<dyn Game>,
    seed: Seed,
    options: Options,
    board: Board,
    /// The `position` that the board stands at; `None` after a wrong one.
    position: Option<Played>,
    thinker: Thinker,
    /// The search under way.
    search: Option<UciSearch>,
}

/// The start and the moves of a `position`.
#[derive(Default)]
struct Played {
    start: Option<String>,
    moves: Vec<String>,
}

/// A search under way.
struct UciSearch {
    informer: Informer,
    /// The limits that apply after `ponderhit`.
    later: Option<Limits>,
}

impl UciServer {
    /// An engine with this player.
    ///
    /// # Errors
    /// If the game is not chess on 8x8, or the player cannot play it; the message is a sentence.
    pub fn new(served: ServedPlayer, spec: &GameSpec, seed: Seed) -> Result<UciServer, String> {
        let game = spec.build();
        if !matches!(spec, GameSpec::Chess(ChessSpec { size, .. }) if size.get() == 8) {
            let name = game.name();
            return Err(format!("UCI is a protocol for chess on 8x8, not for {name}; use --protocol gtp or json"));
        }
        let options = Options { simulations: served.most, ..Options::default() };
        let thinker = Thinker::new(&served, &game, &seed, options.memory())?;
        let board = Board::new(Arc::clone(&game));
        let position = Some(Played::default());
        Ok(UciServer { served, game, seed, options, board, position, thinker, search: None })
    }

    /// Handles a command and its arguments.
    fn obey(&mut self, command: &str, rest: &[&str], out: &mut String) -> Next {
        match command {
            "uci" => self.introduce(out),
            "isready" => *out += "readyok\n",
            "ucinewgame" if self.search.is_none() => self.thinker.forget(),
            "setoption" => self.set_option(rest, out),
            "position" => self.set_position(rest, out),
            "go" => self.go(rest, out),
            "stop" => self.answer(out),
            "ponderhit" => self.ponder_hit(),
            "quit" => return Next::Leave,
            // `debug` and `register` have no effect.
            _ => {}
        }
        self.next()
    }

    fn next(&self) -> Next {
        if self.search.is_some() { Next::Think } else { Next::Listen }
    }

    fn introduce(&self, out: &mut String) {
        let version = env!("CARGO_PKG_VERSION");
        *out += &format!("id name Gauntlet {version} {}\nid author the Gauntlet authors\n", self.served.name);
        *out += &self.options.declared();
        *out += "uciok\n";
    }

    fn set_option(&mut self, rest: &[&str], out: &mut String) {
        if self.search.is_some() {
            tell(out, "options are set before or after a search");
            return;
        }
        let before = self.options.clone();
        let set = self.options.set(rest).and_then(|is_of_player| if is_of_player { self.rebuild() } else { Ok(()) });
        if set.is_err() {
            self.options = before;
        }
        self.thinker.set_memory(self.options.memory());
        if let Err(reason) = set {
            tell(out, &reason);
        }
    }

    /// Builds the player again, with the options.
    fn rebuild(&mut self) -> Result<(), String> {
        let mut served = self.served.clone();
        if let Some(tau) = self.options.temperature {
            served.set_temperature(tau)?;
        }
        self.thinker = Thinker::new(&served, &self.game, &self.seed, self.options.memory())?;
        Ok(())
    }

    fn set_position(&mut self, rest: &[&str], out: &mut String) {
        if self.search.is_some() {
            tell(out, "the position is set before or after a search");
            return;
        }
        let before = self.position.take().unwrap_or_default();
        match self.set_up(rest, &before) {
            Ok(played) => self.position = Some(played),
            Err(reason) => {
                self.thinker.forget();
                tell(out, &reason);
            }
        }
    }

    /// Sets up `startpos` or `fen`, and plays the moves. If the moves before are a part of them, a kept tree goes on.
    fn set_up(&mut self, rest: &[&str], before: &Played) -> Result<Played, String> {
        let at = rest.iter().position(|word| *word == "moves").unwrap_or(rest.len());
        let start = match &rest[..at] {
            ["startpos"] => None,
            ["fen", fen @ ..] if !fen.is_empty() => Some(fen.join(" ")),
            _ => return Err("a position is `position startpos` or `position fen FEN`, with `moves`".to_owned()),
        };
        let begun = self.game.begin(start.as_deref());
        self.board.start_from(begun.map_err(|error| format!("no position of chess: {}", self.game.reason(error)))?);
        let moves: Vec<String> = rest.iter().skip(at + 1).map(|&text| text.to_owned()).collect();
        let goes_on = before.start == start && moves.starts_with(&before.moves);
        if !goes_on {
            self.thinker.forget();
        }
        for (at, text) in moves.iter().enumerate() {
            let action = self.board.play(self.board.side(), text);
            let action = action.ok_or_else(|| format!("move {}, {}, is not legal", at + 1, excerpt(text)))?;
            if goes_on && at >= before.moves.len() {
                self.thinker.played(action);
            }
        }
        Ok(Played { start, moves })
    }

    fn go(&mut self, rest: &[&str], out: &mut String) {
        if self.search.is_some() {
            tell(out, "a search is under way: send stop first");
            return;
        }
        let seen = self.position.as_ref().and_then(|_| self.board.as_seen_by(self.board.side()));
        let Some(position) = seen else {
            let reason = if self.position.is_some() { "the game is over" } else { "there is no legal position" };
            tell(out, reason);
            *out += "bestmove 0000\n";
            return;
        };
        let go = Go::read(rest, self.board.side());
        go.ignored.iter().for_each(|word| tell(out, &format!("{word} is ignored")));
        let limits = go.limits(&self.options);
        let (limits, later) = match go.ponders {
            true => (Limits { is_endless: true, ..Limits::default() }, Some(limits)),
            false => (limits, None),
        };
        self.thinker.begin(&*position, self.board.ply(), limits);
        self.board.start_from(position);
        self.search = Some(UciSearch { informer: Informer::new(self.options.lines), later });
    }

    fn ponder_hit(&mut self) {
        if let Some(later) = self.search.as_mut().and_then(|search| search.later.take()) {
            self.thinker.limit(later);
        }
    }

    /// Ends the search, if one is under way.
    fn answer(&mut self, out: &mut String) {
        let Some(mut search) = self.search.take() else { return };
        self.thinker.settle();
        search.informer.tell(&self.thinker, &self.board, true, out);
        let chosen = self.thinker.choose();
        let name = |action| uci_name(&*self.game, self.board.position(), action);
        let name = chosen.map_or("0000".to_owned(), name);
        *out += &format!("bestmove {name}\n");
    }
}

impl Server for UciServer {
    fn handle(&mut self, input: Input<'_>, out: &mut String) -> Next {
        const COMMANDS: [&str; 11] = [
            "uci",
            "debug",
            "isready",
            "setoption",
            "register",
            "ucinewgame",
            "position",
            "go",
            "stop",
            "ponderhit",
            "quit",
        ];
        let line = match input {
            Input::Line(line) => line,
            Input::TooLong => {
                tell(out, "a line is too long");
                return self.next();
            }
            Input::End => {
                if self.thinker.is_endless() {
                    self.answer(out);
                }
                return self.next();
            }
        };
        // As the specification says, unknown words before a command are skipped.
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.iter().position(|word| COMMANDS.contains(word)) {
            Some(at) => self.obey(words[at], &words[at + 1..], out),
            None => {
                if !words.is_empty() {
                    tell(out, &format!("unknown command: {}", excerpt(line)));
                }
                self.next()
            }
        }
    }

    fn think(&mut self, out: &mut String) -> Next {
        match self.thinker.think() {
            Err(reason) => {
                tell(out, &reason);
                return Next::Fail(reason);
            }
            Ok(true) => self.answer(out),
            Ok(false) => {
                if let Some(search) = &mut self.search {
                    search.informer.tell(&self.thinker, &self.board, false, out);
                }
            }
        }
        self.next()
    }

    fn is_exit_request(&self) -> fn(&str) -> bool {
        |line| line.trim() == "quit"
    }
}

/// A message for the user.
fn tell(out: &mut String, text: &str) {
    *out += &format!("info string {text}\n");
}

#[cfg(test)]
mod tests;
