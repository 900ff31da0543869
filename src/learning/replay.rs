//! The replay window: the examples of the last iterations, and batches drawn from them.
//!
//! Ben-Assayag and El-Yaniv 2021, appendix D: "examples from 20 iterations of selfplay". Older iterations are dropped
//! whole. It knows no game; boards come in as topologies, for their symmetries.
//!
//! Examples are kept packed, and unpacked when they are drawn. The memory of a whole window is taken with its first
//! iteration, so that a training that has begun does not end because its window fills up.

use std::collections::VecDeque;

use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ExampleSegment, Examples, PackedExamples};
use crate::base::Rng;
use crate::encoders::Topology;

/// Which symmetries of its board an example is seen through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Symmetries {
    /// As it was played alone.
    #[default]
    None,
    /// One at random, each time anew.
    Random,
    /// Each of them is an example of its own: eight times as many on a square.
    All,
}

/// The examples of the last iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    window: usize,
    iterations: VecDeque<ExampleSegment>,
    /// The memory of the iterations to come, each as much as the first one took.
    room: Vec<Vec<u8>>,
}

impl Replay {
    /// An empty window of so many iterations.
    #[must_use]
    pub fn new(window: usize) -> Replay {
        Replay { window, iterations: VecDeque::new(), room: Vec::new() }
    }

    /// Adds an iteration; the oldest one falls out of a full window, and leaves its memory to the next one.
    pub fn push(&mut self, examples: &PackedExamples) {
        if self.iterations.is_empty() {
            // Written to, because memory that never was is only reserved.
            self.room = vec![vec![1; examples.size()]; self.window];
        }
        let oldest = if self.iterations.len() == self.window { self.iterations.pop_front() } else { None };
        let room = oldest.map_or_else(|| self.room.pop().unwrap_or_default(), ExampleSegment::into_room);
        self.iterations.push_back(examples.freeze(room));
    }

    /// Adds an iteration out of a checkpoint.
    pub fn restore(&mut self, examples: ExampleSegment) {
        if self.iterations.is_empty() {
            self.room = vec![vec![1; examples.segment().bytes().len()]; self.window];
        }
        self.room.pop();
        self.iterations.push_back(examples);
    }

    /// Number of iterations that it holds at most.
    #[must_use]
    pub fn window(&self) -> usize {
        self.window
    }

    /// The iterations in the window, oldest first.
    pub fn iterations(&self) -> impl ExactSizeIterator<Item = &ExampleSegment> {
        self.iterations.iter()
    }

    /// Number of examples in the window.
    #[must_use]
    pub fn len(&self) -> usize {
        self.iterations.iter().map(ExampleSegment::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The iteration and index of example `at` of the window.
    fn locate(&self, mut at: usize) -> (&ExampleSegment, usize) {
        for examples in &self.iterations {
            if at < examples.len() {
                return (examples, at);
            }
            at -= examples.len();
        }
        unreachable!("the index lies within the window")
    }
}

/// Draws batches from a window: every example once, in random order, and then again.
pub struct Sampler<'a> {
    replay: &'a Replay,
    boards: &'a [&'a Topology],
    symmetries: Symmetries,
    /// Example and symmetry.
    order: Vec<(u32, u8)>,
    next: usize,
    /// One example, unpacked.
    unpacked: Option<Examples>,
}

