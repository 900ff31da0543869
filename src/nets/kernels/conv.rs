//! Feature maps over a padded board.

use super::tanh::tanh;
use super::{AlignedLanes, Compute, Lanes, Vector};
use crate::encoders::LANES;

/// One layer of feature maps and the weighted sum of their tanh.
pub struct Convolution {
    size: usize,
    field: usize,
    planes: usize,
    /// `[map][row][column][plane]`.
    fields: Vec<f32>,
    /// `[map]`.
    output: Vec<f32>,
    /// The board with its border, `[row][column][plane]`; the border never changes.
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

    /// The sum under one map's field whose corner is at `row`, `column` of the padded board.
    #[inline(always)]
    fn sum<V: Vector>(&self, map: usize, row: usize, column: usize) -> V {
        let (line, width) = (self.field * self.planes, self.size + self.field - 1);
        let mut sum = V::splat(0.0);
        for down in 0..self.field {
            let weights = &self.fields[(map * self.field + down) * line..][..line];
            let values = &self.padded[((row + down) * width + column) * self.planes..][..line];
            // Plain indices: the standard iterators over two slices are not always compiled into this loop.
            for at in 0..line {
                sum = V::splat(weights[at]).mul_add(V::load(&values[at].0), sum);
            }
        }
        sum
    }
}

impl Compute for Convolution {
    #[inline(always)]
    fn block<V: Vector>(&mut self, own: &[Lanes], opponent: &[Lanes], preferences: &mut [Lanes]) {
        self.fill::<V>(own, opponent);
        for (site, into) in preferences.iter_mut().enumerate() {
            let mut total = V::splat(0.0);
            for (map, &weight) in self.output.iter().enumerate() {
                let feature = tanh(self.sum::<V>(map, site / self.size, site % self.size));
                total = V::splat(weight).mul_add(feature.above.div(feature.below), total);
            }
            total.store(into);
        }
    }
}
