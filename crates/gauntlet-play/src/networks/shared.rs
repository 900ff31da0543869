//! The processes of a network that searches and a training share: their batches, their steps, and the facts about them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::NetworkProcess;
use super::rows::{POSITIONS, RowFault, row_fault};
use crate::engines::{EngineError, EngineFacts, shown};
use gauntlet_nets::encoders::{Batch, Dims, Planes};
use gauntlet_nets::nets::deep::{Answers, DeepError, Forward, Inference, Limits, Owner, Served};

/// The longest wait of a free process for more positions.
const PATIENCE: Duration = Duration::from_micros(200);

/// A running network of another program.
#[derive(Clone)]
pub struct SharedNetwork {
    /// The first one learns; the others have its weights.
    instances: Arc<[Mutex<NetworkProcess>]>,
    /// Its name, versions and device.
    identity: String,
    facts: EngineFacts,
    operations: u64,
}

impl SharedNetwork {
    /// Shares a process whose weights are drawn or loaded, and others, which take its weights. It is checked for answers that
    /// depend on their batch.
    ///
    /// # Errors
    /// If the program is broken, is another one in another process, or is declared deterministic and its answers depend on
    /// the batch.
    pub fn new(
        mut process: NetworkProcess,
        others: Vec<NetworkProcess>,
        is_deterministic: bool,
    ) -> Result<SharedNetwork, EngineError> {
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
        let rows = process.most_rows();
        let mut says = vec![identity.clone()];
        says.extend(fault.map(|fault| match fault {
            RowFault::Batch => "answers depend on the batch".to_owned(),
            RowFault::Chance => "answers differ from call to call".to_owned(),
        }));
        let facts = EngineFacts { says: shown(&says.join(", ")), repeatable: is_deterministic };
        if let Some(other) = others.iter().find(|other| other.hello().identity() != identity) {
            let calls = shown(&other.hello().identity());
            let fault = format!("calls itself \"{}\", and \"{calls}\" in another of its `instances`", shown(&identity));
            return Err(process.broken(fault));
        }
        if others.iter().any(|other| (other.hello().operations, other.most_rows()) != (operations, rows)) {
            return Err(process.broken("declares other `rows` or `operations` in another of its `instances`"));
        }
        let state = if others.is_empty() { Vec::new() } else { process.save()? };
        let instances = std::iter::once(process).chain(others).map(Mutex::new).collect();
        let shared = SharedNetwork { instances, identity, facts, operations };
        shared.update(&state)?;
        if is_deterministic {
            shared.require_alike()?;
        }
        Ok(shared)
    }

    /// Requires that all processes give the same bits.
    fn require_alike(&self) -> Result<(), EngineError> {
        let Dims::Planes { channels, rows, columns, actions } = self.lock().dims() else { return Ok(()) };
        let (sizes, mut turns) = (vec![POSITIONS; self.instances.len()], self.instances.iter());
        let next = |planes: &Planes| locked(turns.next().expect("a batch for each")).evaluate(planes);
        match row_fault([channels, rows, columns], actions, &sizes, next)? {
            None => Ok(()),
            Some(_) => Err(self.lock().broken(
                "gives other answers in another of its `instances`: it is not `deterministic`. Give all of them one kind of \
                 device, or leave `deterministic` out",
            )),
        }
    }

    /// Whether there are several processes.
    #[must_use]
    pub fn has_others(&self) -> bool {
        self.instances.len() > 1
    }

    /// Gives the saved state of the first process to the others.
    ///
    /// # Errors
    /// If the program is broken, or does not load it.
    pub fn update(&self, state: &[u8]) -> Result<(), EngineError> {
        self.instances[1..].iter().try_for_each(|other| locked(other).load(state))
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

    /// The process that learns, alone.
    pub fn lock(&self) -> MutexGuard<'_, NetworkProcess> {
        locked(&self.instances[0])
    }

    /// The network for searches. Positions of all threads of a process share batches.
    ///
    /// # Errors
    /// If the system starts no further thread.
    pub fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        let limits = Limits { positions: self.lock().most_rows(), patience: PATIENCE };
        let owned = |at: usize| {
            let owner = Owner::start(limits).map_err(|error| DeepError::Program(error.to_string()))?;
            let instance: Box<dyn Forward> = Box::new(Instance { network: self.clone(), at });
            Ok((Arc::new(owner), instance))
        };
        let instances: Result<Vec<_>, DeepError> = (0..self.instances.len()).map(owned).collect();
        Ok(Box::new(Served::of_instances(instances?)))
    }
}

fn locked(process: &Mutex<NetworkProcess>) -> MutexGuard<'_, NetworkProcess> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One of the processes.
struct Instance {
    network: SharedNetwork,
    at: usize,
}

impl Forward for Instance {
    fn forward(&self, batch: &Batch) -> Result<Answers, DeepError> {
        let mut process = locked(&self.network.instances[self.at]);
        let (wanted, given) = (process.dims(), batch.dims());
        match batch {
            Batch::Planes(planes) if given == wanted => {
                process.evaluate(planes).map_err(|error| DeepError::Program(error.to_string()))
            }
            _ => Err(DeepError::Batch { net: "the network of another program", wanted: wanted.to_string(), given }),
        }
    }

    fn flops(&self, _batch: &Batch, _index: usize) -> u64 {
        self.network.operations
    }
}
