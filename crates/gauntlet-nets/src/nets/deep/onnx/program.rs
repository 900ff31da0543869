//! The program of a file: its layers bound to buffers, for many positions at a time.
//!
//! A unit is what the file computes at once: one position, or as many as its frozen first axis has. Layers over places run
//! on a few units at a time, which stay in the cache; the last layers, from products with one row a position on, run on
//! all units at once, so that the weights of wide layers are read once for all of them.

use super::contract::Lowered;
use super::layer::{OnnxLayer, PlacedLayer};
use super::layout::RowRun;
use super::patches::Patches;
use super::value::Live;
use super::work::{BoundLayer, Size, Units};
use crate::encoders::LANES;
use crate::nets::NumberFormat;
use crate::nets::kernels::{FormatMatrix, Rows, Spectra, Vector, Winograd};

/// Maximum number of units that are computed together.
pub const UNITS: usize = 96;

/// Approximate number of patches that are multiplied together.
const PATCHES: usize = 128;

/// Approximate size in bytes of the tiles that are multiplied together: more would exceed the cache.
const TILES: usize = 36 * 25 * 2 * 128 * 4;

/// Minimum number of channels for convolutions by Winograd's filtering.
const LEAST: usize = 8;

/// Minimum number of channels for fewer bits in it: with fewer channels, the transforms take most of the time.
const WIDE: usize = 48;

/// A layer with the buffers of its arguments and of its result.
#[derive(Clone)]
struct LayerCall {
    kind: BoundLayer,
    from: Vec<(usize, Size)>,
    to: usize,
    size: Size,
    /// Whether it runs on all units at once.
    is_late: bool,
    /// Whether its result is read by layers that run on all units at once.
    crosses: bool,
}

/// An output: its buffer and the row and column of each number of a unit.
#[derive(Clone)]
pub struct Output {
    buffer: usize,
    rows: usize,
    places: Vec<[usize; 2]>,
    is_late: bool,
}

/// The program of a file.
#[derive(Clone)]
pub struct OnnxProgram {
    works: Vec<LayerCall>,
    buffers: Vec<Rows>,
    spectra: Spectra,
    /// Units of a group.
    group: usize,
    /// Logits and values.
    outputs: [Output; 2],
    together: usize,
}

impl OnnxProgram {
    /// Binds the layers of a file in a number format.
    pub fn new(lowered: &Lowered, numbers: NumberFormat) -> OnnxProgram {
        let Lowered { layers, logits, value, together, .. } = lowered;
        let mut binder = Binder::new(layers, [logits, value], *together, numbers);
        for at in 0..layers.len() {
            binder.layer(at);
        }
        binder.program([logits, value])
    }

    /// Positions of a unit.
    pub fn together(&self) -> usize {
        self.together
    }

    /// Runs on images `[unit][position][channel][row][column]`, at most [`UNITS`] units; calls `write` with the number of the
    /// output, the unit, and all numbers of the unit.
    #[inline(always)]
    pub fn run<V: Vector>(
        &mut self,
        images: &[f32],
        unit: usize,
        mut write: impl FnMut(usize, usize, &mut dyn Iterator<Item = f32>),
    ) {
        let units = images.len() / unit;
        for (at, images) in images.chunks(self.group * unit).enumerate() {
            let (count, first) = (images.len() / unit, at * self.group);
            self.pass::<V>(Units { images, count }, first, false);
            self.write(first, count, false, &mut write);
        }
        self.pass::<V>(Units { images: &[], count: units }, 0, true);
        self.write(0, units, true, &mut write);
    }

