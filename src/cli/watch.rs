//! `gauntlet watch`: what runs right now, until nothing does.

use std::io::{IsTerminal as _, Write as _, stdout};
use std::thread::sleep;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::output::{self, redraw, result};
use super::{Exit, Flags, live};
use crate::scheduler::LiveRun;
use crate::store::Store;

/// Time between two pictures.
const INTERVAL: Duration = Duration::from_secs(1);

/// Watch the runs that are under way: jobs, their metrics so far, the last game
#[derive(Debug, Args)]
pub struct Watch {}

impl Watch {
    /// Shows what runs until nothing does; once where stdout is no terminal.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let store = flags.look()?;
        let mut runs = LiveRun::all(&store);
        if flags.json {
            output::json(&runs.iter().map(value).collect::<Vec<_>>());
            return Ok(Exit::Done);
        }
        if runs.is_empty() {
            result(&format!(
                "nothing runs on `{}`; `gauntlet status` tells how far manifests are",
                flags.results.display()
            ));
            return Ok(Exit::Done);
        }
        let is_terminal = stdout().is_terminal();
        while !runs.is_empty() {
            let picture = picture(&store, &runs);
            if !is_terminal {
                result(&picture);
                return Ok(Exit::Done);
            }
            redraw(&picture);
            let _ = stdout().flush();
            sleep(INTERVAL);
            runs = LiveRun::all(&store);
        }
        result("no run is under way any more");
        Ok(Exit::Done)
    }
}

/// Runs, their jobs, and the last game of the job that told of one most recently begun.
fn picture(store: &Store, runs: &[LiveRun]) -> String {
    let mut text = String::new();
    for run in runs {
        text += &format!("{}\n\n{}\n", live::headline(run), live::jobs(run.running.iter()));
        if let Some(game) = run.running.iter().rev().find_map(|job| live::last_game(store, job)) {
            text += &format!("{game}\n");
        }
    }
    text
}

fn value(run: &LiveRun) -> serde_json::Value {
    json!({ "process": run.process, "jobs": run.jobs, "ended": run.ended, "failed": run.failed, "share": run.share,
        "seconds": run.seconds, "seconds_left": run.seconds_left,
        "running": run.running.iter().map(live::value).collect::<Vec<_>>() })
}
