//! The steps of inference, and their execution on a few positions.

use super::cells::Cell;
use super::patches::ConvLayer;
use super::site_rows::SiteRows;
use super::table::LayerTable;
use crate::encoders::{Graph, MoveGraphs};
use crate::nets::deep::dense::Scale;
use crate::nets::deep::layers::Places;
use crate::nets::kernels::{
    AlignedLanes, FormatMatrix, Rows, Spectra, Vector, Vectorized, Winograd, add, add_relu, aggregate, norm_relu,
    offset_relu, pool, relu, scale_relu,
};

/// One step over the rows of some buffers.
#[derive(Clone)]
pub enum Step {
    /// The input as rows.
    Input { to: Cell },
    /// A convolution of the images as they come, `[channel][site]`.
    Read { layer: ConvLayer, channels: usize, to: Cell },
    /// A convolution over patches.
    Patches { layer: ConvLayer, from: Cell, to: Cell },
    /// A convolution by Winograd's filtering.
    Winograd { layer: Winograd, from: Cell, to: Cell },
    /// A product with a matrix.
    Product { matrix: FormatMatrix, relu: bool, from: Cell, to: Cell },
    /// A factor and an offset for each feature, and a ReLU.
    Scale { norm: Scale, from: Cell, to: Cell },
    /// Layer norm and ReLU of rows of mean zero, in place.
    NormRelu { count: usize, gain: Vec<AlignedLanes>, bias: Vec<AlignedLanes>, to: Cell },
    /// A ReLU.
    Relu { from: Cell, to: Cell },
    /// Adds a value to another.
    Add { from: Cell, onto: Cell },
    /// Adds a value to another, and writes the ReLU of the sum.
    AddRelu { from: Cell, onto: Cell, to: Cell },
    /// The rows of a position as one.
    Flatten { from: Cell, to: Cell },
    /// Maxima and means over a position.
    Pool { from: Cell, to: Cell },
    /// The ReLU of the features and of maxima and means of the first of them.
    WithPools { pooled: usize, from: Cell, to: Cell },
    /// Sums over neighbours.
    Aggregate { own: f32, from: Cell, to: Cell },
    /// The first product of a network over graphs of moves.
    Embed { rows: SiteRows, to: Cell },
    /// An offset for each feature, and a ReLU, in place.
    OffsetRelu { bias: Vec<AlignedLanes>, to: Cell },
    /// The first layer of a graph network, from a table.
    Table { table: Box<LayerTable>, to: Cell },
}

/// A step with the places whose rows it computes.
#[derive(Clone)]
pub struct BoundStep {
    pub places: Places,
    pub step: Step,
}

/// The rows of a head.
#[derive(Clone)]
pub enum Head {
    /// A value of the network.
    Cell { cell: Cell, places: Places },
    /// The inner product of every node with some weights, and a bias.
    Dots { weights: Vec<AlignedLanes>, bias: f32, from: Cell },
    /// The inner product of some weights with the ReLU of the sum of both ends of every move, and a bias.
    Moves { weights: Vec<AlignedLanes>, bias: f32, senders: Cell, receivers: Cell },
}

/// A network's steps with their buffers.
#[derive(Clone)]
pub struct Program {
    /// Steps over sites or nodes, a few positions at a time.
    pub on_places: Vec<BoundStep>,
    /// Steps over whole positions, many at a time.
    pub on_boards: Vec<BoundStep>,
    pub rows: Vec<Rows>,
    pub spectra: Spectra,
    pub logits: Head,
    pub score: Head,
}

/// Some positions that are computed together.
#[derive(Clone, Copy)]
pub enum Group<'a> {
    /// Images `[board][channel][site]`; the results that have one row a position begin at row `first`.
    Images { images: &'a [f32], boards: usize, first: usize },
    /// Graphs with their first rows, the numbers of their nodes, and the number of rows.
    /// If they are graphs of moves, also these and the number of the first.
    Graphs { graphs: &'a [(&'a Graph, usize)], values: &'a [f32], rows: usize, moves: Option<(&'a MoveGraphs, usize)> },
}

impl Group<'_> {
    /// The rows of a value with these places.
    fn rows(&self, places: Places) -> usize {
        match (self, places) {
            (Group::Images { boards, .. }, Places::Grid { rows, columns }) => boards * rows * columns,
            (Group::Images { boards, .. }, _) => *boards,
            (Group::Graphs { graphs, .. }, Places::Board) => graphs.len(),
            (Group::Graphs { rows, .. }, _) => *rows,
        }
    }
}