impl<'a> Sampler<'a> {
    /// A sampler over a window of positions on these boards, or over its `latest` examples, each symmetry counted.
    #[must_use]
    pub fn new(
        replay: &'a Replay,
        boards: &'a [&'a Topology],
        symmetries: Symmetries,
        latest: Option<usize>,
    ) -> Sampler<'a> {
        let mut sampler = Sampler { replay, boards, symmetries, order: Vec::new(), next: 0, unpacked: None };
        let mut at = 0;
        for examples in &replay.iterations {
            for index in 0..examples.len() {
                let count = if symmetries == Symmetries::All { sampler.maps(examples, index).len() } else { 1 };
                sampler.order.extend((0..count).map(|symmetry| (at, symmetry as u8)));
                at += 1;
            }
        }
        let old = latest.map_or(0, |latest| sampler.order.len().saturating_sub(latest));
        sampler.order.drain(..old);
        sampler.next = sampler.order.len();
        sampler
    }

    /// Number of examples, each symmetry counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Replaces `batch` by the next `count` examples, shuffling whenever all have been drawn.
    pub fn draw(&mut self, count: usize, batch: &mut Examples, rng: &mut Rng) {
        batch.clear();
        for _ in 0..count.min(self.len()) {
            if self.next == self.order.len() {
                self.order.shuffle(rng);
                self.next = 0;
            }
            let (at, symmetry) = self.order[self.next];
            self.next += 1;
            let (examples, index) = self.replay.locate(at as usize);
            let maps = self.maps(examples, index);
            let map = match self.symmetries {
                Symmetries::None => None,
                Symmetries::Random => Some(&maps[rng.random_range(0..maps.len())]),
                Symmetries::All => Some(&maps[usize::from(symmetry)]),
            };
            let unpacked = self.unpacked.get_or_insert_with(|| Examples::new(batch.batch().dims()));
            unpacked.clear();
            examples.unpack(index, unpacked);
            batch.append(unpacked, 0, map.map(Vec::as_slice));
        }
    }

    fn maps(&self, examples: &ExampleSegment, index: usize) -> &'a [Vec<u32>] {
        let sites = examples.sites(index);
        let board = self.boards.iter().find(|board| board.sites() == sites);
        board.expect("examples lie on the boards of their training").symmetries()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Seed;
    use crate::encoders::{Batch, Dims, Planes};

    const DIMS: Dims = Dims::Planes { channels: 1, rows: 3, columns: 3, actions: 9 };

    /// So many examples, told apart by their values.
    fn iteration(values: std::ops::Range<u32>) -> PackedExamples {
        let mut positions = Planes::new(1, 3, 3, 9);
        positions.push(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        let (mut examples, positions) = (PackedExamples::new(DIMS), Batch::Planes(positions));
        values.for_each(|value| examples.push(&positions, 0, [(1, 1.0)], value as f32));
        examples
    }

    fn replay() -> Replay {
        let mut replay = Replay::new(2);
        [0..3, 3..8, 8..10].into_iter().for_each(|values| replay.push(&iteration(values)));
        replay
    }

    #[test]
    fn the_window_holds_the_last_iterations_whole() {
        let replay = replay();
        assert_eq!((replay.len(), replay.iterations().len()), (7, 2));
        let values: Vec<f32> =
            replay.iterations().flat_map(|examples| examples.unpacked().targets().values.clone()).collect();
        assert_eq!(values, [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    }

    #[test]
    fn every_example_is_drawn_once_before_any_is_drawn_twice() {
        let (replay, board) = (replay(), Topology::square(3));
        let (boards, mut rng) = ([&board], Seed::new(1).rng());
        let mut sampler = Sampler::new(&replay, &boards, Symmetries::None, None);
        let (mut batch, mut seen) = (Examples::new(DIMS), Vec::new());
        for _ in 0..7 {
            sampler.draw(2, &mut batch, &mut rng);
            seen.extend_from_slice(&batch.targets().values);
        }
        for round in seen.chunks_mut(7) {
            round.sort_by(f32::total_cmp);
            assert_eq!(round, [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        }
    }

    #[test]
    fn the_latest_examples_are_drawn_alone() {
        let (replay, board) = (replay(), Topology::square(3));
        let (boards, mut batch) = ([&board], Examples::new(DIMS));
        for (symmetries, latest, values) in [
            (Symmetries::None, 3, vec![7.0, 8.0, 9.0]),
            (Symmetries::All, 16, [[8.0; 8], [9.0; 8]].concat()),
            (Symmetries::None, 100, vec![3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]),
        ] {
            let mut sampler = Sampler::new(&replay, &boards, symmetries, Some(latest));
            sampler.draw(sampler.len(), &mut batch, &mut Seed::new(1).rng());
            let mut drawn = batch.targets().values.clone();
            drawn.sort_by(f32::total_cmp);
            assert_eq!(drawn, values);
        }
    }

    #[test]
    fn symmetries_multiply_or_vary_the_examples() {
        let (replay, board) = (replay(), Topology::square(3));
        let (boards, mut rng) = ([&board], Seed::new(1).rng());
        let mut batch = Examples::new(DIMS);
        let mut all = Sampler::new(&replay, &boards, Symmetries::All, None);
        assert_eq!(all.len(), 56);
        all.draw(56, &mut batch, &mut rng);
        // The action on the top edge goes to each of the four edges twice an example.
        let count = |batch: &Examples, site: usize| batch.targets().policy.chunks(9).filter(|p| p[site] == 1.0).count();
        assert_eq!([1, 3, 5, 7].map(|site| count(&batch, site)), [14; 4]);
        let Batch::Planes(planes) = batch.batch() else { panic!("planes") };
        for (image, policy) in planes.values().chunks(9).zip(batch.targets().policy.chunks(9)) {
            assert_eq!(image.iter().position(|&x| x == 2.0), policy.iter().position(|&p| p == 1.0));
        }
        let mut random = Sampler::new(&replay, &boards, Symmetries::Random, None);
        random.draw(7, &mut batch, &mut rng);
        assert_eq!(random.len(), 7);
        assert!(count(&batch, 1) < 7);
    }
}
