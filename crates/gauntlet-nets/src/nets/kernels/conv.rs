//! Feature maps over a padded board.

use super::tanh::tanh;
use super::{AlignedLanes, Compute, Lanes, Vector};
use crate::encoders::LANES;

/// Number of maps whose sums are computed side by side, as each addition waits for the previous one.
const TOGETHER: usize = 3;

/// One layer of feature maps and the weighted sum of their tanh.
pub struct Convolution {
    size: usize,
    field: usize,
    planes: usize,
    /// `[map][row][column][plane]`.
    fields: Vec<f32>,
    /// `[map]`.
    output: Vec<f32>,
    /// The board with its border, `[row][column][plane]`; the border is constant.
    padded: Vec<AlignedLanes>,
}

impl Convolution {
    /// Fields `[map][row][column][plane]`, output weights `[map]`, border values `[plane]`; one or two planes.
    pub fn new(size: usize, field: usize, fields: &[f64], output: &[f64], border: &[f64]) -> Convolution {
        let narrow = |weights: &[f64]| weights.iter().map(|&weight| weight as f32).collect::<Vec<f32>>();
        let width = size + field - 1;
        let site: Vec<AlignedLanes> = narrow(border).into_iter().map(|value| AlignedLanes([value; LANES])).collect();
        Convolution {
            size,
            field,
            planes: border.len(),
            fields: narrow(fields),
            output: narrow(output),
            padded: site.repeat(width * width),
        }
    }

    #[inline(always)]
    fn fill<V: Vector>(&mut self, own: &[Lanes], opponent: &[Lanes]) {
        let (margin, width) = (self.field / 2, self.size + self.field - 1);
        for row in 0..self.size {
            for column in 0..self.size {
                let site = row * self.size + column;
                let at = ((row + margin) * width + column + margin) * self.planes;
                if self.planes == 1 {
                    V::load(&own[site]).sub(V::load(&opponent[site])).store(&mut self.padded[at].0);
                } else {
                    (self.padded[at].0, self.padded[at + 1].0) = (own[site], opponent[site]);
                }
            }
        }
    }

    /// The sums under the fields of some maps, from `first` on, whose corner is at `row`, `column` of the padded board.
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "the sums only stay in registers if every index is a loop's")]
    fn sums<V: Vector, const MAPS: usize>(&self, first: usize, row: usize, column: usize) -> [V; MAPS] {
        let (line, width) = (self.field * self.planes, self.size + self.field - 1);
        let mut sums = [V::splat(0.0); MAPS];
        for down in 0..self.field {
            let values = &self.padded[((row + down) * width + column) * self.planes..][..line];
            let mut weights = [&[][..]; MAPS];
            for map in 0..MAPS {
                weights[map] = &self.fields[((first + map) * self.field + down) * line..][..line];
            }
            for at in 0..line {
                let value = V::load(&values[at].0);
                for map in 0..MAPS {
                    sums[map] = V::splat(weights[map][at]).mul_add(value, sums[map]);
                }
            }
        }
        sums
    }

    /// Adds the contributions of some maps to a site's total.
    #[inline(always)]
    fn add<V: Vector, const MAPS: usize>(&self, first: usize, site: usize, mut total: V) -> V {
        let sums = self.sums::<V, MAPS>(first, site / self.size, site % self.size);
        for (sum, &weight) in sums.into_iter().zip(&self.output[first..]) {
            let feature = tanh(sum);
            total = V::splat(weight).mul_add(feature.above.div(feature.below), total);
        }
        total
    }
}

impl Compute for Convolution {
    #[inline(always)]
    fn block<V: Vector>(&mut self, own: &[Lanes], opponent: &[Lanes], logits: &mut [Lanes]) {
        self.fill::<V>(own, opponent);
        for (site, into) in logits.iter_mut().enumerate() {
            let (mut total, mut map) = (V::splat(0.0), 0);
            while map + TOGETHER <= self.output.len() {
                total = self.add::<V, TOGETHER>(map, site, total);
                map += TOGETHER;
            }
            for map in map..self.output.len() {
                total = self.add::<V, 1>(map, site, total);
            }
            total.store(into);
        }
    }
}
