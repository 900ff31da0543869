//! Rules. One file is one game; everything above sees a [`Position`] and a [`Game`] and never a concrete type.
//!
//! To add a game: a file with a [`State`] and a [`Game`], then one variant and one arm of [`GameSpec`].
//! The conformance kit runs on [`GameSpec::examples`].

mod atari_go;
mod board;
mod breakthrough;
mod chess;
pub mod conformance;
mod connect_four;
mod diagram;
mod drawing;
mod go;
mod gomoku;
mod grid;
mod groups;
mod hex;
mod key;
mod lines;
pub mod ludemes;
mod mnk;
mod notation;
mod othello;
mod past;
mod pente;
mod picture;
mod placement;
mod set_up;
mod sites;
mod size;
mod spec;
mod step;
mod topology;
mod view;

use std::any::Any;

use rand::RngExt as _;

use crate::base::{Action, Figure, Outcome, Rng, Side};
pub use atari_go::{AtariGo, AtariGoSpec};
pub use breakthrough::{Breakthrough, BreakthroughGame, BreakthroughSpec};
pub use chess::{Chess, ChessGame, ChessSize, ChessSpec, PassantKey};
pub use connect_four::{ConnectFour, ConnectFourSpec};
pub use diagram::{Coordinates, MARK, diagram};
pub use drawing::{Drawing, SiteDrawing};
pub use go::{Go, GoSpec, Komi, Superko};
pub use gomoku::{Gomoku, GomokuSpec};
pub use grid::GridGame;
pub use hex::{Hex, HexSpec};
pub use mnk::MnkSpec;
pub use othello::{BitOthello, OthelloSpec, PlainOthello};
pub use past::{Lookback, Past};
pub use pente::{Pente, PenteRules, PenteSpec};
pub use picture::{picture, site_numbers};
pub use set_up::SetUpError;
pub use sites::SiteSet;
pub use size::{BoardSize, BreakthroughSize, GoSize, GridLength, HexSize, OthelloSize, OutOfRange, RowLength};
pub use spec::GameSpec;
pub use step::{Offsite, Step};
pub use topology::{Layout, Topology};
pub use view::{Piece, Scalar, View, sign};

/// A position as the author of a game writes it.
///
/// Laws (tested by the conformance kit): `actions` is empty exactly when `outcome` is some; an action
/// from `actions` may be played; `outcome_after(a)` equals the outcome after `play(a)`; `decisive` lists
/// exactly the actions that `outcome_after` calls decided; `lead_after(a)` equals the lead after `play(a)`; keys are
/// equal exactly where side, pieces, scalars and legal actions are.
pub trait State: Clone + Send + Sync + 'static {
    /// Who is to move.
    fn side(&self) -> Side;
    /// Appends the legal actions, ascending; none when the game is over.
    fn actions(&self, into: &mut Vec<Action>);
    /// Plays a legal action. An illegal one is a bug of the caller.
    fn play(&mut self, action: Action);
    /// How the game ended, if it has.
    fn outcome(&self) -> Option<Outcome>;
    /// Writes the neutral view of this position into a reused buffer.
    fn view(&self, view: &mut View);
    /// Writes what was played into a reused buffer: of what is asked for, as much as there is and as [`Game::keeps`] says.
    ///
    /// The default knows the last action, from the view; games that keep more override it.
    fn past(&self, wanted: Lookback, past: &mut Past) {
        past.clear();
        if wanted.actions > 0 {
            self.view(&mut past.view);
            past.actions.extend(past.view.last);
        }
    }
    /// A number that tells the positions of one game apart, on boards of any size, for caches: a function of the
    /// number of sites, side to move, pieces, counts, scalars and legal actions (so of what ko forbids now), and of nothing
    /// else: not of what was played before, which a cache has to add where an encoder looks back, and not of the history
    /// that forbids actions later.
    ///
    /// The default asks for view and actions; games override it with what is cheaper.
    fn key(&self) -> u128 {
        let (mut view, mut actions) = (View::new(), Vec::new());
        self.view(&mut view);
        self.actions(&mut actions);
        key::of(&view, &actions)
    }
    /// How far `side` is ahead by the count that the game's doc names, and its opponent behind; where it has none, `None`.
    fn lead(&self, _side: Side) -> Option<f64> {
        None
    }
    /// The lead of the side to move after `action`.
    ///
    /// The default plays on a copy; games override it where a local look will do.
    fn lead_after(&self, action: Action) -> Option<f64> {
        let mut next = self.clone();
        next.play(action);
        next.lead(self.side())
    }
    /// The position with these pieces, one to a site, and this side to move, without a history, on the board and
    /// under the rules of this one.
    ///
    /// # Errors
    /// When the game has no such positions, or cannot have this one.
    fn set_up(&self, _pieces: &[Piece], _side: Side) -> Result<Self, SetUpError> {
        Err(SetUpError::Unsupported)
    }
    /// How the game would end if `action` were played now, if it would.
    ///
    /// The default plays on a copy; games override it with a local test (one-ply players live on it).
    fn outcome_after(&self, action: Action) -> Option<Outcome> {
        let mut next = self.clone();
        next.play(action);
        next.outcome()
    }
    /// A uniformly random legal action of a position that is not over.
    ///
    /// The default lists them all; games override it where they can draw without a list.
    fn random_action(&self, rng: &mut Rng) -> Action {
        let mut actions = Vec::new();
        self.actions(&mut actions);
        actions[rng.random_range(0..actions.len())]
    }
    /// Appends the actions that win at once, and those that lose at once, for the side to move; ascending.
    ///
    /// The default tries every action; games override it where they know where to look.
    fn decisive(&self, wins: &mut Vec<Action>, losses: &mut Vec<Action>) {
        let mut actions = Vec::new();
        self.actions(&mut actions);
        for action in actions {
            match self.outcome_after(action) {
                Some(Outcome::Win(winner)) if winner == self.side() => wins.push(action),
                Some(Outcome::Win(_)) => losses.push(action),
                Some(Outcome::Draw) | None => {}
            }
        }
    }
}

