//! A network of another program in training: its process takes the steps.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use rand::RngExt as _;

use super::AlphaZeroSpec;
use super::learner::Learner;
use crate::engines::{EngineError, EngineFacts, shown};
use crate::learning::{Examples, LearningError, LossSpec, Losses, PolicyLoss, StepRules, Targets};
use crate::networks::{LearnRules, Learned, Lesson, LossParts, NetworkProcess, SharedNetwork};
use crate::players::{GuidedAgent, PlayerError, Source, Weights};
use gauntlet_games::base::{Rng, Stop};
use gauntlet_games::games::Game;
use gauntlet_nets::encoders::{Batch, Dims, Planes};
use gauntlet_nets::nets::deep::{DeepCheckpoint, External, Inference};

/// A process with its network and optimiser.
pub struct ProgramLearner {
    network: External,
    shared: SharedNetwork,
    dims: Dims,
    rate: f64,
    /// Whether the next step begins with a new optimiser.
    fresh: bool,
    /// The current state, once it is saved.
    saved: RefCell<Option<Vec<u8>>>,
    /// Whether the other processes have older weights.
    is_ahead: Cell<bool>,
}

/// Positions of the batch by which two processes are compared.
const COMPARED: usize = 8;

impl ProgramLearner {
    /// Starts the program with the weights of a source. If it is declared deterministic, that is checked.
    ///
    /// # Errors
    /// If the program is not allowed, is broken, or is not deterministic and declared so.
    pub fn start(
        agent: &GuidedAgent,
        network: &External,
        game: &Arc<dyn Game>,
        source: &Source<'_>,
        settings: &AlphaZeroSpec,
        stop: &Stop,
    ) -> Result<ProgramLearner, LearningError> {
        let shared = agent.start_program(network, game, source, stop)?;
        let (dims, rate, saved) = (shared.lock().dims(), settings.adam.rate, RefCell::default());
        let (network, is_ahead) = (network.clone(), Cell::new(false));
        let learner = ProgramLearner { network, shared, dims, rate, fresh: true, saved, is_ahead };
        let network = &learner.network;
        if settings.compute.is_some() && learner.shared.operations() == 0 {
            let fault = "declares no `operations` of an evaluation, and the training has a budget of `compute`: declare \
                         them, or set `iterations` alone";
            return Err(broken(learner.shared.lock().broken(fault)));
        }
        if network.deterministic {
            let first = learner.state()?;
            // The last one, as it may have another device than the first.
            let number = network.instances.get() - 1;
            let mut other = agent.network_process(network, game, stop, number).map_err(broken)?;
            learner.require_alike(&other)?;
            match agent.weights {
                Weights::Random => other.seed(source.seed),
                Weights::Trained | Weights::File(_) => other.load(&first),
            }
            .map_err(broken)?;
            learner.require_deterministic(&mut other, &first)?;
        }
        Ok(learner)
    }

    /// Requires that another process in the same state learns the same bits, and that it goes on from the bytes of the
    /// own one as that does. The own process is in the state `first` again after that.
    fn require_deterministic(&self, other: &mut NetworkProcess, first: &[u8]) -> Result<(), LearningError> {
        let mut own = self.shared.lock();
        let (images, targets) = exercise(self.dims);
        let lesson = lesson(&images, &targets);
        let step = |process: &mut NetworkProcess, fresh| {
            process.learn(lesson, LearnRules { fresh, ..self.rules(LossSpec::default()) })?;
            Ok((process.evaluate(lesson.images)?, process.save()?))
        };
        let (one, same) = (step(&mut own, true).map_err(broken)?, step(other, true).map_err(broken)?);
        other.load(&one.1).map_err(broken)?;
        let (two, resumed) = (step(&mut own, false).map_err(broken)?, step(other, false).map_err(broken)?);
        own.load(first).map_err(broken)?;
        let fault = if one != same {
            "learns something else in a second process"
        } else if two != resumed {
            "goes on in another way from the bytes that it saved"
        } else {
            return Ok(());
        };
        let fix = "seed all of its randomness and save all of its state, or leave `deterministic` out";
        Err(broken(own.broken(format!("{fault}: it is not `deterministic`; {fix}"))))
    }

    /// The bytes of the current state.
    fn state(&self) -> Result<Vec<u8>, LearningError> {
        let mut saved = self.saved.borrow_mut();
        if let Some(state) = &*saved {
            return Ok(state.clone());
        }
        let state = self.shared.lock().save().map_err(broken)?;
        *saved = Some(state.clone());
        Ok(state)
    }

    /// Requires that another process has the same name, versions and device: otherwise no training could go on.
    fn require_alike(&self, other: &NetworkProcess) -> Result<(), LearningError> {
        let (own, second) = (self.shared.identity(), other.hello().identity());
        if own == second {
            return Ok(());
        }
        let fault = format!(
            "calls itself \"{}\", and \"{}\" in a second process: it is not `deterministic`, and the training could not be \
             resumed; give the same name, versions and device in every process",
            shown(own),
            shown(&second)
        );
        Err(broken(self.shared.lock().broken(fault)))
    }

