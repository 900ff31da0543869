//! The product of rows with weights, whose gradient lies as the weights do. (Candle's own comes out transposed, and has
//! to be copied across.)

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor};

use super::is_fused;

/// `x W^T`; `x [N, inputs]`, `W [outputs, inputs]`.
///
/// # Errors
/// Candle's, for impossible shapes.
pub fn product(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    if is_fused(x) { x.contiguous()?.apply_op2(weight, Product) } else { composed(x, weight) }
}

pub(super) fn composed(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    x.matmul(&weight.t()?)
}

struct Product;

impl CustomOp2 for Product {
    fn name(&self) -> &'static str {
        "product"
    }

    fn cpu_fwd(&self, x: &CpuStorage, lx: &Layout, w: &CpuStorage, lw: &Layout) -> Result<(CpuStorage, Shape)> {
        let ((rows, inputs), (outputs, _)) = (lx.shape().dims2()?, lw.shape().dims2()?);
        let product = x.matmul(w, (1, rows, outputs, inputs), lx, &lw.transpose(0, 1)?)?;
        Ok((product, (rows, outputs).into()))
    }

    /// What the network was given needs no gradient.
    fn bwd(&self, x: &Tensor, weight: &Tensor, _: &Tensor, dy: &Tensor) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let dx = x.track_op().then(|| dy.matmul(&weight.detach())).transpose()?;
        Ok((dx, Some(dy.t()?.matmul(&x.detach())?)))
    }
}
