//! The actions of the play-outs of a batch of leaves, for searches that learn from them.

use std::ops::Range;

use super::value::Value;
use gauntlet_games::base::{Action, Outcome, Side};

/// A side and its action.
pub type Step = (Side, Action);

/// A play-out below a leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Playout<'a> {
    /// Its actions, from the leaf on.
    pub steps: &'a [Step],
    /// Its outcome.
    pub value: Value,
    /// Its share among the play-outs of its leaf.
    pub share: f32,
}

/// The play-outs of a batch of leaves, those of the first leaf first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traces {
    steps: Vec<Step>,
    /// The leaf of each play-out, the end of its steps, and its outcome.
    ends: Vec<(usize, usize, Outcome)>,
}

impl Traces {
    /// Forgets all play-outs and keeps the allocation.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.ends.clear();
    }

    /// Adds an action to the play-out that has not ended.
    pub fn step(&mut self, side: Side, action: Action) {
        self.steps.push((side, action));
    }

    /// Ends a play-out of this leaf.
    pub fn end(&mut self, leaf: usize, outcome: Outcome) {
        self.ends.push((leaf, self.steps.len(), outcome));
    }

    /// The play-outs of a leaf.
    pub fn of(&self, leaf: usize) -> impl Iterator<Item = Playout<'_>> {
        let first = self.ends.partition_point(|end| end.0 < leaf);
        let count = self.ends[first..].partition_point(|end| end.0 == leaf);
        let share = 1.0 / count as f32;
        (first..first + count).map(move |at| {
            let (steps, value) = (&self.steps[self.range(at)], Value::from(self.ends[at].2));
            Playout { steps, value, share }
        })
    }

    fn range(&self, playout: usize) -> Range<usize> {
        let start = if playout == 0 { 0 } else { self.ends[playout - 1].1 };
        start..self.ends[playout].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_leaf_has_its_own_play_outs() {
        let (first, second, mut traces) = (Side::First, Side::Second, Traces::default());
        traces.step(first, Action(3));
        traces.step(second, Action(1));
        traces.end(0, Outcome::Win(second));
        traces.step(second, Action(2));
        traces.end(2, Outcome::Draw);
        traces.end(2, Outcome::Win(first));
        let found = |leaf| traces.of(leaf).map(|one| (one.steps.to_vec(), one.value, one.share)).collect::<Vec<_>>();
        assert_eq!(found(0), [(vec![(first, Action(3)), (second, Action(1))], Value::of(second, 1.0), 1.0)]);
        assert_eq!(found(1), []);
        assert_eq!(found(2), [(vec![(second, Action(2))], Value::ZERO, 0.5), (vec![], Value::of(first, 1.0), 0.5)]);
        traces.clear();
        assert_eq!(traces.of(0).count(), 0);
    }
}
