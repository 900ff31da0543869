//! Runs under way and replays as parts of pages. They hold no script and no style sheet: colours and sizes are
//! attributes, so that any page can show them.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::escape::escaped;
use super::replay::RecordedGame;
use super::{Curve, CurveLine, JobView, LiveView, PartialStandings, board, chart};
use gauntlet_games::base::{count, duration};
use gauntlet_run::scheduler::LiveRace;

/// Width of a board, in pixels.
const BOARD: f64 = 260.0;
/// Most players in a table of ratings.
const MOST_PLAYERS: usize = 40;

/// The runs under way; empty if there are none.
pub fn fragment(views: &[LiveView]) -> String {
    views.iter().map(run).collect()
}

fn run(view: &LiveView) -> String {
    let run = &view.run;
    let (of, share) = (count(run.jobs, "job"), 100.0 * run.share);
    let mut state = format!("{} of {of} ended, {share:.0} % of the work", run.ended);
    if run.failed > 0 {
        let _ = write!(state, ", {} failed", run.failed);
    }
    if let Some(left) = run.seconds_left {
        let _ = write!(state, ", about {} left", duration(left));
    }
    let races: String = run.races.iter().map(race).collect();
    let jobs: String = view.jobs.iter().map(job).collect();
    let more = match run.running.len().saturating_sub(view.jobs.len()) {
        0 => String::new(),
        more => format!("<p>{} more run.</p>", count(more, "job")),
    };
    format!(
        "<section class=\"under-way\" aria-label=\"under way\"><h2>Under way</h2><p>Process {}, for {}: {state}.</p>\
         <progress max=\"1\" value=\"{:.4}\">{share:.0} %</progress>{races}{jobs}{more}</section>",
        run.process,
        duration(run.seconds),
        run.share
    )
}

/// A race: the settings that are left over its games, and their results so far.
fn race(race: &LiveRace) -> String {
    let most = race.left.first().map_or(1.0, |first| first[1]);
    let lines = vec![CurveLine { name: "settings left".to_owned(), points: race.left.clone() }];
    let (title, x) = ("settings left".to_owned(), race.unit.clone());
    let curve = Curve { title, x, range: Some([0.0, most]), lines };
    let row =
        |(name, mean): &(String, f64)| format!("<tr><th scope=\"row\">{}</th><td>{mean:.3}</td></tr>", escaped(name));
    let rows: String = race.best.iter().map(row).collect();
    let table = format!(
        "<table><caption>Partial: settings that are left</caption><thead><tr><th scope=\"col\">setting</th>\
         <th scope=\"col\">mean result</th></tr></thead><tbody>{rows}</tbody></table>"
    );
    let parts = if race.left.len() > 1 { chart::svg(&curve) + &table } else { String::new() };
    format!("<article><h3>{}</h3>{parts}</article>", escaped(&race.line))
}

fn job(view: &JobView) -> String {
    let progress = &view.job.progress;
    let mut state = match progress.total {
        0 => "begun".to_owned(),
        total => format!("{} of {total} ({:.0} %)", progress.done, 100.0 * progress.share()),
    };
    let metrics = progress.line();
    if !metrics.is_empty() {
        let _ = write!(state, ", {metrics}");
    }
    let charts: String = view.curves.iter().map(chart::svg).collect();
    let standings = view.standings.as_ref().map_or(String::new(), standings);
    let game = view.game.as_ref().map_or(String::new(), |game| {
        let picture = board::svg(&game.picture, BOARD);
        format!("<figure><figcaption>Last game: {}</figcaption>{picture}</figure>", escaped(&game.title))
    });
    let parts = [charts, standings, game].concat();
    format!("<article><h3>{}</h3><p>{}</p>{parts}</article>", escaped(&view.job.name), escaped(&state))
}

/// The ratings of a tournament so far.
fn standings(standings: &PartialStandings) -> String {
    let number = |value: Option<f64>, digits: usize| value.map_or("-".to_owned(), |value| format!("{value:.digits$}"));
    let row = |player: &super::PartialStanding| {
        format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{:.1} %</td></tr>",
            escaped(&player.name),
            number(player.elo, 0),
            number(player.error, 0),
            player.games,
            100.0 * player.score
        )
    };
    let rows: String = standings.players.iter().take(MOST_PLAYERS).map(row).collect();
    format!(
        "<table><caption>Partial: ratings after {} games, relative to the mean; ± is one standard error over pairs of \
         games</caption><thead><tr><th scope=\"col\">player</th><th scope=\"col\">Elo</th><th scope=\"col\">±</th>\
         <th scope=\"col\">games</th><th scope=\"col\">score</th></tr></thead><tbody>{rows}</tbody></table>",
        standings.games
    )
}

/// A recorded game for a page that replays it: the board, and for each position the pieces and the move before it.
pub fn replayed(game: &RecordedGame) -> Value {
    let frame = |ply: usize| {
        let before = ply.checked_sub(1);
        json!({
            "pieces": board::pieces(&game.positions[ply]),
            "move": before.map(|at| game.moves[at].as_str()),
            "mover": before.map(|at| game.header.players[game.movers[at]].as_str()),
            "opening": ply > 0 && ply <= game.record.opening as usize,
        })
    };
    json!({
        "title": game.title,
        "players": game.record.players.map(|player| game.header.players[player].as_str()),
        "board": board::svg(&game.positions[0], 2.0 * BOARD),
        "frames": (0..game.positions.len()).map(frame).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Curve, CurveLine, PartialStanding};
    use super::*;
    use gauntlet_run::scheduler::{JobProgress, LiveJob, LiveRun};

    fn view(name: &str) -> LiveView {
        let progress = JobProgress { done: 3, total: 4, ..JobProgress::default() };
        let job = LiveJob { name: name.to_owned(), progress, ..LiveJob::default() };
        let lines = vec![CurveLine { name: "score".into(), points: vec![[1.0, 0.25]] }];
        let curves = vec![Curve {
            title: "score of the evaluations".into(),
            x: "iteration".into(),
            range: Some([0.0, 1.0]),
            lines,
        }];
        let player = PartialStanding { name: "a".into(), elo: Some(12.4), error: Some(30.2), games: 4, score: 0.75 };
        let standings = Some(PartialStandings { games: 4, players: vec![player] });
        let race = LiveRace {
            line: "race `<r>`: 2 of 4 settings are left".to_owned(),
            unit: "games".to_owned(),
            left: vec![[0.0, 4.0], [80.0, 4.0], [80.0, 2.0]],
            best: vec![("simulations=<40>".to_owned(), 0.75)],
        };
        let mut run = LiveRun::default();
        run.races = vec![race];
        (run.jobs, run.ended, run.running) = (2, 1, vec![job.clone()]);
        LiveView { run, jobs: vec![JobView { job, curves, standings, game: None }] }
    }

    #[test]
    fn a_run_under_way_is_a_part_of_a_page() {
        let html = fragment(&[view("train <x>")]);
        for part in ["1 of 2 jobs ended", "train &lt;x&gt;", "3 of 4 (75 %)", "<svg", "Partial: ratings after 4 games"]
        {
            assert!(html.contains(part), "{part}: {html}");
        }
        for part in ["race `&lt;r&gt;`", "settings left: games 80, 2.0000", "simulations=&lt;40&gt;</th><td>0.750</td>"]
        {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(html.contains("<td>12</td><td>30</td><td>4</td><td>75.0 %</td>"), "{html}");
        assert!(!html.contains("<script") && !html.contains("style="), "{html}");
        assert_eq!(fragment(&[]), "");
    }
}
