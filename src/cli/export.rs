//! `gauntlet export`: played games for other programs.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use clap::Args;

use super::output::{Misuse, note, visible};
use super::{Exit, Flags};
use crate::base::Record;
use crate::formats::records::Records;
use crate::formats::{FormatError, write};
use crate::store::atomic_write;

/// Write the games of a record file (games.jsonl of a playing job) as PGN, SGF or JSON lines
#[derive(Debug, Args)]
pub struct Export {
    /// The records; `-` is the standard input
    #[arg(value_name = "RECORDS")]
    records: String,
    /// The file to write, whose ending tells the format: .pgn, .sgf or .jsonl
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Export {
    /// Reads, writes, and says how many games that were.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let input: Box<dyn BufRead> = match self.records.as_str() {
            "-" => Box::new(io::stdin().lock()),
            path => Box::new(BufReader::new(File::open(path).map_err(|error| self.refused(&error.to_string()))?)),
        };
        let bad = |error: FormatError| self.refused(&error.to_string());
        let records = Records::open(input).map_err(bad)?;
        let header = records.header().clone();
        let games = records.collect::<Result<Vec<Record>, _>>().map_err(bad)?;
        let name = self.file.to_string_lossy();
        let bytes = write(&name, &header, &games).map_err(|error| {
            Misuse::new(format!("cannot write {}: {}", visible(&name), error.fault), "PGN holds games of every kind")
        })?;
        atomic_write(&std::path::absolute(&self.file)?, &bytes)?;
        note(flags.quiet, &format!("{} games written to {}", games.len(), visible(&name)));
        Ok(Exit::Done)
    }

    fn refused(&self, what: &str) -> anyhow::Error {
        let hint = "playing jobs leave their records as games.jsonl in their directory under results/jobs";
        Misuse::new(format!("{}: {}", visible(&self.records), visible(what)), hint)
    }
}
