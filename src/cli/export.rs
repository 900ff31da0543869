//! `gauntlet export`: played games, the metrics of trainings and networks for other programs, tables and figures for
//! papers.

use std::io::{self, BufRead, BufReader, Cursor, Read as _};
use std::path::{Path, PathBuf};

use clap::Args;

use super::for_onnx::ForOnnx;
use super::for_paper::ForPaper;
use super::output::{self, Misuse, note, visible};
use super::{Exit, Flags};
use crate::app::{ManifestLibrary, PlayerNames, no_manifest, write_games, write_metrics};
use gauntlet_games::base::Record;
use gauntlet_games::base::files::open_stream;
use gauntlet_games::formats::records::Records;
use gauntlet_games::formats::{ENDINGS, FormatError, LARGEST, tensorboard, write};
use gauntlet_nets::nets::{Checksum, checksum, with_checksum};
use gauntlet_store::{Error, ReadError, read_path};

/// Write the games of a job (games.jsonl) as PGN, SGF or JSON lines, the metrics of a training (metrics.jsonl) for
/// TensorBoard, or its weights (weights.safetensors) with a checksum. Of a model: its network as an ONNX file. Of a
/// manifest: the metrics of all trainings, or all games, as one CSV; its tables and figures for a paper
#[derive(Debug, Args)]
pub struct Export {
    /// The records or metrics, `-` for the standard input; or a manifest, for all of its trainings, games or artefacts; or a
    /// paper, for its artefacts; or a model, as `gauntlet play` names it
    #[arg(value_name = "RECORDS|MANIFEST|MODEL")]
    records: String,
    /// The file to write, whose ending gives the format: .pgn, .sgf or .jsonl for games, .tfevents (with any suffix)
    /// for metrics, .safetensors for weights, .onnx for a network; for a manifest games.csv for games, another .csv for metrics, a
    /// directory of event files, .tex for tables, or .pdf, .svg or .png for a figure
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write the games of a manifest, whatever the name of the CSV
    #[arg(long)]
    games: bool,
    /// Write the games of a manifest with their moves
    #[arg(long)]
    moves: bool,
    #[command(flatten)]
    paper: ForPaper,
    #[command(flatten)]
    onnx: ForOnnx,
}

/// The known endings of files.
const HINT: &str =
    "games end in .pgn, .sgf or .jsonl, metrics in .tfevents, weights in .safetensors, networks in .onnx";

/// The name of a table that holds games, not metrics.
const GAMES_TABLE: &str = "games.csv";

/// The kinds of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exported {
    Games,
    Metrics,
    Weights,
}

impl Exported {
    /// The content of a file with this name: `game.pgn`, `run.tfevents`, `events.out.tfevents.1`.
    fn of_name(name: &str) -> Option<Exported> {
        let endings: Vec<&str> = name.split('.').skip(1).collect();
        let is_games = endings.last().is_some_and(|ending| ENDINGS.contains(ending));
        let metrics = endings.contains(&"tfevents").then_some(Exported::Metrics);
        let weights = (endings.last() == Some(&"safetensors")).then_some(Exported::Weights);
        is_games.then_some(Exported::Games).or(weights).or(metrics)
    }

    /// The content of a text with this beginning, if it is recognizable.
    fn of_text(begin: &[u8]) -> Option<Exported> {
        let games = begin.starts_with(b"{\"records\":").then_some(Exported::Games);
        games.or_else(|| begin.starts_with(b"{\"step\":").then_some(Exported::Metrics))
    }

    fn words(self) -> &'static str {
        match self {
            Exported::Games => "games",
            Exported::Metrics => "metrics",
            Exported::Weights => "weights",
        }
    }
}

