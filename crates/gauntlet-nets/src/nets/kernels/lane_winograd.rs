//! [`Winograd`](super::Winograd) for networks of few channels: sixteen boards at once, one in each lane.
//!
//! Tiles, transforms and sums are the same, to the bit. Each tile is computed from its inputs to its outputs at once,
//! so that intermediate results stay in the first-level cache. The last point of a line contributes only to the last
//! of the three outputs, and is skipped if that lies beyond the board.

use super::lanes::{Columns, Panel, accumulate, begin, finish, panels, through_columns};
use super::winograd::{IN, NONE, ONE, OUT, POINTS, WIDEST, analyse, compose, tiles, transformed};
use super::{AlignedLanes, Vector};

/// Intermediate results of a layer: `[point][channel]` of one tile. The layers of a network share it.
#[derive(Debug, Clone, Default)]
pub struct LaneSpectra {
    inputs: Vec<AlignedLanes>,
    products: Vec<AlignedLanes>,
}

/// The sites of a tile.
#[derive(Debug, Clone)]
struct Tile {
    /// Sites of its inputs, row by row; [`NONE`] on the border.
    inputs: [usize; POINTS],
    /// Sites of its outputs; [`NONE`] beyond the board.
    outputs: [usize; OUT * OUT],
    /// Rows and columns of the points that its outputs need.
    points: [usize; 2],
}

/// A convolution of 3 x 3 with a border of zeros and an optional ReLU, for boards of one size.
#[derive(Debug, Clone)]
pub struct LaneWinograd {
    tiles: Vec<Tile>,
    channels: usize,
    outputs: usize,
    /// Weights `[point][channel][width]` each.
    panels: Vec<Panel>,
    relu: bool,
}

impl LaneWinograd {
    /// Maximum number of input channels.
    pub const CHANNELS: usize = WIDEST;

    /// Binds weights `[output][9][channel]` and biases `[output]` to a board.
    ///
    /// # Panics
    /// With more than [`LaneWinograd::CHANNELS`] channels.
    pub fn new(board: [usize; 2], weights: &[f32], bias: &[f32]) -> LaneWinograd {
        let (outputs, channels) = (bias.len(), weights.len() / bias.len() / (OUT * OUT));
        assert!(channels <= LaneWinograd::CHANNELS, "the border is as wide as the channels");
        let points: Vec<Vec<f32>> = (0..POINTS).map(|point| transformed(point, channels, weights)).collect();
        let fields = (0..outputs).flat_map(|output| points.iter().map(move |point| &point[output * channels..]));
        let weights: Vec<f32> = fields.flat_map(|field| field[..channels].iter().copied()).collect();
        let panels = panels(&weights, bias);
        LaneWinograd { tiles: Tile::all(board), channels, outputs, panels, relu: true }
    }

    /// The layer without a ReLU after it.
    #[must_use]
    pub fn without_relu(self) -> LaneWinograd {
        LaneWinograd { relu: false, ..self }
    }

    /// Reads `[site][channel]` and writes `[site][output]`.
    ///
    /// # Panics
    /// If there are fewer values.
    #[inline(always)]
    pub fn follow<V: Vector>(&self, from: &[AlignedLanes], spectra: &mut LaneSpectra, into: &mut [AlignedLanes]) {
        let LaneSpectra { inputs, products } = spectra;
        inputs.resize(POINTS * self.channels, AlignedLanes::ZERO);
        products.resize(POINTS * self.outputs, AlignedLanes::ZERO);
        for tile in &self.tiles {
            analyse::<V>((from, self.channels), &tile.inputs, self.channels, inputs);
            for panel in &self.panels {
                through_columns::<V>(panel, &mut Points { layer: self, tile, from: inputs, into: products });
            }
            compose::<V>(products, (self.outputs, self.relu), &tile.outputs, (&mut *into, self.outputs));
        }
    }
}

impl Tile {
    fn all(board: [usize; 2]) -> Vec<Tile> {
        let needed = |last: usize| if last == NONE { IN - 1 } else { IN };
        let tile = |(inputs, outputs): ([usize; POINTS], [usize; OUT * OUT])| {
            let points = [needed(outputs[OUT * (OUT - 1)]), needed(outputs[OUT - 1])];
            Tile { inputs, outputs, points }
        };
        tiles(board, 1).into_iter().zip(tiles(board, 0)).map(tile).collect()
    }
}

/// The products of a tile.
struct Points<'a> {
    layer: &'a LaneWinograd,
    tile: &'a Tile,
    from: &'a [AlignedLanes],
    into: &'a mut [AlignedLanes],
}

