//! Many positions of one game that advance together. No Python here.
//!
//! A game that is over stays over until it is reset; its actions are ignored, as in pgx. The legal actions of a position
//! are listed at most once, when they are asked for. An action that was drawn needs no list: in Go a list takes longer
//! than a ply.

use std::sync::Arc;

use gauntlet_games::base::{Action, Outcome, Rng, Seed, Side};
use gauntlet_games::games::{Game, GameSpec, Position, View, diagram};
use gauntlet_nets::encoders::{Batch, Dims, Encoder, Encoding, PlanesSpec, TensorsSpec, keeps_enough};
use rand::SeedableRng as _;
use serde::Deserialize;

/// The side to move of a game that is over, as in OpenSpiel.
pub const NOBODY: i32 = -4;

/// Maximum number of games.
const MOST: usize = 1 << 20;

/// Maximum number of numbers in one answer for all games: 1 GiB of `f32`.
const LARGEST: usize = 1 << 28;

/// Number of positions that are encoded at a time.
const ENCODED: usize = 64;

/// Number of actions that an error lists.
const LISTED: usize = 400;

/// The encoding of positions, as in the settings of networks.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoded {
    /// Planes of stones, of pieces or of a history.
    Planes(PlanesSpec),
    /// The tensors of Soemers et al. 2021, for any game.
    Tensors(TensorsSpec),
}

impl Encoded {
    /// Planes of pieces if the board is a full grid, or else tensors.
    fn usual(game: &dyn Game) -> Encoded {
        let pieces = PlanesSpec { pieces: true, ..PlanesSpec::default() };
        if pieces.check(game).is_ok() { Encoded::Planes(pieces) } else { Encoded::Tensors(TensorsSpec::default()) }
    }

    /// The encoder for a game.
    fn encoder(&self, game: &Arc<dyn Game>) -> Result<Box<dyn Encoder>, String> {
        let (name, encoding): (_, &dyn Encoding) = match self {
            Encoded::Planes(spec) => ("planes", spec),
            Encoded::Tensors(spec) => ("tensors", spec),
        };
        let checked = encoding.check(&**game).and_then(|()| keeps_enough(&**game, encoding.lookback(&**game)));
        checked.map_err(|reason| format!("`{name}` of {}: {reason}", game.name()))?;
        Ok(encoding.encoder(std::slice::from_ref(game)))
    }
}

/// The sizes of a batch, which do not change.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The name of the game.
    pub name: String,
    /// Number of games.
    pub games: usize,
    /// Number of actions of the game.
    pub actions: usize,
    /// Channels, rows and columns of an encoded position.
    pub shape: [usize; 3],
    /// Number of logits of an encoded position.
    pub slots: usize,
}

/// A batch of games.
pub struct Games {
    game: Arc<dyn Game>,
    start: Board,
    boards: Vec<Board>,
    encoder: Box<dyn Encoder>,
    auto_reset: bool,
}

/// One game of a batch.
struct Board {
    position: Box<dyn Position>,
    outcome: Option<Outcome>,
    /// The legal actions, ascending, if they are `listed`.
    legal: Vec<Action>,
    listed: bool,
    /// The legal action that was drawn last.
    drawn: Option<Action>,
    rng: Rng,
}

impl Clone for Board {
    fn clone(&self) -> Board {
        let Board { outcome, listed, drawn, .. } = *self;
        let (position, legal, rng) = (self.position.fork(), self.legal.clone(), self.rng.clone());
        Board { position, outcome, legal, listed, drawn, rng }
    }
}

impl Board {
    fn new(position: Box<dyn Position>, rng: Rng) -> Board {
        let outcome = position.outcome();
        Board { position, outcome, legal: Vec::new(), listed: false, drawn: None, rng }
    }

    fn play(&mut self, action: Action) {
        self.position.play(action);
        (self.outcome, self.listed, self.drawn) = (self.position.outcome(), false, None);
    }

    /// Becomes another position of the game, and keeps its random stream.
    fn restart(&mut self, start: &Board) {
        self.position.assign(&*start.position);
        (self.outcome, self.listed, self.drawn) = (start.outcome, false, None);
    }

    fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    /// The legal actions, ascending; none if the game is over.
    fn legal(&mut self) -> &[Action] {
        if !self.listed {
            self.legal.clear();
            self.position.actions(&mut self.legal);
            self.listed = true;
        }
        &self.legal
    }

    /// A random legal action, unless the game is over.
    fn draw(&mut self) -> Option<Action> {
        self.drawn = (!self.is_over()).then(|| self.position.random_action(&mut self.rng));
        self.drawn
    }

    /// Whether an action may be played: always, if the game is over and ignores it.
    fn may(&mut self, action: i64) -> bool {
        let Ok(action) = u32::try_from(action).map(Action) else { return self.is_over() };
        self.is_over() || self.drawn == Some(action) || self.legal().binary_search(&action).is_ok()
    }
}