    /// Requires that the program is the one with which the training began.
    fn require_same(&self, before: &str) -> Result<(), LearningError> {
        let now = self.shared.identity();
        if before == now {
            return Ok(());
        }
        let fault = format!(
            "calls itself \"{}\", and this training began with \"{}\": run it with that one, or remove the checkpoint",
            shown(now),
            shown(before)
        );
        Err(broken(self.shared.lock().broken(fault)))
    }

    fn rules(&self, loss: LossSpec) -> LearnRules {
        LearnRules {
            rate: self.rate,
            fresh: self.fresh,
            value_weight: loss.value,
            l2: loss.l2,
            legal_only: loss.policy == PolicyLoss::Legal,
        }
    }
}

impl Learner for ProgramLearner {
    fn dims(&self) -> Dims {
        self.dims
    }

    fn inference(&self, _agent: &GuidedAgent, _dims: Dims) -> Result<Box<dyn Inference>, LearningError> {
        if self.shared.has_others() && self.is_ahead.replace(false) {
            self.shared.update(&self.state()?).map_err(broken)?;
        }
        Ok(self.shared.inference()?)
    }

    fn begin(&mut self, fresh: bool, rate: Option<f64>) -> Result<(), LearningError> {
        self.fresh |= fresh;
        self.rate = rate.unwrap_or(self.rate);
        Ok(())
    }

    fn step(
        &mut self,
        examples: &Examples,
        rules: StepRules,
        _dropout: &mut Rng,
    ) -> Result<(Losses, BTreeMap<String, f64>), LearningError> {
        let Batch::Planes(images) = examples.batch() else { return Err(LearningError::Torn) };
        *self.saved.get_mut() = None;
        self.is_ahead.set(true);
        let learned = self.shared.lock().learn(lesson(images, examples.targets()), self.rules(rules.loss));
        let Learned { losses: LossParts { value, policy, entropy }, metrics, .. } = learned.map_err(broken)?;
        self.fresh = false;
        // An entropy that is no number is left out of the metrics.
        Ok((Losses { value, policy, entropy: entropy.unwrap_or(f64::NAN) }, metrics))
    }

    /// An evaluation of some of the last examples: answers that are not finite are errors.
    fn check(&self, last: &Examples, _loss: LossSpec, _number: u64, _steps: usize) -> Result<(), LearningError> {
        let Batch::Planes(images) = last.batch() else { return Err(LearningError::Torn) };
        let mut part = Planes::new(images.channels(), images.rows(), images.columns(), images.actions());
        let size = images.channels() * images.rows() * images.columns();
        images.values().chunks(size).take(COMPARED).for_each(|image| part.push(image));
        self.shared.lock().evaluate(&part).map(drop).map_err(broken)
    }

    fn operations(&self, batch: &Batch) -> u64 {
        batch.positions() as u64 * self.shared.operations()
    }

    fn network(&self, origin: &str) -> Result<DeepCheckpoint, LearningError> {
        Ok(DeepCheckpoint::of_program(&self.network, self.dims, self.state()?, origin))
    }

    /// One byte, and the identity of the program: its state has the rest.
    fn optimiser(&self) -> Result<Vec<u8>, LearningError> {
        Ok([&[self.fresh.into()], self.shared.identity().as_bytes()].concat())
    }

    fn program_facts(&self) -> Option<EngineFacts> {
        Some(self.shared.facts().clone())
    }

    fn restore(&mut self, network: &DeepCheckpoint, optimiser: &[u8]) -> Result<(), LearningError> {
        let state = network.state.as_ref().filter(|_| network.dims == self.dims).ok_or(LearningError::Torn)?;
        let (&fresh, identity) = optimiser.split_first().ok_or(LearningError::Torn)?;
        self.require_same(&String::from_utf8_lossy(identity))?;
        self.shared.lock().load(state).map_err(broken)?;
        self.is_ahead.set(true);
        self.fresh = fresh == 1;
        *self.saved.get_mut() = Some(state.clone());
        Ok(())
    }
}

fn broken(error: EngineError) -> LearningError {
    PlayerError::from(error).into()
}

fn lesson<'a>(images: &'a Planes, targets: &'a Targets) -> Lesson<'a> {
    let Targets { policy, legal, values, unknown } = targets;
    Lesson { images, policy, legal, values, unknown }
}

/// A batch of random images with random targets.
fn exercise(dims: Dims) -> (Planes, Targets) {
    let Dims::Planes { channels, rows, columns, actions } = dims else { unreachable!("it reads images") };
    let (mut images, mut targets) = (Planes::new(channels, rows, columns, actions), Targets::default());
    let mut rng = gauntlet_games::base::Seed::new(0).rng();
    for index in 0..COMPARED {
        let image: Vec<f32> = (0..channels * rows * columns).map(|_| f32::from(rng.random_range(0..2_u8))).collect();
        images.push(&image);
        let policy = (0..actions).map(|action| if action == index % actions { 1.0 } else { 0.0 });
        targets.policy.extend(policy);
        targets.legal.extend(std::iter::repeat_n(true, actions));
        targets.values.push(f32::from(rng.random_range(-1..=1_i8)));
    }
    (images, targets)
}
