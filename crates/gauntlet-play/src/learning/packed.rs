//! Losslessly compressed examples, for replay windows and their checkpoints.
//!
//! A position is packed by columns, one for each number of its sites (a plane of an image, a feature of a graph), each
//! in the shortest encoding of its numbers; a policy as the logit slots of its legal actions with their probabilities.
//! Unpacking yields the same [`Examples`], bit by bit. In chess, with 119 planes and 4672 slots, that is some 450
//! bytes instead of 54,000.
//!
//! This file does not decide which examples are kept or drawn.

mod column;

use std::sync::Arc;

use super::Examples;
use column::{read_count, take, write_count};
use gauntlet_games::base::Segment;
use gauntlet_nets::encoders::{Batch, Dims};

/// The bit pattern of an unknown outcome in the place of a value: a NaN that no arithmetic produces.
const UNKNOWN: u32 = 0x7fc0_c07f;

/// Examples, packed one by one.
#[derive(Debug, Clone, PartialEq)]
pub struct PackedExamples {
    /// A position of each board.
    boards: Batch,
    /// The expected outcomes.
    values: Vec<f32>,
    /// The end of each example in `bytes`.
    ends: Vec<u64>,
    bytes: Vec<u8>,
    /// The numbers of one column.
    column: Vec<f32>,
}

impl PackedExamples {
    /// No examples, for positions of these dimensions.
    #[must_use]
    pub fn new(dims: Dims) -> PackedExamples {
        let (values, ends, bytes) = (Vec::new(), Vec::new(), Vec::new());
        PackedExamples { boards: Batch::new(dims), values, ends, bytes, column: Vec::new() }
    }

    /// Number of examples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no examples.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The expected outcomes, to be overwritten once they are known.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// Marks all outcomes as unknown.
    pub fn forget_values(&mut self) {
        self.values.fill(f32::from_bits(UNKNOWN));
    }

    /// Appends position `index` of a batch with the probabilities of its legal actions by logit slot, and its value.
    /// Probabilities of actions that share a slot add up.
    pub fn push(
        &mut self,
        positions: &Batch,
        index: usize,
        policy: impl IntoIterator<Item = (usize, f32)>,
        value: f32,
    ) {
        let sites = sites_of(positions, index);
        learn_board(&mut self.boards, positions, index);
        write_count(sites, &mut self.bytes);
        self.push_numbers(positions, index, sites);
        self.push_policy(policy.into_iter().collect());
        self.ends.push(self.bytes.len() as u64);
        self.values.push(value);
    }

    /// The numbers of the sites, column by column.
    fn push_numbers(&mut self, positions: &Batch, index: usize, sites: usize) {
        let mut write = |column: &[f32]| column::write(column, &mut self.bytes);
        match positions {
            Batch::Graphs(graphs) => {
                let width = graphs.features();
                let numbers = &graphs.values()[graphs.span(index).start * width..][..sites * width];
                for feature in 0..width {
                    self.column.clear();
                    self.column.extend(numbers.iter().skip(feature).step_by(width));
                    write(&self.column);
                }
            }
            Batch::Planes(planes) => {
                let size = planes.channels() * sites;
                planes.values()[index * size..][..size].chunks_exact(sites).for_each(write);
            }
            Batch::Moves(moves) => {
                let bits = moves.bits(index);
                for bit in 0..moves.dims().bits {
                    self.column.clear();
                    self.column.extend(bits.iter().map(|bits| f32::from((bits >> bit & 1) as u8)));
                    write(&self.column);
                }
                for &scalar in moves.scalars(index) {
                    self.column.clear();
                    self.column.resize(sites, scalar);
                    write(&self.column);
                }
            }
        }
    }

    /// The logit slots of legal actions in ascending order, each as its distance to the previous one. An odd distance marks
    /// a slot with a probability, which follows. If actions share a slot, their probabilities add up in their order.
    fn push_policy(&mut self, mut policy: Vec<(usize, f32)>) {
        policy.sort_by_key(|(slot, _)| *slot);
        let each = policy.chunk_by(|one, other| one.0 == other.0);
        write_count(each.clone().count(), &mut self.bytes);
        let mut next = 0;
        for same in each {
            let probability = same.iter().fold(0.0, |sum, (_, probability)| sum + probability);
            let is_probable = probability.to_bits() != 0;
            write_count(2 * (same[0].0 - next) + usize::from(is_probable), &mut self.bytes);
            if is_probable {
                self.bytes.extend_from_slice(&probability.to_le_bytes());
            }
            next = same[0].0 + 1;
        }
    }

