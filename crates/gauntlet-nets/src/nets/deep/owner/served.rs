//! A network on an owner's thread, evaluated from any thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use super::queue::{Queue, Request};
use super::{Limits, Owner};
use crate::encoders::Batch;
use crate::nets::deep::{Answers, DeepError, Inference};

/// A network that evaluates batches on the thread of its owner.
pub trait Forward: Send + Sync {
    /// The answers for a batch.
    ///
    /// # Errors
    /// As for [`Net::forward`](crate::nets::deep::Net::forward).
    fn forward(&self, batch: &Batch) -> Result<Answers, DeepError>;

    /// [`Net::flops`](crate::nets::deep::Net::flops) of the network; on any thread.
    fn flops(&self, batch: &Batch, index: usize) -> u64;
}

/// One sender of positions to a network. Its forks share the network and its batches; those of a network with several
/// instances take the next instance in turn.
pub struct Served {
    shared: Arc<Shared>,
    instances: Arc<Instances>,
    number: u64,
}

/// Equal networks, each with its owner and its queue.
struct Instances {
    all: Vec<Arc<Shared>>,
    /// The number of senders so far.
    senders: AtomicUsize,
}

struct Shared {
    owner: Arc<Owner>,
    /// `None` only while it is dropped.
    network: Option<Box<dyn Forward>>,
    queue: Queue,
    /// Maximum number of positions of a batch; halved if the memory of the device is full.
    most: AtomicUsize,
    /// The time of the last batch, nanoseconds.
    last: AtomicU64,
}

impl Served {
    /// A network on an owner's thread.
    #[must_use]
    pub fn new(owner: Arc<Owner>, network: Box<dyn Forward>) -> Served {
        Served::of_instances(vec![(owner, network)])
    }

    /// Equal networks, each on the thread of an owner of its own; at least one.
    #[must_use]
    pub fn of_instances(networks: Vec<(Arc<Owner>, Box<dyn Forward>)>) -> Served {
        let shared = |(owner, network): (Arc<Owner>, Box<dyn Forward>)| {
            let (most, last) = (AtomicUsize::new(owner.limits().positions), AtomicU64::new(0));
            Arc::new(Shared { owner, network: Some(network), queue: Queue::default(), most, last })
        };
        let (all, senders) = (networks.into_iter().map(shared).collect(), AtomicUsize::new(0));
        Served::of(Arc::new(Instances { all, senders }))
    }

    fn of(instances: Arc<Instances>) -> Served {
        let turn = instances.senders.fetch_add(1, Relaxed) % instances.all.len();
        let shared = Arc::clone(&instances.all[turn]);
        let number = shared.queue.join();
        Served { shared, instances, number }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.shared.queue.leave();
    }
}

impl Inference for Served {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        if self.shared.owner.is_here() {
            *answers = self.shared.evaluate(batch)?;
            return Ok(());
        }
        let (reply, answered) = sync_channel(1);
        self.shared.queue.push(Request { sender: self.number, batch: batch.clone(), reply });
        let shared = Arc::clone(&self.shared);
        self.shared.owner.later(move || shared.serve());
        *answers = answered.recv().map_err(|_| DeepError::Device("its thread has ended".to_owned()))??;
        Ok(())
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        self.shared.network().flops(batch, index)
    }

    fn fork(&self) -> Option<Box<dyn Inference>> {
        Some(Box::new(Served::of(Arc::clone(&self.instances))))
    }
}

/// The tensors of the network are freed on the owner's thread.
impl Drop for Shared {
    fn drop(&mut self) {
        let network = self.network.take();
        self.owner.later(move || drop(network));
    }
}

impl Shared {
    fn network(&self) -> &dyn Forward {
        self.network.as_deref().expect("it is there until the end")
    }

    /// Evaluates the positions that wait, and replies to their senders. A sender that has gone is not an error.
    fn serve(&self) {
        let limits = self.owner.limits();
        let patience = limits.patience.max(Duration::from_nanos(self.last.load(Relaxed)) / 2);
        let requests = self.queue.take(Limits { positions: self.most.load(Relaxed), patience });
        if requests.is_empty() {
            return;
        }
        let (start, work) = (Instant::now(), || self.owner.timed(|| self.together(&requests)));
        let replies = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)));
        self.last.store(start.elapsed().as_nanos() as u64, Relaxed);
        match replies {
            Ok(replies) => {
                let pairs = requests.iter().zip(replies);
                pairs.for_each(|(request, answers)| drop(request.reply.send(Ok(answers))));
            }
            Err(error) => {
                let (first, others) = requests.split_first().expect("there are requests");
                others.iter().for_each(|request| drop(request.reply.send(Err(error.repeated()))));
                let _ = first.reply.send(Err(error));
            }
        }
    }

    /// The answers to some requests, from as few batches as fit.
    fn together(&self, requests: &[Request]) -> Result<Vec<Answers>, DeepError> {
        if let [one] = requests {
            return Ok(vec![self.evaluate(&one.batch)?]);
        }
        let mut all = Batch::new(requests[0].batch.dims());
        for request in requests {
            (0..request.batch.positions()).for_each(|index| all.append(&request.batch, index, None));
        }
        let answers = self.evaluate(&all)?;
        let (mut logits, mut values) = (&answers.policy_logits[..], &answers.values[..]);
        let part = |request: &Request| Answers {
            policy_logits: split(&mut logits, request.batch.logits()),
            values: split(&mut values, request.batch.positions()),
        };
        Ok(requests.iter().map(part).collect())
    }

    /// The answers for a batch, in parts if it has too many positions for the device.
    fn evaluate(&self, batch: &Batch) -> Result<Answers, DeepError> {
        let most = self.most.load(Relaxed);
        if batch.positions() > most {
            return self.in_parts(batch, most);
        }
        match self.network().forward(batch) {
            Err(error) if error.is_memory_full() && batch.positions() > 1 => {
                let half = batch.positions().div_ceil(2);
                self.most.store(half, Relaxed);
                self.in_parts(batch, half)
            }
            answers => {
                self.owner.count(batch.positions());
                answers
            }
        }
    }

    fn in_parts(&self, batch: &Batch, most: usize) -> Result<Answers, DeepError> {
        let mut all = Answers::default();
        for first in (0..batch.positions()).step_by(most) {
            let mut part = Batch::new(batch.dims());
            let indices = first..batch.positions().min(first + most);
            indices.for_each(|index| part.append(batch, index, None));
            let answers = self.evaluate(&part)?;
            all.policy_logits.extend(answers.policy_logits);
            all.values.extend(answers.values);
        }
        Ok(all)
    }
}

/// Removes the first numbers of a slice.
fn split(numbers: &mut &[f32], count: usize) -> Vec<f32> {
    let (first, rest) = numbers.split_at(count);
    *numbers = rest;
    first.to_vec()
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> DeepError {
    let text = panic.downcast_ref::<&str>().copied().map(str::to_owned);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    DeepError::Device(format!("its thread panicked: {text}"))
}