/// The rewards of both sides.
fn scores(outcome: Option<Outcome>) -> [f32; 2] {
    Side::BOTH.map(|side| outcome.map_or(0.0, |outcome| outcome.score(side) as f32))
}

impl Games {
    /// Games at their start: the game and the encoding as JSON, as in a manifest, without an encoding the usual one.
    /// The random stream of each game is a child of the seed.
    ///
    /// # Errors
    /// A sentence, if there is no such game or encoding, or the batch is too large.
    pub fn new(game: &str, encoded: Option<&str>, games: usize, seed: u64, auto_reset: bool) -> Result<Games, String> {
        let game = serde_json::from_str::<GameSpec>(game).map_err(sentence)?.build();
        let encoded = encoded.map(|text| serde_json::from_str(text).map_err(sentence)).transpose()?;
        let encoder = encoded.unwrap_or_else(|| Encoded::usual(&*game)).encoder(&game)?;
        let start = Board::new(game.start(), Seed::new(seed).rng());
        let mut batch = Games { game, start, boards: Vec::new(), encoder, auto_reset };
        batch.check_size(games)?;
        batch.boards =
            (0..games as u64).map(|index| Board { rng: stream(seed, index), ..batch.start.clone() }).collect();
        Ok(batch)
    }

    /// Checks that the answers for this number of games fit.
    fn check_size(&self, games: usize) -> Result<(), String> {
        let Facts { name, actions, shape, .. } = self.facts();
        let most = (LARGEST / actions.max(shape.iter().product()).max(2)).min(MOST);
        let fits = (1..=most).contains(&games);
        fits.then_some(()).ok_or_else(|| format!("a batch of {name} has 1 to {most} games, not {games}"))
    }

    /// The sizes of the batch.
    pub fn facts(&self) -> Facts {
        let Dims::Planes { channels, rows, columns, actions: slots } = self.encoder.dims() else {
            unreachable!("both encodings are planes")
        };
        let (name, actions) = (self.game.name(), self.game.action_count());
        Facts { name, games: self.boards.len(), actions, shape: [channels, rows, columns], slots }
    }

    /// A copy of all games, with their random streams.
    pub fn twin(&self) -> Games {
        self.with(self.boards.clone())
    }

    /// A batch of copies of these games, each with a new random stream, drawn from that of its original. A game may be
    /// named several times.
    ///
    /// # Errors
    /// If the batch is too large or empty.
    pub fn copies(&mut self, of: &[usize]) -> Result<Games, String> {
        self.check_size(of.len())?;
        let mut copy = |&index: &usize| {
            let rng = Rng::from_rng(&mut self.boards[index].rng);
            Board { rng, ..self.boards[index].clone() }
        };
        let boards = of.iter().map(&mut copy).collect();
        Ok(self.with(boards))
    }

    fn with(&self, boards: Vec<Board>) -> Games {
        let (game, start, encoder) = (Arc::clone(&self.game), self.start.clone(), self.encoder.fork());
        Games { game, start, boards, encoder, auto_reset: self.auto_reset }
    }

    /// Puts these games at the start, or at a position in the game's notation. A seed renews their random streams.
    ///
    /// # Errors
    /// If the text is not a position of the game; then nothing has changed.
    pub fn reset(&mut self, these: &[usize], text: Option<&str>, seed: Option<u64>) -> Result<(), String> {
        let read = text.map(|text| self.game.read_position(text).map_err(|error| self.game.reason(error)));
        let other = read.transpose()?.map(|position| Board::new(position, self.start.rng.clone()));
        for &index in these {
            let board = &mut self.boards[index];
            board.restart(other.as_ref().unwrap_or(&self.start));
            if let Some(seed) = seed {
                board.rng = stream(seed, index as u64);
            }
        }
        Ok(())
    }

    /// Plays an action in each game, `[games]`, and writes rewards `[games, 2]` and ends `[games]`.
    ///
    /// # Errors
    /// If an action is illegal; then none has been played.
    pub fn step(&mut self, actions: &[i64], rewards: &mut [f32], ends: &mut [bool]) -> Result<(), String> {
        let illegal = self.boards.iter_mut().zip(actions).position(|(board, &action)| !board.may(action));
        if let Some(index) = illegal {
            return Err(self.illegal(index, actions[index]));
        }
        let written = rewards.chunks_exact_mut(2).zip(ends);
        for ((board, &action), (rewards, end)) in self.boards.iter_mut().zip(actions).zip(written) {
            if !board.is_over() {
                board.play(Action(action as u32));
                rewards.copy_from_slice(&scores(board.outcome));
            }
            *end = board.is_over();
            if *end && self.auto_reset {
                board.restart(&self.start);
            }
        }
        Ok(())
    }

    fn illegal(&mut self, index: usize, action: i64) -> String {
        let legal = self.boards[index].legal().to_vec();
        let name = |action: Action| format!("{} ({})", action.0, self.game.action_name(action));
        let given = usize::try_from(action).ok().filter(|&action| action < self.game.action_count());
        let given = given.map_or_else(|| action.to_string(), |action| name(Action::from(action)));
        format!("action {given} of game {index} is illegal; {}", listed(&legal, name))
    }

