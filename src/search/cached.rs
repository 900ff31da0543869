//! An evaluator that remembers: the same position is judged once, in whichever tree it turns up.
//!
//! Only [`Pure`] evaluators can be remembered, so that a cache saves work and changes no result. Positions are told
//! apart by a 128-bit hash of everything an evaluator may see: the view and the legal actions.

use std::collections::HashMap;

use super::{Evaluations, Evaluator, Leaf, Pure, SearchError};
use crate::base::Side;
use crate::games::View;

type Key = [u8; 16];

/// Remembers the last answers of another evaluator.
pub struct Cached<E> {
    inner: E,
    capacity: usize,
    /// Answers are kept in two generations: when the young one is full, it becomes the old one, which is forgotten.
    young: Generation,
    old: Generation,
    hits: u64,
    misses: u64,
    view: View,
    bytes: Vec<u8>,
    fresh: Evaluations,
}

#[derive(Default)]
struct Generation {
    /// Where an answer's priors begin, how many there are, and its value.
    entries: HashMap<Key, (usize, usize, f32)>,
    priors: Vec<f32>,
}

/// Where the answer to a leaf comes from.
#[derive(Clone, Copy)]
enum Source {
    Known(Key),
    /// The n-th leaf of those that are asked now.
    Asked(usize),
}

impl<E: Pure> Cached<E> {
    /// Remembers between half of `capacity` answers and all of it.
    #[must_use]
    pub fn new(inner: E, capacity: usize) -> Cached<E> {
        let (young, old) = (Generation::default(), Generation::default());
        let (view, bytes, fresh) = (View::new(), Vec::new(), Evaluations::new());
        Cached { inner, capacity, young, old, hits: 0, misses: 0, view, bytes, fresh }
    }

    /// Leaves that were answered without asking.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// Leaves that the inner evaluator was asked.
    #[must_use]
    pub fn misses(&self) -> u64 {
        self.misses
    }

    /// Answers in memory.
    #[must_use]
    pub fn len(&self) -> usize {
        self.young.entries.len() + self.old.entries.len()
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets everything, as whoever changes the inner evaluator must.
    pub fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
    }

    /// The evaluator that is asked.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    fn key(&mut self, leaf: &Leaf<'_>) -> Key {
        leaf.position.view(&mut self.view);
        let (view, bytes) = (&self.view, &mut self.bytes);
        bytes.clear();
        bytes.push(u8::from(view.side == Side::First));
        bytes.extend(view.last.map_or(u32::MAX, |action| action.0).to_le_bytes());
        for length in [view.pieces.len(), view.scalars.len()] {
            bytes.extend((length as u32).to_le_bytes());
        }
        bytes.extend(view.pieces.iter().map(|piece| piece.side().map_or(0, |side| 1 + 2 * piece.kind() + side as u8)));
        view.scalars.iter().for_each(|scalar| bytes.extend(scalar.to_le_bytes()));
        leaf.actions.iter().for_each(|action| bytes.extend(action.0.to_le_bytes()));
        let mut key = Key::default();
        blake3::Hasher::new().update(bytes).finalize_xof().fill(&mut key);
        key
    }
}

impl<E: Pure> Evaluator for Cached<E> {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        let mut asked: Vec<Leaf<'_>> = Vec::new();
        let mut keys: Vec<Key> = Vec::new();
        let mut now: HashMap<Key, usize> = HashMap::new();
        let mut sources = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let key = self.key(leaf);
            sources.push(match (self.find(&key), now.get(&key)) {
                (Some(_), _) => Source::Known(key),
                (None, Some(&at)) => Source::Asked(at),
                (None, None) => {
                    now.insert(key, asked.len());
                    keys.push(key);
                    asked.push(*leaf);
                    Source::Asked(asked.len() - 1)
                }
            });
        }
        self.misses += asked.len() as u64;
        self.hits += (leaves.len() - asked.len()) as u64;
        self.fresh.prepare(&asked);
        if !asked.is_empty() {
            self.inner.evaluate(&asked, &mut self.fresh)?;
        }
        for (index, source) in sources.into_iter().enumerate() {
            self.answer(index, source, out);
        }
        (0..keys.len()).for_each(|at| self.remember(keys[at], at));
        Ok(())
    }
}

impl<E: Pure> Pure for Cached<E> {}

impl<E: Pure> Cached<E> {
    fn find(&self, key: &Key) -> Option<(&[f32], f32)> {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    fn answer(&self, index: usize, source: Source, out: &mut Evaluations) {
        let (priors, value) = match source {
            Source::Asked(at) => (self.fresh.priors(at), self.fresh.value(at)),
            Source::Known(key) => self.find(&key).expect("nothing is forgotten before the batch is answered"),
        };
        out.priors_mut(index).copy_from_slice(priors);
        out.set_value(index, value);
    }

    fn remember(&mut self, key: Key, at: usize) {
        if self.young.entries.len() >= self.capacity / 2 {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        if self.capacity >= 2 {
            self.young.insert(key, self.fresh.priors(at), self.fresh.value(at));
        }
    }
}

impl Generation {
    fn get(&self, key: &Key) -> Option<(&[f32], f32)> {
        let &(start, count, value) = self.entries.get(key)?;
        Some((&self.priors[start..start + count], value))
    }

    fn insert(&mut self, key: Key, priors: &[f32], value: f32) {
        self.entries.insert(key, (self.priors.len(), priors.len(), value));
        self.priors.extend_from_slice(priors);
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.priors.clear();
    }
}
