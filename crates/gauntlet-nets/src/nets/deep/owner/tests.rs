//! The queue with slow, full and broken devices.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::*;
use crate::encoders::Batch;
use crate::nets::NumberFormat;
use crate::nets::deep::laws::{batch, build, dims};
use crate::nets::deep::{Answers, DeepError, DeepSpec, Inference, Plain};

/// A device that is slow, has room for some positions, and fails when told to.
#[derive(Default)]
struct Fake {
    pause: Duration,
    room: Option<usize>,
    sizes: Mutex<Vec<usize>>,
    threads: Mutex<Vec<std::thread::ThreadId>>,
    breaks: AtomicBool,
    panics: AtomicBool,
    calls: AtomicUsize,
}

impl Forward for Arc<Fake> {
    fn forward(&self, batch: &Batch) -> Result<Answers, DeepError> {
        self.calls.fetch_add(1, SeqCst);
        std::thread::sleep(self.pause);
        assert!(!self.panics.load(SeqCst), "the fake device panics");
        if self.breaks.load(SeqCst) {
            return Err(candle_core::Error::Msg("DriverError(CUDA_ERROR_LAUNCH_FAILED)".to_owned()).into());
        }
        if self.room.is_some_and(|room| batch.positions() > room) {
            return Err(candle_core::Error::Msg("DriverError(CUDA_ERROR_OUT_OF_MEMORY)".to_owned()).into());
        }
        self.sizes.lock().unwrap().push(batch.positions());
        self.threads.lock().unwrap().push(std::thread::current().id());
        let Batch::Planes(planes) = batch else { panic!("images") };
        // The answer of a position is its first number; a network with two actions.
        let values: Vec<f32> = planes.values().chunks(4).map(|image| image[0]).collect();
        Ok(Answers { policy_logits: values.iter().flat_map(|&value| [value, -value]).collect(), values })
    }

    fn flops(&self, _: &Batch, _: usize) -> u64 {
        7
    }
}

fn images(first: usize, count: usize) -> Batch {
    let mut batch = Batch::new(crate::encoders::Dims::Planes { channels: 1, rows: 2, columns: 2, actions: 2 });
    let Batch::Planes(planes) = &mut batch else { panic!("images") };
    (first..first + count).for_each(|number| planes.push(&[number as f32, 0.0, 0.0, 0.0]));
    batch
}

fn served(fake: Fake, positions: usize, patience: Duration) -> (Arc<Owner>, Arc<Fake>, Served) {
    let (owner, fake) = (Arc::new(Owner::start(Limits { positions, patience }).unwrap()), Arc::new(fake));
    let served = Served::new(Arc::clone(&owner), Box::new(Arc::clone(&fake)));
    (owner, fake, served)
}

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(2);

/// Sixteen senders, each with ten batches of different sizes: all get their own answers, and full batches are computed.
#[test]
fn what_waits_shares_a_batch_and_every_sender_gets_its_answers() {
    let (owner, fake, first) = served(Fake { pause: SHORT, ..Fake::default() }, 64, LONG);
    let mut senders: Vec<_> = (0..15).map(|_| first.fork().unwrap()).collect();
    senders.push(Box::new(first));
    std::thread::scope(|scope| {
        for (sender, mut served) in senders.into_iter().enumerate() {
            scope.spawn(move || {
                let mut answers = Answers::default();
                for round in 0..10 {
                    let (start, count) = (1000 * sender + 10 * round, 1 + (sender + round) % 7);
                    served.infer(&images(start, count), &mut answers).unwrap();
                    let expected: Vec<f32> = (start..start + count).map(|number| number as f32).collect();
                    assert_eq!(answers.values, expected);
                    assert_eq!(answers.policy_logits.len(), 2 * count);
                }
            });
        }
    });
    let sizes = fake.sizes.lock().unwrap();
    assert!(sizes.iter().all(|&size| size <= 64), "{sizes:?}");
    // 160 requests of four positions in the mean: alone they would be 160 batches.
    assert!(sizes.len() < 60, "{} batches", sizes.len());
    let threads = fake.threads.lock().unwrap();
    assert!(threads.iter().all(|thread| *thread == threads[0] && *thread != std::thread::current().id()));
    let load = owner.load();
    assert_eq!((load.batches as usize, load.positions as usize), (sizes.len(), sizes.iter().sum()));
    assert!(load.busy >= SHORT * sizes.len() as u32);
}

/// A sender that computes alone, or next to senders that send nothing, waits no longer than the limit.
#[test]
fn an_idle_sender_delays_the_others_by_the_limit_only() {
    let (_, fake, mut served) = served(Fake::default(), 64, Duration::from_millis(5));
    let idle = served.fork().unwrap();
    let start = Instant::now();
    for _ in 0..20 {
        served.infer(&images(0, 3), &mut Answers::default()).unwrap();
    }
    assert!(start.elapsed() >= Duration::from_millis(95) && start.elapsed() < Duration::from_secs(5));
    drop(idle);
    served.infer(&images(0, 3), &mut Answers::default()).unwrap();
    assert_eq!(fake.sizes.lock().unwrap().len(), 21);
    assert_eq!(served.flops(&images(0, 1), 0), 7);
}

/// With a generous limit, a batch waits for all senders, so that its positions are in their order in each repetition.
#[test]
fn positions_are_in_the_order_of_their_senders() {
    for _ in 0..5 {
        let (_, fake, first) = served(Fake::default(), 64, LONG);
        let second = first.fork().unwrap();
        std::thread::scope(|scope| {
            for (start, mut served) in [(5, Box::new(first) as Box<dyn Inference>), (9, second)] {
                scope.spawn(move || {
                    let mut answers = Answers::default();
                    served.infer(&images(start, 2), &mut answers).unwrap();
                    assert_eq!(answers.values, [start as f32, start as f32 + 1.0]);
                });
            }
        });
        assert_eq!(*fake.sizes.lock().unwrap(), [4]);
    }
}

