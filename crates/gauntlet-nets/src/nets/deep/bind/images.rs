//! Inference of networks over images of one size.

use super::lanes::LaneProgram;
use super::plan::plan;
use super::steps::{Group, Head, Program, Step, run};
use crate::encoders::Batch;
use crate::nets::NumberFormat;
use crate::nets::deep::input::Images;
use crate::nets::deep::layers::{LayeredNet, Places, PositionSize};
use crate::nets::deep::{Answers, DeepError, Inference};
use crate::nets::kernels::{Path, Rows, Vector, Vectorized};

/// Number of boards that are computed together: the weights of a fully connected layer are read once for all of them.
const BOARDS: usize = 96;

/// Approximate number of patches that are multiplied together.
const PATCHES: usize = 128;

/// Approximate size in bytes of the tiles that are multiplied together: more would exceed the cache.
const TILES: usize = 36 * 25 * 2 * 128 * 4;

/// A network over images with its weights bound for inference. With few channels, most boards are computed sixteen at
/// once; the result of a board is the same, to the bit.
#[derive(Clone)]
pub struct ImageInference {
    name: &'static str,
    path: Path,
    images: Images,
    program: Program,
    /// Boards of a group.
    together: usize,
    lanes: Option<LaneProgram>,
    /// Floating-point operations of an evaluation.
    flops: u64,
}

impl ImageInference {
    /// Binds the current weights in a number format.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn new(net: &LayeredNet, numbers: NumberFormat) -> Result<ImageInference, DeepError> {
        let (program, lanes) = plan(net, numbers)?;
        Ok(ImageInference {
            name: net.name,
            path: Path::best(),
            images: Images::of(net.dims).expect("the network reads images"),
            together: together(&program),
            program,
            lanes,
            flops: 2 * net.network.macs(PositionSize::default()),
        })
    }

    /// Replaces the answers by those for images `[board][channel][site]`.
    pub fn answer(&mut self, images: &[f32], answers: &mut Answers) {
        let Images { channels, rows, columns, actions } = self.images;
        let size = channels * rows * columns;
        answers.policy_logits.resize(images.len() / size * actions, 0.0);
        answers.values.resize(images.len() / size, 0.0);
        let room = answers.policy_logits.chunks_mut(BOARDS * actions).zip(answers.values.chunks_mut(BOARDS));
        for (images, (logits, values)) in images.chunks(BOARDS * size).zip(room) {
            self.path.perform(&mut ImageChunk { net: self, images, logits, values });
        }
    }
}

/// Boards of a group: as many as stay in the cache.
fn together(program: &Program) -> usize {
    let of = |step: &Step| match step {
        Step::Winograd { layer, .. } => TILES / (layer.tiles() * layer.tile_bytes()),
        Step::Read { layer, .. } | Step::Patches { layer, .. } => PATCHES.max(layer.patches()) / layer.patches(),
        _ => BOARDS,
    };
    let has_tiles = program.on_places.iter().any(|bound| matches!(bound.step, Step::Winograd { .. }));
    let is_read = |step: &Step| matches!(step, Step::Read { .. });
    let steps = program.on_places.iter().map(|bound| &bound.step).filter(|step| !(has_tiles && is_read(step)));
    steps.map(of).min().unwrap_or(BOARDS).max(1)
}

impl Inference for ImageInference {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        self.answer(self.images.planes(batch, self.name)?.values(), answers);
        Ok(())
    }

    fn flops(&self, _batch: &Batch, _index: usize) -> u64 {
        self.flops
    }

    fn fork(&self) -> Option<Box<dyn Inference>> {
        Some(Box::new(self.clone()))
    }
}

/// Some boards and the room for their results.
struct ImageChunk<'a> {
    net: &'a mut ImageInference,
    images: &'a [f32],
    logits: &'a mut [f32],
    values: &'a mut [f32],
}

impl Vectorized for ImageChunk<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        let ImageInference { images: of, program, together, lanes, .. } = &mut *self.net;
        let Some(lanes) = lanes else {
            return program.answer::<V>(*of, *together, self.images, self.logits, self.values);
        };
        let size = of.channels * of.rows * of.columns;
        let answers =
            self.logits.chunks_mut(LaneProgram::BOARDS * of.actions).zip(self.values.chunks_mut(LaneProgram::BOARDS));
        for (images, (logits, values)) in self.images.chunks(LaneProgram::BOARDS * size).zip(answers) {
            if values.len() < lanes.least() {
                program.answer::<V>(*of, *together, images, logits, values);
            } else {
                lanes.answer::<V>(images, logits, values);
            }
        }
    }
}

impl Program {
    /// Writes the logits `[board][action]` and the values of images.
    #[inline(always)]
    fn answer<V: Vector>(
        &mut self,
        of: Images,
        together: usize,
        images: &[f32],
        logits: &mut [f32],
        values: &mut [f32],
    ) {
        let size = of.channels * of.rows * of.columns;
        let groups = images.chunks(together * size).zip(logits.chunks_mut(together * of.actions));
        for (group, (images, logits)) in groups.enumerate() {
            let (boards, first) = (images.len() / size, group * together);
            let group = Group::Images { images, boards, first };
            run::<V>(&mut self.on_places, &mut self.rows, &mut self.spectra, group);
            if let Head::Cell { cell, places: Places::Grid { rows, columns } } = &self.logits {
                planes(&self.rows[cell.buffer], rows * columns, of.actions, logits);
            }
        }
        let group = Group::Images { images: &[], boards: values.len(), first: 0 };
        run::<V>(&mut self.on_boards, &mut self.rows, &mut self.spectra, group);
        if let Head::Cell { cell, places: Places::Board } = &self.logits {
            for (board, logits) in logits.chunks_exact_mut(of.actions).enumerate() {
                logits.copy_from_slice(&self.rows[cell.buffer].numbers(board)[..of.actions]);
            }
        }
        let Head::Cell { cell, .. } = &self.score else { unreachable!("images have one score") };
        for (board, value) in values.iter_mut().enumerate() {
            *value = self.rows[cell.buffer].numbers(board)[0].tanh();
        }
    }
}

/// The logits of some boards, `[board][plane][site]`, from their rows, one a site.
fn planes(from: &Rows, sites: usize, actions: usize, logits: &mut [f32]) {
    for (board, logits) in logits.chunks_exact_mut(actions).enumerate() {
        for site in 0..sites {
            let planes = logits[site..].iter_mut().step_by(sites);
            planes.zip(from.numbers(board * sites + site)).for_each(|(logit, &number)| *logit = number);
        }
    }
}