/// Rows of one position in a value with these places.
fn area(places: Places) -> usize {
    if let Places::Grid { rows, columns } = places { rows * columns } else { 1 }
}

/// Runs steps on a group.
#[inline(always)]
pub fn run<V: Vector>(steps: &mut [BoundStep], rows: &mut [Rows], spectra: &mut Spectra, group: Group<'_>) {
    V::perform(&mut Run { steps, rows, spectra, group });
}

/// The arguments of [`run`].
struct Run<'a> {
    steps: &'a mut [BoundStep],
    rows: &'a mut [Rows],
    spectra: &'a mut Spectra,
    group: Group<'a>,
}

impl Vectorized for Run<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        for BoundStep { places, step } in self.steps.iter_mut() {
            let count = self.group.rows(*places);
            step.run::<V>(self.rows, self.spectra, (*places, count), self.group);
        }
    }
}

impl Step {
    /// The place of the result.
    pub fn to(&self) -> &Cell {
        match self {
            Step::Input { to }
            | Step::Read { to, .. }
            | Step::Patches { to, .. }
            | Step::Winograd { to, .. }
            | Step::Product { to, .. }
            | Step::Scale { to, .. }
            | Step::NormRelu { to, .. }
            | Step::Relu { to, .. }
            | Step::AddRelu { to, .. }
            | Step::Flatten { to, .. }
            | Step::Pool { to, .. }
            | Step::WithPools { to, .. }
            | Step::Aggregate { to, .. }
            | Step::Embed { to, .. }
            | Step::OffsetRelu { to, .. }
            | Step::Table { to, .. } => to,
            Step::Add { onto, .. } => onto,
        }
    }

    #[inline(always)]
    fn run<V: Vector>(
        &mut self,
        rows: &mut [Rows],
        spectra: &mut Spectra,
        (places, count): (Places, usize),
        group: Group<'_>,
    ) {
        // The result's buffer is taken out, so that the arguments' can be read meanwhile.
        let buffer = self.to().buffer;
        let mut into = std::mem::replace(&mut rows[buffer], Rows::new(0));
        into.reserve(count);
        self.compute::<V>(rows, &mut into, spectra, (places, count), group);
        rows[buffer] = into;
    }

    #[inline(always)]
    fn compute<V: Vector>(
        &mut self,
        rows: &mut [Rows],
        into: &mut Rows,
        spectra: &mut Spectra,
        (places, count): (Places, usize),
        group: Group<'_>,
    ) {
        let places = area(places);
        match (&*self, group) {
            (
                Step::Product { .. }
                | Step::Scale { .. }
                | Step::NormRelu { .. }
                | Step::Relu { .. }
                | Step::Add { .. }
                | Step::AddRelu { .. }
                | Step::OffsetRelu { .. },
                _,
            ) => self.on_rows::<V>(rows, into, count),
            (_, Group::Images { images, boards, first }) => {
                self.on_images::<V>(rows, into, spectra, (images, boards, first), (places, count));
            }
            (_, Group::Graphs { graphs, values, moves, .. }) => {
                self.on_graphs::<V>(rows, into, graphs, values, moves);
            }
        }
    }

    /// A step that treats every row alike.
    #[inline(always)]
    fn on_rows<V: Vector>(&mut self, rows: &mut [Rows], into: &mut Rows, count: usize) {
        match self {
            Step::Product { matrix, relu, from, to } => {
                matrix.multiply::<V>((&rows[from.buffer], from.at), count, (into, to.at), *relu);
            }
            Step::Scale { norm: [factor, offset], from, .. } => {
                for row in 0..count {
                    scale_relu::<V>(from.of(rows, row), factor, offset, into.row_mut(row));
                }
            }
            Step::NormRelu { count: features, gain, bias, to } => {
                for row in 0..count {
                    norm_relu::<V>(&mut into.row_mut(row)[to.at..to.at + gain.len()], *features, gain, bias);
                }
            }
            Step::Relu { from, .. } => {
                for row in 0..count {
                    relu::<V>(from.of(rows, row), into.row_mut(row));
                }
            }
            Step::Add { from, .. } => {
                for row in 0..count {
                    add::<V>(from.of(rows, row), into.row_mut(row));
                }
            }
            Step::AddRelu { from, onto, .. } => {
                let mut sums = std::mem::replace(&mut rows[onto.buffer], Rows::new(0));
                for row in 0..count {
                    add_relu::<V>(from.of(rows, row), sums.row_mut(row), into.row_mut(row));
                }
                rows[onto.buffer] = sums;
            }
            Step::OffsetRelu { bias, .. } => {
                for row in 0..count {
                    offset_relu::<V>(bias, &mut into.row_mut(row)[..bias.len()]);
                }
            }
            _ => unreachable!("it needs more than rows"),
        }
    }

