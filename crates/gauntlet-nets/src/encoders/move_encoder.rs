//! Positions as graphs of moves: pieces on the sites, now and before, and features of the edges.
//!
//! Rigaux and Kashima 2024, section 4.2, tables 1 and 2, computed only from views, the history, steps, and a game's
//! kinds and scalars. Everything is encoded from the point of view of the side to move: if a game turns the board for
//! the second side, so does the encoder. A node has, for each of the last eight positions (0 for now), the own kinds,
//! the opponent's kinds, and whether that position did or did not occur at another time. The same features follow on
//! every node: whether the second side is to move, the elapsed share of the longest game, and the game's scalars, own
//! ones first, as shares of their maxima. Before the start of a game the boards are empty and no position has
//! occurred. An edge is a step that the first side's pieces could make; [`EdgeFeatures`] defines its features.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Batch, Dims, EdgeFeatures, Encoder, Encoding, Extent, MoveDims, MoveGraph};
use gauntlet_games::base::{Action, Side};
use gauntlet_games::games::{Game, Lookback, Past, Piece, Position, Scalar, Step, View};

/// Number of positions in the history, including the present one.
const HISTORY: usize = 8;

/// An action of the other side only.
const NONE: u32 = u32::MAX;

/// Boards as graphs of moves, for games whose actions all go from site to site.
#[derive(Debug, Clone, Copy)]
pub struct MoveEncoding {
    /// Features of an edge.
    pub edges: EdgeFeatures,
}

impl Encoding for MoveEncoding {
    fn check(&self, game: &dyn Game) -> Result<(), String> {
        let joins = |action| matches!(game.step(action), Step { from: Some(_), to: Some(_), .. });
        if !(0..game.action_count()).map(Action::from).all(joins) {
            return Err(
                "its edges are moves from site to site, and some actions of this game are none; `saz` and the \
                        networks over images have a logit a site"
                    .to_owned(),
            );
        }
        match bits(game.kinds()) {
            bits if bits <= 128 => Ok(()),
            _ => Err(format!("its nodes have room for seven kinds of pieces, and this game has {}", game.kinds())),
        }
    }

    fn extent(&self, game: &dyn Game) -> Extent {
        let (mut slots, mut ways) = (0, 0);
        for action in own_moves(game) {
            (slots, ways) = (slots + 1, ways.max(game.step(action).aux));
        }
        Extent { dims: Dims::Moves(dims_of(game, self.edges, ways.into())), sites: game.topology().sites(), slots }
    }

    fn lookback(&self, _game: &dyn Game) -> Lookback {
        LOOKBACK
    }

    fn encoder(&self, boards: &[Arc<dyn Game>]) -> Box<dyn Encoder> {
        let mut encoder = MoveEncoder::new(Vec::new());
        for game in boards {
            let board = MoveBoard::new(&**game, self.edges);
            if !encoder.boards.iter().any(|other| other.graph.nodes() == board.graph.nodes()) {
                encoder.boards.push(Arc::new(board));
            }
        }
        assert!(encoder.boards.iter().all(|board| board.dims == encoder.boards[0].dims), "boards of one game");
        Box::new(encoder)
    }
}

/// The history that the encoder reads.
pub(super) const LOOKBACK: Lookback = Lookback { actions: 0, positions: HISTORY as u8 };

/// Number of binary features of a node.
pub(super) fn bits(kinds: usize) -> usize {
    HISTORY * (2 * kinds + 2)
}

/// The actions that are edges: those that the side to move may take, where sides move differently.
fn own_moves(game: &dyn Game) -> impl Iterator<Item = Action> {
    let is_own = |action: &Action| matches!(game.reach(*action), [own, other] if own > 0 || other == 0);
    (0..game.action_count()).map(Action::from).filter(is_own)
}

/// The dimensions of a game whose steps have `ways` other ways.
fn dims_of(game: &dyn Game, features: EdgeFeatures, ways: usize) -> MoveDims {
    let shown = (0..game.kinds()).filter(|&kind| is_shown(game, features, kind)).count();
    let edge = PLAIN_FEATURES + ways + shown + game.kinds();
    MoveDims { bits: bits(game.kinds()), scalars: SHARED_SCALARS + game.scalars().len(), edge }
}

/// Whether an edge tells whether this kind of the opponent's pieces could go so.
fn is_shown(game: &dyn Game, features: EdgeFeatures, kind: usize) -> bool {
    features == EdgeFeatures::Code || [0, game.kinds() - 1].contains(&kind)
}

/// Numbers of an edge before those of its ways and kinds: legal, columns, rows, first way.
const PLAIN_FEATURES: usize = 4;

/// Numbers that all nodes of a position have in common, before those of the game.
const SHARED_SCALARS: usize = 2;