    /// Appends all examples of `others`.
    pub fn extend(&mut self, others: &PackedExamples) {
        let start = self.bytes.len() as u64;
        (0..others.boards.positions()).for_each(|index| learn_board(&mut self.boards, &others.boards, index));
        self.values.extend_from_slice(&others.values);
        self.ends.extend(others.ends.iter().map(|end| start + end));
        self.bytes.extend_from_slice(&others.bytes);
    }

    /// Bytes of all examples.
    #[must_use]
    pub fn size(&self) -> usize {
        (COUNT + self.len() * ENTRY) + self.bytes.len()
    }

    /// The immutable form, in the allocation of `room` if it is large enough.
    #[must_use]
    pub fn freeze(&self, mut room: Vec<u8>) -> ExampleSegment {
        room.clear();
        room.reserve_exact(self.size());
        room.extend_from_slice(&(self.len() as u64).to_le_bytes());
        room.extend(self.values.iter().flat_map(|value| value.to_le_bytes()));
        room.extend(self.ends.iter().flat_map(|end| end.to_le_bytes()));
        room.extend_from_slice(&self.bytes);
        let segment = Segment::new(room);
        ExampleSegment { boards: self.boards.clone(), len: self.len(), segment }
    }

    /// All examples, unpacked.
    #[must_use]
    pub fn unpacked(&self) -> Examples {
        self.freeze(Vec::new()).unpacked()
    }
}

/// Bytes of the number of examples, and of the value and the end of each, which precede the examples' bytes.
const COUNT: usize = 8;
const ENTRY: usize = 4 + 8;

/// Immutable packed examples: numbers and values are the bytes of a [`Segment`], which is also their form in a
/// checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct ExampleSegment {
    /// A position of each board.
    boards: Batch,
    len: usize,
    segment: Arc<Segment>,
}

impl ExampleSegment {
    /// Opens examples from a checkpoint, for positions on the boards of `boards`, one of each at least; `None` if the
    /// bytes are not complete examples of this encoding.
    #[must_use]
    pub fn open(segment: Arc<Segment>, boards: &Batch) -> Option<ExampleSegment> {
        let (count, rest) = segment.bytes().split_first_chunk::<COUNT>()?;
        let len = usize::try_from(u64::from_le_bytes(*count)).ok()?;
        let size = len.checked_mul(ENTRY).and_then(|entries| rest.len().checked_sub(entries))?;
        let opened = ExampleSegment { boards: boards.clone(), len, segment };
        let mut scratch = Examples::new(boards.dims());
        let is_whole = (0..len).all(|index| {
            scratch.clear();
            opened.ends(index).is_some_and(|(start, end)| start <= end && end <= size)
                && opened.read(index, &mut scratch).is_some()
        });
        (is_whole && opened.ends(len.wrapping_sub(1)).map_or(0, |(_, end)| end) == size).then_some(opened)
    }

    /// Number of examples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no examples.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The form in a checkpoint.
    #[must_use]
    pub fn segment(&self) -> &Arc<Segment> {
        &self.segment
    }

    /// Its allocation if it is not shared, else an empty one.
    #[must_use]
    pub fn into_room(self) -> Vec<u8> {
        Arc::into_inner(self.segment).map(Segment::into_bytes).unwrap_or_default()
    }

    /// Sites of the board of an example.
    ///
    /// # Panics
    /// If the example does not exist.
    #[must_use]
    pub fn sites(&self, index: usize) -> usize {
        self.example(index).and_then(|mut bytes| read_count(&mut bytes)).expect("examples are whole")
    }

    /// Appends an example, unpacked.
    ///
    /// # Panics
    /// If the example does not exist, or if the dimensions differ.
    pub fn unpack(&self, index: usize, into: &mut Examples) {
        self.read(index, into).expect("examples are whole");
    }