impl Export {
    /// Reads, writes, and reports the amount.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let is_network = self.onnx.is_for(&self.file)?;
        let is_of_games = self.games || self.moves;
        if !is_of_games && self.paper.run(flags, &self.records, &self.file)? {
            return Ok(Exit::Done);
        }
        if !is_of_games && is_network {
            self.onnx.run(flags, &self.records, &self.file)?;
            return Ok(Exit::Done);
        }
        if is_manifest(&self.records) {
            let planned = flags.options.planned(&self.records)?;
            let is_named = self.file.file_name().is_some_and(|name| name == GAMES_TABLE);
            let what = match self.games || self.moves || is_named {
                true => write_games(&flags.options, &planned, &self.file, self.moves)?,
                false => write_metrics(&flags.options, &planned, &self.file)?,
            };
            note(flags.quiet, &format!("{what} written to {}", visible(&self.file.to_string_lossy())));
            return Ok(Exit::Done);
        }
        if self.games || self.moves {
            let what = format!("{} is no manifest, and `--games` and `--moves` belong to one", visible(&self.records));
            return Err(Misuse::new(what, HINT));
        }
        let wanted = self.wanted().map_err(|error| self.unless_manifest(error))?;
        let mut input: Box<dyn BufRead> = match self.records.as_str() {
            "-" => Box::new(io::stdin().lock()),
            path if Path::new(path).is_file() => Box::new(Cursor::new(self.read(Path::new(path))?)),
            path => Box::new(BufReader::new(
                open_stream(Path::new(path)).map_err(|error| self.refused(&error.to_string()))?,
            )),
        };
        let begin = input.fill_buf().map_err(|error| self.refused(&error.to_string()))?;
        if let Some(found) = Exported::of_text(begin).filter(|found| *found != wanted) {
            let what = format!("these are {}, and {} holds {}", found.words(), self.shown(), wanted.words());
            return Err(Misuse::new(format!("{}: {what}", visible(&self.records)), HINT));
        }
        let (bytes, what) = match wanted {
            Exported::Games => self.games(input)?,
            Exported::Metrics => self.metrics(input)?,
            Exported::Weights => self.model(input)?,
        };
        output::write_named(&self.file, &bytes)?;
        note(flags.quiet, &format!("{what} written to {}", self.shown()));
        Ok(Exit::Done)
    }

    /// The content that the name of the file demands.
    fn wanted(&self) -> anyhow::Result<Exported> {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        let unknown = || format!("the name {} does not tell the format of the file", self.shown());
        Exported::of_name(&name).ok_or_else(|| Misuse::new(unknown(), HINT))
    }

    /// The error for an input that is neither a file nor a manifest: a table of metrics needs a manifest.
    fn unless_manifest(&self, error: anyhow::Error) -> anyhow::Error {
        let is_named = self.records != "-" && !Path::new(&self.records).exists();
        match is_named && self.file.extension().is_some_and(|ending| ending == "csv") {
            true => no_manifest(&self.records),
            false => error,
        }
    }

    /// The name of the file, for messages.
    fn shown(&self) -> String {
        visible(&self.file.to_string_lossy())
    }

    /// The input; for the directory of a finished job, the file of the job.
    fn read(&self, path: &Path) -> anyhow::Result<Vec<u8>> {
        match read_path(path) {
            Err(ReadError::Store(Error::File { source, .. })) => Err(self.refused(&source.to_string())),
            result => Ok(result?),
        }
    }

    /// The games in the format of the file, and their number.
    fn games(&self, input: Box<dyn BufRead>) -> anyhow::Result<(Vec<u8>, String)> {
        let bad = |error: FormatError| self.refused(&error.to_string());
        let records = Records::open(input).map_err(bad)?;
        let mut header = records.header().clone();
        let path = Path::new(&self.records);
        let renamed = PlayerNames::of_tree(path).in_file(path);
        header.players.iter_mut().for_each(|name| *name = renamed.get(name).unwrap_or(name).clone());
        let games = records.collect::<Result<Vec<Record>, _>>().map_err(bad)?;
        let name = self.file.to_string_lossy();
        let bytes = write(&name, &header, &games).map_err(|error| {
            Misuse::new(format!("cannot write {}: {}", visible(&name), error.fault), "PGN holds games of every kind")
        })?;
        Ok((bytes, format!("{} games", games.len())))
    }

    /// The weights with a checksum inside the file.
    fn model(&self, mut input: Box<dyn BufRead>) -> anyhow::Result<(Vec<u8>, String)> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(|error| self.refused(&error.to_string()))?;
        let hint = "trainings leave weights.safetensors in their directory under results/jobs";
        let refused = |what: String| Misuse::new(format!("{}: {}", visible(&self.records), visible(&what)), hint);
        if checksum(&bytes).map_err(|error| refused(error.to_string()))? == Checksum::Wrong {
            return Err(refused("its checksum is of something else".to_owned()));
        }
        let sealed = with_checksum(&bytes).map_err(|error| refused(error.to_string()))?;
        Ok((sealed, "weights with their checksum".to_owned()))
    }

    /// The metrics as events, and the number of their steps.
    fn metrics(&self, input: Box<dyn BufRead>) -> anyhow::Result<(Vec<u8>, String)> {
        let mut lines = Vec::new();
        // One byte above the limit, to detect larger files.
        let read = input.take(LARGEST as u64 + 1).read_to_end(&mut lines);
        read.map_err(|error| self.refused(&error.to_string()))?;
        let bytes = tensorboard::write(&lines).map_err(|error| self.refused(&error.to_string()))?;
        Ok((bytes, format!("metrics of {} steps", lines.iter().filter(|&&byte| byte == b'\n').count())))
    }

    fn refused(&self, what: &str) -> anyhow::Error {
        let hint = "playing jobs leave games.jsonl and trainings metrics.jsonl in their directory under results/jobs";
        Misuse::new(format!("{}: {}", visible(&self.records), visible(what)), hint)
    }
}

/// Whether the name is that of a manifest, not of a job's file.
fn is_manifest(name: &str) -> bool {
    name.ends_with(".toml") || ManifestLibrary::open().names().iter().any(|known| known == name)
}