/// Which of the numbers that all nodes of a game have in common can be anything but 0.
pub(super) fn shown(scalars: &[Scalar]) -> impl Iterator<Item = usize> + '_ {
    let owned = |side| scalars.iter().filter(move |scalar| scalar.side == side);
    // There are as many of the one side as of the other.
    let ordered = owned(Some(Side::First)).chain(owned(Some(Side::Second))).chain(owned(None));
    let used = ordered.zip(SHARED_SCALARS..).filter(|(scalar, _)| scalar.most > 0.0).map(|(_, at)| at);
    (0..SHARED_SCALARS).chain(used)
}

/// The constant data of a board.
#[derive(Debug)]
pub(super) struct MoveBoard {
    dims: MoveDims,
    steps: Vec<Step>,
    graph: Arc<MoveGraph>,
    /// The edge of an action for either side.
    slots: [Vec<u32>; 2],
    /// The second side's map of sites; `None` if both sides see the same board.
    turned: Option<Vec<u32>>,
    kinds: usize,
    scalars: Vec<Scalar>,
    longest: Option<u32>,
}

impl MoveBoard {
    /// The data of a game.
    pub fn new(game: &dyn Game, features: EdgeFeatures) -> MoveBoard {
        let actions = || (0..game.action_count()).map(Action::from);
        let edges: Vec<Action> = own_moves(game).collect();
        let steps: Vec<Step> = edges.iter().map(|&action| game.step(action)).collect();
        let ends: Vec<(u32, u32)> = steps.iter().filter_map(|step| Some((step.from?, step.to?))).collect();
        let numbers: Vec<f32> = features_of(game, &edges, &steps, features);
        let numbered: HashMap<Step, u32> = steps.iter().copied().zip(0..).collect();
        let turned = game.turned().map(<[u32]>::to_vec);
        let slot = |step: Step| numbered.get(&step).copied().unwrap_or(NONE);
        let second = |step: Step| slot(turned.as_deref().map_or(step, |map| step.turned(map)));
        let slots = [
            actions().map(|action| slot(game.step(action))).collect(),
            actions().map(|action| second(game.step(action))).collect(),
        ];
        let scalars = game.scalars();
        let dims = dims_of(game, features, steps.iter().map(|step| step.aux).max().unwrap_or(0).into());
        let graph = Arc::new(MoveGraph::new(game.topology(), &ends, numbers));
        MoveBoard { dims, steps, graph, slots, turned, kinds: game.kinds(), scalars, longest: game.longest() }
    }

    /// The dimensions of the encoding.
    pub fn dims(&self) -> MoveDims {
        self.dims
    }

    /// The edges as steps, from the point of view of the side to move.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Indices of the common numbers of all nodes that can be different from 0.
    pub fn shown(&self) -> impl Iterator<Item = usize> + '_ {
        shown(&self.scalars)
    }

    /// A site from the point of view of a side.
    fn site(&self, side: Side, site: usize) -> usize {
        match &self.turned {
            Some(map) if side == Side::Second => map[site] as usize,
            _ => site,
        }
    }

    /// Sets the bits of the position `plies` plies ago.
    fn show(&self, mover: Side, plies: usize, (pieces, repeated): (&[Piece], bool), bits: &mut [u128]) {
        let first = plies * (2 * self.kinds + 2);
        let owned = pieces.iter().enumerate().filter_map(|(site, piece)| Some((site, piece.side()?, piece.kind())));
        for (site, side, kind) in owned {
            let plane = if side == mover { 0 } else { self.kinds } + usize::from(kind);
            bits[self.site(mover, site)] |= 1 << (first + plane);
        }
        let plane = first + 2 * self.kinds + usize::from(repeated);
        bits.iter_mut().for_each(|bits| *bits |= 1 << plane);
    }

    /// The common numbers of all nodes.
    fn common(&self, view: &View, plies: u32, into: &mut Vec<f32>) {
        into.clear();
        into.push(f32::from(u8::from(view.side == Side::Second)));
        into.push(self.longest.map_or(0.0, |longest| plies as f32 / longest as f32));
        for owner in [Some(view.side), Some(view.side.opponent()), None] {
            let owned = self.scalars.iter().filter(|scalar| scalar.side == owner);
            let share = |scalar: &Scalar| if scalar.most > 0.0 { view.scalars[scalar.at] / scalar.most } else { 0.0 };
            into.extend(owned.map(share));
        }
    }
}

