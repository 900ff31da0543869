//! Edges between two sets of rows, listed by target and by source.

use std::sync::{Arc, OnceLock};

/// Edges from the rows of one matrix, the sources, to those of another, the targets: those of one graph, and its copies
/// behind it.
#[derive(Debug, Clone)]
pub struct Edges {
    one: Arc<OneGraph>,
    copies: usize,
}

/// The edges of one graph.
#[derive(Debug)]
struct OneGraph {
    /// The source and the target of each edge; targets that follow from the lists are made when they are first needed.
    ends: [OnceLock<Vec<u32>>; 2],
    /// Number of edges.
    edges: usize,
    /// Number of sources and of targets.
    rows: [usize; 2],
    /// The edges out of each source, and into each target, made when they are first needed.
    lists: [OnceLock<SortedEdges>; 2],
    /// The same numbers on the device, copied when they are first needed.
    #[cfg(feature = "cuda")]
    on_device: [OnceLock<[candle_core::Tensor; 3]>; 2],
}

/// Edges sorted by one of their ends; those with the same end are in their original order.
#[derive(Debug)]
struct SortedEdges {
    /// The first edge of each row, and the number of edges: `[rows + 1]`.
    starts: Vec<u32>,
    /// The edges, `[edges]`.
    edges: Vec<u32>,
}

/// The edges as one direction of a sum needs them: of one graph, and the number of its copies.
#[derive(Debug, Clone, Copy)]
pub struct Direction<'a> {
    /// The first edge of each result, and the number of edges: `[results + 1]`.
    pub starts: &'a [u32],
    /// The edges by result, `[edges]`.
    pub edges: &'a [u32],
    /// The row that each edge adds, by number of the edge.
    pub rows: &'a [u32],
    /// The number of rows that can be added, of one copy.
    pub sources: usize,
    /// The number of copies.
    pub copies: usize,
}

impl Direction<'_> {
    /// The number of results of one copy.
    pub fn results(&self) -> usize {
        self.starts.len() - 1
    }
}

impl Edges {
    /// Edges by their ends: edge `i` leads from source `from[i]` to target `to[i]`.
    ///
    /// # Panics
    /// If the lists differ in length, or an end is not a row: both are bugs of the caller.
    pub fn new(from: Vec<u32>, to: Vec<u32>, [sources, targets]: [usize; 2]) -> Edges {
        assert_eq!(from.len(), to.len(), "an edge has two ends");
        for (ends, rows) in [(&from, sources), (&to, targets)] {
            assert!(ends.iter().all(|&end| (end as usize) < rows), "the ends of an edge are rows");
        }
        let edges = from.len();
        Edges::of([from.into(), to.into()], edges, [sources, targets], Default::default())
    }

    /// Edges in the order of their targets: those into target `t` come from the sources `from[starts[t]..starts[t + 1]]`.
    /// They are listed without sorting.
    ///
    /// # Panics
    /// As for [`Edges::new`].
    pub fn by_target(starts: Vec<u32>, from: Vec<u32>, sources: usize) -> Edges {
        let (targets, edges) = (starts.len() - 1, from.len());
        assert!(starts[targets] as usize == edges && starts.is_sorted(), "each edge has a target");
        assert!(from.iter().all(|&source| (source as usize) < sources), "the ends of an edge are rows");
        let listed = SortedEdges { starts, edges: (0..edges as u32).collect() };
        Edges::of([from.into(), OnceLock::new()], edges, [sources, targets], [OnceLock::new(), listed.into()])
    }

    fn of(ends: [OnceLock<Vec<u32>>; 2], edges: usize, rows: [usize; 2], lists: [OnceLock<SortedEdges>; 2]) -> Edges {
        let one = OneGraph {
            ends,
            edges,
            rows,
            lists,
            #[cfg(feature = "cuda")]
            on_device: Default::default(),
        };
        Edges { one: Arc::new(one), copies: 1 }
    }

    /// The edges of this many copies of the graph. Their lists are shared.
    pub fn times(&self, copies: usize) -> Edges {
        Edges { one: Arc::clone(&self.one), copies: self.copies * copies }
    }

    /// An edge to each row of the result from the given source.
    pub fn picks(from: Vec<u32>, sources: usize) -> Edges {
        let count = from.len();
        Edges::new(from, (0..count as u32).collect(), [sources, count])
    }

    /// Number of edges.
    pub fn len(&self) -> usize {
        self.one.edges * self.copies
    }

    /// Number of rows of a result: targets, or sources if `turned`.
    pub fn results(&self, turned: bool) -> usize {
        self.one.rows[usize::from(!turned)] * self.copies
    }

