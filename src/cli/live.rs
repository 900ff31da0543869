//! Active runs as tables, small curves and boards for the terminal.

use serde_json::{Value, json};

use super::output::{count, duration, table, visible};
use crate::app::live::{CurveLine, JobView, PartialStanding, PartialStandings};
use gauntlet_run::scheduler::{LiveJob, LiveRace, LiveRun};

/// Most lines of curves and of ratings on a screen.
const MOST_CURVES: usize = 8;
const MOST_PLAYERS: usize = 12;
/// Most bars of a curve.
const SPARKS: usize = 40;

/// One line on the progress of a run.
pub fn headline(run: &LiveRun) -> String {
    let failed = if run.failed > 0 { format!(", {} failed", run.failed) } else { String::new() };
    let queued = if run.queued > 0 { format!(", {} queued", run.queued) } else { String::new() };
    let left = run.seconds_left.map_or(String::new(), |left| format!(", about {} left", duration(left)));
    let (of, share) = (count(run.jobs, "job"), run.share * 100.0);
    let since = duration(run.seconds);
    format!("process {} for {since}: {} of {of} ended{failed}{queued}, {share:.0} %{left}", run.process, run.ended)
}

/// The races of a run: a line, the settings that are left over its games, and those with their results so far.
pub fn races(run: &LiveRun) -> String {
    let block = |race: &LiveRace| {
        let left: Vec<f64> = race.left.iter().map(|point| point[1]).collect();
        let rows: Vec<Vec<String>> =
            race.best.iter().map(|(name, mean)| vec![visible(name), format!("{mean:.3}")]).collect();
        match race.left.last().filter(|_| !rows.is_empty()) {
            Some([spent, _]) => {
                let course = format!("settings left {} after {spent:.0} {}", sparkline(&left), race.unit);
                format!("{}\n{course}\n{}\n", visible(&race.line), table(&["setting", "mean so far"], rows))
            }
            None => format!("{}\n", visible(&race.line)),
        }
    };
    run.races.iter().map(block).collect()
}

/// A table of running jobs; empty if there are none.
pub fn jobs<'a>(jobs: impl Iterator<Item = &'a LiveJob>) -> String {
    let rows: Vec<Vec<String>> = jobs.map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    table(&["running", "done", "", "rate", "for", "left", "so far"], rows)
}

fn row(job: &LiveJob) -> Vec<String> {
    let of = if job.progress.total == 0 {
        "-".to_owned()
    } else {
        format!("{} of {}", job.progress.done, job.progress.total)
    };
    let left = job
        .rate
        .map_or("-".to_owned(), |rate| duration(job.progress.total.saturating_sub(job.progress.done) as f64 / rate));
    let (share, time) = (format!("{:.0} %", job.progress.share() * 100.0), duration(job.seconds));
    vec![
        visible(&job.name),
        of,
        share,
        job.rate.map_or("-".to_owned(), rate),
        time,
        left,
        visible(&job.progress.line()),
    ]
}

/// Units per second, minute or hour: the first that gives a readable number.
fn rate(rate: f64) -> String {
    let units = [(1.0, "s"), (60.0, "min"), (3600.0, "h")];
    let (seconds, word) = units.into_iter().find(|(seconds, _)| rate * seconds >= 1.0).unwrap_or(units[2]);
    format!("{:.1}/{word}", rate * seconds)
}

/// A running job as JSON, with its curves and ratings.
pub fn detailed(view: &JobView) -> Value {
    let mut value = value(&view.job);
    value["curves"] = json!(view.curves);
    value["standings"] = json!(view.standings);
    value
}

/// A running job as JSON.
pub fn value(job: &LiveJob) -> Value {
    let metrics: serde_json::Map<String, Value> =
        job.progress.metrics.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({ "job": job.name, "directory": job.directory, "done": job.progress.done, "total": job.progress.total, "seconds": job.seconds,
        "per_second": job.rate, "metrics": metrics })
}

/// The learning curves, the ratings so far and the last game of running jobs: those that fit on a screen.
pub fn details(views: &[JobView]) -> String {
    let curves: String = views.iter().flat_map(curve_lines).take(MOST_CURVES).collect();
    let standings = views.iter().find_map(|view| Some(standings(&view.job, view.standings.as_ref()?)));
    // The game of the most recently started job that reported one.
    let game = views.iter().rev().find_map(|view| Some((view, view.game.as_ref()?))).map(|(view, game)| {
        format!("last game of {}: {}\n{}", visible(&view.job.name), visible(&game.title), game.text)
    });
    let blocks = [(!curves.is_empty()).then_some(curves), standings, game];
    blocks.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// A line for each number of a training over its iterations or generations.
fn curve_lines(view: &JobView) -> Vec<String> {
    let line = |(line, x): (&CurveLine, &str)| {
        let values: Vec<f64> = line.points.iter().map(|point| point[1]).collect();
        let last = line.points.last().copied().unwrap_or_default();
        let (name, job) = (&line.name, visible(&view.job.name));
        format!("{job}: {name} {} {:.3} at {x} {:.0}\n", sparkline(&values), last[1], last[0])
    };
    let lines = view.curves.iter().flat_map(|curve| curve.lines.iter().map(|line| (line, &*curve.x)));
    lines.map(line).collect()
}

/// Values as bars of eight heights, from the lowest to the highest; of many, evenly spaced ones with the last.
fn sparkline(values: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
    let bar = |value: f64| match high > low {
        true => BARS[(((value - low) / (high - low)) * 7.0).round() as usize],
        false => BARS[3],
    };
    let shown = values.len().min(SPARKS);
    let at = |place: usize| (place + 1) * values.len() / shown - 1;
    (0..shown).map(|place| bar(values[at(place)])).collect()
}

/// The ratings of a tournament under way.
fn standings(job: &LiveJob, standings: &PartialStandings) -> String {
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
    let row = |player: &PartialStanding| {
        let score = format!("{:.1} %", 100.0 * player.score);
        vec![visible(&player.name), number(player.elo), number(player.error), player.games.to_string(), score]
    };
    let rows = standings.players.iter().take(MOST_PLAYERS).map(row);
    let title = format!("{}, partial: ratings after {} games", visible(&job.name), standings.games);
    format!("{title}\n{}", table(&["player", "Elo", "± s.e.", "games", "score"], rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_numbers_to_read() {
        assert_eq!([12.0, 0.5, 0.001, 0.0].map(rate), ["12.0/s", "30.0/min", "3.6/h", "0.0/h"]);
    }

    #[test]
    fn curves_are_bars_from_the_lowest_to_the_highest() {
        assert_eq!(sparkline(&[0.0, 0.5, 1.0]), "▁▅█");
        assert_eq!(sparkline(&[2.0, 2.0]), "▄▄");
        let long: Vec<f64> = (0..1000).map(f64::from).collect();
        let shown = sparkline(&long);
        assert!(shown.chars().count() == SPARKS && shown.ends_with('█'), "{shown}");
        assert_eq!(sparkline(&[]), "");
    }
}