#[test]
fn errors_and_panics_reach_every_sender_and_nothing_hangs() {
    for panics in [false, true] {
        let (owner, fake, first) = served(Fake { pause: SHORT, ..Fake::default() }, 64, LONG);
        let failing = if panics { &fake.panics } else { &fake.breaks };
        failing.store(true, SeqCst);
        let senders = [first.fork().unwrap(), first.fork().unwrap(), Box::new(first) as Box<dyn Inference>];
        let start = Instant::now();
        let mut senders: Vec<_> = std::thread::scope(|scope| {
            let tasks = senders.map(|mut served| {
                scope.spawn(move || {
                    let error = served.infer(&images(0, 2), &mut Answers::default()).unwrap_err().to_string();
                    (served, error)
                })
            });
            tasks.into_iter().map(|task| task.join().unwrap()).collect()
        });
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        assert_eq!(fake.calls.load(SeqCst), 1, "all three shared the batch");
        let word = if panics { "the fake device panics" } else { "the card was lost or failed" };
        assert!(senders.iter().all(|(_, error)| error.contains(word)), "{}", senders[0].1);
        // The owner lives on: what failed may be mended.
        failing.store(false, SeqCst);
        assert_eq!(owner.call(|| 5), 5);
        senders.truncate(1);
        senders[0].0.infer(&images(3, 1), &mut Answers::default()).unwrap();
    }
}

#[test]
fn batches_get_smaller_when_the_memory_is_full() {
    let (_, fake, mut served) = served(Fake { room: Some(10), ..Fake::default() }, 64, SHORT);
    let mut answers = Answers::default();
    for _ in 0..2 {
        served.infer(&images(0, 60), &mut answers).unwrap();
        assert_eq!(answers.values, (0..60).map(|number| number as f32).collect::<Vec<_>>());
    }
    let sizes = fake.sizes.lock().unwrap().clone();
    assert!(sizes.iter().all(|&size| (1..=10).contains(&size)), "{sizes:?}");
    // 60, 30 and 15 positions failed once each; from then on, batches of 8 fit.
    assert_eq!(fake.calls.load(SeqCst), sizes.len() + 3);
    let (_, _, mut none) = self::served(Fake { room: Some(0), ..Fake::default() }, 64, SHORT);
    let error = none.infer(&images(0, 4), &mut answers).unwrap_err();
    assert!(error.is_memory_full() && error.to_string().contains("--jobs"), "{error}");
}

/// Closures run there in order, also from the owner itself; their panics are the caller's.
#[test]
fn calls_are_borrowed_and_their_panics_return() {
    let owner = Owner::start(Limits::default()).unwrap();
    let mut numbers = vec![1, 2];
    owner.call(|| owner.call(|| numbers.push(3)));
    assert_eq!(numbers, [1, 2, 3]);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| owner.call(|| panic!("in the call"))));
    assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"in the call"));
    assert_eq!(owner.call(|| 1), 1);
}

/// Two networks side by side, and steps between their batches.
#[test]
fn networks_and_steps_take_turns() {
    let owner = Arc::new(Owner::start(Limits { positions: 8, patience: SHORT }).unwrap());
    let fakes = [(); 2].map(|()| Arc::new(Fake { pause: Duration::from_millis(1), ..Fake::default() }));
    let steps = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for fake in &fakes {
            let mut served = Served::new(Arc::clone(&owner), Box::new(Arc::clone(fake)));
            scope.spawn(move || {
                (0..50).for_each(|i| served.infer(&images(i, 5), &mut Answers::default()).unwrap());
            });
        }
        scope.spawn(|| (0..50).for_each(|_| owner.call(|| steps.store(steps.load(SeqCst) + 1, SeqCst))));
    });
    assert_eq!(steps.load(SeqCst), 50);
    assert!(fakes.iter().all(|fake| fake.calls.load(SeqCst) == 50));
}

/// Every network answers alike from one thread and from sixteen that share its batches, and as its kernels do.
#[test]
fn every_network_answers_alike_through_the_queue() {
    for spec in DeepSpec::examples() {
        let dims = dims(&spec);
        let owner = Arc::new(Owner::start(Limits { positions: 32, patience: LONG }).unwrap());
        let net = || Box::new(Plain(build(&spec, candle_core::DType::F32)));
        let batches: Vec<Batch> = (0..16).map(|seed| batch(dims, 1 + seed as usize % 3, seed)).collect();
        let mut fast = build(&spec, candle_core::DType::F32).inference(NumberFormat::F32).unwrap();
        let first = Served::new(owner, net());
        let mut senders: Vec<Box<dyn Inference>> = (1..16).map(|_| first.fork().unwrap()).collect();
        senders.push(Box::new(first));
        std::thread::scope(|scope| {
            let tasks: Vec<_> = senders
                .into_iter()
                .zip(&batches)
                .map(|(mut served, batch)| {
                    scope.spawn(move || {
                        let mut answers = Answers::default();
                        served.infer(batch, &mut answers).unwrap();
                        answers
                    })
                })
                .collect();
            for (task, batch) in tasks.into_iter().zip(&batches) {
                let (shared, mut alone) = (task.join().unwrap(), Answers::default());
                fast.infer(batch, &mut alone).unwrap();
                let all = |answers: &Answers| [&answers.policy_logits[..], &answers.values].concat();
                let apart = all(&shared).iter().zip(all(&alone)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert_eq!(all(&shared).len(), all(&alone).len());
                assert!(apart < 1e-4, "{}: {apart}", spec.name());
            }
        });
    }
}