/// The features of the edges, `[edge][feature]`: a zero, which legal edges replace by a one; offset of the step in
/// columns to the right and rows ahead; the variant of the step (`aux`); the kinds that could make it, the
/// opponent's, then the own.
///
/// For a step with several variants, the first of the paper's features is the plain variant's; in its authors' code
/// it is the second variant's. The paper's table has only the first and the last of the opponent's kinds, as those in
/// between move like the own.
fn features_of(game: &dyn Game, edges: &[Action], steps: &[Step], features: EdgeFeatures) -> Vec<f32> {
    let columns = game.topology().columns() as i32;
    let ways = steps.iter().map(|step| step.aux).max().unwrap_or(0);
    let forked: std::collections::HashSet<_> =
        steps.iter().filter(|step| step.aux > 0).map(|step| (step.from, step.to)).collect();
    let mut numbers = Vec::new();
    for (&action, step) in edges.iter().zip(steps) {
        let [from, to] = [step.from, step.to].map(|site| site.map_or(0, |site| site as i32));
        let [opponent, own] = [1, 0].map(|side: usize| game.reach(action)[side]);
        let first = match features {
            EdgeFeatures::Paper => step.aux == 0 && forked.contains(&(step.from, step.to)),
            EdgeFeatures::Code => step.aux == 1,
        };
        let kinds = 0..game.kinds();
        let shown = |kind: &usize| is_shown(game, features, *kind);
        let yes = |yes: bool| f32::from(u8::from(yes));
        numbers.extend([
            0.0,
            (to % columns - from % columns) as f32,
            (from / columns - to / columns) as f32,
            yes(first),
        ]);
        numbers.extend((1..=ways).map(|way| yes(step.aux == way)));
        numbers.extend(kinds.clone().filter(shown).map(|kind| yes(opponent >> kind & 1 == 1)));
        numbers.extend(kinds.map(|kind| yes(own >> kind & 1 == 1)));
    }
    numbers
}

/// Encodes boards as graphs of moves; boards are identified by their number of sites.
#[derive(Debug, Clone)]
pub(super) struct MoveEncoder {
    boards: Vec<Arc<MoveBoard>>,
    buffers: MoveBuffers,
}

#[derive(Debug, Clone, Default)]
struct MoveBuffers {
    view: View,
    past: Past,
    actions: Vec<Action>,
    legal: Vec<u32>,
    bits: Vec<u128>,
    common: Vec<f32>,
}

impl MoveEncoder {
    /// The encoder of positions on these boards.
    pub fn new(boards: Vec<Arc<MoveBoard>>) -> MoveEncoder {
        MoveEncoder { boards, buffers: MoveBuffers::default() }
    }

    /// The features of the nodes of a position, and their common numbers.
    pub fn nodes(&mut self, position: &dyn Position) -> (&[u128], &[f32]) {
        self.write(position);
        (&self.buffers.bits, &self.buffers.common)
    }

    /// The board of positions with this many sites.
    ///
    /// # Panics
    /// If the encoder does not know the board, which is a bug of the caller.
    fn board(&self, sites: usize) -> Arc<MoveBoard> {
        let board = self.boards.iter().find(|board| board.graph.nodes() == sites);
        Arc::clone(board.unwrap_or_else(|| panic!("no board of {sites} sites was announced")))
    }

    /// Writes a position into the buffers; returns its board.
    fn write(&mut self, position: &dyn Position) -> Arc<MoveBoard> {
        position.view(&mut self.buffers.view);
        let board = self.board(self.buffers.view.pieces.len());
        let MoveBuffers { view, past, actions, legal, bits, common } = &mut self.buffers;
        position.past(LOOKBACK, past);
        bits.clear();
        bits.resize(board.graph.nodes(), 0);
        for plies in 0..HISTORY {
            let shown = if plies < past.positions() {
                (past.position(plies), past.repetitions[plies] > 0)
            } else {
                (&[][..], false)
            };
            board.show(view.side, plies, shown, bits);
        }
        board.common(view, past.plies, common);
        actions.clear();
        position.actions(actions);
        legal.clear();
        legal.extend(actions.iter().map(|action| board.slots[view.side.index()][action.index()]));
        board
    }
}

impl Encoder for MoveEncoder {
    fn dims(&self) -> Dims {
        Dims::Moves(self.boards[0].dims)
    }

    fn lookback(&self) -> Lookback {
        LOOKBACK
    }

    fn encode(&mut self, positions: &[&dyn Position], batch: &mut Batch) {
        batch.clear();
        let Batch::Moves(moves) = batch else { panic!("graphs of moves are written into such") };
        for position in positions {
            let board = self.write(*position);
            moves.push(&board.graph, &self.buffers.bits, &self.buffers.common, &self.buffers.legal);
        }
    }

    fn slots(&mut self, position: &dyn Position, actions: &[Action], into: &mut Vec<u32>) {
        position.view(&mut self.buffers.view);
        let View { side, pieces, .. } = &self.buffers.view;
        let board = self.board(pieces.len());
        into.extend(actions.iter().map(|action| board.slots[side.index()][action.index()]));
    }

    fn fork(&self) -> Box<dyn Encoder> {
        Box::new(self.clone())
    }
}
