//! Positions of any game as tensors.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::actions::ActionPlanes;
use super::channels::TensorFacts;
use super::places::{HandPlaces, ImageCells};
use super::write::{Seen, Writer};
use crate::encoders::{Batch, Dims, Encoder, Encoding, Extent};
use gauntlet_games::base::Action;
use gauntlet_games::games::{Game, Lookback, Offsite, Past, Position, Step, View};

/// Number of last moves that are shown, if the game keeps them.
const MOVES: u8 = 2;

/// Choices between the paper and the system that it describes.
///
/// | key | default | values |
/// |---|---|---|
/// | `hands` | `"published"` | `"published"`: each hand in a row or column of its own; `"reference"`: hands that are columns as in that system, all but the first on the lowest left cell |
/// | `neutral` | false | whether neutral pieces are shown in their planes, which stay empty in that system |
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TensorsSpec {
    /// The cells of hands.
    pub hands: HandPlaces,
    /// Whether neutral pieces are shown.
    pub neutral: bool,
}

impl TensorsSpec {
    /// The encoder for one game.
    #[must_use]
    pub fn build(self, game: &dyn Game) -> TensorsEncoder {
        let (facts, topology) = (facts(game), game.topology());
        let places = ImageCells::new(&topology.places(), topology.hands(), self.hands);
        let actions = (0..game.action_count()).map(Action::from);
        let moves = actions.map(|action| (game.step(action), game.offsite(action))).collect();
        let (planes, swap) = (ActionPlanes::new(&facts), game.swap_scalar());
        let lookback = lookback(game);
        let writer = Writer::new(&facts, places, self.neutral);
        let tensors = Arc::new(Tensors { writer, planes, moves, swap, stacks: facts.stacks, lookback });
        TensorsEncoder { tensors, view: View::new(), past: Past::new() }
    }
}

impl Encoding for TensorsSpec {
    fn check(&self, _game: &dyn Game) -> Result<(), String> {
        Ok(())
    }

    fn extent(&self, game: &dyn Game) -> Extent {
        let TensorsEncoder { tensors, .. } = self.build(game);
        let Tensors { writer, .. } = &*tensors;
        Extent { dims: tensors.dims(), sites: writer.places.area(), slots: tensors.slots() }
    }

    fn lookback(&self, game: &dyn Game) -> Lookback {
        lookback(game)
    }

    fn encoder(&self, boards: &[Arc<dyn Game>]) -> Box<dyn Encoder> {
        Box::new(self.build(&*boards[0]))
    }
}

/// Its latest moves, as far as the game keeps them.
fn lookback(game: &dyn Game) -> Lookback {
    Lookback { actions: MOVES.min(game.keeps().actions), positions: 0 }
}

/// What decides the shapes of a game's tensors.
fn facts(game: &dyn Game) -> TensorFacts {
    let mut view = View::new();
    game.start().view(&mut view);
    let actions = || (0..game.action_count()).map(Action::from);
    let number = |action| match game.offsite(action) {
        Some(Offsite::Propose(number) | Offsite::Vote(number)) => usize::from(number) + 1,
        Some(Offsite::Pass | Offsite::Swap) | None => 0,
    };
    TensorFacts {
        pieces: game.pieces(),
        stacks: view.pieces.len() > game.topology().sites(),
        counts: !view.counts.is_empty(),
        swap: game.swap_scalar().is_some(),
        moves: actions().any(|action| {
            let Step { from, to, .. } = game.step(action);
            from.is_some() && from != to
        }),
        proposals: actions().map(number).max().unwrap_or(0),
    }
}

/// The encoding of the positions and moves of one game.
#[derive(Debug)]
struct Tensors {
    writer: Writer,
    planes: ActionPlanes,
    /// By action.
    moves: Vec<(Step, Option<Offsite>)>,
    swap: Option<usize>,
    stacks: bool,
    lookback: Lookback,
}

impl Tensors {
    fn dims(&self) -> Dims {
        let places = &self.writer.places;
        let (rows, columns) = (places.width(), places.height());
        Dims::Planes { channels: self.writer.channels(), rows, columns, actions: self.slots() }
    }

    fn slots(&self) -> usize {
        self.planes.count() * self.writer.places.area()
    }
}

/// Encodes positions of one game as images `[channels, width, height]`, their logits as `[planes, width, height]`.
#[derive(Debug, Clone)]
pub struct TensorsEncoder {
    tensors: Arc<Tensors>,
    view: View,
    past: Past,
}

impl TensorsEncoder {
    /// The shapes of the tensors of a state, `[channels, width, height]`, and of actions, `[planes, width, height]`.
    #[must_use]
    pub fn shapes(&self) -> [[usize; 3]; 2] {
        let (places, channels) = (self.places(), self.tensors.writer.channels());
        [channels, self.tensors.planes.count()].map(|depth| [depth, places.width(), places.height()])
    }

    /// The planes of the action tensor.
    #[must_use]
    pub fn action_planes(&self) -> ActionPlanes {
        self.tensors.planes
    }

    /// The cells of the sites.
    #[must_use]
    pub fn places(&self) -> &ImageCells {
        &self.tensors.writer.places
    }
}

impl Encoder for TensorsEncoder {
    fn dims(&self) -> Dims {
        self.tensors.dims()
    }

    fn lookback(&self) -> Lookback {
        self.tensors.lookback
    }

    fn encode(&mut self, positions: &[&dyn Position], batch: &mut Batch) {
        batch.clear();
        let Batch::Planes(planes) = batch else { panic!("planes are written into planes") };
        let Tensors { writer, moves, swap, lookback, .. } = &*self.tensors;
        for position in positions {
            position.view(&mut self.view);
            position.past(*lookback, &mut self.past);
            let step = |ago: usize| self.past.actions.get(ago).map(|action| moves[action.index()].0);
            let swapped = swap.is_some_and(|scalar| self.view.scalars[scalar] != 0.0);
            writer.write(&Seen { view: &self.view, swapped, steps: [step(0), step(1)] }, planes.blank());
        }
    }

    fn slots(&mut self, position: &dyn Position, actions: &[Action], into: &mut Vec<u32>) {
        let Tensors { writer, planes, moves, stacks, .. } = &*self.tensors;
        if *stacks {
            position.view(&mut self.view);
        }
        let levels = self.view.pieces.len() / writer.places.cells().len();
        let height = |from: u32| {
            let column = &self.view.pieces[from as usize * levels..][..levels];
            column.iter().take_while(|piece| !piece.is_empty()).count()
        };
        into.extend(actions.iter().map(|action| {
            let (step, offsite) = moves[action.index()];
            let height = step.from.filter(|_| *stacks).map_or(0, height);
            planes.slot(&writer.places, step, offsite, height)
        }));
    }

    fn fork(&self) -> Box<dyn Encoder> {
        Box::new(self.clone())
    }
}
