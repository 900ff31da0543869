//! What networks at play cost: evaluations and floating-point operations, the unit of deterministic compute.
//!
//! Operations are those of the matrix products as the formulas have them, so that they are equal on every machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::encoders::Batch;
use crate::nets::deep::{Answers, DeepError, Inference, Net};

/// Operations of one evaluation by the number of sites of its board, from none to the largest board.
pub type Costs = Arc<[u64]>;

/// The costs of a network on boards of up to so many sites.
#[must_use]
pub fn costs(net: &dyn Net, sites: usize) -> Costs {
    (0..=sites).map(|sites| net.flops(sites)).collect()
}

/// A count that several networks at play share.
#[derive(Debug, Default)]
pub struct Meter {
    evaluations: AtomicU64,
    operations: AtomicU64,
}

impl Meter {
    /// Positions and subgraphs that were evaluated.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.evaluations.load(Ordering::Relaxed)
    }

    /// Floating-point operations of all evaluations.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }
}

/// A network at play whose work is counted.
pub struct Metered {
    inference: Box<dyn Inference>,
    costs: Costs,
    meter: Arc<Meter>,
}

impl Metered {
    /// Counts what this network does.
    #[must_use]
    pub fn new(inference: Box<dyn Inference>, costs: Costs, meter: Arc<Meter>) -> Metered {
        Metered { inference, costs, meter }
    }
}

/// Operations of evaluating every position of a batch once.
#[must_use]
pub fn operations(batch: &Batch, costs: &Costs) -> u64 {
    match batch {
        Batch::Graphs(graphs) => graphs.graphs().iter().map(|graph| costs[graph.sites()]).sum(),
        Batch::Planes(planes) => planes.positions() as u64 * costs[planes.rows() * planes.columns()],
    }
}

impl Inference for Metered {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        self.meter.evaluations.fetch_add(batch.positions() as u64, Ordering::Relaxed);
        self.meter.operations.fetch_add(operations(batch, &self.costs), Ordering::Relaxed);
        self.inference.infer(batch, answers)
    }
}
