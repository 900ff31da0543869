//! Topological order of stages: each comes after its upstreams.

use std::collections::HashSet;

use crate::manifest::read::stage::Stage;
use crate::manifest::read::upstream::Upstream;
use crate::manifest::text::source::Problem;

/// The stages in order, without those that depend on a missing stage or on themselves, and the mistakes that exclude
/// them. `names` are those of all stages, including unreadable ones.
pub fn in_order<'a>(stages: &'a [Stage], names: &[String]) -> (Vec<&'a Stage>, Vec<Problem>) {
    let (mut order, mut left): (Vec<&Stage>, Vec<&Stage>) = stages.iter().partition(|stage| stage.from.is_empty());
    loop {
        let is_done = |upstream: &Upstream| order.iter().any(|done| *done.name == *upstream.stage.0);
        let Some(at) = left.iter().position(|stage| stage.from.iter().all(is_done)) else { break };
        order.push(left.remove(at));
    }
    // A stage that could not be read dependencies no other; its own mistakes are reported already.
    let problems =
        left.iter().flat_map(|stage| stage.from.iter().filter_map(|from| problem(stage, from, stages, names)));
    (order, problems.collect())
}

/// The problem of one upstream of a stage, if any.
fn problem(stage: &Stage, from: &Upstream, stages: &[Stage], names: &[String]) -> Option<Problem> {
    let (name, span) = &from.stage;
    if !names.iter().any(|known| **known == **name) {
        let problem = Problem::at(span.clone(), format!("there is no stage `{name}`"));
        return Some(problem.nearest(name, names.iter().map(String::as_str)).echo());
    }
    let message = match **name == *stage.name {
        true => format!("stage `{name}` waits for itself"),
        false if reaches(name, &stage.name, stages) => {
            format!("stage `{}` waits for itself by way of `{name}`", stage.name)
        }
        false => return None,
    };
    Some(Problem::at(span.clone(), message))
}

/// Whether a stage depends, directly or not, on another.
fn reaches(start: &str, end: &str, stages: &[Stage]) -> bool {
    let (mut left, mut known) = (vec![start], HashSet::new());
    while let Some(name) = left.pop() {
        let before = stages.iter().filter(|stage| stage.name == name).flat_map(|stage| &stage.from);
        for upstream in before {
            if *upstream.stage.0 == *end {
                return true;
            }
            if known.insert(&*upstream.stage.0) {
                left.push(&upstream.stage.0);
            }
        }
    }
    false
}
