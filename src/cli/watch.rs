//! `gauntlet watch`: shows active runs until they end.

use std::io::{BufReader, IsTerminal as _, Write as _, stdout};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::output::{self, Misuse, redraw, result};
use super::{Exit, Flags, Terminal, live};
use crate::app::live::{LiveReader, LiveView};
use gauntlet_games::base::files::open_stream;
use gauntlet_run::scheduler::{LiveJob, replay};

/// Time between two updates.
const INTERVAL: Duration = Duration::from_secs(1);

/// Watch active runs: their jobs, learning curves, ratings so far, the last game
#[derive(Debug, Args)]
pub struct Watch {
    /// Play back a run that was recorded with --record
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Play the recording this many times as fast
    #[arg(long, value_name = "N", default_value_t = 1.0, requires = "replay", value_parser = speed)]
    speed: f64,
}

impl Watch {
    /// Shows active runs until they end; only once if stdout is not a terminal.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        if let Some(path) = &self.replay {
            return self.play_back(flags, path);
        }
        let store = flags.options.look()?;
        let mut reader = LiveReader::default();
        let mut runs = reader.read(&store, None);
        if flags.json {
            output::json(&runs.iter().map(value).collect::<Vec<_>>());
            return Ok(Exit::Done);
        }
        if runs.is_empty() {
            result(&format!(
                "nothing runs on `{}`; `gauntlet status` tells how far manifests are",
                flags.options.results.display()
            ));
            return Ok(Exit::Done);
        }
        let is_terminal = stdout().is_terminal();
        while !runs.is_empty() {
            let picture = picture(&runs);
            if !is_terminal {
                result(&picture);
                return Ok(Exit::Done);
            }
            redraw(&picture);
            let _ = stdout().flush();
            sleep(INTERVAL);
            runs = reader.read(&store, None);
        }
        result("no run is under way any more");
        Ok(Exit::Done)
    }
}

impl Watch {
    /// Plays a recorded run.
    fn play_back(&self, flags: &Flags, path: &Path) -> anyhow::Result<Exit> {
        let hint = "name a file that `gauntlet run --record FILE` has written";
        let refused = |error: &dyn std::fmt::Display| Misuse::new(format!("{}: {error}", path.display()), hint);
        let file = open_stream(path).map_err(|error| refused(&error))?;
        replay(BufReader::new(file), &mut Terminal::new(flags), |time| sleep(time.div_f64(self.speed)))
            .map_err(|error| refused(&error))?;
        Ok(Exit::Done)
    }
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.001..=1e9).contains(&speed) => Ok(speed),
        _ => Err("write a number from 0.001 to 1000000000".to_owned()),
    }
}

/// Runs, their jobs, and details of these.
fn picture(runs: &[LiveView]) -> String {
    let mut text = String::new();
    for LiveView { run, jobs } in runs {
        let (headline, races, running) = (live::headline(run), live::races(run), live::jobs(run.running.iter()));
        text += &format!("{headline}\n\n{races}{running}\n{}\n", live::details(jobs));
    }
    text
}

fn value(LiveView { run, jobs }: &LiveView) -> serde_json::Value {
    let detailed = |job: &LiveJob| match jobs.iter().find(|view| view.job.directory == job.directory) {
        Some(view) => live::detailed(view),
        None => live::value(job),
    };
    json!({ "process": run.process, "jobs": run.jobs, "ended": run.ended, "failed": run.failed, "share": run.share,
        "seconds": run.seconds, "seconds_left": run.seconds_left, "races": run.races,
        "running": run.running.iter().map(detailed).collect::<Vec<_>>() })
}
