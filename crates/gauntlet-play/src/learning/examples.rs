//! Training examples, from self-play to optimisation: positions with targets of the network.
//!
//! Positions are stored encoded, so that they are encoded once, and can be mapped by the symmetries of their board.
//! Long-lived examples are packed ([`PackedExamples`](super::PackedExamples)).

use super::Targets;
use gauntlet_nets::encoders::{Batch, Dims};

/// Encoded positions and their targets, in the same order.
#[derive(Debug, Clone, PartialEq)]
pub struct Examples {
    batch: Batch,
    targets: Targets,
}

impl Examples {
    /// No examples, for positions of these dimensions.
    #[must_use]
    pub fn new(dims: Dims) -> Examples {
        Examples { batch: Batch::new(dims), targets: Targets::default() }
    }

    /// Number of examples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.batch.positions()
    }

    /// Whether there are no examples.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The positions.
    #[must_use]
    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Their targets.
    #[must_use]
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// The expected outcomes, to be overwritten once they are known.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.targets.values
    }

    /// Removes all examples and keeps the allocation.
    pub fn clear(&mut self) {
        self.batch.clear();
        let Targets { policy, legal, values, unknown } = &mut self.targets;
        policy.clear();
        legal.clear();
        values.clear();
        unknown.clear();
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
        self.batch.append(positions, index, None);
        self.push_targets(policy, Some(value));
    }

    /// Appends a position by the numbers of its sites: for graphs those of `board`, for images all planes. `None` if a
    /// slot does not exist.
    ///
    /// If the count of numbers does not match.
    /// Where there are more or fewer numbers.
    pub(super) fn push_numbers(
        &mut self,
        board: Option<(&Batch, usize)>,
        numbers: &[f32],
        policy: &[(usize, f32)],
        value: Option<f32>,
    ) -> Option<()> {
        let start = self.batch.logits();
        match &mut self.batch {
            Batch::Graphs(graphs) => {
                let (Batch::Graphs(boards), index) = board? else { return None };
                graphs.push(boards.graph(index), numbers.iter().copied());
            }
            Batch::Planes(planes) => planes.push(numbers),
            Batch::Moves(moves) => {
                let (Batch::Moves(boards), index) = board? else { return None };
                let legal: Vec<u32> = policy.iter().map(|(slot, _)| *slot as u32).collect();
                moves.push_columns(boards.graph(index), numbers, &legal)?;
            }
        }
        let slots = self.batch.logits() - start;
        policy.iter().all(|(slot, _)| *slot < slots).then(|| self.push_targets(policy.iter().copied(), value))
    }

    /// Appends the targets of the last position.
    fn push_targets(&mut self, policy: impl IntoIterator<Item = (usize, f32)>, value: Option<f32>) {
        let (start, end) = (self.targets.policy.len(), self.batch.logits());
        self.targets.policy.resize(end, 0.0);
        self.targets.legal.resize(end, false);
        for (slot, probability) in policy {
            self.targets.policy[start + slot] += probability;
            self.targets.legal[start + slot] = true;
        }
        self.push_value(value);
    }

    /// Appends an example of `other`, optionally mapped by a symmetry of its board: site `s` goes to `map[s]`.
    pub fn append(&mut self, other: &Examples, index: usize, map: Option<&[u32]>) {
        self.batch.append(&other.batch, index, map);
        let (span, start) = (other.batch.span(index), self.targets.policy.len());
        self.targets.policy.extend_from_slice(&other.targets.policy[span.clone()]);
        self.targets.legal.extend_from_slice(&other.targets.legal[span.clone()]);
        for (site, &image) in map.unwrap_or_default().iter().enumerate() {
            self.targets.policy[start + image as usize] = other.targets.policy[span.start + site];
            self.targets.legal[start + image as usize] = other.targets.legal[span.start + site];
        }
        let is_known = other.targets.unknown.binary_search(&(index as u32)).is_err();
        self.push_value(is_known.then_some(other.targets.values[index]));
    }

    /// Appends the expected outcome of the last position, if it is known.
    fn push_value(&mut self, value: Option<f32>) {
        if value.is_none() {
            self.targets.unknown.push(self.targets.values.len() as u32);
        }
        self.targets.values.push(value.unwrap_or_default());
    }

    /// Appends all examples of `others`.
    pub fn extend(&mut self, others: &Examples) {
        (0..others.len()).for_each(|index| self.append(others, index, None));
    }

    /// Sites of the board of an example.
    #[must_use]
    pub fn sites(&self, index: usize) -> usize {
        match &self.batch {
            Batch::Graphs(graphs) => graphs.graph(index).sites(),
            Batch::Planes(planes) => planes.rows() * planes.columns(),
            Batch::Moves(moves) => moves.graph(index).nodes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Action;
    use std::sync::Arc;

    use crate::learning::PackedExamples;
    use gauntlet_games::games::{Game, GameSpec};
    use gauntlet_nets::encoders::{EdgeFeatures, Encoder, Encoding as _, MoveEncoding, PlanesSpec};

    fn games() -> [Arc<dyn Game>; 2] {
        [4, 5].map(|size| toml::from_str::<GameSpec>(&format!("othello = {{ size = {size} }}")).unwrap().build())
    }

    /// For a graph of moves, the policy determines which edges are legal.
    #[test]
    fn packed_graphs_of_moves_are_what_they_were() {
        let chess =
            [5, 8].map(|size| toml::from_str::<GameSpec>(&format!("chess = {{ size = {size} }}")).unwrap().build());
        let mut encoder = MoveEncoding { edges: EdgeFeatures::Paper }.encoder(&chess);
        let mut batch = Batch::new(encoder.dims());
        let (mut plain, mut packed) = (Examples::new(encoder.dims()), PackedExamples::new(encoder.dims()));
        for game in &chess {
            let (position, mut legal, mut slots) = (game.start(), Vec::new(), Vec::new());
            position.actions(&mut legal);
            encoder.encode(&[&*position], &mut batch);
            encoder.slots(&*position, &legal, &mut slots);
            let policy: Vec<(usize, f32)> = slots.iter().map(|&slot| (slot as usize, (slot % 3) as f32)).collect();
            plain.push(&batch, 0, policy.iter().copied(), -1.0);
            packed.push(&batch, 0, policy, -1.0);
        }
        assert_eq!(packed.unpacked(), plain);
        assert!(packed.size() < 2 * 500, "{}", packed.size());
    }

    #[test]
    fn probabilities_of_actions_that_share_a_slot_add_up() {
        let game = &games()[0];
        let (mut encoder, start) = (PlanesSpec::default().build(&**game), game.start());
        let (mut examples, mut batch) = (Examples::new(encoder.dims()), Batch::new(encoder.dims()));
        encoder.encode(&[&*start], &mut batch);
        examples.push(&batch, 0, [(3, 0.25), (7, 0.5), (3, 0.25)], 1.0);
        let mut packed = PackedExamples::new(encoder.dims());
        packed.push(&batch, 0, [(3, 0.25), (7, 0.5), (3, 0.25)], 1.0);
        assert_eq!(packed.unpacked(), examples);
        let targets = examples.targets();
        assert!((0..17).all(|slot| targets.policy[slot] == if [3, 7].contains(&slot) { 0.5 } else { 0.0 }));
        assert!((0..17).all(|slot| targets.legal[slot] == [3, 7].contains(&slot)));
    }

    /// A symmetry of the board moves stones and actions alike: legal actions stay legal.
    #[test]
    fn seen_through_a_symmetry_the_targets_move_with_the_stones() {
        let game = &games()[1];
        let mut encoder = PlanesSpec::default().build(&**game);
        for map in game.topology().symmetries() {
            let start = game.start();
            let mut legal = Vec::new();
            start.actions(&mut legal);
            let turned = |action: Action| Action(map[action.index()]);
            let (mut one, mut other) = (game.start(), game.start());
            let mut also = Vec::new();
            other.actions(&mut also);
            let Some(&played) = legal.iter().find(|&&action| also.contains(&turned(action))) else { continue };
            one.play(played);
            other.play(turned(played));
            if !legal.iter().all(|&action| also.contains(&turned(action))) {
                continue; // This symmetry does not keep the starting position.
            }
            let mut image = |position: &dyn gauntlet_games::games::Position, by: &dyn Fn(usize) -> usize| {
                let (mut examples, mut batch) = (Examples::new(encoder.dims()), Batch::new(encoder.dims()));
                encoder.encode(&[position], &mut batch);
                let mut legal = Vec::new();
                position.actions(&mut legal);
                let policy = legal.iter().map(|action| (action.index(), by(action.index()) as f32));
                examples.push(&batch, 0, policy, 1.0);
                examples
            };
            let from = image(&*one, &|site| map.get(site).map_or(site, |&image| image as usize));
            let mut seen = Examples::new(from.batch().dims());
            seen.append(&from, 0, Some(map));
            assert_eq!(seen, image(&*other, &|site| site));
        }
    }
}
