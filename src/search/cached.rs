//! An evaluator with a cache: the same position is evaluated once, in whichever tree it turns up.
//!
//! Only [`Pure`] evaluators can be remembered, so that a cache saves time and changes no result: neither what a search
//! finds nor the [`EvaluationCost`] that is counted for it. Positions are told apart by [`Position::key`] and, where the evaluator
//! sees it, the action played last.
//!
//! [`Position::key`]: crate::games::Position::key
//! [`EvaluationCost`]: super::Work

use std::collections::HashMap;

use super::{EvaluationCost, Evaluations, Evaluator, Leaf, Pure, SearchError};
use crate::base::Action;
use crate::games::View;

/// A position's key and, where the evaluator sees it, the action played last.
type Key = (u128, Option<Action>);

/// Remembers the last answers of another evaluator.
pub struct Cached<E> {
    inner: E,
    capacity: usize,
    /// Answers are kept in two generations: when the young one is full, it becomes the old one, which is forgotten.
    young: CacheGeneration,
    old: CacheGeneration,
    hits: u64,
    misses: u64,
    view: View,
    fresh: Evaluations,
}

#[derive(Default)]
struct CacheGeneration {
    entries: HashMap<Key, CachedAnswer>,
    priors: Vec<f32>,
}

/// One answer: where its priors begin and how many there are, its value, and what it takes.
#[derive(Clone, Copy)]
struct CachedAnswer {
    start: usize,
    count: usize,
    value: f32,
    work: EvaluationCost,
}

/// Where the answer to a leaf comes from.
#[derive(Clone, Copy)]
enum AnswerSource {
    Known(Key),
    /// The n-th leaf of those that are asked now.
    Asked(usize),
}

impl<E: Pure> Cached<E> {
    /// Remembers between half of `capacity` answers and all of it.
    #[must_use]
    pub fn new(inner: E, capacity: usize) -> Cached<E> {
        let (young, old) = (CacheGeneration::default(), CacheGeneration::default());
        Cached { inner, capacity, young, old, hits: 0, misses: 0, view: View::new(), fresh: Evaluations::new() }
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

    /// Empties the cache, as has to be done when the inner evaluator changes.
    pub fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
    }

    fn key(&mut self, leaf: &Leaf<'_>) -> Key {
        let last = self.inner.sees_last().then(|| {
            leaf.position.view(&mut self.view);
            self.view.last
        });
        (leaf.position.key(), last.flatten())
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
            sources.push(match (self.knows(&key), now.get(&key)) {
                (true, _) => AnswerSource::Known(key),
                (false, Some(&at)) => AnswerSource::Asked(at),
                (false, None) => {
                    now.insert(key, asked.len());
                    keys.push(key);
                    asked.push(*leaf);
                    AnswerSource::Asked(asked.len() - 1)
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
        out.set_remembered(leaves.len() - keys.len());
        Ok(())
    }
}

impl<E: Pure> Pure for Cached<E> {
    fn sees_last(&self) -> bool {
        self.inner.sees_last()
    }
}

impl<E: Pure> Cached<E> {
    fn knows(&self, key: &Key) -> bool {
        self.young.entries.contains_key(key) || self.old.entries.contains_key(key)
    }

    fn answer(&self, index: usize, source: AnswerSource, out: &mut Evaluations) {
        let (priors, value, work) = match source {
            AnswerSource::Asked(at) => (self.fresh.priors(at), self.fresh.value(at), self.fresh.work(at)),
            AnswerSource::Known(key) => {
                let known = self.young.get(&key).or_else(|| self.old.get(&key));
                known.expect("nothing is forgotten before the batch is answered")
            }
        };
        out.priors_mut(index).copy_from_slice(priors);
        out.set_value(index, value);
        out.set_work(index, work);
    }

    fn remember(&mut self, key: Key, at: usize) {
        if self.young.entries.len() >= self.capacity / 2 {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        if self.capacity >= 2 {
            self.young.insert(key, &self.fresh, at);
        }
    }
}

impl CacheGeneration {
    fn get(&self, key: &Key) -> Option<(&[f32], f32, EvaluationCost)> {
        let &CachedAnswer { start, count, value, work } = self.entries.get(key)?;
        Some((&self.priors[start..start + count], value, work))
    }

    fn insert(&mut self, key: Key, answers: &Evaluations, at: usize) {
        let priors = answers.priors(at);
        let (start, count) = (self.priors.len(), priors.len());
        self.entries.insert(key, CachedAnswer { start, count, value: answers.value(at), work: answers.work(at) });
        self.priors.extend_from_slice(priors);
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.priors.clear();
    }
}
