//! The product of rows with weights, whose gradient has the layout of the weights. (Candle's own gradient is
//! transposed and has to be copied.)
//!
//! With helpers, the rows of a product are computed in blocks, with the same bits as the whole. The matrix library
//! sums long rows of terms in parts, whose length depends on their number and on whether the result is small. It sums
//! a result of one row, or of 256 numbers at most, in another order: no block is that small ([`by_block`]).

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp2, CustomOp3, Layout, Result, Shape, Tensor, WithDType};

use super::at_play::{is_at_play, layer};
use super::blocks::{ROWS, are_spread, by_block};
use super::offset::{self, add};
use super::recording::{apply2, apply3};
use super::{Stored, ThreeGradients, TwoGradients, answer, by_type, gradient, is_fused, lent, numbers as of};
use crate::nets::NumberFormat;
use crate::nets::kernels::{MatrixView, multiply_in};
use gauntlet_games::base::Cores;

/// Rows of a block of a gradient of weights; products with fewer columns use other algorithms of the matrix library.
const OUTPUTS: usize = 32;

/// Maximum number of rows and columns of a small result in the matrix library (`gemm_basic_generic` of version 0.19).
const SMALL: usize = 64;

/// Number of terms that are summed in one part.
const PART: usize = 512;

/// `x W^T`; `x [N, inputs]`, `W [outputs, inputs]`. On the CPU, this product and those of its gradient are computed in
/// a number format.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn product(x: &Tensor, weight: &Tensor, numbers: NumberFormat) -> Result<Tensor> {
    if is_fused(x) { apply2(ProductOp(numbers), [&x.contiguous()?, weight]) } else { composed(x, weight) }
}

pub(super) fn composed(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    if is_at_play() { layer(x, weight, None, false) } else { x.matmul(&weight.t()?) }
}

/// `x W^T + b`, with a ReLU if `relu`; `x [N, inputs]`, `W [outputs, inputs]`, `b [outputs]`, as [`product`].
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn affine(x: &Tensor, weight: &Tensor, bias: &Tensor, relu: bool, numbers: NumberFormat) -> Result<Tensor> {
    if is_fused(x) {
        return apply3(Affine { relu, product: ProductOp(numbers) }, [&x.contiguous()?, weight, bias]);
    }
    match is_at_play() {
        true => layer(x, weight, Some(bias), relu),
        false => offset::composed(&composed(x, weight)?, bias, relu),
    }
}

struct Affine {
    relu: bool,
    product: ProductOp,
}

impl CustomOp3 for Affine {
    fn name(&self) -> &'static str {
        "affine"
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
        let (product, shape) = self.product.cpu_fwd(x, lx, w, lw)?;
        Ok((by_type!(x.dtype(), add::<T>(product, (b, lb), self.relu))?, shape))
    }

    fn bwd(&self, x: &Tensor, weight: &Tensor, bias: &Tensor, y: &Tensor, dy: &Tensor) -> Result<ThreeGradients> {
        let (passed, db) = offset::backward(self.relu, bias, y, dy)?;
        let (dx, dw) = self.product.bwd(x, weight, y, passed.as_ref().unwrap_or(dy))?;
        Ok((dx, dw, db))
    }
}

/// With the number format of its factors.
struct ProductOp(NumberFormat);

/// Whether a product of these dimensions is computed in blocks.
fn is_spread(rows: usize, outputs: usize, inputs: usize) -> bool {
    rows >= 2 * ROWS && outputs >= OUTPUTS && inputs >= OUTPUTS && are_spread()
}

impl ProductOp {
    /// Whether the product is not the matrix library's.
    fn is_own(&self) -> bool {
        self.0 != NumberFormat::F32
    }
}

