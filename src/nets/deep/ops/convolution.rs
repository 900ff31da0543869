//! Convolutions as products of patches with weights, a few images at a time, so that the patches of a whole batch are
//! never in memory at once. (Candle's own is slow to differentiate.)

use std::ops::Range;

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor, WithDType};

use super::patches::{Window, cut, paste, patches};
use super::{answer, by_type, gradient, lent, numbers};

/// Numbers in the patches that are multiplied together; allocators keep blocks of this size at hand.
pub(super) const GROUP: usize = 1 << 22;

/// The convolution of `x [B * sites, C]` with `W [outputs, side * side * C]`, `[B * patches, outputs]`.
///
/// # Errors
/// Candle's, for impossible shapes.
pub fn convolution(x: &Tensor, weight: &Tensor, window: Window) -> Result<Tensor> {
    if x.device().is_cpu() {
        x.contiguous()?.apply_op2(weight, Convolution(window))
    } else {
        composed(x, weight, window)
    }
}

pub(super) fn composed(x: &Tensor, weight: &Tensor, window: Window) -> Result<Tensor> {
    super::product::composed(&patches(x, window)?, weight)
}

struct Convolution(Window);

impl CustomOp2 for Convolution {
    fn name(&self) -> &'static str {
        "convolution"
    }

    fn cpu_fwd(&self, x: &CpuStorage, lx: &Layout, w: &CpuStorage, lw: &Layout) -> Result<(CpuStorage, Shape)> {
        by_type!(x.dtype(), forward::<T>(self.0, (x, lx), (w, lw)))
    }

    fn bwd(&self, x: &Tensor, weight: &Tensor, _: &Tensor, dy: &Tensor) -> Result<(Option<Tensor>, Option<Tensor>)> {
        by_type!(dy.dtype(), backward::<T>(self.0, x, &weight.detach(), dy))
    }
}

/// Images that are multiplied together.
fn groups(window: Window, images: usize, width: usize) -> impl Iterator<Item = Range<usize>> {
    let patches = window.down() * window.across() * window.side * window.side * width;
    let together = (GROUP / patches.max(1)).max(1);
    (0..images).step_by(together).map(move |first| first..(first + together).min(images))
}

/// `range` in units of `unit`.
fn scaled(range: &Range<usize>, unit: usize) -> Range<usize> {
    range.start * unit..range.end * unit
}

fn forward<T: WithDType>(
    window: Window,
    (x, lx): (&CpuStorage, &Layout),
    (w, lw): (&CpuStorage, &Layout),
) -> Result<(CpuStorage, Shape)> {
    let (width, (outputs, inputs)) = (lx.shape().dims2()?.1, lw.shape().dims2()?);
    let (x, size, down) = (numbers::<T>(x, lx)?, window.rows * window.columns * width, window.down() * window.across());
    let (images, across) = (x.len() / size, lw.transpose(0, 1)?);
    let mut out: Vec<T> = Vec::with_capacity(images * down * outputs);
    for group in groups(window, images, width) {
        let rows = group.len() * down;
        let patches = T::to_cpu_storage_owned(cut(window, &x[scaled(&group, size)], width));
        let product = patches.matmul(w, (1, rows, outputs, inputs), &Layout::contiguous((rows, inputs)), &across)?;
        out.extend_from_slice(T::cpu_storage_as_slice(&product)?);
    }
    Ok(answer(out, (images * down, outputs)))
}

/// What the network was given needs no gradient.
fn backward<T: WithDType>(
    window: Window,
    x: &Tensor,
    weight: &Tensor,
    dy: &Tensor,
) -> Result<(Option<Tensor>, Option<Tensor>)> {
    let (width, size) = (x.dims2()?.1, window.rows * window.columns * x.dims2()?.1);
    let (inputs, down) = (weight.dim(1)?, window.down() * window.across());
    let (storage, layout) = x.storage_and_layout();
    let xs = lent::<T>(&storage, layout)?;
    let mut dx = x.track_op().then(|| vec![T::zero(); xs.len()]);
    let mut dw: Option<Tensor> = None;
    for group in groups(window, xs.len() / size, width) {
        let (rows, images) = (group.len() * down, scaled(&group, size));
        let dy = dy.narrow(0, group.start * down, rows)?;
        let patches = Tensor::from_vec(cut(window, &xs[images.clone()], width), (rows, inputs), x.device())?;
        let part = dy.t()?.matmul(&patches)?;
        dw = Some(match dw {
            Some(sum) => (sum + part)?,
            None => part,
        });
        if let Some(dx) = &mut dx {
            let flow = dy.matmul(weight)?;
            let (storage, layout) = flow.storage_and_layout();
            paste(window, lent::<T>(&storage, layout)?, width, &mut dx[images]);
        }
    }
    Ok((dx.map(|dx| gradient(dx, x)).transpose()?.flatten(), dw))
}
