//! An evaluator with a cache: each position is evaluated once, whichever tree it occurs in.
//!
//! Only [`Pure`] evaluators can be cached. A cache therefore saves time and changes no result: neither the search
//! results nor the [`EvaluationCost`] that is counted. The key of an entry is the position's key and as much of its
//! history as the evaluator reads ([`Pure::lookback`]). Forks for other threads share one cache.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{EvaluationCost, Evaluations, Evaluator, Leaf, Pure, SearchError};
use gauntlet_games::games::{Lookback, Past};

/// The key of a position and of the history that the evaluator reads.
type Key = u128;

/// Caches the most recent answers of another evaluator.
pub struct Cached<E> {
    inner: E,
    /// The cache that this evaluator and its forks share. No thread holds its lock during an evaluation.
    memory: Arc<Mutex<CacheMemory>>,
    hits: u64,
    misses: u64,
    past: Past,
    fresh: Evaluations,
}

/// Answers are kept in two generations. When the young one is full, it becomes the old one, and the old one is
/// dropped.
#[derive(Default)]
struct CacheMemory {
    capacity: usize,
    young: CacheGeneration,
    old: CacheGeneration,
}

#[derive(Default)]
struct CacheGeneration {
    entries: HashMap<Key, CachedAnswer>,
    priors: Vec<f32>,
}

/// One answer: start and number of its priors, its value, and its cost.
#[derive(Clone, Copy)]
struct CachedAnswer {
    start: usize,
    count: usize,
    value: f32,
    work: EvaluationCost,
}

/// An answer read from the cache: priors, value, cost.
type KnownAnswer<'a> = (&'a [f32], f32, EvaluationCost);

impl<E: Pure> Cached<E> {
    /// A cache that holds between `capacity / 2` and `capacity` answers.
    #[must_use]
    pub fn new(inner: E, capacity: usize) -> Cached<E> {
        Cached::sharing(inner, Arc::new(Mutex::new(CacheMemory { capacity, ..CacheMemory::default() })))
    }

    fn sharing(inner: E, memory: Arc<Mutex<CacheMemory>>) -> Cached<E> {
        Cached { inner, memory, hits: 0, misses: 0, past: Past::new(), fresh: Evaluations::new() }
    }

    /// Number of leaves answered from the cache.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// Number of leaves passed to the inner evaluator.
    #[must_use]
    pub fn misses(&self) -> u64 {
        self.misses
    }

    /// Number of answers in the cache.
    #[must_use]
    pub fn len(&self) -> usize {
        let memory = self.memory();
        memory.young.entries.len() + memory.old.entries.len()
    }

    /// Whether the cache is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Empties the cache. Required when the inner evaluator changes.
    pub fn clear(&mut self) {
        let mut memory = self.memory();
        memory.young.clear();
        memory.old.clear();
    }

    fn memory(&self) -> MutexGuard<'_, CacheMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(&mut self, leaf: &Leaf<'_>) -> Key {
        leaf.position.key_with(self.inner.lookback(), &mut self.past)
    }

    /// Answers the leaves that are in the cache; returns the indices of the others.
    fn recall(&self, keys: &[Key], out: &mut Evaluations) -> Vec<usize> {
        let memory = self.memory();
        let is_unknown = |&leaf: &usize| memory.get(&keys[leaf]).map(|answer| write(answer, leaf, out)).is_none();
        (0..keys.len()).filter(is_unknown).collect()
    }
}

impl<E: Pure> Evaluator for Cached<E> {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        let keys: Vec<Key> = leaves.iter().map(|leaf| self.key(leaf)).collect();
        let unknown = self.recall(&keys, out);
        let (mut asked, mut asked_keys, mut places) = (Vec::new(), Vec::new(), HashMap::new());
        for &leaf in &unknown {
            places.entry(keys[leaf]).or_insert_with(|| {
                asked.push(leaves[leaf]);
                asked_keys.push(keys[leaf]);
                asked.len() - 1
            });
        }
        self.misses += asked.len() as u64;
        self.hits += (leaves.len() - asked.len()) as u64;
        self.fresh.prepare(&asked);
        if !asked.is_empty() {
            self.inner.evaluate(&asked, &mut self.fresh)?;
            let fresh = |at: usize| (self.fresh.priors(at), self.fresh.value(at), self.fresh.work(at));
            unknown.iter().for_each(|&leaf| write(fresh(places[&keys[leaf]]), leaf, out));
            let mut memory = self.memory();
            asked_keys.into_iter().enumerate().for_each(|(at, key)| memory.remember(key, fresh(at)));
        }
        out.set_remembered(leaves.len() - asked.len());
        Ok(())
    }

    fn fork(&self) -> Option<Box<dyn Evaluator>> {
        Some(self.fork_pure()?)
    }
}

impl<E: Pure> Pure for Cached<E> {
    fn lookback(&self) -> Lookback {
        self.inner.lookback()
    }

    fn fork_pure(&self) -> Option<Box<dyn Pure>> {
        Some(Box::new(Cached::sharing(self.inner.fork_pure()?, Arc::clone(&self.memory))))
    }
}

/// Writes the answer to a leaf.
fn write((priors, value, work): KnownAnswer<'_>, leaf: usize, out: &mut Evaluations) {
    out.priors_mut(leaf).copy_from_slice(priors);
    out.set_value(leaf, value);
    out.set_work(leaf, work);
}

impl CacheMemory {
    fn get(&self, key: &Key) -> Option<KnownAnswer<'_>> {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    /// Stores an answer, unless another thread has stored it meanwhile.
    fn remember(&mut self, key: Key, answer: KnownAnswer<'_>) {
        if self.get(&key).is_some() {
            return;
        }
        if self.young.entries.len() >= self.capacity / 2 {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        if self.capacity >= 2 {
            self.young.insert(key, answer);
        }
    }
}

impl CacheGeneration {
    fn get(&self, key: &Key) -> Option<KnownAnswer<'_>> {
        let &CachedAnswer { start, count, value, work } = self.entries.get(key)?;
        Some((&self.priors[start..start + count], value, work))
    }

    fn insert(&mut self, key: Key, (priors, value, work): KnownAnswer<'_>) {
        let (start, count) = (self.priors.len(), priors.len());
        self.entries.insert(key, CachedAnswer { start, count, value, work });
        self.priors.extend_from_slice(priors);
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.priors.clear();
    }
}
