//! The static facts of a game, and how people write its moves and positions.

use super::{Lookback, Offsite, Piece, Position, Scalar, SetUpError, Step, Topology, View, placement, sign};
use crate::base::{Action, Figure, Side};

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
