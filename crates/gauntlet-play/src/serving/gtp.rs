//! GTP, the Go Text Protocol, version 2 (Farnebäck 2002), for Go and every other game with names for its moves.
//!
//! The commands of an analysis are those of Leela Zero and KataGo. `gogui-rules_...` are GoGui's commands for games other
//! than Go. An analysis ends with the next line; a move that is asked for is always completed first.

mod analysis;
mod command;
mod handicap;
mod load;
mod registry;
mod rules;
mod time;

use std::sync::Arc;
use std::time::Instant;

use super::board::Board;
use super::thinker::{Limits, MEMORY, Thinker};
use super::{Input, Next, ServedPlayer, Server, excerpt};
use crate::engines::colour;
use analysis::Analysis;
use command::{Command, answer};
use gauntlet_games::base::{Seed, Side};
use gauntlet_games::games::{Game, GameSpec, Komi, Position};
use registry::Purpose;
use time::GtpClocks;

/// An engine for Go and other games.
pub struct GtpServer {
    served: ServedPlayer,
    seed: Seed,
    spec: GameSpec,
    /// The game at the start.
    first: GameSpec,
    board: Board,
    thinker: Thinker,
    clocks: GtpClocks,
    search: Option<GtpSearch>,
}

/// A search under way.
struct GtpSearch {
    /// The number of its command.
    id: String,
    purpose: Purpose,
    /// The position, with the wanted side to move.
    position: Box<dyn Position>,
    begun: Instant,
    /// The analysis that is shown.
    analysis: Option<Analysis>,
    /// The time of its last line.
    shown: Instant,
}

/// The answer to a command.
type Response = Result<String, String>;

impl GtpServer {
    /// An engine with this player.
    ///
    /// # Errors
    /// If the player cannot play the game; the message is a sentence.
    pub fn new(served: ServedPlayer, spec: &GameSpec, seed: Seed) -> Result<GtpServer, String> {
        let game = spec.build();
        let thinker = Thinker::new(&served, &game, &seed, MEMORY)?;
        let (board, clocks) = (Board::new(game), GtpClocks::default());
        Ok(GtpServer { served, seed, spec: spec.clone(), first: spec.clone(), board, thinker, clocks, search: None })
    }

    fn game(&self) -> &Arc<dyn Game> {
        self.board.game()
    }

    /// Handles a command.
    fn obey(&mut self, command: &Command<'_>, out: &mut String) -> Next {
        if let Some((purpose, analysis)) = registry::search_of(command.name) {
            if let Err(reason) = self.search(command, purpose, analysis, out) {
                answer(command.id, &Err(reason), out);
            }
            return self.next();
        }
        answer(command.id, &self.reply(command), out);
        if command.name == "quit" { Next::Leave } else { self.next() }
    }

    fn next(&self) -> Next {
        match self.search.as_ref().map(|search| search.purpose) {
            None => Next::Listen,
            Some(Purpose::Analysis) => Next::Think,
            Some(Purpose::Move | Purpose::Advice) => Next::Busy,
        }
    }

    /// The answer to a command that needs no search.
    fn reply(&mut self, command: &Command<'_>) -> Response {
        let words = &command.arguments[..];
        match (command.name, words) {
            ("protocol_version", []) => Ok("2".to_owned()),
            ("name", []) => Ok(format!("Gauntlet {}", self.served.name)),
            ("version", []) => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            ("known_command", [name]) => Ok(self.commands().contains(name).to_string()),
            ("list_commands", []) => Ok(self.commands().join("\n")),
            ("quit", []) => Ok(String::new()),
            ("boardsize", [size]) => self.resize(size),
            ("boardsize", [columns, rows]) if columns == rows => self.resize(columns),
            ("boardsize", [columns, rows]) => self.keep_size([rows, columns]),
            ("clear_board", []) => self.start(|board| board.clear()),
            ("komi", [points]) => self.set_komi(points),
            ("play", [colour, name]) => self.play(colour, name),
            ("undo", []) => self.undo(1),
            ("gg-undo", []) => self.undo(1),
            ("gg-undo", [number]) => self.undo(number.parse().map_err(|_| SYNTAX.to_owned())?),
            ("time_settings", words) => self.set_clocks(GtpClocks::canadian(words)),
            ("kgs-time_settings", words) => self.set_clocks(GtpClocks::kgs(words)),
            ("time_left", [colour, seconds, stones]) => {
                let side = self.side(colour)?;
                self.clocks.set(side, seconds, stones).map(|()| String::new())
            }
            ("fixed_handicap" | "place_free_handicap" | "set_free_handicap", words) if self.is_go() => {
                self.place_handicap(command.name, words)
            }
            ("loadsgf", [file @ .., last]) => self.load(file, last),
            (name, words) if registry::knows(name, &self.spec) => {
                rules::reply(name, words, &self.board, &self.spec).unwrap_or_else(|| Err(SYNTAX.to_owned()))
            }
            _ => Err("unknown command".to_owned()),
        }
    }