    /// Some of the examples, in this order.
    ///
    /// # Panics
    /// If an example does not exist.
    #[must_use]
    pub fn select(&self, chosen: &[u32]) -> ExampleSegment {
        let mut packed = PackedExamples { boards: self.boards.clone(), ..PackedExamples::new(self.boards.dims()) };
        for &index in chosen {
            packed.bytes.extend_from_slice(self.example(index as usize).expect("examples are whole"));
            packed.ends.push(packed.bytes.len() as u64);
            packed.values.push(self.stored_value(index as usize));
        }
        packed.freeze(Vec::new())
    }

    /// All examples, unpacked.
    #[must_use]
    pub fn unpacked(&self) -> Examples {
        let mut examples = Examples::new(self.boards.dims());
        (0..self.len).for_each(|index| self.unpack(index, &mut examples));
        examples
    }

    /// Start and end of an example among the bytes of all.
    fn ends(&self, index: usize) -> Option<(usize, usize)> {
        let ends = self.segment.bytes().get(COUNT + 4 * self.len..COUNT + ENTRY * self.len)?.as_chunks::<8>().0;
        let end = |index: usize| usize::try_from(u64::from_le_bytes(*ends.get(index)?)).ok();
        Some((index.checked_sub(1).map_or(Some(0), end)?, end(index)?))
    }

    fn example(&self, index: usize) -> Option<&[u8]> {
        let (start, end) = self.ends(index)?;
        self.segment.bytes()[COUNT + ENTRY * self.len..].get(start..end)
    }

    /// The expected outcome of an example, if it is known.
    fn value(&self, index: usize) -> Option<f32> {
        Some(self.stored_value(index)).filter(|value| value.to_bits() != UNKNOWN)
    }

    fn stored_value(&self, index: usize) -> f32 {
        f32::from_le_bytes(self.segment.bytes()[COUNT..].as_chunks::<4>().0[index])
    }

    fn read(&self, index: usize, into: &mut Examples) -> Option<()> {
        let (mut bytes, value) = (self.example(index)?, self.value(index));
        let sites = read_count(&mut bytes)?;
        let board = (0..self.boards.positions()).find(|&index| sites_of(&self.boards, index) == sites);
        let columns = match self.boards.dims() {
            Dims::Graphs { features } => board.map(|_| features)?,
            Dims::Planes { channels, rows, columns, .. } => (rows * columns == sites).then_some(channels)?,
            Dims::Moves(dims) => board.map(|_| dims.node())?,
        };
        let mut numbers = vec![0.0; columns * sites];
        for at in 0..columns {
            let (start, stride) = match self.boards.dims() {
                Dims::Graphs { features } => (at, features),
                Dims::Planes { .. } | Dims::Moves(_) => (at * sites, 1),
            };
            column::read(&mut bytes, sites, stride, &mut numbers[start..])?;
        }
        let policy = read_policy(&mut bytes)?;
        bytes.is_empty().then_some(())?;
        into.push_numbers(board.map(|board| (&self.boards, board)), &numbers, &policy, value)
    }
}

/// Sites of the board of a position.
fn sites_of(positions: &Batch, index: usize) -> usize {
    match positions {
        Batch::Graphs(graphs) => graphs.graph(index).sites(),
        Batch::Planes(planes) => planes.rows() * planes.columns(),
        Batch::Moves(moves) => moves.graph(index).nodes(),
    }
}

/// Adds the board of a position to the known ones, unless it is among them.
fn learn_board(boards: &mut Batch, positions: &Batch, index: usize) {
    let is_known = match (&*boards, positions) {
        (Batch::Graphs(boards), Batch::Graphs(graphs)) => boards.graphs().contains(graphs.graph(index)),
        (Batch::Moves(boards), Batch::Moves(moves)) => boards.graphs().contains(moves.graph(index)),
        _ => boards.positions() > 0,
    };
    if !is_known {
        boards.append(positions, index, None);
    }
}

fn read_policy(bytes: &mut &[u8]) -> Option<Vec<(usize, f32)>> {
    let (count, mut next) = (read_count(bytes)?, 0);
    let one = |_| {
        let step = read_count(bytes)?;
        let probability = if step % 2 == 0 { 0.0 } else { f32::from_le_bytes(take(bytes, 4)?.try_into().ok()?) };
        let slot = next + step / 2;
        next = slot + 1;
        Some((slot, probability))
    };
    // Capped by the number of bytes, whatever count a file states.
    (0..count).map(one).collect()
}

#[cfg(test)]
mod tests;