    #[inline(always)]
    fn pass<V: Vector>(&mut self, units: Units<'_>, first: usize, is_late: bool) {
        let OnnxProgram { works, buffers, spectra, .. } = self;
        for LayerCall { kind, from, to, size, crosses, .. } in works.iter_mut().filter(|work| work.is_late == is_late) {
            // The result's buffer is taken out, so that the arguments' can be read meanwhile.
            let mut into = std::mem::replace(&mut buffers[*to], Rows::new(0));
            let arguments: Vec<(&Rows, Size)> = from.iter().map(|&(buffer, size)| (&buffers[buffer], size)).collect();
            let first = if *crosses { first } else { 0 };
            kind.compute::<V>(&arguments, (&mut into, *size), units, first, spectra);
            buffers[*to] = into;
        }
    }

    /// Writes the outputs of some units; those of layers that run on a group lie in its first rows.
    fn write(
        &self,
        first: usize,
        units: usize,
        is_late: bool,
        write: &mut impl FnMut(usize, usize, &mut dyn Iterator<Item = f32>),
    ) {
        for (number, output) in self.outputs.iter().enumerate().filter(|(_, output)| output.is_late == is_late) {
            for unit in 0..units {
                let rows = &self.buffers[output.buffer];
                let mut numbers =
                    output.places.iter().map(|&[row, column]| rows.numbers(unit * output.rows + row)[column]);
                write(number, first + unit, &mut numbers);
            }
        }
    }
}

/// The construction of a program.
struct Binder<'a> {
    layers: &'a [PlacedLayer],
    together: usize,
    numbers: NumberFormat,
    /// The layers of the outputs.
    heads: [usize; 2],
    /// The last reader of each layer; `None` if nothing needs it.
    last: Vec<Option<usize>>,
    is_late: Vec<bool>,
    /// The buffer of each layer, and the one that layers on all units read.
    placed: Vec<Option<usize>>,
    crossed: Vec<Option<usize>>,
    /// Slots, width, whether layers on all units use it, and whether it holds a value that is still read.
    buffers: Vec<(usize, usize, bool, bool)>,
    works: Vec<LayerCall>,
}