/// A position of any game. Nobody implements it by hand: every [`State`] is one.
pub trait Position: Any + Send + Sync {
    /// Who is to move.
    fn side(&self) -> Side;
    /// Appends the legal actions, ascending; none when the game is over.
    fn actions(&self, into: &mut Vec<Action>);
    /// Plays a legal action.
    fn play(&mut self, action: Action);
    /// How the game ended, if it has.
    fn outcome(&self) -> Option<Outcome>;
    /// Writes the neutral view of this position into a reused buffer.
    fn view(&self, view: &mut View);
    /// Writes what was played before into a reused buffer: see [`State::past`].
    fn past(&self, wanted: Lookback, past: &mut Past);
    /// A number that tells the positions of one game apart: see [`State::key`].
    fn key(&self) -> u128;
    /// How far `side` is ahead by the game's count, if it has one: see [`State::lead`].
    fn lead(&self, side: Side) -> Option<f64>;
    /// The lead of the side to move after a legal action.
    fn lead_after(&self, action: Action) -> Option<f64>;
    /// How the game would end if `action` were played now, if it would.
    fn outcome_after(&self, action: Action) -> Option<Outcome>;
    /// A uniformly random legal action of a position that is not over.
    fn random_action(&self, rng: &mut Rng) -> Action;
    /// Appends the actions that win at once, and those that lose at once, for the side to move; ascending.
    fn decisive(&self, wins: &mut Vec<Action>, losses: &mut Vec<Action>);
    /// An independent copy.
    fn fork(&self) -> Box<dyn Position>;
    /// Becomes a copy of another position, in the memory it already has. Not if that is one of another kind of game:
    /// then nothing happens, and the answer is false.
    fn assign(&mut self, from: &dyn Position) -> bool;
    /// Plays uniformly random legal actions on a copy until the game ends, or `most` are played; one virtual call a
    /// play-out. Nothing where the game is not over by then.
    fn rollout_within(&self, rng: &mut Rng, most: u32) -> Option<Outcome>;
}

impl dyn Position {
    /// Plays uniformly random legal actions on a copy until the game ends.
    #[must_use]
    pub fn rollout(&self, rng: &mut Rng) -> Outcome {
        self.rollout_within(rng, u32::MAX).expect("a game ends")
    }

