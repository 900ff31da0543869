//! Layers in games on devices other than the CPU, without gradients: the result for a row does not depend on the number of
//! rows, and so not on the other positions of a batch.
//!
//! cuBLAS chooses its algorithm, and thereby the order of its sums, by the shape of a product. So a layer keeps one
//! algorithm (`gpu::layer`). Where there is none, and on the CPU in tests, products are in tiles of one shape, whose
//! number of rows depends only on the layer.

use std::cell::Cell;

use candle_core::{Result, Tensor};

use super::gpu::{RowMap, map_rows};
use super::offset;

/// Approximate number of factors in the rows of a tile: 64 MB of `f32`, enough for all units of a card.
const FACTORS: usize = 1 << 24;

/// Minimum and maximum number of rows of a tile.
const ROWS: [usize; 2] = [64, 8192];

thread_local! {
    /// Whether this thread computes as in games.
    static AT_PLAY: Cell<bool> = const { Cell::new(false) };
}

/// The previous mode of this thread, which is restored on drop.
struct Restored(bool);

impl Drop for Restored {
    fn drop(&mut self) {
        AT_PLAY.set(self.0);
    }
}

/// Calls a function that computes as in games, on devices other than the CPU.
pub fn at_play<T>(call: impl FnOnce() -> T) -> T {
    let _before = Restored(AT_PLAY.replace(true));
    call()
}

/// Whether this thread computes as in games.
pub fn is_at_play() -> bool {
    AT_PLAY.get()
}

/// `x W^T + b`, with a ReLU if `relu`; `x [N, inputs]`, `W [outputs, inputs]`, `b [outputs]`.
pub(super) fn layer(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>, relu: bool) -> Result<Tensor> {
    if let Some(bias) = bias.filter(|_| !relu && weight.dims()[0] == 1) {
        return map_rows(x, RowMap::Head { parameters: [weight.clone(), bias.clone()] });
    }
    #[cfg(feature = "cuda")]
    if let Some(y) = super::gpu::layer(x, weight, bias, relu)? {
        return Ok(y);
    }
    let product = tiled(x, weight)?;
    match bias {
        Some(bias) => offset::composed(&product, bias, relu),
        None if relu => product.relu(),
        None => Ok(product),
    }
}

/// Batch norm by the running moments, with a ReLU if `relu`; `x [N, C]`, gains, biases, means and variances `[C]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn norm_at_play(x: &Tensor, parameters: [&Tensor; 4], relu: bool) -> Result<Tensor> {
    map_rows(x, RowMap::Norm { parameters: parameters.map(Tensor::clone), relu })
}

/// `x W^T` in tiles of rows of `x`, the last of which is filled with zeros; `x [N, inputs]`, `W [outputs, inputs]`.
fn tiled(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    let ((rows, inputs), weight) = (x.dims2()?, weight.t()?);
    if rows == 0 {
        return x.matmul(&weight);
    }
    let tile = rows_of_tile(inputs);
    let whole = rows / tile * tile;
    let mut products = Vec::with_capacity(rows.div_ceil(tile));
    for first in (0..whole).step_by(tile) {
        products.push(x.narrow(0, first, tile)?.matmul(&weight)?);
    }
    if whole < rows {
        let rest = x.narrow(0, whole, rows - whole)?;
        let filled = rest.pad_with_zeros(0, 0, tile - (rows - whole))?;
        products.push(filled.matmul(&weight)?.narrow(0, 0, rows - whole)?);
    }
    match <[Tensor; 1]>::try_from(products) {
        Ok([one]) => one.contiguous(),
        Err(several) => Tensor::cat(&several, 0),
    }
}

/// The number of rows of the tiles of a layer, a power of two.
fn rows_of_tile(inputs: usize) -> usize {
    (FACTORS / inputs.max(1)).clamp(ROWS[0], ROWS[1]).next_power_of_two()
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::super::list;
    use super::*;

    #[test]
    fn products_at_play_are_products() {
        assert_eq!([1, 512, 4608, 131_072, 1 << 30].map(rows_of_tile), [8192, 8192, 4096, 128, 64]);
        let numbers = |count: usize| (0..count).map(|i| (i as f64 * 0.37).sin()).collect::<Vec<_>>();
        let inputs = 3;
        for rows in [1, 8192, 8193, 20_000] {
            let x = Tensor::from_vec(numbers(rows * inputs), (rows, inputs), &Device::Cpu).unwrap();
            let weight = Tensor::from_vec(numbers(2 * inputs), (2, inputs), &Device::Cpu).unwrap();
            let (tiled, whole) = (tiled(&x, &weight).unwrap(), x.matmul(&weight.t().unwrap()).unwrap());
            assert_eq!(tiled.dims(), whole.dims());
            let apart = list::<f64>(&(tiled - whole).unwrap()).unwrap();
            assert!(apart.iter().all(|number| number.abs() < 1e-12));
        }
    }
}
