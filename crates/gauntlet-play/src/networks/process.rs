//! One process of a network: it evaluates, learns, saves and loads.

use std::time::Duration;

use rand::RngExt as _;
use serde_json::{Map, Value};

use super::frames::{Block, Frame, following, written};
use super::messages::{
    FromNetwork, Greeting, Hello, HelloFromNetwork, LONGEST_LINE, Learn, LearnRules, Learned, PROTOCOL, Seeded,
    ToNetwork, Version,
};
use super::rows::{RowFault, row_fault};
use crate::engines::messages::LONGEST_NAME;
use crate::engines::{EngineError, Launch, Process, Wait, shown};
use gauntlet_games::base::Seed;
use gauntlet_nets::encoders::{Dims, Planes};
use gauntlet_nets::nets::deep::Answers;

/// The most rows of an evaluation, if the program does not say.
const MOST_ROWS: usize = 1024;

/// The largest number of rows that a program may ask for.
const LARGEST_ROWS: usize = 1 << 16;

/// A running process that computes and trains a network.
pub struct NetworkProcess {
    process: Process,
    greeting: Greeting,
    hello: HelloFromNetwork,
    /// The version of its weights.
    version: u64,
}

/// A batch to learn from.
#[derive(Debug, Clone, Copy)]
pub struct Lesson<'a> {
    /// The positions.
    pub images: &'a Planes,
    /// Probability of each action, `[positions, logits]`.
    pub policy: &'a [f32],
    /// Whether each action was legal, `[positions, logits]`.
    pub legal: &'a [bool],
    /// Outcome for the side to move, `[positions]`.
    pub values: &'a [f32],
    /// The positions with unknown outcomes, ascending.
    pub unknown: &'a [u32],
}

impl NetworkProcess {
    /// Starts the program, which makes a network for these images.
    ///
    /// # Errors
    /// If it does not start, or speaks another version of the protocol.
    pub fn start(
        launch: Launch,
        greeting: Greeting,
        settings: &Map<String, Value>,
    ) -> Result<NetworkProcess, EngineError> {
        let mut process = Process::start_framed(launch, LONGEST_LINE, following)?;
        let hello = ToNetwork::Hello(Hello { protocol: PROTOCOL, greeting: &greeting, settings });
        process.send_whole(written(&hello, &[]));
        let (hello, version) = (HelloFromNetwork::default(), 0);
        let mut network = NetworkProcess { process, greeting, hello, version };
        network.hello = network.answer(network.process.startup(), "`hello`", |message, _| Ok(message.hello))?;
        network.require_sound()?;
        Ok(network)
    }

    /// Its answer to the first message.
    #[must_use]
    pub fn hello(&self) -> &HelloFromNetwork {
        &self.hello
    }

    /// The batches that it reads.
    #[must_use]
    pub fn dims(&self) -> Dims {
        let [channels, rows, columns] = self.greeting.shape;
        Dims::Planes { channels, rows, columns, actions: self.greeting.logits }
    }

    /// The most positions of an evaluation.
    #[must_use]
    pub fn most_rows(&self) -> usize {
        self.hello.rows.last().copied().unwrap_or(MOST_ROWS)
    }

    /// Draws new weights.
    ///
    /// # Errors
    /// If the program is broken.
    pub fn seed(&mut self, seed: &Seed) -> Result<(), EngineError> {
        let drawn = seed.child("network", 0).rng().random::<u64>() >> 11;
        self.send(&ToNetwork::Seed(Seeded { seed: drawn }), &[]);
        self.answer(self.process.startup(), "`seed`", |message, _| Ok(message.ready))?;
        self.version = 0;
        Ok(())
    }

    /// The answers to at most [`NetworkProcess::most_rows`] positions.
    ///
    /// # Errors
    /// If the program is broken, or answers with other shapes, old weights, or numbers that are not finite.
    pub fn evaluate(&mut self, planes: &Planes) -> Result<Answers, EngineError> {
        let (count, logits) = (planes.positions(), self.greeting.logits);
        let rows = self.hello.rows.iter().copied().find(|&rows| rows >= count).unwrap_or(count);
        let mut input = planes.values().to_vec();
        input.resize(rows * self.greeting.shape.iter().product::<usize>(), 0.0);
        let version = self.version;
        let [channels, height, width] = self.greeting.shape;
        let shape = [rows, channels, height, width];
        self.send(&ToNetwork::Evaluate(Version { version }), &[("input", &shape, Block::Floats(&input))]);
        let (mut policy_logits, mut values) = self.answer(self.process.timeout(), "`evaluate`", |message, frame| {
            let Some(answers) = message.answers else { return Ok(None) };
            if answers.version != version {
                let own = answers.version;
                return Err(format!("answered with the weights of version {own}: the current version is {version}"));
            }
            Ok(Some((frame.floats("logits", &[rows, logits])?, frame.floats("values", &[rows])?)))
        })?;
        policy_logits.truncate(count * logits);
        values.truncate(count);
        values.iter_mut().for_each(|value| *value = value.clamp(-1.0, 1.0));
        Ok(Answers { policy_logits, values })
    }