    /// A number that tells apart the positions of one game together with what was played before, as far as somebody
    /// looks back; `past` is room to work in.
    #[must_use]
    pub fn key_with(&self, lookback: Lookback, past: &mut Past) -> u128 {
        if lookback == Lookback::NONE {
            return self.key();
        }
        self.past(lookback, past);
        past.mixed(self.key())
    }

    /// The position as that of one game, if it is.
    #[must_use]
    pub fn state<S: State>(&self) -> Option<&S> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }
}

impl<S: State> Position for S {
    fn side(&self) -> Side {
        State::side(self)
    }
    fn actions(&self, into: &mut Vec<Action>) {
        State::actions(self, into);
    }
    fn play(&mut self, action: Action) {
        State::play(self, action);
    }
    fn outcome(&self) -> Option<Outcome> {
        State::outcome(self)
    }
    fn view(&self, view: &mut View) {
        State::view(self, view);
    }
    fn past(&self, wanted: Lookback, past: &mut Past) {
        State::past(self, wanted, past);
    }
    fn key(&self) -> u128 {
        State::key(self)
    }
    fn lead(&self, side: Side) -> Option<f64> {
        State::lead(self, side)
    }
    fn lead_after(&self, action: Action) -> Option<f64> {
        State::lead_after(self, action)
    }
    fn outcome_after(&self, action: Action) -> Option<Outcome> {
        State::outcome_after(self, action)
    }
    fn random_action(&self, rng: &mut Rng) -> Action {
        State::random_action(self, rng)
    }
    fn decisive(&self, wins: &mut Vec<Action>, losses: &mut Vec<Action>) {
        State::decisive(self, wins, losses);
    }
    fn fork(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
    fn assign(&mut self, from: &dyn Position) -> bool {
        from.state::<S>().inspect(|state| self.clone_from(state)).is_some()
    }
    fn rollout_within(&self, rng: &mut Rng, most: u32) -> Option<Outcome> {
        let mut state = self.clone();
        for _ in 0..most {
            if let Some(outcome) = State::outcome(&state) {
                return Some(outcome);
            }
            let action = State::random_action(&state, rng);
            State::play(&mut state, action);
        }
        State::outcome(&state)
    }
}

/// The static facts of a game's rules at one board size.
pub trait Game: Send + Sync {
    /// The rules and the size, for people: `atari-go 7x7`.
    fn name(&self) -> String;
    /// The starting position.
    fn start(&self) -> Box<dyn Position>;
    /// Sites, neighbours and symmetries of the board.
    fn topology(&self) -> &Topology;
    /// Number of actions; every action's index is below it. One more than sites where the last is a pass.
    fn action_count(&self) -> usize;
    /// An action as people write it.
    fn action_name(&self, action: Action) -> String;
    /// The action that people write so, if there is one.
    fn parse_action(&self, name: &str) -> Option<Action>;
    /// A site as people write it, and its letters and number along the edges of a picture.
    ///
    /// The default suits games whose first actions are the sites.
    fn site_name(&self, site: usize) -> String {
        self.action_name(Action::from(site))
    }
    /// Where an action begins and ends, whatever the position and the side; no two actions have the same step.
    ///
    /// The default suits games whose first actions are the sites, and one more that has none.
    fn step(&self, action: Action) -> Step {
        let site = Some(action.index()).filter(|&site| site < self.topology().sites());
        site.map_or_else(Step::default, Step::placement)
    }
    /// The site where an action ends, if it ends on one: where its stone is put, or its piece moves to.
    fn arrival(&self, action: Action) -> Option<usize> {
        self.step(action).to.map(|site| site as usize)
    }
    /// What an action is that no site says.
    ///
    /// The default takes all actions without a site for passes.
    fn offsite(&self, action: Action) -> Option<Offsite> {
        self.step(action).to.is_none().then_some(Offsite::Pass)
    }
    /// Which scalar of a view says whether the sides have been exchanged, where they can be.
    fn swap_scalar(&self) -> Option<usize> {
        None
    }
    /// The pieces that there are. Default: all kinds, each of the first side and then of the second.
    fn pieces(&self) -> Vec<Piece> {
        (0..self.kinds() as u8).flat_map(|kind| Side::BOTH.map(|side| Piece::new(side, kind))).collect()
    }
    /// Number of the kinds of pieces; every piece's kind is below it. Default: 1, stones.
    fn kinds(&self) -> usize {
        1
    }
    /// What the numbers in [`View::scalars`] are, as a list to be shown by. Default: of none it says anything.
    fn scalars(&self) -> Vec<Scalar> {
        Vec::new()
    }
    /// Kinds of pieces that could make an action's step on an empty board, a bit for each kind, the first side's and the
    /// second's; steps that neither could make are anyone's. Default: of none it says anything.
    fn reach(&self, _action: Action) -> [u64; 2] {
        [0; 2]
    }
    /// Plies after which a game is over at the latest, if there is such a number. Default: none.
    fn longest(&self) -> Option<u32> {
        None
    }
    /// What [`Position::past`] can tell of what was played. Default: the action played last.
    fn keeps(&self) -> Lookback {
        Lookback::LAST
    }
    /// How the second side sees the board, where pieces go ahead and the sides face each other: site `s` lies at `map[s]`,
    /// a map that is its own inverse. Default: as the first side does.
    fn turned(&self) -> Option<&[u32]> {
        None
    }
    /// What a side is called where people play.
    fn side_name(&self, side: Side) -> String {
        sign(Some(side)).into()
    }
    /// What stands for a piece in a picture: `X` for the first side, `O` for the second, `#` for nobody's, `.` for nothing.
    fn sign(&self, piece: Piece) -> char {
        if piece.is_neutral() { '#' } else { sign(piece.side()) }
    }
    /// The form of a piece in a picture. Default: a stone.
    fn figure(&self, _piece: Piece) -> Figure {
        Figure::Stone
    }
    /// The sites on the edges of the board that a side has to reach or to join, for pictures. Default: none.
    fn goal(&self, _side: Side) -> Vec<usize> {
        Vec::new()
    }
    /// The position with these pieces, one to a site, and this side to move, without a history.
    ///
    /// # Errors
    /// When the game has no such positions, or cannot have this one.
    fn set_up(&self, _pieces: &[Piece], _side: Side) -> Result<Box<dyn Position>, SetUpError> {
        Err(SetUpError::Unsupported)
    }
    /// The legal action that people write so in this position, if there is one.
    ///
    /// The default needs no position; games override it whose notation says less than the whole action (chess).
    fn read_move(&self, position: &dyn Position, text: &str) -> Option<Action> {
        let mut legal = Vec::new();
        position.actions(&mut legal);
        self.parse_action(text).filter(|action| legal.contains(action))
    }
    /// A legal action of this position as people write it, so that [`Game::read_move`] reads it back.
    fn write_move(&self, _position: &dyn Position, action: Action) -> String {
        self.action_name(action)
    }
    /// The same in words that need no position to be understood, where people have such a notation: `Nb1c3`.
    fn write_long_move(&self, position: &dyn Position, action: Action) -> String {
        self.write_move(position, action)
    }
    /// How many fields between spaces [`Game::read_position`] wants at least.
    fn position_fields(&self) -> usize {
        placement::FIELDS
    }
    /// The position that people write so, without a history.
    ///
    /// The default reads rows of stones and the side to move; games with other pieces override it (FEN).
    ///
    /// # Errors
    /// When the text is no position, and when the game cannot have this one.
    fn read_position(&self, text: &str) -> Result<Box<dyn Position>, SetUpError> {
        let (pieces, side) = placement::read(text, [self.topology().rows(), self.topology().columns()])?;
        self.set_up(&pieces, side)
    }
    /// A position as people write it; `None` where the notation has no word for something on the board.
    fn write_position(&self, position: &dyn Position) -> Option<String> {
        let mut view = View::new();
        position.view(&mut view);
        placement::write(&view.pieces, self.topology().columns(), view.side)
    }
    /// The position that a game begins with: the one that people write so, or else [`Game::start`].
    ///
    /// # Errors
    /// As [`Game::read_position`].
    fn begin(&self, start: Option<&str>) -> Result<Box<dyn Position>, SetUpError> {
        start.map_or_else(|| Ok(self.start()), |text| self.read_position(text))
    }
}
