//! Chess as a [`Game`].

use super::board::ChessMove;
use super::geometry::Geometry;
use super::history::KEPT;
use super::numbering::{Numbering, UNDER};
use super::play::Chess;
use super::reach::reach;
use super::spec::ChessSpec;
use super::{fen, san};
use crate::base::{Action, Chessman, Figure, Side};
use crate::games::{Game, Layout, Lookback, Piece, Position, Scalar, SetUpError, State, Step, Topology};

/// Maximum count of plies without a capture or a pawn move under the usual draw rule.
const QUIET: f32 = 100.0;

/// Fields of a position in EPD: a FEN without its two counts.
const FIELDS: usize = 4;

/// Chess on a board of one size under some rules for draws.
#[derive(Debug, Clone)]
pub struct ChessGame {
    rules: ChessSpec,
    start: Chess,
    topology: Topology,
    turned: Vec<u32>,
    numbering: &'static Numbering,
}

impl ChessSpec {
    /// The game with these settings.
    #[must_use]
    pub fn build(&self) -> ChessGame {
        ChessGame::new(*self)
    }
}

impl ChessGame {
    fn new(rules: ChessSpec) -> ChessGame {
        let size = rules.size.get();
        let start = fen::read(rules, fen::start(size)).expect("the start is a position");
        let topology = Topology::square(size).with_layout(Layout::Checkered);
        ChessGame { rules, start, turned: topology.upside_down(), topology, numbering: Numbering::of(size) }
    }

    fn size(&self) -> u32 {
        self.rules.size.get() as u32
    }

    fn legal(&self, position: &Chess) -> impl Iterator<Item = ChessMove> {
        let mut actions = Vec::new();
        State::actions(position, &mut actions);
        actions.into_iter().map(|action| self.numbering.decode(action))
    }
}

impl Game for ChessGame {
    fn name(&self) -> String {
        self.rules.name()
    }
    fn start(&self) -> Box<dyn Position> {
        self.start.fork()
    }
    fn topology(&self) -> &Topology {
        &self.topology
    }
    fn action_count(&self) -> usize {
        self.numbering.count()
    }
    fn action_name(&self, action: Action) -> String {
        san::coordinates(self.size(), self.numbering.decode(action))
    }
    fn parse_action(&self, name: &str) -> Option<Action> {
        self.numbering.find(san::read_coordinates(self.size(), name)?)
    }
    fn site_name(&self, site: usize) -> String {
        fen::square_name(self.size(), Geometry::of(self.rules.size.get()).square(site))
    }
    /// Castling is the king's step; `aux` is 1 to 3 if a pawn becomes rook, bishop or knight.
    fn step(&self, action: Action) -> Step {
        let (geometry, ChessMove { from, to, under }) =
            (Geometry::of(self.rules.size.get()), self.numbering.decode(action));
        let under = under.and_then(|under| UNDER.iter().position(|&kind| kind == under));
        Step { aux: under.map_or(0, |at| at as u16 + 1), ..Step::movement(geometry.site(from), geometry.site(to)) }
    }
    fn kinds(&self) -> usize {
        Chessman::ALL.len()
    }
    /// The castling rights, on the queen's side first, then the plies without a capture or a pawn move.
    fn scalars(&self) -> Vec<Scalar> {
        let most = if self.size() == 8 { 1.0 } else { 0.0 };
        let right = |side: Side, at| Scalar { at: 2 * side.index() + at, side: Some(side), most };
        let rights = Side::BOTH.into_iter().flat_map(|side| [right(side, 1), right(side, 0)]);
        rights.chain([Scalar { at: 4, side: None, most: QUIET }]).collect()
    }
    fn reach(&self, action: Action) -> [u64; 2] {
        reach(Geometry::of(self.rules.size.get()), self.numbering.decode(action))
    }
    fn longest(&self) -> Option<u32> {
        self.rules.cap()
    }
    fn keeps(&self) -> Lookback {
        Lookback { actions: KEPT as u8, positions: KEPT as u8 }
    }
    fn turned(&self) -> Option<&[u32]> {
        Some(&self.turned)
    }
    fn side_name(&self, side: Side) -> String {
        if side == Side::First { "white" } else { "black" }.into()
    }
    fn sign(&self, piece: Piece) -> char {
        let kind = Chessman::ALL.get(usize::from(piece.kind()));
        piece.side().zip(kind).map_or('.', |(side, &kind)| fen::letter(side, kind))
    }
    fn figure(&self, piece: Piece) -> Figure {
        Figure::Chess(Chessman::ALL[usize::from(piece.kind())])
    }
    fn set_up(&self, pieces: &[Piece], side: Side) -> Result<Box<dyn Position>, SetUpError> {
        Ok(Box::new(fen::set_up(self.rules, pieces, side)?))
    }
    fn read_move(&self, position: &dyn Position, text: &str) -> Option<Action> {
        let position = position.state::<Chess>()?;
        san::read(position, self.legal(position), text).map(|read| self.numbering.encode(read))
    }
    fn write_move(&self, position: &dyn Position, action: Action) -> String {
        let Some(position) = position.state::<Chess>() else { return self.action_name(action) };
        let text = san::write(position, self.legal(position), self.numbering.decode(action));
        let mut next = position.clone();
        State::play(&mut next, action);
        let sign = match (next.in_check(), State::outcome(&next)) {
            (false, _) => "",
            (true, Some(crate::base::Outcome::Win(_))) => "#",
            (true, _) => "+",
        };
        text + sign
    }
    fn write_long_move(&self, position: &dyn Position, action: Action) -> String {
        let position = position.state::<Chess>();
        position.map_or_else(|| self.action_name(action), |it| san::write_long(it, self.numbering.decode(action)))
    }
    fn position_fields(&self) -> usize {
        FIELDS
    }
    fn read_position(&self, text: &str) -> Result<Box<dyn Position>, SetUpError> {
        Ok(Box::new(fen::read(self.rules, text)?))
    }
    fn write_position(&self, position: &dyn Position) -> Option<String> {
        position.state::<Chess>().map(fen::write)
    }
}
