//! A convolution with its bias and ReLU, a few images at a time: their patches never leave the cache.

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor, WithDType};

use super::patches::{cut, paste};
use super::{Window, answer, by_type, gradient, lent, list, numbers};
use crate::nets::kernels::{View, multiply};

/// Patches that are multiplied together, about.
const TOGETHER: usize = 192;

/// `relu(patches(x) W^T + b)`; `x [B * sites, C]`, `W [outputs, side * side * C]`, `b [outputs]`.
///
/// # Errors
/// Candle's, for impossible shapes.
pub fn convolution_relu(x: &Tensor, weight: &Tensor, bias: &Tensor, window: Window) -> Result<Tensor> {
    if x.device().is_cpu() {
        x.contiguous()?.apply_op3(&weight.contiguous()?, bias, Convolution(window))
    } else {
        composed(x, weight, bias, window)
    }
}

pub(super) fn composed(x: &Tensor, weight: &Tensor, bias: &Tensor, window: Window) -> Result<Tensor> {
    super::patches::composed(x, window)?.matmul(&weight.t()?)?.broadcast_add(bias)?.relu()
}

struct Convolution(Window);

impl CustomOp3 for Convolution {
    fn name(&self) -> &'static str {
        "convolution"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        lx: &Layout,
        w: &CpuStorage,
        lw: &Layout,
        b: &CpuStorage,
        lb: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        by_type!(x.dtype(), forward::<T>(self.0, (x, lx), (w, lw), (b, lb)))
    }

    fn bwd(&self, x: &Tensor, w: &Tensor, b: &Tensor, y: &Tensor, dy: &Tensor) -> Result<Gradients> {
        by_type!(dy.dtype(), backward::<T>(self.0, x, w, b, y, dy))
    }
}

type Gradients = (Option<Tensor>, Option<Tensor>, Option<Tensor>);

fn forward<T: WithDType>(
    window: Window,
    (x, lx): (&CpuStorage, &Layout),
    (w, lw): (&CpuStorage, &Layout),
    (b, lb): (&CpuStorage, &Layout),
) -> Result<(CpuStorage, Shape)> {
    let (x, w, bias) = (numbers::<T>(x, lx)?, numbers::<T>(w, lw)?, numbers::<T>(b, lb)?);
    let job = Job::new(window, lx.shape().dims2()?.1);
    let rows = x.len() / job.image * job.patches();
    let (mut y, mut cols) = (vec![T::zero(); rows * bias.len()], Vec::new());
    for (images, y) in x.chunks(job.images() * job.image).zip(y.chunks_mut(job.rows() * bias.len())) {
        cut(&job.sites, images, job.size(), &mut cols);
        y.chunks_exact_mut(bias.len()).for_each(|row| row.copy_from_slice(bias));
        multiply(View::new(&cols, job.inputs()), View::new(w, job.inputs()).turned(), y, true);
        y.iter_mut().for_each(|y| *y = if *y > T::zero() { *y } else { T::zero() });
    }
    Ok(answer(y, (rows, bias.len())))
}

fn backward<T: WithDType>(
    window: Window,
    x: &Tensor,
    w: &Tensor,
    b: &Tensor,
    y: &Tensor,
    dy: &Tensor,
) -> Result<Gradients> {
    let (mut dz, outputs) = (list::<T>(dy)?, b.elem_count());
    let (x_storage, x_layout) = x.storage_and_layout();
    let (w_storage, w_layout) = w.storage_and_layout();
    let (y_storage, y_layout) = y.storage_and_layout();
    let (inputs, weights) = (lent::<T>(&x_storage, x_layout)?, lent::<T>(&w_storage, w_layout)?);
    let shut = |(dz, y): (&mut T, &T)| *dz = if *y > T::zero() { *dz } else { T::zero() };
    dz.iter_mut().zip(lent::<T>(&y_storage, y_layout)?).for_each(shut);
    let job = Job::new(window, x.dims2()?.1);
    let (mut dw, mut db) = (vec![T::zero(); weights.len()], vec![T::zero(); outputs]);
    // The first layer reads what nobody trains.
    let mut dx = vec![T::zero(); if x.track_op() { inputs.len() } else { 0 }];
    let (mut cols, mut dcols) = (Vec::new(), Vec::new());
    for (at, images) in inputs.chunks(job.images() * job.image).enumerate() {
        let first = at * job.rows() * outputs;
        let dz = &dz[first..first + images.len() / job.image * job.patches() * outputs];
        dz.chunks_exact(outputs).for_each(|row| db.iter_mut().zip(row).for_each(|(sum, &d)| *sum += d));
        cut(&job.sites, images, job.size(), &mut cols);
        multiply(View::new(dz, outputs).turned(), View::new(&cols, job.inputs()), &mut dw, true);
        if !dx.is_empty() {
            dcols.resize(cols.len(), T::zero());
            multiply(View::new(dz, outputs), View::new(weights, job.inputs()), &mut dcols, false);
            let start = at * job.images() * job.image;
            paste(&job.sites, &dcols, job.size(), &mut dx[start..start + images.len()]);
        }
    }
    let dx = if dx.is_empty() { None } else { gradient(dx, x)? };
    Ok((dx, gradient(dw, w)?, gradient(db, b)?))
}

/// The sizes of a convolution.
struct Job {
    /// Which site each number of each patch is.
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

    /// Images that are taken together.
    fn images(&self) -> usize {
        (TOGETHER / self.patches()).max(1)
    }

    /// Their patches.
    fn rows(&self) -> usize {
        self.images() * self.patches()
    }

    /// Numbers of a patch.
    fn inputs(&self) -> usize {
        self.window.side * self.window.side * self.channels
    }
}