impl<'a> Binder<'a> {
    fn new(layers: &'a [PlacedLayer], heads: [&Live; 2], together: usize, numbers: NumberFormat) -> Binder<'a> {
        let heads = heads.map(|live| live.layer);
        let mut last = vec![None; layers.len()];
        heads.iter().for_each(|&head| last[head] = Some(layers.len()));
        for at in (0..layers.len()).rev().collect::<Vec<_>>() {
            if last[at].is_some() {
                layers[at].from.iter().for_each(|&from| last[from] = last[from].max(Some(at)));
            }
        }
        let is_late = late(layers, &last, together);
        let (trunk, count) = (trunk_width(layers, heads, together), layers.len());
        let (placed, crossed) = (vec![None; count], vec![None; count]);
        Binder {
            layers,
            together,
            numbers: numbers.of_width(trunk),
            heads,
            last,
            is_late,
            placed,
            crossed,
            buffers: Vec::new(),
            works: Vec::new(),
        }
    }

    /// A free buffer of this kind, or a new one.
    fn take(&mut self, slots: usize, width: usize, is_late: bool) -> usize {
        let free = self.buffers.iter().position(|&buffer| buffer == (slots, width, is_late, false));
        let buffer = free.unwrap_or_else(|| self.add(slots, width, is_late));
        self.buffers[buffer].3 = true;
        buffer
    }

    /// A new buffer. Those that cross are never shared: all groups write them before any layer on all units reads.
    fn add(&mut self, slots: usize, width: usize, is_late: bool) -> usize {
        self.buffers.push((slots, width, is_late, true));
        self.buffers.len() - 1
    }

    fn size(&self, at: usize) -> Size {
        Size { rows: self.layers[at].rows, width: self.layers[at].width }
    }

    fn layer(&mut self, at: usize) {
        let Some(last) = self.last[at] else { return };
        let PlacedLayer { from, rows, width, .. } = &self.layers[at];
        let is_late = self.is_late[at];
        let from: Vec<(usize, Size)> =
            from.iter().map(|&from| (self.argument(from, is_late), self.size(from))).collect();
        let (kind, slots) = self.kind(at);
        // A movement that only layers on all units read writes to their buffer at once.
        let readers: Vec<usize> = (at + 1..self.layers.len())
            .filter(|&reader| self.last[reader].is_some() && self.layers[reader].from.contains(&at))
            .collect();
        let crosses = !is_late
            && last < self.layers.len()
            && matches!(kind, BoundLayer::Move(..))
            && readers.iter().all(|&reader| self.is_late[reader]);
        let to = if crosses { self.add(slots, *width, true) } else { self.take(slots, *width, is_late) };
        self.placed[at] = Some(to);
        if is_late || crosses {
            self.crossed[at] = Some(to);
        }
        self.works.push(LayerCall { kind, from, to, size: Size { rows: *rows, width: *width }, is_late, crosses });
        self.release(at);
    }

    /// The buffer of an argument. Layers on all units read a copy of the results of groups.
    fn argument(&mut self, at: usize, is_late: bool) -> usize {
        let own = self.placed[at].expect("arguments are computed before");
        if !is_late {
            return own;
        }
        if let Some(crossed) = self.crossed[at] {
            return crossed;
        }
        let (size, slots) = (self.size(at), self.buffers[own].0);
        let to = self.add(slots, size.width, true);
        let copied =
            |row: usize| RowRun { argument: 0, from: [row as u32, 0], to: [row as u32, 0], count: size.width as u32 };
        let kind = BoundLayer::Move((0..size.rows).map(copied).collect(), None);
        self.works.push(LayerCall { kind, from: vec![(own, size)], to, size, is_late: false, crosses: true });
        self.crossed[at] = Some(to);
        to
    }

    /// Frees the buffers of results that layer `at` was the last to read.
    fn release(&mut self, at: usize) {
        for &from in &self.layers[at].from {
            let crosses = !self.is_late[from] && self.crossed[from] == self.placed[from];
            if let Some(buffer) = self.placed[from].filter(|_| self.last[from] == Some(at) && !crosses) {
                self.buffers[buffer].3 = false;
            }
        }
    }

    /// The format of a product: that of outputs and of few inputs is `f32`.
    fn format(&self, at: usize, inputs: usize) -> NumberFormat {
        if self.heads.contains(&at) { NumberFormat::F32 } else { self.numbers.of_width(inputs) }
    }

    /// The kind of work of a layer, and the slots of its result.
    fn kind(&self, at: usize) -> (BoundLayer, usize) {
        let PlacedLayer { layer, from, rows, width } = &self.layers[at];
        let slots = width.div_ceil(LANES);
        let inputs = from.first().map_or(0, |&from| self.layers[from].width);
        let kind = match layer {
            OnnxLayer::Input => BoundLayer::Input { sites: rows / self.together },
            OnnxLayer::Fixed(numbers) => BoundLayer::Fixed(numbers.clone()),
            OnnxLayer::Product { dense, relu } => {
                let matrix = FormatMatrix::tight(self.format(at, inputs), &dense.weights, &dense.bias);
                let slots = matrix.slots();
                return (BoundLayer::Product(matrix, *relu), slots);
            }
            OnnxLayer::Convolution { dense, field, relu }
                if field.is_around && (LEAST..=Winograd::CHANNELS).contains(&inputs) =>
            {
                let numbers = if inputs < WIDE { NumberFormat::F32 } else { self.format(at, inputs) };
                let layer = Winograd::new(numbers, field.image, &dense.weights, &dense.bias);
                let layer = if *relu { layer } else { layer.without_relu() };
                let slots = layer.slots();
                return (BoundLayer::Winograd(layer, rows / field.outputs), slots);
            }
            OnnxLayer::Convolution { dense, field, relu } => {
                let layer = Patches::new(self.format(at, inputs), dense, field, inputs);
                let slots = layer.slots();
                return (BoundLayer::Patches(layer, *relu), slots);
            }
            OnnxLayer::Scale { factor, offset, relu } => BoundLayer::Scale(factor.clone(), offset.clone(), *relu),
            OnnxLayer::Pair { pairwise, relu } => BoundLayer::Pair(*pairwise, *relu),
            OnnxLayer::Map(function) => BoundLayer::Map(*function),
            OnnxLayer::Move { runs, fill } => {
                let moved: usize = runs.iter().map(|run| run.count as usize).sum();
                BoundLayer::Move(runs.clone(), (moved < rows * width).then_some(*fill))
            }
            OnnxLayer::Reduce(reduction) => BoundLayer::Reduce(*reduction),
            OnnxLayer::Softmax { log } => BoundLayer::Softmax(*log),
            OnnxLayer::Standardise { epsilon } => BoundLayer::Standardise(*epsilon),
            OnnxLayer::Pool { field, is_max, counts_padding } => {
                BoundLayer::Pool(field.clone(), *is_max, *counts_padding)
            }
            OnnxLayer::Multiply { batches, inner } => BoundLayer::Multiply(*batches, *inner),
        };
        (kind, slots)
    }

    fn program(self, heads: [&Live; 2]) -> OnnxProgram {
        let output = |live: &Live| {
            let PlacedLayer { rows, width, .. } = self.layers[live.layer];
            let places = live.index.iter().map(|&at| [at as usize / width, at as usize % width]).collect();
            Output {
                buffer: self.placed[live.layer].expect("outputs are computed"),
                rows,
                places,
                is_late: self.is_late[live.layer],
            }
        };
        let buffers = self.buffers.iter().map(|&(slots, ..)| Rows::new(slots)).collect();
        OnnxProgram {
            outputs: heads.map(output),
            group: group(&self.works),
            works: self.works,
            buffers,
            spectra: Spectra::new(),
            together: self.together,
        }
    }
}

/// Whether each layer runs on all units at once: from the first product with one row a position on, if no product over
/// places follows.
fn late(layers: &[PlacedLayer], last: &[Option<usize>], together: usize) -> Vec<bool> {
    let (mut is_last, mut is_late) = (vec![true; layers.len()], vec![false; layers.len()]);
    for (at, placed) in layers.iter().enumerate().rev().filter(|(at, _)| last[*at].is_some()) {
        let is_over_places = is_product(&placed.layer) && placed.rows > together;
        if is_over_places || !is_last[at] {
            placed.from.iter().for_each(|&from| is_last[from] = false);
        }
    }
    for (at, placed) in layers.iter().enumerate() {
        let is_wide = matches!(placed.layer, OnnxLayer::Product { .. }) && placed.rows == together;
        is_late[at] = is_last[at] && (is_wide || placed.from.iter().any(|&from| is_late[from]));
    }
    is_late
}

fn is_product(layer: &OnnxLayer) -> bool {
    matches!(layer, OnnxLayer::Product { .. } | OnnxLayer::Convolution { .. })
}

/// The largest number of outputs of a product over places.
fn trunk_width(layers: &[PlacedLayer], heads: [usize; 2], together: usize) -> usize {
    let trunk = layers
        .iter()
        .enumerate()
        .filter(|(at, placed)| is_product(&placed.layer) && placed.rows > together && !heads.contains(at));
    trunk.map(|(_, placed)| placed.width).max().unwrap_or(0)
}

/// Units of a group: as many as stay in the cache.
fn group(works: &[LayerCall]) -> usize {
    let of = |work: &LayerCall| match &work.kind {
        BoundLayer::Winograd(layer, images) => TILES / (layer.tiles() * layer.tile_bytes() * images),
        BoundLayer::Patches(..) => PATCHES / work.size.rows,
        _ => UNITS,
    };
    let has_tiles = works.iter().any(|work| matches!(work.kind, BoundLayer::Winograd(..)));
    let is_first = |work: &&LayerCall| has_tiles && matches!(work.kind, BoundLayer::Patches(..));
    works.iter().filter(|work| !is_first(work)).map(of).min().unwrap_or(UNITS).max(1)
}
