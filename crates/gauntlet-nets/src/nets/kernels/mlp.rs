//! One hidden layer, with every unit connected to every site.

use super::tanh::tanh;
use super::{AlignedLanes, Compute, Lanes, Vector};

/// Number of hidden units that are summed side by side, so that no addition waits for the previous one.
const GROUP: usize = 4;

/// A tanh layer between all stones and all sites.
pub struct Perceptron {
    /// `[group][site][own, opponent][GROUP]`; units beyond the last have zero weights.
    hidden: Vec<[[f32; GROUP]; 2]>,
    /// `[group * GROUP]`.
    hidden_bias: Vec<f32>,
    /// `[site][hidden]`.
    output: Vec<f32>,
    /// `[site]`.
    output_bias: Vec<f32>,
    /// The outputs of the hidden units, `[group * GROUP]`.
    said: Vec<AlignedLanes>,
}

impl Perceptron {
    /// Hidden weights `[hidden][site][own, opponent]`, biases `[hidden]`, output weights `[site][hidden]`, biases `[site]`.
    pub fn new(hidden: &[f64], hidden_bias: &[f64], output: &[f64], output_bias: &[f64]) -> Perceptron {
        let (sites, groups) = (output_bias.len(), hidden_bias.len().div_ceil(GROUP));
        let mut grouped = vec![[[0.0; GROUP]; 2]; groups * sites];
        for (unit, weights) in hidden.chunks_exact(2 * sites).enumerate() {
            for (at, &weight) in weights.iter().enumerate() {
                grouped[unit / GROUP * sites + at / 2][at % 2][unit % GROUP] = weight as f32;
            }
        }
        let narrow = |weights: &[f64]| weights.iter().map(|&weight| weight as f32).collect::<Vec<f32>>();
        let mut bias = narrow(hidden_bias);
        bias.resize(groups * GROUP, 0.0);
        let said = vec![AlignedLanes::ZERO; groups * GROUP];
        Perceptron {
            hidden: grouped,
            hidden_bias: bias,
            output: narrow(output),
            output_bias: narrow(output_bias),
            said,
        }
    }

    #[inline(always)]
    fn listen<V: Vector>(&mut self, own: &[Lanes], opponent: &[Lanes]) {
        let groups = self.said.chunks_exact_mut(GROUP).zip(self.hidden_bias.chunks_exact(GROUP));
        for ((said, bias), weights) in groups.zip(self.hidden.chunks_exact(self.output_bias.len())) {
            let (mut from_own, mut from_opponent) = ([V::splat(0.0); GROUP], [V::splat(0.0); GROUP]);
            for unit in 0..GROUP {
                from_own[unit] = V::splat(bias[unit]);
            }
            for ((weights, own), opponent) in weights.iter().zip(own).zip(opponent) {
                for unit in 0..GROUP {
                    from_own[unit] = V::splat(weights[0][unit]).mul_add(V::load(own), from_own[unit]);
                    from_opponent[unit] = V::splat(weights[1][unit]).mul_add(V::load(opponent), from_opponent[unit]);
                }
            }
            for unit in 0..GROUP {
                let tanh = tanh(from_own[unit].add(from_opponent[unit]));
                tanh.above.div(tanh.below).store(&mut said[unit].0);
            }
        }
    }
}

impl Compute for Perceptron {
    #[inline(always)]
    fn block<V: Vector>(&mut self, own: &[Lanes], opponent: &[Lanes], logits: &mut [Lanes]) {
        self.listen::<V>(own, opponent);
        let units = self.output.len() / self.output_bias.len();
        for ((into, weights), &bias) in logits.iter_mut().zip(self.output.chunks_exact(units)).zip(&self.output_bias) {
            let mut total = V::splat(bias);
            for (&weight, said) in weights.iter().zip(&self.said) {
                total = V::splat(weight).mul_add(V::load(&said.0), total);
            }
            total.store(into);
        }
    }
}