    /// Marks the legal actions, `[games, actions]`, onto zeros.
    pub fn legal(&mut self, mask: &mut [bool]) {
        for (board, mask) in self.boards.iter_mut().zip(mask.chunks_exact_mut(self.game.action_count())) {
            board.legal().iter().for_each(|action| mask[action.index()] = true);
        }
    }

    /// The legal actions of one game, ascending.
    pub fn legal_actions(&mut self, index: usize) -> Vec<u32> {
        self.boards[index].legal().iter().map(|action| action.0).collect()
    }

    /// Writes the side to move of each game, `[games]`.
    pub fn players(&self, players: &mut [i32]) {
        for (board, player) in self.boards.iter().zip(players) {
            *player = if board.is_over() { NOBODY } else { board.position.side().index() as i32 };
        }
    }

    /// Draws a uniformly random legal action of each game, `[games]`; -1 if the game is over.
    pub fn sample(&mut self, actions: &mut [i64]) {
        for (board, action) in self.boards.iter_mut().zip(actions) {
            *action = board.draw().map_or(-1, |action| i64::from(action.0));
        }
    }

    /// Plays random actions on a copy of each game to its end, and writes both sides' rewards, `[games, 2]`.
    pub fn playouts(&mut self, rewards: &mut [f32]) {
        for (board, rewards) in self.boards.iter_mut().zip(rewards.chunks_exact_mut(2)) {
            let outcome = board.outcome.unwrap_or_else(|| board.position.rollout(&mut board.rng));
            rewards.copy_from_slice(&scores(Some(outcome)));
        }
    }

    /// Writes the encoded positions, `[games, channels, rows, columns]`.
    pub fn planes(&mut self, values: &mut [f32]) {
        let mut batch = Batch::new(self.encoder.dims());
        let mut rest = values;
        for boards in self.boards.chunks(ENCODED) {
            let positions: Vec<&dyn Position> = boards.iter().map(|board| &*board.position).collect();
            self.encoder.encode(&positions, &mut batch);
            let Batch::Planes(planes) = &batch else { unreachable!("both encodings are planes") };
            let (written, others) = rest.split_at_mut(planes.values().len());
            written.copy_from_slice(planes.values());
            rest = others;
        }
    }

    /// Writes the logit of each action, `[games, actions]`; -1 if the action is illegal.
    pub fn slots(&mut self, slots: &mut [i32]) {
        slots.fill(-1);
        let mut found = Vec::new();
        for (board, slots) in self.boards.iter_mut().zip(slots.chunks_exact_mut(self.game.action_count())) {
            found.clear();
            board.legal();
            self.encoder.slots(&*board.position, &board.legal, &mut found);
            board.legal.iter().zip(&found).for_each(|(action, &slot)| slots[action.index()] = slot as i32);
        }
    }

    /// The notation of a position, if the game has one for it.
    pub fn state(&self, index: usize) -> Option<String> {
        self.game.write_position(&*self.boards[index].position)
    }

    /// The board as a diagram.
    pub fn text(&self, index: usize) -> String {
        let mut view = View::new();
        self.boards[index].position.view(&mut view);
        diagram(&*self.game, &view, &[], |_, sign| sign)
    }

    /// The notation of an action.
    ///
    /// # Errors
    /// If the game has no such action.
    pub fn action_name(&self, action: usize) -> Result<String, String> {
        let count = self.game.action_count();
        let known = (action < count).then(|| self.game.action_name(Action::from(action)));
        known.ok_or_else(|| format!("there is no action {action}: {} has {count}", self.game.name()))
    }

    /// The legal action with this notation in one game.
    ///
    /// # Errors
    /// If there is none.
    pub fn action(&mut self, index: usize, text: &str) -> Result<u32, String> {
        let (game, board) = (&self.game, &mut self.boards[index]);
        let read = game.read_move(&*board.position, text).map(|action| action.0);
        let named = |action| game.action_name(action);
        read.ok_or_else(|| format!("{text:?} is no legal action of game {index}; {}", listed(board.legal(), named)))
    }
}

/// The legal actions in an error, with these names.
fn listed(legal: &[Action], name: impl Fn(Action) -> String) -> String {
    if legal.is_empty() {
        return "the game is over".into();
    }
    let names: Vec<String> = legal.iter().take(LISTED).map(|&action| name(action)).collect();
    let more = legal.len().checked_sub(LISTED).filter(|&more| more > 0);
    format!("legal are {}{}", names.join(", "), more.map_or(String::new(), |more| format!(", and {more} more")))
}

/// The random stream of a game.
fn stream(seed: u64, index: u64) -> Rng {
    Seed::new(seed).child("game", index).rng()
}

/// A message without the place in a text that the user has not written.
fn sentence(error: serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.clone(), |(message, _)| message.to_owned())
}