impl Columns for Points<'_> {
    #[inline(always)]
    fn columns<V: Vector, const N: usize>(&mut self, panel: &Panel, first: usize) {
        let &LaneWinograd { channels, outputs, .. } = self.layer;
        let [rows, columns] = self.tile.points;
        for row in 0..rows {
            for column in 0..columns {
                let point = row * IN + column;
                let mut sums = if point == ONE { begin(panel, first) } else { [V::splat(0.0); N] };
                let weights = &panel.weights[point * channels * panel.width..][..channels * panel.width];
                accumulate(&mut sums, &self.from[point * channels..][..channels], (weights, panel.width), first);
                finish(&sums, false, &mut self.into[point * outputs + panel.first + first..]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoders::LANES;
    use crate::nets::NumberFormat;
    use crate::nets::kernels::{LaneConvolution, Path, Rows, Spectra, Vectorized, Winograd};

    fn number(index: usize) -> f32 {
        ((index * 7919 % 1009) as f32 / 504.5 - 1.0) * 0.8
    }

    /// The same boards through all three layers.
    struct Case {
        rows: (Winograd, Rows, Rows),
        lanes: (LaneWinograd, Vec<AlignedLanes>, Vec<AlignedLanes>),
        direct: (LaneConvolution, Vec<AlignedLanes>),
    }

    impl Case {
        fn new(board: [usize; 2], [channels, outputs]: [usize; 2]) -> Case {
            let weights: Vec<f32> = (0..outputs * 9 * channels).map(|at| number(at) * 0.2).collect();
            let bias: Vec<f32> = (0..outputs).map(|at| number(at + 5)).collect();
            let sites = board[0] * board[1];
            let mut from = Rows::new(channels.div_ceil(LANES));
            from.reserve(sites * LANES);
            let mut lanes = vec![AlignedLanes::ZERO; sites * channels];
            for (row, channel) in (0..sites * LANES).flat_map(|row| (0..channels).map(move |channel| (row, channel))) {
                let value = number(row * channels + channel);
                from.numbers_mut(row)[channel] = value;
                lanes[row % sites * channels + channel].0[row / sites] = value;
            }
            let layer = Winograd::new(NumberFormat::F32, board, &weights, &bias);
            let direct = LaneConvolution::new(board, 3, &weights, &bias);
            let into = vec![AlignedLanes::ZERO; board[0] * board[1] * bias.len()];
            let outputs = Rows::new(layer.slots());
            let lane_layer = LaneWinograd::new(board, &weights, &bias);
            Case { rows: (layer, from, outputs), lanes: (lane_layer, lanes, into.clone()), direct: (direct, into) }
        }
    }

    impl Vectorized for Case {
        #[inline(always)]
        fn run<V: Vector>(&mut self) {
            let Case { rows: (layer, from, into), lanes: (lane_layer, lanes, outputs), direct: (direct, sums) } = self;
            layer.follow::<V>(from, LANES, &mut Spectra::new(), into);
            lane_layer.follow::<V>(lanes, &mut LaneSpectra::default(), outputs);
            direct.follow::<V>(lanes, sums);
        }
    }

    #[test]
    fn boards_in_lanes_are_boards_in_rows_to_the_bit_on_every_path() {
        for (board, sizes) in [([7, 7], [10, 10]), ([8, 5], [9, 3]), ([3, 4], [33, 26]), ([6, 9], [1, 13])] {
            let mut first: Option<Vec<AlignedLanes>> = None;
            for path in Path::available() {
                let (mut case, outputs) = (Case::new(board, sizes), sizes[1]);
                path.perform(&mut case);
                let (sites, into) = (board[0] * board[1], &case.lanes.2);
                for (slot, lane) in (0..into.len()).flat_map(|slot| (0..LANES).map(move |lane| (slot, lane))) {
                    let value = into[slot].0[lane];
                    let row = case.rows.2.numbers(lane * sites + slot / outputs);
                    assert_eq!(value.to_bits(), row[slot % outputs].to_bits(), "{path:?} {board:?} {slot} {lane}");
                    assert!((value - case.direct.1[slot].0[lane]).abs() < 2e-5, "{path:?} {board:?} {slot} {lane}");
                    let before = first.as_ref().map_or(case.direct.1[slot].0[lane], |first| first[slot].0[lane]);
                    assert_eq!(case.direct.1[slot].0[lane].to_bits(), before.to_bits(), "{path:?} {board:?}");
                }
                first = Some(case.direct.1);
            }
        }
    }
}
