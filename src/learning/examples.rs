//! Positions with what a network should have answered: what self-play makes and optimisation reads.
//!
//! Positions are kept encoded, so that they are encoded once, and can be seen through the symmetries of their board.
//! It decides neither how long examples are kept nor which are learned from.

use std::borrow::Cow;

use crate::encoders::{Batch, Dims};
use crate::nets::CheckpointError;
use crate::nets::deep::{Saved, read_tensors, write_tensors};

use super::Targets;

/// Encoded positions and their targets, in the same order.
#[derive(Debug, Clone, PartialEq)]
pub struct Examples {
    batch: Batch,
    targets: Targets,
}

/// Stands for the probability of an illegal action in a file.
const ILLEGAL: f32 = -1.0;

impl Examples {
    /// None yet, of positions encoded in this way.
    #[must_use]
    pub fn new(dims: Dims) -> Examples {
        Examples { batch: Batch::new(dims), targets: Targets::default() }
    }

    /// Number of examples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.batch.positions()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The positions.
    #[must_use]
    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// What they should be answered with.
    #[must_use]
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// The expected outcomes, to be overwritten once they are known.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.targets.values
    }

    /// Forgets all; the memory stays.
    pub fn clear(&mut self) {
        self.batch.clear();
        let Targets { policy, legal, values } = &mut self.targets;
        policy.clear();
        legal.clear();
        values.clear();
    }

    /// Appends position `index` of a batch with the probabilities of its legal actions, by slot, and its value. Those of
    /// actions that share a slot add up.
    pub fn push(
        &mut self,
        positions: &Batch,
        index: usize,
        policy: impl IntoIterator<Item = (usize, f32)>,
        value: f32,
    ) {
        self.batch.append(positions, index, None);
        let (start, end) = (self.targets.policy.len(), self.batch.logits());
        self.targets.policy.resize(end, 0.0);
        self.targets.legal.resize(end, false);
        for (slot, probability) in policy {
            self.targets.policy[start + slot] += probability;
            self.targets.legal[start + slot] = true;
        }
        self.targets.values.push(value);
    }

    /// Appends an example of others, perhaps seen through a symmetry of its board: site `s` goes to `map[s]`.
    pub fn append(&mut self, other: &Examples, index: usize, map: Option<&[u32]>) {
        self.batch.append(&other.batch, index, map);
        let (span, start) = (other.batch.span(index), self.targets.policy.len());
        self.targets.policy.extend_from_slice(&other.targets.policy[span.clone()]);
        self.targets.legal.extend_from_slice(&other.targets.legal[span.clone()]);
        for (site, &image) in map.unwrap_or_default().iter().enumerate() {
            self.targets.policy[start + image as usize] = other.targets.policy[span.start + site];
            self.targets.legal[start + image as usize] = other.targets.legal[span.start + site];
        }
        self.targets.values.push(other.targets.values[index]);
    }

    /// Replaces all by others; where the memory is too small, it grows by what is missing.
    pub fn copy(&mut self, others: &Examples) {
        self.clear();
        self.batch.reserve(&others.batch);
        let (Targets { policy, legal, values }, new) = (&mut self.targets, &others.targets);
        policy.reserve_exact(new.policy.len());
        legal.reserve_exact(new.legal.len());
        values.reserve_exact(new.values.len());
        self.extend(others);
    }

    /// Appends all examples of others.
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

    /// The encoded numbers of an example.
    fn numbers(&self, index: usize) -> Cow<'_, [f32]> {
        match &self.batch {
            Batch::Graphs(graphs) => {
                let start = graphs.span(index).start * graphs.features();
                graphs.values()[start..start + self.sites(index) * graphs.features()].into()
            }
            Batch::Planes(planes) => {
                let size = planes.channels() * self.sites(index);
                planes.values()[index * size..(index + 1) * size].into()
            }
            Batch::Moves(moves) => moves.packed(index).into(),
        }
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// Those of the format.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        let Targets { policy, legal, values } = &self.targets;
        let numbers = (0..self.len()).flat_map(|index| self.numbers(index).into_owned()).collect();
        let policy = policy.iter().zip(legal).map(|(&p, &legal)| if legal { p } else { ILLEGAL }).collect();
        let sites = (0..self.len()).map(|index| self.sites(index) as f32).collect();
        let parts = [("numbers", numbers), ("policy", policy), ("sites", sites), ("values", values.clone())];
        let saved = |(name, values): (&str, Vec<f32>)| Saved { name: name.into(), shape: vec![values.len()], values };
        write_tensors(&parts.map(saved), serde_json::json!(self.batch.dims()).to_string())
    }

    /// Reads what [`Examples::to_bytes`] wrote, of positions on the boards of these: one of each at least.
    ///
    /// # Errors
    /// Everything but whole examples, encoded in this way, on these boards.
    pub fn from_bytes(bytes: &[u8], boards: &Batch) -> Result<Examples, CheckpointError> {
        let dims = boards.dims();
        let (tensors, header) = read_tensors(bytes)?;
        let expected = serde_json::json!(dims).to_string();
        if header != expected {
            return Err(CheckpointError::Header("examples that are encoded in another way".to_owned()));
        }
        let part = |name: &str| {
            let found = tensors.iter().find(|tensor| tensor.name == name);
            found.map(|tensor| tensor.values.as_slice()).ok_or(CheckpointError::Tensors)
        };
        let (numbers, policy, sites, values) = (part("numbers")?, part("policy")?, part("sites")?, part("values")?);
        let batch = read_batch(boards, sites, numbers).ok_or(CheckpointError::Tensors)?;
        if batch.logits() != policy.len() || batch.positions() != values.len() {
            return Err(CheckpointError::Tensors);
        }
        let legal = policy.iter().map(|&p| p != ILLEGAL).collect();
        let policy = policy.iter().map(|&p| if p == ILLEGAL { 0.0 } else { p }).collect();
        Ok(Examples { batch, targets: Targets { policy, legal, values: values.to_vec() } })
    }
}

