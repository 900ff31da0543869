//! Graphs that batches share, as the games of one board do, and values that follow from them.

use std::sync::Arc;

/// Number of graphs whose values are kept.
const KEPT: usize = 8;

/// The graph of all positions, if they have the same.
pub fn shared<G>(graphs: &[Arc<G>]) -> Option<&Arc<G>> {
    let (first, others) = graphs.split_first()?;
    others.iter().all(|other| Arc::ptr_eq(first, other)).then_some(first)
}

/// The values of the last graphs, each of a kind.
pub struct Recent<G, K, V>(Vec<(Arc<G>, K, V)>);

impl<G, K: PartialEq, V: Clone> Recent<G, K, V> {
    pub const fn new() -> Self {
        Recent(Vec::new())
    }

    /// The value of a graph, if it is kept.
    pub fn find(&self, graph: &Arc<G>, kind: &K) -> Option<V> {
        let is_own = |(other, of, _): &&(Arc<G>, K, V)| Arc::ptr_eq(graph, other) && kind == of;
        self.0.iter().find(is_own).map(|(.., value)| value.clone())
    }

    /// Keeps the value of a graph instead of the oldest one.
    pub fn keep(&mut self, graph: &Arc<G>, kind: K, value: V) -> V {
        if self.0.len() == KEPT {
            self.0.remove(0);
        }
        self.0.push((Arc::clone(graph), kind, value.clone()));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_graph_and_kind_until_eight_later_ones_are_kept() {
        let graphs: Vec<Arc<u8>> = (0..9).map(|_| Arc::new(7)).collect();
        let mut recent = Recent::new();
        recent.keep(&graphs[0], 'a', 1);
        recent.keep(&graphs[0], 'b', 2);
        assert_eq!([recent.find(&graphs[0], &'a'), recent.find(&graphs[0], &'b')], [Some(1), Some(2)]);
        // An equal graph at another address is another one.
        assert_eq!(recent.find(&graphs[1], &'a'), None);
        (1..8).for_each(|at| assert_eq!(recent.keep(&graphs[at], 'a', at), at));
        assert_eq!([recent.find(&graphs[0], &'a'), recent.find(&graphs[0], &'b')], [None, Some(2)]);
    }

    #[test]
    fn a_batch_shares_a_graph_if_all_have_it() {
        let (one, other) = (Arc::new(1), Arc::new(1));
        assert!(shared(&[Arc::clone(&one), Arc::clone(&one)]).is_some_and(|graph| Arc::ptr_eq(graph, &one)));
        assert!(shared(&[one, other]).is_none());
        assert!(shared::<u8>(&[]).is_none());
    }
}