impl CustomOp2 for ProductOp {
    fn name(&self) -> &'static str {
        "product"
    }

    fn cpu_fwd(&self, x: &CpuStorage, lx: &Layout, w: &CpuStorage, lw: &Layout) -> Result<(CpuStorage, Shape)> {
        let ((rows, inputs), (outputs, _)) = (lx.shape().dims2()?, lw.shape().dims2()?);
        if (self.is_own() || is_spread(rows, outputs, inputs)) && lw.is_contiguous() {
            return by_type!(x.dtype(), forward::<T>(self.0, (x, lx), (w, lw)));
        }
        let product = x.matmul(w, (1, rows, outputs, inputs), lx, &lw.transpose(0, 1)?)?;
        Ok((product, (rows, outputs).into()))
    }

    /// The input of the network needs no gradient.
    fn bwd(&self, x: &Tensor, weight: &Tensor, _: &Tensor, dy: &Tensor) -> Result<TwoGradients> {
        let ((rows, inputs), (outputs, _)) = (x.dims2()?, weight.dims2()?);
        if (self.is_own() || is_spread(rows, outputs, inputs)) && x.is_contiguous() && weight.is_contiguous() {
            return by_type!(x.dtype(), backward::<T>(self.0, x, weight, &dy.contiguous()?));
        }
        let dx = x.track_op().then(|| dy.matmul(&weight.detach())).transpose()?;
        Ok((dx, Some(dy.t()?.matmul(&x.detach())?)))
    }
}

fn forward<T: WithDType>(
    numbers: NumberFormat,
    (x, lx): Stored<'_>,
    (w, lw): Stored<'_>,
) -> Result<(CpuStorage, Shape)> {
    let ((rows, inputs), outputs) = (lx.shape().dims2()?, lw.shape().dims2()?.0);
    let (x, w) = (MatrixView::new(of::<T>(x, lx)?, inputs), MatrixView::new(of::<T>(w, lw)?, inputs));
    Ok(answer(in_blocks(numbers, x, w.turned(), (rows, outputs), ROWS), (rows, outputs)))
}

fn backward<T: WithDType>(numbers: NumberFormat, x: &Tensor, weight: &Tensor, dy: &Tensor) -> Result<TwoGradients> {
    let ((rows, inputs), outputs) = (x.dims2()?, weight.dim(0)?);
    let ((x_storage, x_layout), (w_storage, w_layout)) = (x.storage_and_layout(), weight.storage_and_layout());
    let (dy_storage, dy_layout) = dy.storage_and_layout();
    let (xs, ws) = (lent::<T>(&x_storage, x_layout)?, lent::<T>(&w_storage, w_layout)?);
    let (xs, ws) = (MatrixView::new(xs, inputs), MatrixView::new(ws, inputs));
    let dys = MatrixView::new(lent::<T>(&dy_storage, dy_layout)?, outputs);
    let dx =
        x.track_op().then(|| gradient(in_blocks(numbers, dys, ws, (rows, inputs), ROWS), x)).transpose()?.flatten();
    Ok((dx, gradient(in_blocks(numbers, dys.turned(), xs, (outputs, inputs), OUTPUTS), weight)?))
}

/// The product of two matrices `[rows, columns]`, by blocks of its rows.
fn in_blocks<T: WithDType>(
    numbers: NumberFormat,
    a: MatrixView<'_, T>,
    b: MatrixView<'_, T>,
    (rows, columns): (usize, usize),
    size: usize,
) -> Vec<T> {
    let is_small = |rows: usize| rows <= SMALL && columns <= SMALL;
    let last = size + rows % size;
    let is_alike = numbers != NumberFormat::F32
        || a.columns() <= PART
        || [size, last].iter().all(|&block| is_small(block) == is_small(rows));
    // Every block of another format packs all of `b` again.
    let size = if numbers == NumberFormat::F32 { size } else { rows / Cores::lent().limit() };
    by_block(rows, if is_alike { size.max(1) } else { rows }, |block| {
        let mut into = vec![T::zero(); block.len() * columns];
        multiply_in(numbers, a.band(block), b, &mut into, false);
        into
    })
}