/// Positions of so many sites each from their numbers, on the boards of others; `None` where the two do not fit.
fn read_batch(boards: &Batch, sites: &[f32], mut numbers: &[f32]) -> Option<Batch> {
    let mut batch = Batch::new(boards.dims());
    for &sites in sites {
        let sites = sites as usize;
        let mut known = 0..boards.positions();
        let rest = match (&mut batch, boards) {
            (Batch::Graphs(into), Batch::Graphs(boards)) => {
                let graph = boards.graph(known.find(|&index| boards.graph(index).sites() == sites)?);
                let (position, rest) = numbers.split_at_checked(sites * into.features())?;
                into.push(graph, position.iter().copied());
                rest
            }
            (Batch::Planes(into), Batch::Planes(boards)) => {
                (!known.is_empty() && boards.rows() * boards.columns() == sites).then_some(())?;
                let (position, rest) = numbers.split_at_checked(sites * boards.channels())?;
                into.push(position);
                rest
            }
            (Batch::Moves(into), Batch::Moves(boards)) => {
                let graph = boards.graph(known.find(|&index| boards.graph(index).nodes() == sites)?);
                let (position, rest) = numbers.split_at_checked(into.packed_len(graph))?;
                into.push_packed(graph, position);
                rest
            }
            _ => return None,
        };
        numbers = rest;
    }
    numbers.is_empty().then_some(batch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Action;
    use crate::encoders::{EdgeFeatures, Encoder, Encoding as _, GraphEncoder, MoveEncoding, PlanesSpec};
    use crate::games::{Game, GameSpec};
    use std::sync::Arc;

    fn games() -> [Arc<dyn Game>; 2] {
        [4, 5].map(|size| toml::from_str::<GameSpec>(&format!("othello = {{ size = {size} }}")).unwrap().build())
    }

    /// The position after the first legal action, whose policy is the rank of each action.
    fn examples(encoder: &mut dyn Encoder, games: &[Arc<dyn Game>]) -> Examples {
        let (mut examples, mut batch) = (Examples::new(encoder.dims()), Batch::new(encoder.dims()));
        for game in games {
            let mut position = game.start();
            let mut legal = Vec::new();
            position.actions(&mut legal);
            position.play(legal[0]);
            legal.clear();
            position.actions(&mut legal);
            encoder.encode(&[&*position], &mut batch);
            let policy = legal.iter().enumerate().map(|(rank, action)| (action.index(), (rank + 1) as f32 / 6.0));
            examples.push(&batch, 0, policy, -1.0);
        }
        examples
    }

    #[test]
    fn a_file_gives_back_what_was_written() {
        let games = games();
        let chess =
            [5, 8].map(|size| toml::from_str::<GameSpec>(&format!("chess = {{ size = {size} }}")).unwrap().build());
        let graphs = examples(&mut GraphEncoder::new(games.iter().map(|game| game.topology())), &games);
        let planes = examples(&mut PlanesSpec::default().build(&*games[1]), &games[1..]);
        let moves = examples(&mut *MoveEncoding { edges: EdgeFeatures::Paper }.encoder(&chess), &chess);
        for examples in [graphs, planes, moves] {
            let (bytes, boards) = (examples.to_bytes().unwrap(), examples.batch());
            assert_eq!(Examples::from_bytes(&bytes, boards).unwrap(), examples);
            let none = Examples::new(boards.dims());
            assert!(Examples::from_bytes(&bytes, none.batch()).is_err());
            assert!(Examples::from_bytes(&bytes[..bytes.len() - 1], boards).is_err());
            assert_eq!(Examples::from_bytes(&none.to_bytes().unwrap(), boards).unwrap(), none);
        }
    }

    #[test]
    fn probabilities_of_actions_that_share_a_slot_add_up() {
        let game = &games()[0];
        let (mut encoder, start) = (PlanesSpec::default().build(&**game), game.start());
        let (mut examples, mut batch) = (Examples::new(encoder.dims()), Batch::new(encoder.dims()));
        encoder.encode(&[&*start], &mut batch);
        examples.push(&batch, 0, [(3, 0.25), (7, 0.5), (3, 0.25)], 1.0);
        let targets = examples.targets();
        assert!((0..17).all(|slot| targets.policy[slot] == if [3, 7].contains(&slot) { 0.5 } else { 0.0 }));
        assert!((0..17).all(|slot| targets.legal[slot] == [3, 7].contains(&slot)));
    }

    /// A symmetry of the board moves stones and actions alike: what was legal before is legal after.
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
            let mut image = |position: &dyn crate::games::Position, by: &dyn Fn(usize) -> usize| {
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
