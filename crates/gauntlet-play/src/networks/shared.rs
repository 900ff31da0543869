//! A network process that searches and a training share: its batches, its steps, and the facts about it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::NetworkProcess;
use super::rows::RowFault;
use crate::engines::{EngineError, EngineFacts, shown};
use gauntlet_nets::encoders::Batch;
use gauntlet_nets::nets::deep::{Answers, DeepError, Forward, Inference, Limits, Owner, Served};

/// The longest wait of a free process for more positions.
const PATIENCE: Duration = Duration::from_micros(200);

/// A running network of another program.
#[derive(Clone)]
pub struct SharedNetwork {
    process: Arc<Mutex<NetworkProcess>>,
    /// Its name, versions and device.
    identity: String,
    facts: EngineFacts,
    operations: u64,
}

impl SharedNetwork {
    /// Shares a process whose weights are drawn or loaded. It is checked for answers that depend on their batch.
    ///
    /// # Errors
    /// If the program is broken, or is declared deterministic and its answers depend on the batch.
    pub fn new(mut process: NetworkProcess, is_deterministic: bool) -> Result<SharedNetwork, EngineError> {
        let fault = process.row_fault()?;
        if let Some(fault) = fault.filter(|_| is_deterministic) {
            return Err(process.broken(match fault {
                RowFault::Batch => {
                    "gives other answers to a position in another batch: it is not `deterministic`. Fill up its batches \
                     to one number of `rows`, or leave `deterministic` out"
                }
                RowFault::Chance => "gives other answers to the same batch: it is not `deterministic`",
            }));
        }
        let (identity, operations) = (process.hello().identity(), process.hello().operations);
        let mut says = vec![identity.clone()];
        says.extend(fault.map(|fault| match fault {
            RowFault::Batch => "answers depend on the batch".to_owned(),
            RowFault::Chance => "answers differ from call to call".to_owned(),
        }));
        let facts = EngineFacts { says: shown(&says.join(", ")), repeatable: is_deterministic };
        Ok(SharedNetwork { process: Arc::new(Mutex::new(process)), identity, facts, operations })
    }

    /// The facts about the program.
    #[must_use]
    pub fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    /// Its name, versions and device.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Floating-point operations of the evaluation of a position; 0 if the program does not say.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// The process, alone.
    pub fn lock(&self) -> MutexGuard<'_, NetworkProcess> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The network for searches. Positions of all its threads share batches.
    ///
    /// # Errors
    /// If the system starts no further thread.
    pub fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        let limits = Limits { positions: self.lock().most_rows(), patience: PATIENCE };
        let owner = Owner::start(limits).map_err(|error| DeepError::Program(error.to_string()))?;
        Ok(Box::new(Served::new(Arc::new(owner), Box::new(self.clone()))))
    }
}

impl Forward for SharedNetwork {
    fn forward(&self, batch: &Batch) -> Result<Answers, DeepError> {
        let mut process = self.lock();
        let (wanted, given) = (process.dims(), batch.dims());
        match batch {
            Batch::Planes(planes) if given == wanted => {
                process.evaluate(planes).map_err(|error| DeepError::Program(error.to_string()))
            }
            _ => Err(DeepError::Batch { net: "the network of another program", wanted: wanted.to_string(), given }),
        }
    }

    fn flops(&self, _batch: &Batch, _index: usize) -> u64 {
        self.operations
    }
}
