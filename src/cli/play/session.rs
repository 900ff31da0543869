//! One game between the user and a player, move by move.

use std::io::{BufRead, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::json;

use super::hint::Adviser;
use super::words::{self, Word, placed_on};
use crate::app::Opponent;
use crate::cli::output::{self, Misuse, coloured, result, tell, visible};
use gauntlet_games::base::{Action, Ending, Outcome, Record, Seed, Side, Stop};
use gauntlet_games::formats::records::{self, RecordsHeader};
use gauntlet_games::formats::{Transcript, pgn, sgf};
use gauntlet_games::games::{Game, MARK, Position, View, diagram};
use gauntlet_play::players::{Player, Setting, Source, Turn};
use gauntlet_store::atomic_write;

/// The longest line that is read at once, in bytes.
const LONGEST_LINE: u64 = 4096;

/// The message for a file name without a known format.
pub const ENDING: &str = "the name of the file has to end in .sgf, .pgn or .jsonl";

/// The name of the user in saved games.
const PERSON: &str = "human";

/// A game in progress.
pub struct Session {
    /// Whether a hint is shown before every move of the user.
    pub hints: bool,
    /// Whether stdout gets one JSON value at the end, and all other text goes to standard error.
    pub json: bool,
    /// Whether only results and refusals are shown.
    pub quiet: bool,
    /// Whether the input is a terminal.
    pub prompts: bool,
    opponent: Opponent,
    game: Arc<dyn Game>,
    position: Box<dyn Position>,
    player: Box<dyn Player>,
    adviser: Adviser,
    person: Side,
    seed: Seed,
    actions: Vec<Action>,
    resigned: bool,
}

/// The next step of the dialogue.
#[derive(PartialEq, Eq)]
enum Next {
    /// The user is asked again.
    Again,
    /// The game has changed.
    On,
    /// The user has left.
    End,
}

impl Session {
    /// A new game, with the user on one side.
    ///
    /// # Errors
    /// If the opponent has no weights, or those of another network.
    pub fn new(opponent: Opponent, person: Side, seed: u64) -> anyhow::Result<Session> {
        let (game, seed) = (opponent.spec.build(), Seed::new(seed).child("play", 0));
        let source = Source { seed: &seed.child("weights", 0), checkpoint: opponent.weights.as_deref() };
        let hint = match opponent.weights {
            Some(_) => "its weights may be those of another network, or of another board: leave --size and --agent out",
            None => "name a model: `gauntlet play MODEL`, perhaps with --agent for the player that asks it",
        };
        let misuse = |error: gauntlet_play::players::PlayerError| Misuse::new(error.to_string(), hint);
        let mut player = opponent.player.build(&game, &source).map_err(misuse)?;
        player.begin(&Setting { game: &opponent.spec, stop: Stop::default() })?;
        let adviser = Adviser::new(&opponent, &game, &source).map_err(misuse)?;
        let (position, actions) = (game.start(), Vec::new());
        let (hints, json, quiet, prompts, resigned) = (false, false, false, false, false);
        Ok(Session {
            hints,
            json,
            quiet,
            prompts,
            opponent,
            game,
            position,
            player,
            adviser,
            person,
            seed,
            actions,
            resigned,
        })
    }

    /// Plays until the game is over or the user leaves.
    ///
    /// # Errors
    /// If the opponent fails, or the input cannot be read.
    pub fn play(&mut self, input: &mut dyn BufRead) -> anyhow::Result<()> {
        let order = if self.person == Side::First { "first" } else { "second" };
        let (game, name) = (self.game.name(), visible(&self.opponent.name));
        let signs = [self.person, self.person.opponent()].map(|side| self.game.side_name(side));
        self.say(&format!("{game}: you are {} and move {order}, {name} is {}", signs[0], signs[1]));
        while self.outcome().is_none() {
            let next = if self.position.side() == self.person { self.ask(input)? } else { self.answer()? };
            if next == Next::End {
                break;
            }
        }
        self.conclude();
        Ok(())
    }

    /// The outcome, by the rules or by resignation.
    fn outcome(&self) -> Option<Outcome> {
        let resigned = self.resigned.then(|| Outcome::Win(self.person.opponent()));
        self.position.outcome().or(resigned)
    }

    /// Reads input until the game continues or ends.
    fn ask(&mut self, input: &mut dyn BufRead) -> anyhow::Result<Next> {
        self.show();
        if self.hints {
            self.advise()?;
        }
        loop {
            self.prompt();
            let Some(line) = line(input)? else {
                self.note("end of the input");
                return Ok(Next::End);
            };
            let next = match Word::read(&line, &*self.game, &*self.position) {
                Ok(word) => self.obey(word)?,
                Err(reason) => {
                    tell(&reason);
                    Next::Again
                }
            };
            if next != Next::Again {
                return Ok(next);
            }
        }
    }

    fn obey(&mut self, word: Word) -> anyhow::Result<Next> {
        match word {
            Word::Move(action) => return Ok(self.move_by_person(action)),
            Word::Undo => return Ok(self.undo()),
            Word::Quit => return Ok(Next::End),
            Word::Resign => {
                self.resigned = true;
                return Ok(Next::On);
            }
            Word::Hint => self.advise()?,
            Word::Board => self.show(),
            Word::Moves => self.say(&self.moves()),
            Word::Help => tell(words::help(&self.opponent.spec, &*self.game).trim_end()),
            Word::Save(path) => match self.save(&path) {
                Ok(()) => self.note(&format!("saved as {}", visible(&path.to_string_lossy()))),
                Err(error) => tell(&format!("not saved: {error:#}")),
            },
        }
        Ok(Next::Again)
    }

    fn move_by_person(&mut self, action: Action) -> Next {
        let legal = self.legal();
        if legal.binary_search(&action).is_err() {
            tell(&self.refusal(action, &legal));
            return Next::Again;
        }
        self.make(action);
        Next::On
    }

    /// Why an action is not legal now.
    fn refusal(&self, action: Action, legal: &[Action]) -> String {
        let name = self.game.action_name(action);
        let pieces = self.view().pieces;
        let stands = placed_on(&*self.game, action).is_some_and(|site| pieces.get(site).is_some_and(|p| !p.is_empty()));
        match legal {
            [only] => {
                format!("{name} is not legal: all you can do is {}", self.game.write_move(&*self.position, *only))
            }
            _ if stands => format!("{name} is not legal: a stone stands there"),
            _ => format!("{name} is not legal: the rules forbid it in this position"),
        }
    }

    /// The opponent's move. Its random choices depend only on the seed and the ply, so that a move that is taken back
    /// and repeated gets the same answer, unless the opponent keeps its search tree, which it then has forgotten.
    fn answer(&mut self) -> anyhow::Result<Next> {
        let mut rng = self.seed.child("move", self.actions.len() as u64).rng();
        let turn = Turn::new(0, &*self.position, &mut rng);
        let mut turns = [Turn { ply: self.actions.len() as u32, actions: &self.actions, ..turn }];
        self.player.decide(&mut turns)?;
        let [turn] = turns;
        let action = turn.decision.action.context("the opponent has not decided")?;
        let name = visible(&self.opponent.name);
        self.say(&format!("{name} plays {}", self.game.write_move(&*self.position, action)));
        self.make(action);
        Ok(Next::On)
    }

    fn make(&mut self, action: Action) {
        self.position.play(action);
        self.actions.push(action);
    }

    /// Takes back the user's last move.
    fn undo(&mut self) -> Next {
        let mut position = self.game.start();
        let mut own = None;
        for (ply, &action) in self.actions.iter().enumerate() {
            if position.side() == self.person {
                own = Some((ply, position.fork()));
            }
            position.play(action);
        }
        let Some((ply, before)) = own else {
            tell("there is no move of yours to take back");
            return Next::Again;
        };
        self.actions.truncate(ply);
        self.position = before;
        // Its search tree belongs to another line of play.
        self.player.forget(0);
        Next::On
    }

    fn advise(&mut self) -> anyhow::Result<()> {
        let seed = self.seed.child("hint", self.actions.len() as u64);
        let advice = self.adviser.advise(&*self.game, &*self.position, &seed)?;
        self.say(&advice);
        Ok(())
    }

    /// Writes the game so far, in the format of the file's ending.
    ///
    /// # Errors
    /// If the format cannot hold the game, or the file cannot be written.
    pub fn save(&self, path: &Path) -> anyhow::Result<()> {
        let bytes = match path.extension().and_then(|ending| ending.to_str()) {
            Some("sgf") => {
                let written = sgf::write_game(&self.opponent.spec, &self.transcript());
                written.map_err(|error| anyhow::anyhow!("{}; PGN holds every game: save game.pgn", error.fault))?.into()
            }
            Some("pgn") => {
                pgn::write_game(&self.opponent.spec, &self.transcript()).map_err(|error| error.fault)?.into()
            }
            Some("jsonl") => self.record()?,
            _ => anyhow::bail!(ENDING),
        };
        Ok(atomic_write(&std::path::absolute(path)?, &bytes)?)
    }

    /// The players, first side first.
    fn names(&self) -> [String; 2] {
        let [person, opponent] = [PERSON.to_owned(), self.opponent.name.clone()];
        match self.person {
            Side::First => [person, opponent],
            Side::Second => [opponent, person],
        }
    }

    fn transcript(&self) -> Transcript {
        let (names, actions, ending) = (self.names(), self.actions.clone(), self.ending());
        Transcript { names, actions, outcome: self.outcome(), ending, ..Transcript::default() }
    }

    fn ending(&self) -> Ending {
        if self.resigned { Ending::Resigned } else { Ending::Rules }
    }

    fn record(&self) -> anyhow::Result<Vec<u8>> {
        let outcome =
            self.outcome().context("the game is not over, and .jsonl keeps results: save it as .pgn or .sgf")?;
        let record = Record::new(0, [0, 1], self.actions.clone(), outcome);
        let record = Record { ending: self.ending(), ..record };
        Ok(records::write(&RecordsHeader::new(self.opponent.spec.clone(), self.names().into()), [&record]))
    }

    fn view(&self) -> View {
        let mut view = View::new();
        self.position.view(&mut view);
        view
    }

    fn show(&self) {
        let colours = if self.json { output::colours() } else { coloured(&std::io::stdout()) };
        let paint = |side: Option<Side>, sign: String| match (side, colours) {
            (Some(Side::First), true) => format!("\u{1b}[1;34m{sign}\u{1b}[0m"),
            (Some(Side::Second), true) => format!("\u{1b}[1;31m{sign}\u{1b}[0m"),
            _ => sign,
        };
        let marked = self.marked();
        self.say(&diagram(&*self.game, &self.view(), &marked, paint));
        // Shown only at the beginning.
        if !marked.is_empty() && self.actions.len() < 2 {
            self.note(&format!("{MARK} is where you can play"));
        }
    }

    /// All legal actions, ascending.
    fn legal(&self) -> Vec<Action> {
        let mut legal = Vec::new();
        self.position.actions(&mut legal);
        legal
    }

    /// All legal moves in the game's notation.
    fn moves(&self) -> String {
        let write = |action| self.game.write_move(&*self.position, action);
        self.legal().into_iter().map(write).collect::<Vec<_>>().join(" ")
    }

    /// The empty points where the user can play, if these are not all of them; none in games with moving pieces.
    fn marked(&self) -> Vec<usize> {
        let (legal, pieces) = (self.legal(), self.view().pieces);
        let moves_pieces = legal.iter().any(|&action| self.game.step(action).from.is_some());
        if moves_pieces || self.position.side() != self.person {
            return Vec::new();
        }
        let is_empty = |site: &usize| pieces.get(*site).is_some_and(|piece| piece.is_empty());
        let mut marked: Vec<usize> =
            legal.into_iter().filter_map(|action| placed_on(&*self.game, action)).filter(is_empty).collect();
        marked.sort_unstable();
        marked.dedup();
        let empty = pieces.iter().filter(|piece| piece.is_empty()).count();
        if marked.len() < empty { marked } else { Vec::new() }
    }

    fn conclude(&self) {
        if self.position.outcome().is_some() {
            self.show();
        }
        let plies = match self.actions.len() {
            1 => "1 ply".to_owned(),
            number => format!("{number} plies"),
        };
        let name = |side: Side| if side == self.person { "you".to_owned() } else { visible(&self.opponent.name) };
        self.say(&match self.outcome() {
            Some(Outcome::Win(side)) if side == self.person => format!("you win, after {plies}"),
            Some(Outcome::Win(side)) if self.resigned => {
                format!("{} wins: you resigned after {plies}", name(side))
            }
            Some(Outcome::Win(side)) => format!("{} wins, after {plies}", name(side)),
            Some(Outcome::Draw) => format!("a draw, after {plies}"),
            None => format!("the game is left unfinished, after {plies}"),
        });
        if self.json {
            let mut position = self.game.start();
            let write = |&action| {
                let text = self.game.write_move(&*position, action);
                position.play(action);
                text
            };
            let moves: Vec<String> = self.actions.iter().map(write).collect();
            output::json(&json!({ "game": self.opponent.spec, "players": self.names(), "moves": moves,
                "outcome": self.outcome(), "resigned": self.resigned }));
        }
    }

    fn prompt(&self) {
        if self.prompts {
            let mut stderr = std::io::stderr();
            let _ = write!(stderr, "{}> ", self.game.side_name(self.person));
            let _ = stderr.flush();
        }
    }

    fn say(&self, text: &str) {
        if self.json { self.note(text) } else { result(text) }
    }

    fn note(&self, text: &str) {
        output::note(self.quiet, text.trim_end());
    }
}

/// The next line of the input, up to the limit; nothing at the end.
fn line(input: &mut dyn BufRead) -> anyhow::Result<Option<String>> {
    let mut bytes = Vec::new();
    input.take(LONGEST_LINE).read_until(b'\n', &mut bytes).context("cannot read the input")?;
    Ok((!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}