    /// Learns from a batch.
    ///
    /// # Errors
    /// If the program is broken.
    pub fn learn(&mut self, lesson: Lesson<'_>, rules: LearnRules) -> Result<Learned, EngineError> {
        let (images, logits) = (lesson.images, self.greeting.logits);
        let ([channels, height, width], count) = (self.greeting.shape, images.positions());
        let legal: Vec<u8> = lesson.legal.iter().map(|&is| is.into()).collect();
        let mut known = vec![1_u8; count];
        lesson.unknown.iter().for_each(|&position| known[position as usize] = 0);
        self.send(
            &ToNetwork::Learn(Learn { version: self.version, rules }),
            &[
                ("input", &[count, channels, height, width], Block::Floats(images.values())),
                ("policy", &[count, logits], Block::Floats(lesson.policy)),
                ("legal", &[count, logits], Block::Bytes(&legal)),
                ("values", &[count], Block::Floats(lesson.values)),
                ("known", &[count], Block::Bytes(&known)),
            ],
        );
        let learned = self.answer(self.process.timeout(), "`learn`", |message, _| Ok(message.learned))?;
        let (version, due) = (learned.version, self.version + 1);
        if version != due {
            return Err(self.process.broken(format!("gave its weights the version {version} after a step, not {due}")));
        }
        self.version = version;
        Ok(learned)
    }

    /// The bytes of weights, optimiser and everything else that its next steps depend on.
    ///
    /// # Errors
    /// If the program is broken.
    pub fn save(&mut self) -> Result<Vec<u8>, EngineError> {
        self.send(&ToNetwork::Save {}, &[]);
        self.answer(self.process.timeout(), "`save`", |message, frame| match message.saved {
            Some(_) => frame.bytes("state").map(|bytes| Some(bytes.to_vec())),
            None => Ok(None),
        })
    }

    /// Replaces weights and optimiser by saved ones.
    ///
    /// # Errors
    /// If the program is broken, or refuses the bytes.
    pub fn load(&mut self, state: &[u8]) -> Result<(), EngineError> {
        self.send(&ToNetwork::Load(Version { version: 0 }), &[("state", &[state.len()], Block::Bytes(state))]);
        self.answer(self.process.startup(), "`load`", |message, _| Ok(message.ready))?;
        self.version = 0;
        Ok(())
    }

    /// The reason why the answer to a position does not have the same bits in every batch.
    ///
    /// # Errors
    /// If the program is broken.
    pub fn row_fault(&mut self) -> Result<Option<RowFault>, EngineError> {
        let (shape, logits, rows) = (self.greeting.shape, self.greeting.logits, self.hello.rows.clone());
        let (usual, most) = ([7, 1, 64, 256], self.most_rows());
        let sizes: Vec<usize> = usual.into_iter().chain(rows).map(|size| size.min(most)).collect();
        row_fault(shape, logits, &sizes, |planes| self.evaluate(planes))
    }

    /// An error of this program.
    #[must_use]
    pub fn broken(&self, fault: impl Into<String>) -> EngineError {
        self.process.broken(fault)
    }

    fn send(&mut self, message: &ToNetwork<'_>, blocks: &[(&str, &[usize], Block<'_>)]) {
        self.process.send_whole(written(message, blocks));
    }

    /// Waits for an answer, past notes for the log. `part` takes its part of a message, `None` of another one.
    fn answer<T>(
        &mut self,
        limit: Duration,
        awaited: &str,
        part: impl Fn(FromNetwork, &Frame<'_>) -> Result<Option<T>, String>,
    ) -> Result<T, EngineError> {
        let wait = Wait::of(limit);
        loop {
            let received = self.process.receive(wait, awaited)?;
            let frame = Frame::of(&received).map_err(|fault| self.process.broken(fault))?;
            let message: FromNetwork = serde_json::from_slice(frame.line)
                .map_err(|error| self.process.broken(format!("wrote a message that cannot be read: {error}")))?;
            if let Some(note) = message.log {
                tracing::info!("{}: {}", self.process.name(), shown(&note));
                continue;
            }
            if let Some(reason) = message.error {
                return Err(self.process.broken(format!("stopped at {awaited}: {}", shown(&reason))));
            }
            let found = part(message, &frame).map_err(|fault| self.process.broken(fault))?;
            return found.ok_or_else(|| self.process.broken(format!("did not answer {awaited}, but something else")));
        }
    }

    /// Refuses another version of the protocol, and an answer to `hello` beyond its limits.
    fn require_sound(&self) -> Result<(), EngineError> {
        let HelloFromNetwork { protocol, name, versions, device, rows, .. } = &self.hello;
        let texts = versions.iter().flat_map(|(name, version)| [name, version]).chain([name, device]);
        let fault = if *protocol != PROTOCOL {
            format!("speaks version {protocol} of the protocol: version {PROTOCOL} is supported")
        } else if !rows.is_sorted_by(|a, b| a < b) || rows.contains(&0) {
            format!("asks for the rows {rows:?}: they have to ascend from 1")
        } else if rows.last().is_some_and(|&most| most > LARGEST_ROWS) {
            format!("asks for more than {LARGEST_ROWS} rows")
        } else if texts.into_iter().any(|text| text.len() > LONGEST_NAME) {
            format!("has a name or a version of more than {LONGEST_NAME} bytes")
        } else {
            return Ok(());
        };
        Err(self.process.broken(fault))
    }
}

impl Drop for NetworkProcess {
    fn drop(&mut self) {
        let mut quit = written(&ToNetwork::Quit {}, &[]);
        quit.pop();
        self.process.quit(quit);
    }
}
