//! Boards as graphs: a node for each site, edges between neighbours, and a dummy node joined to all.
//!
//! Ben-Assayag and El-Yaniv 2021, section 3.1: one number a node, "-1 for a light piece, 1 for a dark piece and 0 for
//! an empty square", here from the point of view of the side to move (own 1, opponent's -1; their code base turns
//! boards in this way); the dummy node has 0. Sites keep their numbers and the dummy node comes last, so that a pass,
//! the action after the last site, is the dummy node's. Boards of different sizes share a batch.

use std::ops::Range;
use std::sync::Arc;

use gauntlet_games::games::Topology;

/// The connections of the nodes of one graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// Start of each node's sources, `[nodes + 1]`.
    starts: Vec<u32>,
    /// The sources of the edges into each node. Those of a site end with the dummy node.
    sources: Vec<u32>,
    dummy: bool,
}

impl Graph {
    /// A whole board with its dummy node.
    #[must_use]
    pub fn board(board: &Topology) -> Graph {
        let all: Vec<u32> = (0..board.sites() as u32).collect();
        Graph::induced(board.sites(), |site| board.neighbours(site), &all, true)
    }

    /// The subgraph of these sites, distinct and in this order, with or without a dummy node joined to all.
    #[must_use]
    pub fn subgraph(&self, sites: &[u32], dummy: bool) -> Graph {
        Graph::induced(self.sites(), |site| self.neighbours(site), sites, dummy)
    }

    fn induced<'a>(all: usize, of: impl Fn(usize) -> &'a [u32], sites: &[u32], dummy: bool) -> Graph {
        const ABSENT: u32 = u32::MAX;
        let mut number = vec![ABSENT; all];
        sites.iter().enumerate().for_each(|(index, &site)| number[site as usize] = index as u32);
        let count = sites.len() as u32;
        let mut starts = Vec::with_capacity(sites.len() + 2);
        let mut sources = Vec::with_capacity(6 * sites.len());
        starts.push(0);
        for &site in sites {
            let kept = of(site as usize).iter().map(|&other| number[other as usize]);
            sources.extend(kept.filter(|&other| other != ABSENT));
            sources.extend(dummy.then_some(count));
            starts.push(sources.len() as u32);
        }
        if dummy {
            sources.extend(0..count);
            starts.push(sources.len() as u32);
        }
        Graph { starts, sources, dummy }
    }

    /// Number of nodes that are sites.
    #[must_use]
    #[inline]
    pub fn sites(&self) -> usize {
        self.nodes() - usize::from(self.dummy)
    }

    /// Whether the last node is joined to all sites.
    #[must_use]
    #[inline]
    pub fn dummy(&self) -> bool {
        self.dummy
    }

    /// Number of nodes.
    #[must_use]
    #[inline]
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The sites joined to a site.
    #[must_use]
    #[inline]
    pub fn neighbours(&self, site: usize) -> &[u32] {
        &self.sources[self.starts[site] as usize..self.starts[site + 1] as usize - usize::from(self.dummy)]
    }

    /// Appends the sources of the edges into each node, in the order of [`Graph::edges`], and the end of each node's list
    /// in `from`. The nodes are numbered from `first` on.
    pub fn append_sources(&self, first: u32, starts: &mut Vec<u32>, from: &mut Vec<u32>) {
        let before = from.len() as u32;
        starts.extend(self.starts[1..].iter().map(|end| before + end));
        from.extend(self.sources.iter().map(|source| first + source));
    }

    /// All directed edges, from and to, the dummy node's included.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let between =
            (0..self.sites()).flat_map(|site| self.neighbours(site).iter().map(move |&other| (other, site as u32)));
        let dummy = self.dummy.then_some(self.sites() as u32);
        let spokes =
            dummy.into_iter().flat_map(|dummy| (0..dummy).flat_map(move |site| [(dummy, site), (site, dummy)]));
        between.chain(spokes)
    }
}

/// Graphs with numbers on their nodes, stored one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Graphs {
    features: usize,
    graphs: Vec<Arc<Graph>>,
    /// First node of each graph, and the number of nodes.
    starts: Vec<usize>,
    /// `[node][feature]`.
    values: Vec<f32>,
}

impl Graphs {
    /// An empty batch of graphs with `features` numbers a node.
    #[must_use]
    pub fn new(features: usize) -> Graphs {
        Graphs { features, graphs: Vec::new(), starts: vec![0], values: Vec::new() }
    }

