//! A set of problems: each is reported once.

use std::collections::HashSet;

use crate::manifest::text::source::Problem;

/// The problems of a manifest so far.
pub(super) struct ProblemSet<'a> {
    known: HashSet<Problem>,
    problems: &'a mut Vec<Problem>,
}

impl ProblemSet<'_> {
    /// A set that appends to these problems, without comparing with them.
    pub(super) fn new(problems: &mut Vec<Problem>) -> ProblemSet<'_> {
        ProblemSet { known: HashSet::new(), problems }
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// Adds a problem that is not in the set.
    pub(super) fn add(&mut self, problem: Problem) {
        if !self.known.contains(&problem) {
            self.known.insert(problem.clone());
            self.problems.push(problem);
        }
    }
}
