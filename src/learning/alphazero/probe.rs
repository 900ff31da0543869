//! Steps of optimisation on nothing in particular, for whoever wants to know how long they take here. No clock is read,
//! and nothing is learned.

use super::spec::step_seconds;
use super::{AlphaZeroJob, LearningError};
use crate::base::{Rng, Seed};
use crate::encoders::Batch;
use crate::games::Position;
use crate::learning::{Adam, LossSpec, Targets, train_step};
use crate::nets::deep::Net;
use crate::players::{GuidedAgent, Source, Weights};

/// What a step is estimated to take at most, seconds; longer ones are made of fewer examples.
const MOST: f64 = 0.02;

/// A network of a training, and an optimiser that is told the same again and again.
pub struct StepProbe {
    net: Box<dyn Net>,
    adam: Adam,
    batch: Batch,
    targets: Targets,
    loss: LossSpec,
    rng: Rng,
    /// What a step is estimated to take.
    seconds: f64,
}

impl StepProbe {
    /// The training's network with random weights on its largest board; `None` where it has none.
    ///
    /// # Errors
    /// When the network cannot be built for the game.
    pub fn new(job: &AlphaZeroJob) -> Result<Option<StepProbe>, LearningError> {
        let Some(agent) = job.agent() else { return Ok(None) };
        let whole = GuidedAgent { subgraphs: None, weights: Weights::Random, ..agent.clone() };
        let (settings, seed, boards) = (&job.settings, Seed::new(0), [job.largest()]);
        let net = whole.net(&boards, &Source { seed: &seed, checkpoint: None })?;
        let example = step_seconds(&whole, &*boards[0]);
        let (least, most) = (whole.network.architecture().least_batch(), settings.batch.get());
        let count = ((MOST / example) as u32).clamp(least.min(most), most);
        let mut encoder = whole.encoder(&boards);
        let mut batch = Batch::new(encoder.dims());
        let start = boards[0].start();
        let positions: Vec<&dyn Position> = (0..count).map(|_| &*start).collect();
        encoder.encode(&positions, &mut batch);
        let (targets, adam) = (uniform(&batch), Adam::new(settings.adam, &*net)?);
        let seconds = f64::from(count) * example;
        Ok(Some(StepProbe { net, adam, batch, targets, loss: settings.loss, rng: seed.rng(), seconds }))
    }

    /// Makes a step. Seconds of one core that this is estimated to take.
    ///
    /// # Errors
    /// When the network fails.
    pub fn work(&mut self) -> Result<f64, LearningError> {
        let StepProbe { net, adam, batch, targets, loss, rng, .. } = self;
        train_step(&**net, adam, batch, targets, *loss, rng)?;
        Ok(self.seconds)
    }
}

/// Every action as good as another, and a draw.
fn uniform(batch: &Batch) -> Targets {
    let mut targets = Targets { values: vec![0.0; batch.positions()], ..Targets::default() };
    targets.legal.resize(batch.logits(), true);
    for index in 0..batch.positions() {
        let span = batch.span(index);
        targets.policy.resize(span.end, 1.0 / span.len() as f32);
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_steps_are_shortened_and_short_ones_are_whole() {
        let probe = |network: &str| {
            let text = format!("game = {{ othello = {{ size = 6 }} }}\nagent.guided.network = {{ {network} }}");
            StepProbe::new(&toml::from_str(&text).unwrap()).unwrap().unwrap()
        };
        let mut small = probe("saz = { hidden = 4 }");
        assert_eq!((small.batch.positions(), small.work().unwrap()), (64, small.seconds));
        let large = probe("az-cnn = { channels = 512, wide = 32, narrow = 32 }");
        assert!((2..64).contains(&large.batch.positions()) && large.seconds < 2.0 * MOST);
        let random = toml::from_str("game = { othello = { size = 6 } }\nagent = { random = {} }").unwrap();
        assert!(StepProbe::new(&random).unwrap().is_none());
    }
}
