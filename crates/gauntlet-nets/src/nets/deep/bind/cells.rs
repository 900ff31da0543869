//! Places of a network's values in buffers of rows.

use crate::encoders::LANES;
use crate::nets::NumberFormat;
use crate::nets::deep::dense::Dense;
use crate::nets::kernels::{AlignedLanes, FormatMatrix, Rows};

/// The place of a value: some slots of every row of a buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Number of the buffer.
    pub buffer: usize,
    /// The first slot.
    pub at: usize,
    /// Features and slots of each part, side by side.
    pub parts: Vec<[usize; 2]>,
}

impl Cell {
    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.parts.iter().map(|[_, slots]| slots).sum()
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.parts.iter().map(|[features, _]| features).sum()
    }

    /// The slots of a row.
    #[inline(always)]
    pub fn of<'a>(&self, rows: &'a [Rows], row: usize) -> &'a [AlignedLanes] {
        &rows[self.buffer].row(row)[self.at..self.at + self.slots()]
    }

    /// Packs a layer that reads `taps` such values side by side, in a number format.
    pub fn pack(&self, numbers: NumberFormat, dense: &Dense, taps: usize) -> FormatMatrix {
        let (inputs, whole) = (self.width(), self.slots() * LANES);
        if inputs == whole || (taps == 1 && self.parts.len() == 1) {
            return FormatMatrix::tight(numbers, &dense.weights, &dense.bias);
        }
        let mut weights = vec![0.0; dense.bias.len() * taps * whole];
        for (into, from) in weights.chunks_exact_mut(whole).zip(dense.weights.chunks_exact(inputs)) {
            let (mut read, mut write) = (0, 0);
            for [features, slots] in &self.parts {
                into[write..write + features].copy_from_slice(&from[read..read + features]);
                (read, write) = (read + features, write + slots * LANES);
            }
        }
        FormatMatrix::tight(numbers, &weights, &dense.bias)
    }
}

/// The buffers of a network.
#[derive(Debug, Clone, Default)]
pub struct Buffers {
    /// Slots of each buffer, and whether it holds a value that is still read.
    buffers: Vec<(usize, bool)>,
}

impl Buffers {
    /// A buffer of this many slots: one whose value is no longer read, or a new one.
    pub fn take(&mut self, slots: usize) -> usize {
        let free = self.buffers.iter().position(|&(size, taken)| size == slots && !taken);
        let buffer = free.unwrap_or_else(|| self.add(slots));
        self.buffers[buffer].1 = true;
        buffer
    }

    /// A new buffer of this many slots.
    pub fn add(&mut self, slots: usize) -> usize {
        self.buffers.push((slots, true));
        self.buffers.len() - 1
    }

    /// Frees a buffer.
    pub fn release(&mut self, buffer: usize) {
        self.buffers[buffer].1 = false;
    }

    /// The rows, none yet.
    pub fn rows(&self) -> Vec<Rows> {
        self.buffers.iter().map(|&(slots, _)| Rows::new(slots)).collect()
    }
}
