//! The replay window: the examples of the last iterations, and batches drawn from them.
//!
//! Ben-Assayag and El-Yaniv 2021, appendix D: "examples from 20 iterations of selfplay". Older iterations are dropped
//! whole; or, in a window of frames (Rigaux and Kashima 2024, AlphaGateau), all are thinned out alike. Boards are
//! given as topologies, for their symmetries.
//!
//! Examples are stored packed, and unpacked when they are drawn. Memory grows with the window; a full window of
//! iterations reuses that of the oldest one.

use std::collections::VecDeque;

use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ExampleSegment, Examples, PackedExamples};
use gauntlet_games::base::Rng;
use gauntlet_nets::encoders::Topology;

/// The symmetries of its board that are applied to an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Symmetries {
    /// No symmetry.
    #[default]
    None,
    /// A random one, for each draw.
    Random,
    /// All of them, as examples of their own: eight times as many on a square.
    All,
}

/// The capacity of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// All examples of this number of iterations.
    Iterations(usize),
    /// This number of examples: all of the newest iteration, and a uniform sample of the others.
    Frames(usize),
}

/// The examples in the replay window.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    window: Window,
    iterations: VecDeque<KeptIteration>,
}

/// The examples of an iteration that are still in the window.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptIteration {
    examples: ExampleSegment,
    /// The indices of those examples, ascending; `None` for all.
    left: Option<Vec<u32>>,
}

impl Replay {
    /// An empty window.
    #[must_use]
    pub fn new(window: Window) -> Replay {
        Replay { window, iterations: VecDeque::new() }
    }

    /// Adds an iteration. A full window drops the oldest iteration and reuses its memory. A window of frames drops
    /// examples drawn by `rng`.
    pub fn push(&mut self, examples: &PackedExamples, rng: &mut Rng) {
        let room = match self.window {
            Window::Iterations(most) => {
                let oldest = if self.iterations.len() == most { self.iterations.pop_front() } else { None };
                oldest.map(|oldest| oldest.examples.into_room()).unwrap_or_default()
            }
            Window::Frames(most) => {
                self.thin(most.saturating_sub(examples.len()), rng);
                Vec::new()
            }
        };
        self.iterations.push_back(KeptIteration { examples: examples.freeze(room), left: None });
    }

    /// Keeps `most` examples, chosen uniformly. An iteration with less than half of its examples left is repacked.
    fn thin(&mut self, most: usize, rng: &mut Rng) {
        let (mut wanted, mut among) = (most.min(self.len()), self.len());
        if wanted == among {
            return;
        }
        for kept in &mut self.iterations {
            let mut is_kept = |_: &u32| {
                let is_kept = rng.random_range(0..among) < wanted;
                (wanted, among) = (wanted - usize::from(is_kept), among - 1);
                is_kept
            };
            let left: Vec<u32> = (0..kept.len()).map(|at| kept.index(at) as u32).filter(|at| is_kept(at)).collect();
            kept.keep(left);
        }
        self.iterations.retain(|kept| !kept.is_empty());
    }

    /// Adds an iteration from a checkpoint, or its remaining examples.
    pub fn restore(&mut self, examples: ExampleSegment, left: Option<Vec<u32>>) {
        let left = left.filter(|left| left.len() < examples.len());
        self.iterations.push_back(KeptIteration { examples, left });
    }

    /// The iterations in the window, oldest first.
    pub fn iterations(&self) -> impl ExactSizeIterator<Item = &KeptIteration> {
        self.iterations.iter()
    }

    /// Number of examples in the window.
    #[must_use]
    pub fn len(&self) -> usize {
        self.iterations.iter().map(KeptIteration::len).sum()
    }

    /// Whether the window is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The iteration and index of example `at` of the window.
    fn locate(&self, mut at: usize) -> (&ExampleSegment, usize) {
        for kept in &self.iterations {
            if at < kept.len() {
                return (&kept.examples, kept.index(at));
            }
            at -= kept.len();
        }
        unreachable!("the index lies within the window")
    }
}

impl KeptIteration {
    /// Number of remaining examples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.left.as_ref().map_or(self.examples.len(), Vec::len)
    }

    /// Whether no example remains.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All stored examples, including dropped ones.
    #[must_use]
    pub fn stored(&self) -> &ExampleSegment {
        &self.examples
    }

    /// Indices of the remaining examples among the stored ones, ascending; `None` for all.
    #[must_use]
    pub fn left(&self) -> Option<&[u32]> {
        self.left.as_deref()
    }

    /// The index of a remaining example among the stored ones.
    fn index(&self, at: usize) -> usize {
        self.left.as_ref().map_or(at, |left| left[at] as usize)
    }

    /// Drops all examples but these, given by their index among the stored ones.
    fn keep(&mut self, left: Vec<u32>) {
        if 2 * left.len() < self.examples.len() {
            (self.examples, self.left) = (self.examples.select(&left), None);
        } else if left.len() < self.len() {
            self.left = Some(left);
        }
    }
}

