//! A convolution a few images at a time: their patches never leave the cache. (Candle's own is slow to differentiate.)

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor, WithDType};

use super::patches::{cut, paste, patches};
use super::product;
use super::recording::apply2;
use super::{Stored, TwoGradients, Window, answer, by_type, gradient, is_fused, lent, numbers as of};
use crate::nets::NumberFormat;
use crate::nets::kernels::{MatrixView, multiply_in};

/// Approximate number of patches that are multiplied together.
const TOGETHER: usize = 192;

/// `patches(x) W^T`; `x [B * sites, C]`, `W [outputs, side * side * C]`. On the CPU, this product and those of its
/// gradient are computed in a number format.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn convolution(x: &Tensor, weight: &Tensor, window: Window, numbers: NumberFormat) -> Result<Tensor> {
    if is_fused(x) {
        apply2(ConvolutionOp(window, numbers), [&x.contiguous()?, &weight.contiguous()?])
    } else {
        composed(x, weight, window)
    }
}

pub(super) fn composed(x: &Tensor, weight: &Tensor, window: Window) -> Result<Tensor> {
    product::composed(&patches(x, window)?, weight)
}

struct ConvolutionOp(Window, NumberFormat);

impl CustomOp2 for ConvolutionOp {
    fn name(&self) -> &'static str {
        "convolution"
    }

    fn cpu_fwd(&self, x: &CpuStorage, lx: &Layout, w: &CpuStorage, lw: &Layout) -> Result<(CpuStorage, Shape)> {
        by_type!(x.dtype(), forward::<T>((self.0, self.1), (x, lx), (w, lw)))
    }

    fn bwd(&self, x: &Tensor, w: &Tensor, _: &Tensor, dy: &Tensor) -> Result<TwoGradients> {
        by_type!(dy.dtype(), backward::<T>((self.0, self.1), x, w, &dy.contiguous()?))
    }
}

fn forward<T: WithDType>(
    (window, numbers): (Window, NumberFormat),
    (x, lx): Stored<'_>,
    (w, lw): Stored<'_>,
) -> Result<(CpuStorage, Shape)> {
    let (x, w, outputs) = (of::<T>(x, lx)?, of::<T>(w, lw)?, lw.shape().dims2()?.0);
    let job = Job::new(window, lx.shape().dims2()?.1);
    let rows = x.len() / job.image * job.patches();
    let (mut y, mut cols) = (vec![T::zero(); rows * outputs], Vec::new());
    for (images, y) in x.chunks(job.images() * job.image).zip(y.chunks_mut(job.rows() * outputs)) {
        cut(&job.sites, images, job.size(), &mut cols);
        multiply_in(numbers, MatrixView::new(&cols, job.inputs()), MatrixView::new(w, job.inputs()).turned(), y, false);
    }
    Ok(answer(y, (rows, outputs)))
}

fn backward<T: WithDType>(
    (window, numbers): (Window, NumberFormat),
    x: &Tensor,
    w: &Tensor,
    dy: &Tensor,
) -> Result<TwoGradients> {
    let (x_storage, x_layout) = x.storage_and_layout();
    let (w_storage, w_layout) = w.storage_and_layout();
    let (dy_storage, dy_layout) = dy.storage_and_layout();
    let (inputs, weights) = (lent::<T>(&x_storage, x_layout)?, lent::<T>(&w_storage, w_layout)?);
    let (dys, outputs) = (lent::<T>(&dy_storage, dy_layout)?, w.dim(0)?);
    let (job, mut dw) = (Job::new(window, x.dims2()?.1), vec![T::zero(); weights.len()]);
    // The first layer's input needs no gradient.
    let mut dx = vec![T::zero(); if x.track_op() { inputs.len() } else { 0 }];
    let (mut cols, mut dcols) = (Vec::new(), Vec::new());
    let groups = inputs.chunks(job.images() * job.image).zip(dys.chunks(job.rows() * outputs));
    for (at, (images, dy)) in groups.enumerate() {
        cut(&job.sites, images, job.size(), &mut cols);
        let flow = MatrixView::new(dy, outputs);
        multiply_in(numbers, flow.turned(), MatrixView::new(&cols, job.inputs()), &mut dw, true);
        if !dx.is_empty() {
            dcols.resize(cols.len(), T::zero());
            multiply_in(numbers, flow, MatrixView::new(weights, job.inputs()), &mut dcols, false);
            let start = at * job.images() * job.image;
            paste(&job.sites, &dcols, job.size(), &mut dx[start..start + images.len()]);
        }
    }
    let dx = if dx.is_empty() { None } else { gradient(dx, x)? };
    Ok((dx, gradient(dw, w)?))
}

/// The sizes of a convolution.
struct Job {
    /// The site of each number of each patch.
    sites: Vec<Option<usize>>,
    /// Numbers a site.
    channels: usize,
    /// Numbers of an image.
    image: usize,
    window: Window,
}

impl Job {
    fn new(window: Window, channels: usize) -> Job {
        Job { sites: window.sites().collect(), channels, image: window.rows * window.columns * channels, window }
    }

    /// Sites of an image, numbers a site.
    fn size(&self) -> (usize, usize) {
        (self.window.rows * self.window.columns, self.channels)
    }

    /// Patches of an image.
    fn patches(&self) -> usize {
        self.window.down() * self.window.across()
    }

    /// Images that are processed together.
    fn images(&self) -> usize {
        (TOGETHER / self.patches()).max(1)
    }

    /// Number of their patches.
    fn rows(&self) -> usize {
        self.images() * self.patches()
    }

    /// Numbers of a patch.
    fn inputs(&self) -> usize {
        self.window.side * self.window.side * self.channels
    }
}