    /// Numbers a node.
    #[must_use]
    #[inline]
    pub fn features(&self) -> usize {
        self.features
    }

    /// Number of graphs.
    #[must_use]
    #[inline]
    pub fn positions(&self) -> usize {
        self.graphs.len()
    }

    /// Number of nodes of all graphs.
    #[must_use]
    #[inline]
    pub fn nodes(&self) -> usize {
        self.starts[self.graphs.len()]
    }

    /// The nodes of graph `index`.
    #[must_use]
    #[inline]
    pub fn span(&self, index: usize) -> Range<usize> {
        self.starts[index]..self.starts[index + 1]
    }

    /// The connections of graph `index`.
    #[must_use]
    #[inline]
    pub fn graph(&self, index: usize) -> &Arc<Graph> {
        &self.graphs[index]
    }

    /// All graphs.
    #[must_use]
    #[inline]
    pub fn graphs(&self) -> &[Arc<Graph>] {
        &self.graphs
    }

    /// The numbers of all nodes, `[node][feature]`.
    #[must_use]
    #[inline]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Empties the batch.
    #[inline]
    pub fn clear(&mut self) {
        self.graphs.clear();
        self.starts.truncate(1);
        self.values.clear();
    }

    /// Appends a graph with the numbers of its sites, `[site][feature]`; a dummy node gets zeros.
    ///
    /// # Panics
    /// If the number of values differs from sites x features.
    pub fn push(&mut self, graph: &Arc<Graph>, sites: impl IntoIterator<Item = f32>) {
        let before = self.values.len();
        self.values.extend(sites);
        assert_eq!(self.values.len() - before, graph.sites() * self.features, "one number a site and feature");
        self.starts.push(self.nodes() + graph.nodes());
        self.graphs.push(Arc::clone(graph));
        self.values.resize(self.nodes() * self.features, 0.0);
    }

    pub(super) fn append(&mut self, other: &Graphs, index: usize, map: Option<&[u32]>) {
        assert_eq!(self.features, other.features, "batches of different dimensions");
        let (graph, width) = (&other.graphs[index], self.features);
        let from = &other.values[other.starts[index] * width..][..graph.sites() * width];
        let start = self.values.len();
        self.push(graph, from.iter().copied());
        for (site, &image) in map.unwrap_or_default().iter().enumerate() {
            let to = start + image as usize * width;
            self.values[to..to + width].copy_from_slice(&from[site * width..(site + 1) * width]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_its_neighbours_and_a_node_joined_to_all() {
        let board = Graph::board(&Topology::square(3));
        assert_eq!((board.sites(), board.nodes()), (9, 10));
        assert_eq!(board.edges().count(), 2 * 12 + 2 * 9);
        assert_eq!(board.neighbours(4), [1, 3, 5, 7]);
        let edges: std::collections::HashSet<_> = board.edges().collect();
        assert!(edges.iter().all(|&(from, to)| edges.contains(&(to, from)) && from != to));
        assert!((0..9).all(|site| edges.contains(&(9, site))));
    }

    /// Without its dummy node, a subgraph of sites that do not touch is disconnected.
    #[test]
    fn a_dummy_node_holds_a_subgraph_together() {
        let board = Graph::board(&Topology::square(4));
        let apart = [0, 2, 5, 7, 8, 10];
        let cut = board.subgraph(&apart, false);
        assert_eq!((cut.nodes(), cut.edges().count()), (6, 0));
        let held = board.subgraph(&apart, true);
        assert_eq!((held.nodes(), held.edges().count()), (7, 12));
    }

    #[test]
    fn a_subgraph_keeps_the_edges_between_its_sites() {
        let board = Graph::board(&Topology::square(4));
        let part = board.subgraph(&[5, 6, 9, 15], true);
        assert_eq!(part.neighbours(0), [1, 2]);
        assert_eq!((part.neighbours(1), part.neighbours(2)), (&[0][..], &[0][..]));
        assert!(part.neighbours(3).is_empty());
    }

    #[test]
    fn a_symmetry_moves_sites_and_leaves_the_dummy_node() {
        let board = Topology::square(3);
        let graph = Arc::new(Graph::board(&board));
        let mut from = Graphs::new(1);
        from.push(&graph, (0..9u8).map(f32::from));
        for map in board.symmetries() {
            let mut into = Graphs::new(1);
            into.append(&from, 0, Some(map));
            assert!((0..9).all(|site| into.values()[map[site] as usize] == site as f32));
            assert_eq!(into.values()[9], 0.0);
        }
    }
}
