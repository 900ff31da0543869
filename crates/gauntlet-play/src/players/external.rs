//! Guided players whose network is that of another program: its process, and the program as an engine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::engine::EngineAgent;
use super::guided::{GuidedAgent, refused};
use super::{PlayerError, Source, Weights};
use crate::engines::{EngineError, Launch};
use crate::networks::{Greeting, NetworkProcess, SharedNetwork};
use gauntlet_games::base::Stop;
use gauntlet_games::games::Game;
use gauntlet_nets::encoders::Dims;
use gauntlet_nets::nets::deep::{DeepCheckpoint, DeepError, DeepSpec, External};

impl GuidedAgent {
    /// The program of its network as an engine; `None` for a network of ours.
    pub(super) fn network_program(&self) -> Option<EngineAgent> {
        match &self.network {
            DeepSpec::External(network) => Some(as_engine(network)),
            _ => None,
        }
    }

    /// Makes the working directory of its program absolute, from that of the manifest, and takes the hashes of the
    /// program's files.
    pub(super) fn locate_network(&mut self, base: &Path) {
        if let DeepSpec::External(network) = &mut self.network {
            locate(network, base);
        }
    }

    /// The same player with nothing of this machine in its network: the one that a file of weights names.
    #[must_use]
    pub fn portable(&self) -> GuidedAgent {
        let network = match &self.network {
            DeepSpec::External(network) => DeepSpec::External(Box::new(network.portable())),
            own => own.clone(),
        };
        GuidedAgent { network, ..self.clone() }
    }

    /// Starts the program of its network, with the weights of a source.
    ///
    /// # Errors
    /// If the program is not allowed, is broken, or there are no weights of it.
    pub(crate) fn start_program(
        &self,
        network: &External,
        game: &Arc<dyn Game>,
        source: &Source<'_>,
        stop: &Stop,
    ) -> Result<SharedNetwork, PlayerError> {
        let saved = self.saved(network, source)?;
        let mut process = self.network_process(network, game, stop, 0)?;
        match saved {
            None => process.seed(source.seed)?,
            Some(state) => process.load(&state)?,
        }
        let others: Result<Vec<_>, _> =
            (1..network.instances.get()).map(|number| self.network_process(network, game, stop, number)).collect();
        Ok(SharedNetwork::new(process, others?, network.deterministic)?)
    }

    /// Starts the program of its network with saved weights.
    ///
    /// # Errors
    /// If the program is broken, or refuses them.
    pub(crate) fn resume_program(
        &self,
        network: &External,
        game: &Arc<dyn Game>,
        saved: &DeepCheckpoint,
        stop: &Stop,
    ) -> Result<SharedNetwork, PlayerError> {
        let mut process = self.network_process(network, game, stop, 0)?;
        process.load(saved.state.as_deref().unwrap_or_default())?;
        Ok(SharedNetwork::new(process, Vec::new(), network.deterministic)?)
    }

    /// The process of this number of its network, without weights.
    pub(crate) fn network_process(
        &self,
        network: &External,
        game: &Arc<dyn Game>,
        stop: &Stop,
        number: u8,
    ) -> Result<NetworkProcess, EngineError> {
        let program = as_engine(network);
        program.require_startable()?;
        NetworkProcess::start(launch(network, stop, number), self.greeting(game), &network.settings)
    }

    fn greeting(&self, game: &Arc<dyn Game>) -> Greeting {
        match self.encoding().extent(&**game).dims {
            Dims::Planes { channels, rows, columns, actions } => {
                Greeting { game: game.name(), shape: [channels, rows, columns], logits: actions }
            }
            Dims::Graphs { .. } | Dims::Moves(_) => unreachable!("the plan has checked that it reads images"),
        }
    }

    /// Checks that a file has a state of its network, for the images of this game.
    ///
    /// # Errors
    /// If it has none, or is for others.
    pub(super) fn check_saved(&self, game: &Arc<dyn Game>, bytes: &[u8]) -> Result<(), PlayerError> {
        let checkpoint = DeepCheckpoint::from_bytes(bytes)?;
        let (wanted, given) = (self.encoding().extent(&**game).dims, checkpoint.dims);
        if checkpoint.state.is_none() {
            return Err(self.weights.missing(self.network.name(), Some(checkpoint.net.name())));
        }
        match wanted == given {
            true => self.check_learned(&checkpoint, &**game),
            false => Err(refused(DeepError::Batch { net: "the network", wanted: given.to_string(), given: wanted })),
        }
    }

    /// The state that a source holds; `None` if the weights are drawn.
    fn saved(&self, network: &External, source: &Source<'_>) -> Result<Option<Vec<u8>>, PlayerError> {
        if self.weights == Weights::Random {
            return Ok(None);
        }
        let missing = |held| self.weights.missing(network.called(), held);
        let checkpoint = DeepCheckpoint::from_bytes(source.checkpoint.ok_or_else(|| missing(None))?)?;
        checkpoint.state.map(Some).ok_or_else(|| missing(Some(checkpoint.net.name())))
    }
}

/// The program of a network as an engine: they name their files alike, and start with the same consent.
fn as_engine(network: &External) -> EngineAgent {
    let External { command, name, needs, writes, environment, files, .. } = network.clone();
    let (options, directory) = (network.settings.clone(), network.directory.clone());
    let (deterministic, others) = (network.deterministic, EngineAgent::of(command));
    EngineAgent { name, options, needs, writes, environment, directory, files, deterministic, ..others }
}

/// Makes the working directory of a network's program absolute, from that of the manifest, and takes the hashes of its
/// files.
pub(super) fn locate(network: &mut External, base: &Path) {
    let mut engine = as_engine(network);
    engine.locate(base);
    (network.directory, network.files) = (engine.directory, engine.files);
}

/// The environment variable with the number of a process.
const INSTANCE: &str = "GAUNTLET_INSTANCE";

fn launch(network: &External, stop: &Stop, number: u8) -> Launch {
    let mut environment = network.environment.clone();
    environment.insert(INSTANCE.to_owned(), number.to_string());
    Launch {
        name: network.called(),
        command: network.command.clone(),
        directory: network.directory.0.clone(),
        workplace: None,
        environment,
        startup: Duration::from_secs_f64(network.startup_seconds),
        timeout: Duration::from_secs_f64(network.timeout_seconds),
        stop: stop.clone(),
    }
}
