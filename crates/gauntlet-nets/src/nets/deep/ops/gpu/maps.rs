//! The kernels of single rows, for inference: they have no gradients.

#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor, WithDType};

use super::super::{EPSILON, Stored, answer, lent, numbers};
use super::by_sums::{by_numbers, by_sums};
use super::row_map::RowMap;
use super::twin;

/// The features of nodes `[rows, bits + scalars]`, from bits packed in four words a row, `[rows, 4]`, and the numbers of
/// each position, `[positions, scalars]`, which has `nodes` rows.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn unpack_rows(words: Tensor, scalars: &Tensor, bits: usize, nodes: usize) -> Result<Tensor> {
    scalars.contiguous()?.apply_op1_no_bwd(&UnpackRows { words, bits, nodes })
}

/// The image of rows `x [N, C]`, without a gradient.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn map_rows(x: &Tensor, map: RowMap) -> Result<Tensor> {
    x.contiguous()?.apply_op1_no_bwd(&map)
}

impl CustomOp1 for RowMap {
    fn name(&self) -> &'static str {
        match self {
            RowMap::Scale { .. } => "scale-rows",
            RowMap::Norm { .. } => "norm-rows",
            RowMap::LayerNorm { .. } => "layer-norm-rows",
            RowMap::Head { .. } => "head-rows",
        }
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        by_sums!(x.dtype(), mapped::<T, A>(self, (x, layout)))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, x: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        super::cuda::map_rows(self, (x, layout))
    }
}

struct UnpackRows {
    words: Tensor,
    bits: usize,
    nodes: usize,
}

impl CustomOp1 for UnpackRows {
    fn name(&self) -> &'static str {
        "unpack-rows"
    }

    fn cpu_fwd(&self, scalars: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        by_numbers!(scalars.dtype(), unpacked::<T>(self, (scalars, layout)))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, scalars: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        let (rows, width) = (self.words.dim(0)?, self.bits + layout.shape().dims2()?.1);
        super::cuda::unpack_rows(&self.words, (scalars, layout), [rows, self.bits, width, self.nodes])
    }
}

fn unpacked<T: WithDType>(op: &UnpackRows, (scalars, layout): Stored<'_>) -> Result<(CpuStorage, Shape)> {
    let (count, words) = (layout.shape().dims2()?.1, op.words.flatten_all()?.to_vec1::<u32>()?);
    let features = twin::unpack_rows(&words, numbers::<T>(scalars, layout)?, [op.bits, count, op.nodes]);
    Ok(answer(features, (op.words.dim(0)?, op.bits + count)))
}

fn mapped<T: WithDType, A: WithDType>(map: &RowMap, (x, layout): Stored<'_>) -> Result<(CpuStorage, Shape)> {
    let x = numbers::<T>(x, layout)?;
    let guards: Vec<_> = map.parameters().iter().map(Tensor::storage_and_layout).collect();
    let lists = guards.iter().map(|(storage, layout)| lent::<T>(storage, layout)).collect::<Result<Vec<_>>>()?;
    let image = match (map, &lists[..]) {
        (RowMap::Scale { relu, .. }, &[scale, shift]) => twin::scale_rows::<T, A>(x, [scale, shift], *relu),
        (RowMap::Norm { relu, .. }, &[gain, bias, mean, variance]) => {
            twin::norm_rows::<T, A>(x, [gain, bias, mean, variance], EPSILON, *relu)
        }
        (RowMap::LayerNorm { .. }, &[gain, bias]) => twin::layer_norm_rows::<T, A>(x, [gain, bias], EPSILON),
        (RowMap::Head { .. }, &[weight, bias]) => twin::head_rows::<T, A>(x, weight, bias[0]),
        _ => candle_core::bail!("{} has other parameters", map.name()),
    };
    Ok(answer(image, map.shape(layout)?))
}