    /// A step on images that fill `count` rows, `sites` each.
    #[inline(always)]
    fn on_images<V: Vector>(
        &mut self,
        rows: &[Rows],
        into: &mut Rows,
        spectra: &mut Spectra,
        (images, boards, first): (&[f32], usize, usize),
        (sites, count): (usize, usize),
    ) {
        match self {
            Step::Input { to } => input(images, sites, to.width(), into),
            Step::Read { layer, channels, .. } => {
                layer.read::<V>(images, *channels, into);
            }
            Step::Patches { layer, from, .. } => {
                layer.follow::<V>(&rows[from.buffer], boards, into);
            }
            Step::Winograd { layer, from, .. } => {
                layer.follow::<V>(&rows[from.buffer], boards, spectra, into);
            }
            Step::Flatten { from, .. } => {
                into.reserve(first + boards);
                flatten(&rows[from.buffer], from.width(), (boards, sites), (into, first));
            }
            Step::Pool { from, .. } => {
                into.reserve(first + boards);
                for board in 0..boards {
                    let into = into.numbers_mut(first + board);
                    pool::<V>(&rows[from.buffer], board * sites, sites, from.width(), into);
                }
            }
            Step::WithPools { pooled, from, .. } => {
                with_pools::<V>(&rows[from.buffer], from.width(), *pooled, (sites, count), into);
            }
            _ => unreachable!("images have no edges"),
        }
    }

    /// A step on graphs.
    #[inline(always)]
    fn on_graphs<V: Vector>(
        &mut self,
        rows: &[Rows],
        into: &mut Rows,
        graphs: &[(&Graph, usize)],
        values: &[f32],
        moves: Option<(&MoveGraphs, usize)>,
    ) {
        match self {
            Step::Input { to } => input(values, 1, to.width(), into),
            Step::Aggregate { own, from, to } => {
                for &(graph, row) in graphs {
                    aggregate::<V>(graph, *own, row, (&rows[from.buffer], from.at), into, to.slots());
                }
            }
            Step::Table { table, to } => {
                for &(graph, row) in graphs {
                    table.look_up::<V>(graph, &values[row..row + graph.nodes()], (into, row, to.at));
                }
            }
            Step::Embed { rows: layer, to } => {
                let (moves, first) = moves.expect("the network reads graphs of moves");
                for (index, &(graph, row)) in graphs.iter().enumerate() {
                    layer.write::<V>(moves, first + index, (&mut *into, row));
                    if graph.dummy() {
                        into.row_mut(row + graph.sites())[..to.slots()].fill(AlignedLanes::ZERO);
                    }
                }
            }
            _ => unreachable!("graphs have no rows and columns"),
        }
    }
}

/// Images `[board][channel][site]` as rows.
fn input(images: &[f32], sites: usize, channels: usize, into: &mut Rows) {
    for (board, image) in images.chunks_exact(channels * sites).enumerate() {
        for site in 0..sites {
            let numbers = into.numbers_mut(board * sites + site);
            numbers.iter_mut().zip(image[site..].iter().step_by(sites)).for_each(|(into, &number)| *into = number);
        }
    }
}

/// The rows of each of some positions as one row, from row `first` on.
fn flatten(from: &Rows, width: usize, (boards, sites): (usize, usize), (into, first): (&mut Rows, usize)) {
    for board in 0..boards {
        let parts = into.numbers_mut(first + board).chunks_exact_mut(width);
        for (site, part) in parts.take(sites).enumerate() {
            part.copy_from_slice(&from.numbers(board * sites + site)[..width]);
        }
    }
}

/// The ReLU of each row, and behind it that of maxima and means of its position's first `pooled` features.
#[inline(always)]
fn with_pools<V: Vector>(from: &Rows, width: usize, pooled: usize, (sites, rows): (usize, usize), into: &mut Rows) {
    let mut pools = vec![0.0; 2 * pooled];
    for row in 0..rows {
        if row % sites == 0 {
            // A maximum below 0 is 0 here, which equals its ReLU.
            pool::<V>(from, row, sites, pooled, &mut pools);
        }
        let (features, behind) = into.numbers_mut(row).split_at_mut(width);
        features.iter_mut().zip(from.numbers(row)).for_each(|(into, &number)| *into = number.max(0.0));
        behind.iter_mut().zip(&pools).for_each(|(into, &number)| *into = number.max(0.0));
    }
}
