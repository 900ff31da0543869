//! Inference of networks that read images of one size: the boards of a batch in chunks.
//!
//! The network defines the computation of a chunk.

use super::architecture::Images;
use super::{Answers, DeepError, Inference};
use crate::encoders::Batch;
use crate::nets::kernels::{Path, Vector, Vectorized};

/// Number of boards that are computed together: the weights of a fully connected layer are read once for all of them.
const BOARDS: usize = 96;

/// The weights and buffers of a network over images.
pub trait Core: Clone + Send + 'static {
    /// The images that it reads.
    fn images(&self) -> Images;

    /// Writes the logits `[board][action]` and the values of images `[board][channel][site]`.
    ///
    /// Implementations are `#[inline(always)]`, as is all that runs on a [`Vector`].
    fn answer<V: Vector>(&mut self, images: &[f32], logits: &mut [f32], values: &mut [f32]);
}

/// A network over images with its weights bound for inference.
#[derive(Clone)]
pub struct ImageInference<C> {
    name: &'static str,
    path: Path,
    core: C,
    /// Floating-point operations of an evaluation.
    flops: u64,
}

impl<C: Core> ImageInference<C> {
    /// Binds the network to the fastest instructions of this machine; `name` is for errors.
    pub fn bind(name: &'static str, core: C, flops: u64) -> ImageInference<C> {
        ImageInference { name, path: Path::best(), core, flops }
    }

    /// Replaces the answers by those for images `[board][channel][site]`.
    pub fn answer(&mut self, images: &[f32], answers: &mut Answers) {
        let Images { channels, rows, columns, actions } = self.core.images();
        let size = channels * rows * columns;
        answers.policy_logits.resize(images.len() / size * actions, 0.0);
        answers.values.resize(images.len() / size, 0.0);
        let room = answers.policy_logits.chunks_mut(BOARDS * actions).zip(answers.values.chunks_mut(BOARDS));
        for (images, (logits, values)) in images.chunks(BOARDS * size).zip(room) {
            self.path.perform(&mut BoardChunk { core: &mut self.core, images, logits, values });
        }
    }
}

impl<C: Core> Inference for ImageInference<C> {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        self.answer(self.core.images().planes(batch, self.name)?.values(), answers);
        Ok(())
    }

    fn flops(&self, _batch: &Batch, _index: usize) -> u64 {
        self.flops
    }

    fn fork(&self) -> Option<Box<dyn Inference>> {
        Some(Box::new(self.clone()))
    }
}

/// A few boards and the buffers for their results.
struct BoardChunk<'a, C> {
    core: &'a mut C,
    images: &'a [f32],
    logits: &'a mut [f32],
    values: &'a mut [f32],
}

impl<C: Core> Vectorized for BoardChunk<'_, C> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        self.core.answer::<V>(self.images, self.logits, self.values);
    }
}