    /// The sums at the targets of rows of sources; the other way round if `turned`.
    pub fn direction(&self, turned: bool) -> Direction<'_> {
        let (one, [at, other]) = (&*self.one, [!turned, turned].map(usize::from));
        let lists = one.lists[at].get_or_init(|| SortedEdges::by(one.ends(at), one.rows[at]));
        Direction {
            starts: &lists.starts,
            edges: &lists.edges,
            rows: one.ends(other),
            sources: one.rows[other],
            copies: self.copies,
        }
    }

    /// The numbers of a [`Direction`] on the device: starts, edges and rows. They are copied once.
    #[cfg(feature = "cuda")]
    pub(super) fn on(
        &self,
        device: &candle_core::Device,
        turned: bool,
    ) -> candle_core::Result<&[candle_core::Tensor; 3]> {
        let there = &self.one.on_device[usize::from(turned)];
        if there.get().is_none() {
            // A tensor has at least one number: a card allocates no empty ones.
            let copy = |numbers: &[u32]| {
                let numbers = if numbers.is_empty() { &[0][..] } else { numbers };
                candle_core::Tensor::from_slice(numbers, numbers.len(), device)
            };
            let Direction { starts, edges, rows, .. } = self.direction(turned);
            let _ = there.set([copy(starts)?, copy(edges)?, copy(rows)?]);
        }
        Ok(there.get().expect("they were set"))
    }
}

impl OneGraph {
    /// The sources of all edges, or their targets.
    fn ends(&self, at: usize) -> &[u32] {
        self.ends[at].get_or_init(|| self.lists[at].get().expect("edges without ends are listed").ends())
    }
}

impl SortedEdges {
    /// The row of each edge, by number of the edge.
    fn ends(&self) -> Vec<u32> {
        let mut ends = vec![0; self.edges.len()];
        for (row, span) in self.starts.windows(2).enumerate() {
            self.edges[span[0] as usize..span[1] as usize].iter().for_each(|&edge| ends[edge as usize] = row as u32);
        }
        ends
    }

    /// By counting, in linear time.
    fn by(ends: &[u32], rows: usize) -> SortedEdges {
        let mut starts = vec![0u32; rows + 1];
        ends.iter().for_each(|&end| starts[end as usize + 1] += 1);
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let (mut next, mut edges) = (starts.clone(), vec![0; ends.len()]);
        for (edge, &end) in ends.iter().enumerate() {
            edges[next[end as usize] as usize] = edge as u32;
            next[end as usize] += 1;
        }
        SortedEdges { starts, edges }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_listed_by_either_end() {
        let edges = Edges::new(vec![2, 0, 2, 1], vec![1, 1, 0, 3], [3, 4]);
        let (into, out_of) = (edges.direction(false), edges.direction(true));
        assert_eq!((into.starts, into.edges, into.rows), (&[0, 1, 3, 3, 4][..], &[2, 0, 1, 3][..], &[2, 0, 2, 1][..]));
        assert_eq!((out_of.starts, out_of.edges), (&[0, 1, 2, 4][..], &[1, 3, 0, 2][..]));
        assert_eq!((edges.results(false), edges.results(true), edges.len()), (4, 3, 4));
    }

    #[test]
    fn edges_by_target_are_those_of_both_ends() {
        let listed = Edges::by_target(vec![0, 1, 3, 3, 4], vec![2, 2, 0, 1], 3);
        let named = Edges::new(vec![2, 2, 0, 1], vec![0, 1, 1, 3], [3, 4]);
        for turned in [false, true] {
            let [one, other] = [&listed, &named].map(|edges| edges.direction(turned));
            assert_eq!((one.starts, one.edges, one.rows), (other.starts, other.edges, other.rows));
            assert_eq!((one.sources, one.results()), (other.sources, other.results()));
        }
        assert_eq!(listed.len(), 4);
    }

    #[test]
    fn copies_share_their_lists() {
        let edges = Edges::new(vec![1, 0], vec![0, 0], [2, 1]).times(3);
        let into = edges.direction(false);
        assert_eq!((into.starts, into.sources, into.results(), into.copies), (&[0, 2][..], 2, 1, 3));
        assert_eq!((edges.results(false), edges.results(true), edges.len()), (3, 6, 6));
    }

    #[test]
    fn there_may_be_no_edges() {
        let none = Edges::new(Vec::new(), Vec::new(), [2, 0]);
        assert_eq!((none.direction(true).starts, none.direction(false).starts), (&[0, 0, 0][..], &[0][..]));
    }
}
