//! The parts of a flat network's vector, in order, as `gauntlet explain weights` lists them.
//!
//! The networks themselves split the vector; the laws below hold these parts against them.

/// A part of the vector: an array, row-major.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name in the equations: `W_in`.
    pub name: &'static str,
    /// Its shape; the last index is the fastest.
    pub shape: Vec<usize>,
    /// Its meaning and its indices.
    pub about: String,
}

impl Part {
    /// A part of this shape.
    pub(super) fn new(name: &'static str, shape: &[usize], about: impl Into<String>) -> Part {
        Part { name, shape: shape.to_vec(), about: about.into() }
    }

    /// The parts of a swiping layer of `units` units with one weighted sum each, or one for each of some gates.
    pub(super) fn swiping(gates: &[&str], units: usize) -> Vec<Part> {
        let (rows, index) = match gates {
            [] => (vec![units], "unit".to_owned()),
            gates => (vec![gates.len(), units], format!("gate ({}), cell", gates.join(", "))),
        };
        let shape = |last: &[usize]| [&rows, last].concat();
        vec![
            Part::new("W_in", &shape(&[2]), format!("weights of the stones: {index}, stone (own, opponent's)")),
            Part::new("W_hidden", &shape(&[units]), format!("weights of the neighbours' outputs: {index}, unit")),
            Part::new("w_border", &rows, format!("weights of a missing neighbour: {index}")),
            Part::new("w_out", &[units], "weights of the outputs: unit"),
        ]
    }

    /// Its number of weights.
    #[must_use]
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::encoders::{Stones, Topology};
    use crate::nets::NetSpec;

    /// The places of each part in the vector.
    fn places(net: &NetSpec, sites: usize) -> Vec<(Part, Range<usize>)> {
        let mut end = 0;
        let place = |part: Part| {
            end += part.count();
            (part.clone(), end - part.count()..end)
        };
        net.weight_parts(sites).into_iter().map(place).collect()
    }

    /// The logits on a board with one own stone on site 0.
    fn logits(net: &NetSpec, weights: &[f64], size: usize) -> Vec<f64> {
        let mut stones = Stones::new();
        stones.clear(size * size, 1);
        stones.put(0, 0, true);
        let mut logits = Vec::new();
        net.kernel(&Topology::square(size), weights).unwrap().prefer(&stones, &mut logits);
        (0..size * size).map(|site| f64::from(logits[stones.at(0, site)])).collect()
    }

    /// Weights that are all different, and of magnitudes at which no unit is saturated.
    fn weights(count: usize) -> Vec<f64> {
        (0..count).map(|at| (at as f64 * 1.7 + 0.4).sin() * 0.8).collect()
    }

    #[test]
    fn the_parts_are_the_whole_vector() {
        for net in NetSpec::examples() {
            for sites in [1, 25, 81] {
                let count: usize = net.weight_parts(sites).iter().map(Part::count).sum();
                assert_eq!(count, net.weight_count(sites), "{}", net.name());
            }
        }
    }

    /// On a board of one site no neighbour exists, so that a swipe has a closed form.
    #[test]
    fn a_swipe_over_one_site_is_computed_from_its_parts() {
        let sigmoid = |z: f64| 1.0 / (1.0 + (-z).exp());
        let swiping = |net: &NetSpec| net.weight_parts(1).iter().any(|part| part.name == "W_hidden");
        let nets: Vec<NetSpec> = NetSpec::examples().into_iter().filter(swiping).collect();
        assert_eq!(nets.len(), 6, "an MDRNN and five kinds of MDLSTM");
        for net in nets {
            let weights = weights(net.weight_count(1));
            let places = places(&net, 1);
            let part = |at: usize| &weights[places[at].1.clone()];
            let (w_in, w_border, w_out) = (part(0), part(2), part(3));
            let units = w_out.len();
            // Every weighted sum, gate by gate: both neighbours are missing.
            let sums: Vec<f64> = (0..w_border.len()).map(|row| w_in[2 * row] + 2.0 * w_border[row]).collect();
            let of_gate = |name: &str, unit: usize| {
                let gates = places[0].0.about.split(['(', ')']).nth(1).unwrap();
                sums[gates.split(", ").position(|gate| gate == name).unwrap() * units + unit]
            };
            let output = |unit: usize| match places[0].0.shape.len() {
                2 => sums[unit].tanh(),
                _ => {
                    let state = sigmoid(of_gate("input", unit)) * of_gate("cell", unit).tanh();
                    sigmoid(of_gate("output", unit)) * state.tanh()
                }
            };
            let expected: f64 = (0..units).map(|unit| 4.0 * w_out[unit] * output(unit)).sum();
            let found = logits(&net, &weights, 1)[0];
            assert!((found - expected).abs() < 1e-4, "{}: {found} {expected}", net.name());
        }
    }

    /// The other two have a closed form on every board.
    #[test]
    fn a_layer_is_computed_from_its_parts() {
        let size = 3;
        for net in NetSpec::examples() {
            let weights = weights(net.weight_count(size * size));
            let places = places(&net, size * size);
            let parts: Vec<&[f64]> = places.iter().map(|(_, place)| &weights[place.clone()]).collect();
            let expected: Vec<f64> = match net {
                NetSpec::Mlp(_) => (0..size * size).map(|site| of_mlp(&parts, size, site)).collect(),
                NetSpec::Conv(_) => {
                    (0..size * size).map(|site| of_conv(&places[0].0.shape, &parts, size, site)).collect()
                }
                NetSpec::Mdlstm(_) | NetSpec::Mdrnn(_) => continue,
            };
            for (found, expected) in logits(&net, &weights, size).iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-4, "{}: {found} {expected}", net.name());
            }
        }
    }

    /// The logit of a site, where the one stone is the first of the two numbers of site 0.
    fn of_mlp(parts: &[&[f64]], size: usize, site: usize) -> f64 {
        let units = parts[1].len();
        let hidden = |unit: usize| (parts[0][unit * 2 * size * size] + parts[1][unit]).tanh();
        (0..units).map(|unit| parts[2][site * units + unit] * hidden(unit)).sum::<f64>() + parts[3][site]
    }

    /// The logit of a site, with the own stone in the first plane.
    fn of_conv(shape: &[usize], parts: &[&[f64]], size: usize, site: usize) -> f64 {
        let (maps, field, planes) = (shape[0], shape[1], shape[3]);
        let number = |row: usize, column: usize, plane: usize| match (row, column) {
            (row, column) if row >= size || column >= size => parts[2][plane],
            (0, 0) if plane == 0 => 1.0,
            _ => 0.0,
        };
        let feature = |map: usize| {
            let taps = (0..field * field * planes).map(|tap| {
                let (row, column, plane) = (tap / planes / field, tap / planes % field, tap % planes);
                // Beyond the upper and the left border the difference wraps to a large number.
                let [at, across] =
                    [(site / size, row), (site % size, column)].map(|(a, b)| (a + b).wrapping_sub(field / 2));
                parts[0][map * field * field * planes + tap] * number(at, across, plane)
            });
            taps.sum::<f64>().tanh()
        };
        (0..maps).map(|map| parts[1][map] * feature(map)).sum()
    }
}
