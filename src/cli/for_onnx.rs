//! The options of `gauntlet export` for networks as ONNX files.

use std::path::Path;

use clap::Args;

use super::Flags;
use super::limits::whole;
use super::output::{self, Misuse, note, visible};
use crate::app::{Found, PlayerRequest};
use gauntlet_games::games::Game;
use gauntlet_nets::encoders::{Dims, Encoding as _, Graph, PlanesSpec};
use gauntlet_nets::nets::deep::{DeepCheckpoint, DeepError, InputKind};
use gauntlet_play::players::{GuidedAgent, PlayerSpec};

/// The heading of these options in the help.
const HEADING: &str = "Networks as ONNX files";

/// The ending of these files.
const ENDING: &str = "onnx";

/// The board of the network.
#[derive(Debug, Args)]
pub struct ForOnnx {
    /// The game whose board the network reads, by its kind and settings [default: the game of the model]
    #[arg(long, value_name = "NAME|SPEC", help_heading = HEADING)]
    game: Option<String>,
    /// Rows and columns of its board
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX), help_heading = HEADING)]
    size: Option<u32>,
}

impl ForOnnx {
    /// Whether the name of the file asks for a network.
    ///
    /// # Errors
    /// If it does not, and options are for one.
    pub fn is_for(&self, file: &Path) -> anyhow::Result<bool> {
        let is_network = file.extension().is_some_and(|ending| ending == ENDING);
        if is_network || self.game.is_none() && self.size.is_none() { Ok(is_network) } else { Err(misplaced(file)) }
    }

    /// Writes the network of a model.
    ///
    /// # Errors
    /// If there is no such model, it has no ONNX form, or the file cannot be written.
    pub fn run(&self, flags: &Flags, model: &str, file: &Path) -> anyhow::Result<()> {
        let (model_name, game, size) = (Some(model.to_owned()), self.game.clone(), self.size);
        let asked = PlayerRequest { model: model_name, game, size, ..PlayerRequest::default() };
        let found = Found::find(&asked, &flags.options, &|line| note(flags.quiet, line), "no model is given")?;
        let (bytes, what) = written(model, &found)?;
        output::write_named(file, &bytes)?;
        note(flags.quiet, &format!("{what} written to {}", visible(&file.to_string_lossy())));
        Ok(())
    }
}

fn misplaced(file: &Path) -> anyhow::Error {
    let what = format!("{} is no ONNX file", visible(&file.to_string_lossy()));
    Misuse::new(what, "--game and --size are for files that end in .onnx")
}

/// The bytes of the file, and the network and its input in words.
fn written(model: &str, found: &Found) -> anyhow::Result<(Vec<u8>, String)> {
    let refused = |what: &str| {
        let hint = "networks of `guided` players over images, and `saz`, become ONNX files";
        Misuse::new(format!("{} has no ONNX form: {}", visible(model), visible(what)), hint)
    };
    let PlayerSpec::Guided(agent) = &found.player else {
        return Err(refused(&format!("{} is no network of layers", found.player.name())));
    };
    let checkpoint = DeepCheckpoint::from_bytes(found.weights.as_deref().unwrap_or_default())?;
    let game = found.spec.as_ref().map(|spec| spec.build());
    let (dims, graph) = board(agent, &checkpoint, game.as_deref())?;
    let bytes = checkpoint.to_onnx(dims, graph.as_ref()).map_err(|error| match error {
        DeepError::Onnx(reason) => refused(&reason.to_string()),
        other => refused(&other.to_string()),
    })?;
    let Dims::Planes { channels, rows, columns, actions } = dims else { unreachable!("a file reads images") };
    let network = checkpoint.net.name();
    Ok((bytes, format!("{network}, from {channels} x {rows} x {columns} numbers to {actions} logits,")))
}

/// The images of the network, and the graph of their board for a network over graphs.
fn board(
    agent: &GuidedAgent,
    checkpoint: &DeepCheckpoint,
    game: Option<&dyn Game>,
) -> anyhow::Result<(Dims, Option<Graph>)> {
    let wrong = |what: String| Misuse::new(visible(&what), "name another game or size: --game gomoku --size 9");
    match (checkpoint.net.reads(), game) {
        (InputKind::Graphs, None) => Err(wrong("the model does not say which game it plays".to_owned())),
        (InputKind::Graphs, Some(game)) => {
            let planes = PlanesSpec::default();
            planes.check(game).map_err(|reason| wrong(format!("no plane shows {}: {reason}", game.name())))?;
            Ok((planes.extent(game).dims, Some(Graph::board(game.topology()))))
        }
        (InputKind::Images { .. }, Some(game)) => {
            let encoding = agent.encoding();
            let unsuited = |reason| wrong(format!("{} does not play {}: {reason}", agent.network.name(), game.name()));
            encoding.check(game).map_err(unsuited)?;
            Ok((encoding.extent(game).dims, None))
        }
        (InputKind::Images { .. } | InputKind::Moves { .. }, _) => Ok((checkpoint.dims, None)),
    }
}
