//! The [`Game`] trait: the static facts of a game, and the notation of its moves and positions.

use super::{Lookback, Offsite, Piece, Position, Scalar, SetUpError, Step, Topology, View, placement, sign};
use crate::base::{Action, Figure, Side};

/// The static facts of a game's rules at one board size.
///
/// A new game writes the first six methods: `name`, `start`, `topology`, `action_count`, `action_name` and
/// `parse_action`. All others have defaults here.
pub trait Game: Send + Sync {
    /// Display name of the rules and the size: `atari-go 7x7`.
    fn name(&self) -> String;
    /// The starting position.
    fn start(&self) -> Box<dyn Position>;
    /// Sites, neighbours and symmetries of the board.
    fn topology(&self) -> &Topology;
    /// Number of actions; every action's index is below it. One more than sites if the last is a pass.
    fn action_count(&self) -> usize;
    /// The notation of an action.
    fn action_name(&self, action: Action) -> String;
    /// The action with this notation, if there is one.
    fn parse_action(&self, name: &str) -> Option<Action>;

    // Rules.

    /// Origin and destination of an action, in every position and for both sides; no two actions have the same step.
    ///
    /// The default suits games whose first actions are the sites, with one more action without a site.
    fn step(&self, action: Action) -> Step {
        let site = Some(action.index()).filter(|&site| site < self.topology().sites());
        site.map_or_else(Step::default, Step::placement)
    }
    /// The site where an action ends, if any: the site of the placed stone or of the moved piece.
    fn arrival(&self, action: Action) -> Option<usize> {
        self.step(action).to.map(|site| site as usize)
    }
    /// The kind of an action without a site.
    ///
    /// The default treats all actions without a site as passes.
    fn offsite(&self, action: Action) -> Option<Offsite> {
        self.step(action).to.is_none().then_some(Offsite::Pass)
    }
    /// Index of the scalar of a view that says whether the sides have been exchanged, if the rules allow an exchange.
    fn swap_scalar(&self) -> Option<usize> {
        None
    }
    /// All pieces. Default: all kinds, each of the first side and then of the second.
    fn pieces(&self) -> Vec<Piece> {
        (0..self.kinds() as u8).flat_map(|kind| Side::BOTH.map(|side| Piece::new(side, kind))).collect()
    }
    /// Number of the kinds of pieces; every piece's kind is below it. Default: 1, stones.
    fn kinds(&self) -> usize {
        1
    }
    /// The kinds of pieces that could make an action's step on an empty board, as a bit set for the first side and
    /// one for the second. If both are empty, any kind can. Default: empty.
    fn reach(&self, _action: Action) -> [u64; 2] {
        [0; 2]
    }
    /// Maximum number of plies of a game, if there is one. Default: none.
    fn longest(&self) -> Option<u32> {
        None
    }
    /// The history that [`Position::past`] keeps. Default: the last action.
    fn keeps(&self) -> Lookback {
        Lookback::LAST
    }
    /// The second side's view of the board, for games whose pieces move ahead and whose sides face each other: site
    /// `s` lies at `map[s]`, a map that is its own inverse. Default: the first side's view.
    fn turned(&self) -> Option<&[u32]> {
        None
    }
    /// The position with these pieces, one to a site, and this side to move, without a history.
    ///
    /// # Errors
    /// If the game has no setup, or not this position.
    fn set_up(&self, _pieces: &[Piece], _side: Side) -> Result<Box<dyn Position>, SetUpError> {
        Err(SetUpError::Unsupported)
    }

    // Notation of moves and positions.

    /// The notation of a site: also its letters and number along the edges of a picture.
    ///
    /// The default suits games whose first actions are the sites.
    fn site_name(&self, site: usize) -> String {
        self.action_name(Action::from(site))
    }
    /// The legal action with this notation in this position, if there is one.
    ///
    /// The default needs no position; games with abbreviated notation override it (chess).
    fn read_move(&self, position: &dyn Position, text: &str) -> Option<Action> {
        let mut legal = Vec::new();
        position.actions(&mut legal);
        self.parse_action(text).filter(|action| legal.contains(action))
    }
    /// The notation of a legal action of this position; [`Game::read_move`] reads it back.
    fn write_move(&self, _position: &dyn Position, action: Action) -> String {
        self.action_name(action)
    }
    /// A notation that is clear without the position, if the game has one: `Nb1c3`.
    fn write_long_move(&self, position: &dyn Position, action: Action) -> String {
        self.write_move(position, action)
    }
    /// Minimum number of space-separated fields that [`Game::read_position`] needs.
    fn position_fields(&self) -> usize {
        placement::FIELDS
    }
    /// The position with this notation, without a history.
    ///
    /// The default reads rows of stones and the side to move; games with other pieces override it (FEN).
    ///
    /// # Errors
    /// If the text is not a position, or not one of this game.
    fn read_position(&self, text: &str) -> Result<Box<dyn Position>, SetUpError> {
        let (pieces, side) = placement::read(text, [self.topology().rows(), self.topology().columns()])?;
        self.set_up(&pieces, side)
    }
    /// The notation of a position; `None` if the notation lacks a piece on the board.
    fn write_position(&self, position: &dyn Position) -> Option<String> {
        let mut view = View::new();
        position.view(&mut view);
        placement::write(&view.pieces, self.topology().columns(), view.side)
    }
    /// The initial position: the one with this notation, or else [`Game::start`].
    ///
    /// # Errors
    /// As [`Game::read_position`].
    fn begin(&self, start: Option<&str>) -> Result<Box<dyn Position>, SetUpError> {
        start.map_or_else(|| Ok(self.start()), |text| self.read_position(text))
    }
    /// The reason why a position cannot be set up, with the names of sites.
    fn reason(&self, error: SetUpError) -> String {
        match error {
            SetUpError::Piece { site } => format!("the piece on {} is not allowed there", self.site_name(site)),
            SetUpError::NoLiberty { site } => format!("the stone on {} has no liberty", self.site_name(site)),
            _ => error.to_string(),
        }
    }

    // Pictures and other displays.

    /// The usual name of a side.
    fn side_name(&self, side: Side) -> String {
        sign(Some(side)).into()
    }
    /// The meaning of the numbers in [`View::scalars`], for display. Default: empty.
    fn scalars(&self) -> Vec<Scalar> {
        Vec::new()
    }
    /// The sign of a piece in a diagram: `X` for the first side, `O` for the second, `#` for neutral pieces, `.` for
    /// an empty site.
    fn sign(&self, piece: Piece) -> char {
        if piece.is_neutral() { '#' } else { sign(piece.side()) }
    }
    /// The shape of a piece in a picture. Default: a stone.
    fn figure(&self, _piece: Piece) -> Figure {
        Figure::Stone
    }
    /// The edge sites that a side has to reach or to join, for pictures. Default: none.
    fn goal(&self, _side: Side) -> Vec<usize> {
        Vec::new()
    }
}
