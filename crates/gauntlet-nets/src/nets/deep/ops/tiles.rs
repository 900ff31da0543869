//! Products in tiles of a fixed number of rows, for inference on devices other than the CPU.
//!
//! cuBLAS chooses its algorithm, and thereby the order of its sums, by the shape of a product. In tiles of one shape, the
//! result for a row does not depend on the number of rows, and so not on the other positions of a batch. The number of
//! rows of a tile depends only on the layer.

use std::cell::Cell;

use candle_core::{Result, Tensor};

/// Approximate number of factors in the rows of a tile: 64 MB of `f32`, enough for all units of a card.
const FACTORS: usize = 1 << 24;

/// Minimum and maximum number of rows of a tile.
const ROWS: [usize; 2] = [64, 8192];

thread_local! {
    /// Whether this thread computes products in tiles.
    static IN_TILES: Cell<bool> = const { Cell::new(false) };
}

/// The previous mode of this thread, which is restored on drop.
struct Restored(bool);

impl Drop for Restored {
    fn drop(&mut self) {
        IN_TILES.set(self.0);
    }
}

/// Calls a function with products in tiles on this thread, where they are composed of Candle's operations.
pub fn in_tiles<T>(call: impl FnOnce() -> T) -> T {
    let _before = Restored(IN_TILES.replace(true));
    call()
}

/// Whether this thread computes products in tiles.
pub fn is_in_tiles() -> bool {
    IN_TILES.get()
}

/// `x W^T` in tiles of rows of `x`, the last of which is filled with zeros; `x [N, inputs]`, `W [outputs, inputs]`.
pub(super) fn tiled(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
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
    fn products_in_tiles_are_products() {
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