/// Draws batches from a window: every example once, in random order, then reshuffled.
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
        for kept in &replay.iterations {
            for index in (0..kept.len()).map(|at| kept.index(at)) {
                let count = if symmetries == Symmetries::All { sampler.maps(&kept.examples, index).len() } else { 1 };
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

    /// Whether there are no examples.
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
            let map = match self.symmetries {
                Symmetries::None => None,
                Symmetries::Random => {
                    let maps = self.maps(examples, index);
                    Some(&maps[rng.random_range(0..maps.len())])
                }
                Symmetries::All => Some(&self.maps(examples, index)[usize::from(symmetry)]),
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
    use gauntlet_games::base::Seed;
    use gauntlet_nets::encoders::{Batch, Dims, Planes};

    const DIMS: Dims = Dims::Planes { channels: 1, rows: 3, columns: 3, actions: 9 };

    /// One example for each value, which identifies it.
    fn iteration(values: std::ops::Range<u32>) -> PackedExamples {
        let mut positions = Planes::new(1, 3, 3, 9);
        positions.push(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        let (mut examples, positions) = (PackedExamples::new(DIMS), Batch::Planes(positions));
        values.for_each(|value| examples.push(&positions, 0, [(1, 1.0)], value as f32));
        examples
    }

    fn replay() -> Replay {
        let mut replay = Replay::new(Window::Iterations(2));
        [0..3, 3..8, 8..10].into_iter().for_each(|values| replay.push(&iteration(values), &mut Seed::new(1).rng()));
        replay
    }

    #[test]
    fn the_window_holds_the_last_iterations_whole() {
        let replay = replay();
        assert_eq!((replay.len(), replay.iterations().len()), (7, 2));
        assert_eq!(values(&replay), values_of(3..10));
    }

    /// A window may be larger than the memory of the machine, if the training ends before it is full.
    #[test]
    fn a_window_takes_the_memory_of_its_examples() {
        let mut replay = Replay::new(Window::Iterations(usize::MAX));
        [0..3, 3..8].into_iter().for_each(|values| replay.push(&iteration(values), &mut Seed::new(1).rng()));
        let mut restored = Replay::new(Window::Iterations(usize::MAX));
        replay.iterations().for_each(|kept| restored.restore(kept.stored().clone(), None));
        assert_eq!((values(&replay), &restored), (values_of(0..8), &replay));
    }

    /// The values of the examples in a window, ascending.
    fn values(replay: &Replay) -> Vec<f32> {
        let board = Topology::square(3);
        let boards = [&board];
        let mut sampler = Sampler::new(replay, &boards, Symmetries::None, None);
        let mut batch = Examples::new(DIMS);
        sampler.draw(replay.len(), &mut batch, &mut Seed::new(1).rng());
        let mut values = batch.targets().values.clone();
        values.sort_by(f32::total_cmp);
        values
    }

    fn values_of(range: std::ops::Range<u32>) -> Vec<f32> {
        range.map(|value| value as f32).collect()
    }

    /// Every window of 40 holds the newest 10 and 30 of the older ones; over many windows each of those has its share.
    #[test]
    fn a_window_of_frames_holds_the_newest_and_a_fair_sample_of_the_others() {
        const WINDOWS: usize = 2000;
        let mut counts = [0_usize; 100];
        for seed in 0..WINDOWS as u64 {
            let (mut replay, mut rng) = (Replay::new(Window::Frames(40)), Seed::new(seed).rng());
            for start in (0..100).step_by(10) {
                replay.push(&iteration(start..start + 10), &mut rng);
                assert_eq!(replay.len(), (start as usize + 10).min(40));
            }
            let found = values(&replay);
            assert!(found.is_sorted_by(|a, b| a < b) && found[30..] == values_of(90..100));
            found.iter().for_each(|&value| counts[value as usize] += 1);
            let stored = replay.iterations().map(|kept| kept.stored().len()).sum::<usize>();
            assert!(stored <= 80, "{stored} examples are stored for 40");
        }
        // An example of the previous iteration remains with probability 3/4, of the one before with 3/4 of that, ...
        for (age, start) in (0..90).step_by(10).rev().enumerate().take(6) {
            let share = 0.75_f64.powi(age as i32 + 1);
            let (mean, spread) = (WINDOWS as f64 * share, (WINDOWS as f64 * share * (1.0 - share)).sqrt());
            for count in &counts[start..start + 10] {
                assert!((*count as f64 - mean).abs() < 5.0 * spread, "{age}: {count} instead of {mean}");
            }
        }
        let mut small = Replay::new(Window::Frames(4));
        [0..3, 3..9].into_iter().for_each(|range| small.push(&iteration(range), &mut Seed::new(1).rng()));
        assert_eq!(values(&small), values_of(3..9), "the newest iteration is never cut");
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
