//! The edges of a batch of graphs of moves.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use candle_core::{Result, Tensor};

use super::gpu::Edges;
use super::shared::{Recent, shared};
use crate::encoders::{MoveGraph, MoveGraphs};

/// The edges of a batch, with senders and receivers.
#[derive(Clone)]
pub struct Links {
    graphs: Arc<[Arc<MoveGraph>]>,
    kind: LinkKind,
    /// The senders and the receivers, numbered through the batch, made when they are first needed.
    ends: Arc<OnceLock<[Vec<u32>; 2]>>,
    /// The same edges for devices other than the CPU, made when they are first needed.
    lists: Arc<OnceLock<Lists>>,
}

/// The edges of a graph that are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// Its edges, with this number of additional nodes after its own.
    Moves { more: usize },
    /// An edge from every node to the board.
    Boards,
}

/// Edges between the rows of nodes and of edges.
#[derive(Clone)]
pub struct Lists {
    /// From senders to receivers.
    pub between: Edges,
    /// From each edge to its receiver.
    pub collected: Edges,
    /// From senders, and from receivers, to each edge.
    pub picks: [Edges; 2],
}

thread_local! {
    /// The lists of the last graphs of this thread, also those on its device.
    static KNOWN: RefCell<Recent<MoveGraph, LinkKind, Lists>> = const { RefCell::new(Recent::new()) };
}

impl Links {
    /// The edges of all graphs, with nodes numbered through the batch.
    pub fn of(moves: &MoveGraphs) -> Links {
        Links::new(moves.graphs().into(), LinkKind::Moves { more: 0 })
    }

    /// The same with a dummy node after the sites of each graph.
    pub fn beside_dummies(moves: &MoveGraphs) -> Links {
        Links::new(moves.graphs().into(), LinkKind::Moves { more: 1 })
    }

    /// An edge from every node to its board.
    pub fn boards(moves: &MoveGraphs) -> Links {
        Links::new(moves.graphs().into(), LinkKind::Boards)
    }

    pub fn new(graphs: Arc<[Arc<MoveGraph>]>, kind: LinkKind) -> Links {
        Links { graphs, kind, ends: Arc::default(), lists: Arc::default() }
    }

    pub fn senders(&self) -> &[u32] {
        &self.ends()[0]
    }

    pub fn receivers(&self) -> &[u32] {
        &self.ends()[1]
    }

    fn ends(&self) -> &[Vec<u32>; 2] {
        self.ends.get_or_init(|| {
            let (mut senders, mut receivers, mut first) = (Vec::new(), Vec::new(), 0);
            for (index, graph) in self.graphs.iter().enumerate() {
                match self.kind {
                    LinkKind::Moves { .. } => {
                        senders.extend(graph.senders().iter().map(|&node| first + node));
                        receivers.extend(graph.receivers().iter().map(|&node| first + node));
                    }
                    LinkKind::Boards => {
                        senders.extend(first..first + graph.nodes() as u32);
                        receivers.extend(std::iter::repeat_n(index as u32, graph.nodes()));
                    }
                }
                first += self.kind.senders(graph) as u32;
            }
            [senders, receivers]
        })
    }

    /// Number of receivers.
    pub fn nodes(&self) -> usize {
        match self.kind {
            LinkKind::Moves { .. } => self.sources(),
            LinkKind::Boards => self.graphs.len(),
        }
    }

    /// Number of possible senders.
    fn sources(&self) -> usize {
        self.graphs.iter().map(|graph| self.kind.senders(graph)).sum()
    }

    pub fn tensors(&self, like: &Tensor) -> Result<(Tensor, Tensor)> {
        let tensor = |nodes: &[u32]| Tensor::from_slice(nodes, nodes.len(), like.device());
        Ok((tensor(self.senders())?, tensor(self.receivers())?))
    }

    /// The lists: of copies of one graph, if all are the same, as in the games of one board.
    pub fn lists(&self) -> &Lists {
        self.lists.get_or_init(|| match shared(&self.graphs) {
            Some(graph) => known_lists(graph, self.kind).times(self.graphs.len()),
            None => self.all_lists(),
        })
    }

    fn all_lists(&self) -> Lists {
        let (senders, receivers) = (self.senders().to_vec(), self.receivers().to_vec());
        let (sources, nodes, edges) = (self.sources(), self.nodes(), senders.len());
        Lists {
            collected: Edges::new((0..edges as u32).collect(), receivers.clone(), [edges, nodes]),
            picks: [Edges::picks(senders.clone(), sources), Edges::picks(receivers.clone(), nodes)],
            between: Edges::new(senders, receivers, [sources, nodes]),
        }
    }
}

impl LinkKind {
    /// The number of possible senders of a graph.
    fn senders(self, graph: &MoveGraph) -> usize {
        match self {
            LinkKind::Moves { more } => graph.nodes() + more,
            LinkKind::Boards => graph.nodes(),
        }
    }
}

impl Lists {
    fn times(&self, copies: usize) -> Lists {
        let Lists { between, collected, picks: [senders, receivers] } = self;
        let picks = [senders.times(copies), receivers.times(copies)];
        Lists { between: between.times(copies), collected: collected.times(copies), picks }
    }
}

/// The lists of one graph, from the last ones of this thread.
fn known_lists(graph: &Arc<MoveGraph>, kind: LinkKind) -> Lists {
    KNOWN.with_borrow_mut(|known| {
        let made = known.find(graph, &kind);
        made.unwrap_or_else(|| known.keep(graph, kind, Links::new([Arc::clone(graph)].into(), kind).all_lists()))
    })
}