    /// The commands that have an answer for this game.
    fn commands(&self) -> Vec<&'static str> {
        let mut names = registry::names(&self.spec);
        names.retain(|name| *name != registry::ROWS || rules::rows(&self.board).is_ok());
        names
    }

    fn is_go(&self) -> bool {
        matches!(self.spec, GameSpec::Go(_))
    }

    /// Starts another game or position.
    fn start(&mut self, begin: impl FnOnce(&mut Board)) -> Response {
        begin(&mut self.board);
        self.thinker.forget();
        Ok(String::new())
    }

    /// Changes the rules; the board is empty after that.
    fn change(&mut self, spec: GameSpec) -> Result<(), String> {
        let game = spec.build();
        self.thinker = Thinker::new(&self.served, &game, &self.seed, MEMORY)?;
        (self.board, self.spec) = (Board::new(game), spec);
        Ok(())
    }

    fn resize(&mut self, size: &str) -> Response {
        let size: u32 = size.parse().map_err(|_| SYNTAX.to_owned())?;
        let unacceptable = |_| "unacceptable size".to_owned();
        let board = self.game().topology();
        if [board.rows(), board.columns()] != [size as usize; 2] {
            let spec = self.spec.resized(size).map_err(unacceptable)?;
            self.change(spec).map_err(unacceptable)?;
        }
        self.start(Board::clear)
    }

    /// Clears the board of the start, if it has this number of rows and columns.
    fn keep_size(&mut self, sides: [&str; 2]) -> Response {
        let mut numbers = [0; 2];
        for (number, side) in numbers.iter_mut().zip(sides) {
            *number = side.parse::<usize>().map_err(|_| SYNTAX.to_owned())?;
        }
        let game = self.first.build();
        let own = [game.topology().rows(), game.topology().columns()];
        if numbers != own {
            return Err("unacceptable size".to_owned());
        }
        if [self.game().topology().rows(), self.game().topology().columns()] != own {
            self.change(self.first.clone())?;
        }
        self.start(Board::clear)
    }

    /// Komi: a part of the rules of Go, without effect in other games.
    fn set_komi(&mut self, points: &str) -> Response {
        let points: f64 = points.parse().map_err(|_| SYNTAX.to_owned())?;
        let GameSpec::Go(mut rules) = self.spec else { return Ok(String::new()) };
        rules.komi = Komi::new(points).map_err(|error| error.to_string())?;
        let spec = GameSpec::Go(rules);
        if spec != self.spec {
            let board = self.board.under(spec.build()).ok_or("komi cannot change in this position")?;
            self.change(spec)?;
            self.board = board;
        }
        Ok(String::new())
    }

    fn play(&mut self, colour: &str, name: &str) -> Response {
        let side = self.side(colour)?;
        if name.eq_ignore_ascii_case("resign") {
            return Ok(String::new());
        }
        match self.board.play(side, name) {
            Some(action) => {
                self.thinker.played(action);
                Ok(String::new())
            }
            None if self.game().parse_action(name).is_some() => Err("illegal move".to_owned()),
            // Names of moves may depend on the position.
            None => Err(format!("illegal move: {}", excerpt(name))),
        }
    }

    fn undo(&mut self, number: u32) -> Response {
        self.thinker.forget();
        match number <= self.board.ply() && (0..number).all(|_| self.board.undo()) {
            true => Ok(String::new()),
            false => Err("cannot undo".to_owned()),
        }
    }

    fn set_clocks(&mut self, clocks: Result<GtpClocks, String>) -> Response {
        self.clocks = clocks?;
        Ok(String::new())
    }

    /// Places handicap stones; the second side moves next.
    fn place_handicap(&mut self, name: &str, words: &[&str]) -> Response {
        if self.board.view().pieces.iter().any(|piece| !piece.is_empty()) {
            return Err("board not empty".to_owned());
        }
        let game = Arc::clone(self.game());
        let sites = match (name, words) {
            ("set_free_handicap", points) => handicap::free(&*game, points).ok_or("bad vertex list")?,
            (_, [stones]) => {
                let stones: usize = stones.parse().map_err(|_| SYNTAX.to_owned())?;
                let fewer = if name == "place_free_handicap" { 2.min(stones) } else { stones };
                let found = (fewer..=stones).rev().find_map(|stones| handicap::fixed(&*game, stones));
                found.ok_or("invalid number of stones")?
            }
            _ => return Err(SYNTAX.to_owned()),
        };
        let position = game.set_up(&handicap::stones(&*game, &sites), Side::Second);
        let position = position.map_err(|error| error.to_string())?;
        self.start(|board| board.start_from(position))?;
        Ok(sites.iter().map(|&site| game.site_name(site)).collect::<Vec<_>>().join(" "))
    }

    /// Loads the main line of a file, up to the move before a number.
    fn load(&mut self, file: &[&str], last: &str) -> Response {
        let number = last.parse::<usize>().ok().filter(|_| !file.is_empty());
        let mut path = file.to_vec();
        path.extend(Some(last).filter(|_| number.is_none()));
        let moves = number.map_or(usize::MAX, |number| number.saturating_sub(1));
        let loaded = load::load(&path.join(" "), &self.spec, moves)?;
        let (spec, game) = (loaded.spec.clone(), loaded.spec.build());
        let board = loaded.board(game)?;
        self.change(spec)?;
        let side = board.side();
        self.start(|own| *own = board)?;
        Ok(colour(&**self.game(), side).to_owned())
    }

    fn side(&self, colour: &str) -> Result<Side, String> {
        rules::side(&**self.game(), colour).ok_or_else(|| "invalid color or coordinate".to_owned())
    }

    /// The reason why a side has no move.
    fn refusal(&self, side: Side) -> String {
        if self.board.position().outcome().is_some() {
            return "the game is over".to_owned();
        }
        let colour = colour(&**self.game(), side);
        format!("it is not {colour}'s turn, and this game cannot let a side move twice")
    }

    /// Starts a search.
    fn search(
        &mut self,
        command: &Command<'_>,
        purpose: Purpose,
        is_kata: Option<bool>,
        out: &mut String,
    ) -> Result<(), String> {
        let words = &command.arguments[..];
        let (side, analysis) = match (is_kata, words) {
            (Some(is_kata), words) => {
                let game = &**self.board.game();
                let analysis = Analysis::read(words, is_kata, |word| rules::side(game, word))?;
                (analysis.side, Some(analysis))
            }
            (None, [colour]) => (Some(self.side(colour)?), None),
            (None, []) => (None, None),
            (None, _) => return Err(SYNTAX.to_owned()),
        };
        let side = side.unwrap_or_else(|| self.board.side());
        let position = self.board.as_seen_by(side).ok_or_else(|| self.refusal(side))?;
        let limits = match purpose {
            Purpose::Analysis => Limits { is_endless: true, ..Limits::default() },
            Purpose::Move | Purpose::Advice => match self.clocks.allotted(side) {
                Some(time) => Limits { time: Some(time), simulations: self.served.most, ..Limits::default() },
                None => Limits::default(),
            },
        };
        self.thinker.begin(&*position, self.board.ply(), limits);
        if analysis.is_some() {
            *out += &format!("={}\n", command.id);
        }
        let (id, now) = (command.id.to_owned(), Instant::now());
        self.search = Some(GtpSearch { id, purpose, position, begun: now, analysis, shown: now });
        Ok(())
    }

    /// Appends the line of an analysis, if it is time or the end.
    fn tell(&mut self, is_end: bool, out: &mut String) {
        let Some(search) = &mut self.search else { return };
        let Some(analysis) = search.analysis.filter(|it| is_end || search.shown.elapsed() >= it.interval) else {
            return;
        };
        search.shown = Instant::now();
        let info = analysis.info(&self.thinker.findings(analysis.most), &**self.board.game());
        if !info.is_empty() {
            *out += &(info + "\n");
        }
    }

    /// Ends the search under way with its answer.
    fn finish(&mut self, out: &mut String) {
        if self.search.as_ref().is_some_and(|search| search.purpose != Purpose::Analysis) {
            self.thinker.settle();
        }
        self.tell(true, out);
        let Some(search) = self.search.take() else { return };
        let GtpSearch { id, purpose, position, begun, analysis, .. } = search;
        if purpose == Purpose::Analysis {
            out.push('\n');
            return;
        }
        let side = position.side();
        let Some(action) = self.thinker.choose() else {
            answer(&id, &Err("no move is legal".to_owned()), out);
            return;
        };
        let name = self.game().action_name(action);
        if purpose == Purpose::Move {
            self.clocks.spend(side, begun.elapsed());
            self.board.play_from(position, action);
            self.thinker.played(action);
        }
        match analysis {
            Some(_) => *out += &format!("play {name}\n\n"),
            None => answer(&id, &Ok(name), out),
        }
    }
}

impl Server for GtpServer {
    fn handle(&mut self, input: Input<'_>, out: &mut String) -> Next {
        // Only an analysis is under way when a line arrives.
        self.finish(out);
        match input {
            Input::End => Next::Leave,
            Input::TooLong => {
                answer("", &Err("a line is too long".to_owned()), out);
                Next::Listen
            }
            Input::Line(line) => match Command::read(line) {
                Some(command) => self.obey(&command, out),
                None => Next::Listen,
            },
        }
    }

    fn think(&mut self, out: &mut String) -> Next {
        match self.thinker.think() {
            Err(reason) => {
                let id = self.search.take().map_or(String::new(), |search| search.id);
                answer(&id, &Err(reason.clone()), out);
                return Next::Fail(reason);
            }
            Ok(true) => self.finish(out),
            Ok(false) => self.tell(false, out),
        }
        self.next()
    }
}

const SYNTAX: &str = "syntax error";

#[cfg(test)]
mod tests;
