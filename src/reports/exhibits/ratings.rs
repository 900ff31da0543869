//! Ratings of a tournament's players: maximum likelihood with calibrated errors, and the AlphaGateau paper's weighted
//! least squares beside it.

use super::super::sheet::{Axis, Chart, Mark, Panel, Point, Series, Spread, Table, Vertex};
use super::estimate::{LEVEL, at_level, blank};
use super::league::{RatingPool, leagues};
use super::{Content, Scene};
use crate::manifest::exhibit;
use crate::ratings::Ladder;
use crate::ratings::compare::EloEstimate;
use crate::ratings::wls::{Errors, wls};

/// Mean rating of a group.
const MEAN: f64 = 1000.0;

const COLUMNS: [&str; 6] = ["Elo", "Elo by WLS", "Games", "Score in %", "Draws in %", "Distinct games"];

/// The row of what moving first is worth.
const ADVANTAGE: &str = "first-player advantage";

const CAPTION: &str = "Elo by maximum likelihood (Bradley and Terry, a draw as half a win; errors are one standard \
    error from a sandwich covariance over pairs of games) and by the AlphaGateau paper's weighted least squares (one \
    virtual draw a match, errors scaled by the residuals), which pulls wide ladders together. The mean is 1000; bars \
    are 95 % intervals. Errors are those of the games: training again would add its own.";

pub(super) fn render(scene: &Scene<'_>, show: &exhibit::League) -> Content {
    let (mut points, mut rows, mut panels, mut notes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for league in &leagues(scene, show) {
        let rated = RatedTournament::new(league);
        for row in rated.rows() {
            let mut cells = vec![None; COLUMNS.len()];
            let label = row[0].row.clone();
            for point in row {
                let column = COLUMNS.iter().position(|column| *column == point.column);
                cells[column.expect("every point of a row has a column")] = Some(points.len());
                points.push(scene.with_published(point));
            }
            rows.push((label, cells));
        }
        panels.push(rated.panel());
        notes.extend(league.notes());
        notes.extend(rated.notes());
    }
    let columns = COLUMNS.map(str::to_owned).to_vec();
    let table = Table { corner: "Player".to_owned(), columns, rows, digits: 0 };
    Content { points, table: Some(table), chart: Chart { panels }, notes, caption: CAPTION.to_owned() }
}

/// A league with both its ladders.
struct RatedTournament<'a> {
    league: &'a RatingPool,
    likelihood: Option<Ladder>,
    squares: Ladder,
    order: Vec<usize>,
}

impl RatedTournament<'_> {
    fn new(league: &RatingPool) -> RatedTournament<'_> {
        let likelihood = league.ladder();
        let order = league.order(likelihood.as_ref());
        RatedTournament { league, likelihood, squares: wls(&league.table, Errors::ResidualScaled, MEAN), order }
    }

    /// The points of every player, the strongest first, and of the advantage.
    fn rows(&self) -> Vec<Vec<Point>> {
        let players = self.order.iter().map(|&player| self.row(player).into_iter().collect());
        let advantage = self.league.advantage().map(|advantage| {
            let games = self.league.table.meetings().map(|meeting| meeting.total().games()).sum();
            let row = self.league.titled(ADVANTAGE);
            vec![rating_point(self.league, COLUMNS[0], &row, Some(advantage), games)]
        });
        players.chain(advantage).collect()
    }

    fn row(&self, player: usize) -> [Point; 6] {
        let (league, name) = (self.league, self.league.label(player));
        let total = league.total(player);
        let games = total.games();
        let rating = |column: &str, ladder: Option<&Ladder>| {
            rating_point(league, column, &name, ladder.and_then(|ladder| ladder.estimate(player)), games)
        };
        let number = |column: &str, value: Option<f64>| Point { value, ..place(league, column, &name, column, games) };
        let percent = |part: f64| (games > 0).then(|| 100.0 * part / games as f64);
        [
            rating(COLUMNS[0], self.likelihood.as_ref()),
            rating(COLUMNS[1], Some(&self.squares)),
            number(COLUMNS[2], Some(games as f64)),
            number(COLUMNS[3], percent(total.points())),
            number(COLUMNS[4], percent(total.draws as f64)),
            number(COLUMNS[5], Some(league.distinct[player] as f64)),
        ]
    }

    fn panel(&self) -> Panel {
        let names = self.order.iter().map(|&player| self.league.names[player].clone()).collect();
        let series = |name: &str, mark, colour, ladder: Option<&Ladder>| {
            let vertex = |(at, &player): (usize, &usize)| {
                let found = ladder?.estimate(player)?;
                let range = found.interval(LEVEL);
                let (low, high) = (range.map(|range| range.low), range.map(|range| range.high));
                Some(Vertex { x: found.elo, y: at as f64, low, high })
            };
            let points = self.order.iter().enumerate().filter_map(vertex).collect();
            Series { name: name.to_owned(), mark, colour, points }
        };
        Panel {
            title: self.league.title.clone(),
            x: Axis::linear("rating in Elo"),
            y: Axis::categories(names),
            series: vec![
                series("maximum likelihood, 95 %", Mark::Dot, 0, self.likelihood.as_ref()),
                series("weighted least squares, 95 %", Mark::Diamond, 1, Some(&self.squares)),
            ],
        }
    }

    /// Who cannot be compared with whom, and who has no rating at all.
    fn notes(&self) -> Vec<String> {
        let Some(ladder) = &self.likelihood else {
            return vec![self.league.titled("The likelihood has no maximum, so that nobody is rated by it.")];
        };
        let name = |&player: &usize| self.league.names[player].clone();
        let mut notes = Vec::new();
        if ladder.groups().len() > 1 {
            let group = |players: &[usize]| players.iter().map(name).collect::<Vec<_>>().join(", ");
            let groups: Vec<String> = ladder.groups().iter().map(|one| group(&one.players)).collect();
            notes.push(self.league.titled(&format!(
                "No chain of wins and draws in both directions links these groups; each has a mean of 1000 of its \
                 own, and their ratings cannot be compared: {}.",
                groups.join("; ")
            )));
        }
        let unrated: Vec<String> = self.order.iter().filter(|&&p| ladder.rating(p).is_none()).map(name).collect();
        if !unrated.is_empty() {
            notes.push(self.league.titled(&format!(
                "No finite rating by maximum likelihood, as they won or lost every game against the others: {}.",
                unrated.join(", ")
            )));
        }
        notes
    }
}

/// A point without its number. Where there is no training it rests on no training runs, and says so by their number, 0.
fn place(league: &RatingPool, metric: &str, row: &str, column: &str, n_games: u64) -> Point {
    let (config_ids, [n_runs, n_requested]) = (league.config_ids.clone(), league.training_runs());
    Point { n_runs, n_requested, n_games, config_ids, ..blank(metric, row, column) }
}

/// A point of the metric `Elo`.
fn rating_point(league: &RatingPool, column: &str, row: &str, found: Option<EloEstimate>, games: u64) -> Point {
    Point {
        value: found.map(|found| found.elo),
        error: found.and_then(|found| found.error).map(Spread::over_games),
        interval: found.and_then(|found| found.interval(LEVEL)).map(at_level),
        ..place(league, "Elo", row, column, games)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sheet::ErrorKind;
    use super::super::league::sample;
    use super::*;

    /// Wins and losses of whole pairs, and drawn ones.
    fn pairs(won: u64, split: u64, lost: u64) -> [[u64; 3]; 3] {
        [[lost, 0, 0], [0, 0, 0], [split, 0, won]]
    }

    #[test]
    fn the_strongest_stands_first_with_both_estimates() {
        let league = sample(
            &["weak", "strong", "middle"],
            &[([0, 1], pairs(2, 5, 13)), ([0, 2], pairs(4, 6, 10)), ([1, 2], pairs(10, 6, 4))],
        );
        let rated = RatedTournament::new(&league);
        let rows = rated.rows();
        let names: Vec<&str> = rows.iter().map(|row| row[0].row.as_str()).collect();
        assert_eq!(names, ["strong", "middle", "weak", ADVANTAGE]);
        let [elo, squares, games, score, draws, _] = &rows[0][..] else { panic!("six columns") };
        assert!(elo.value.unwrap() > squares.value.unwrap() && squares.value.unwrap() > 1050.0, "{elo:?} {squares:?}");
        let interval = elo.interval.unwrap();
        assert!((interval.high - interval.low - 2.0 * 1.959_96 * elo.error.unwrap().size).abs() < 1e-3);
        assert_eq!((games.value, score.value, draws.value), (Some(80.0), Some(100.0 * 57.0 / 80.0), Some(0.0)));
        assert!(rows[3][0].value.unwrap() > 0.0, "split pairs were won by who moved first");
        assert!(rated.notes().is_empty());
        assert_eq!(rated.panel().series.iter().map(|series| series.points.len()).collect::<Vec<_>>(), [3, 3]);
    }

    #[test]
    fn ratings_of_trained_players_say_their_runs_and_what_their_errors_are() {
        let mut league = sample(&["a", "b"], &[([0, 1], pairs(5, 6, 4))]);
        let runs = |league: &RatingPool| {
            let rows = RatedTournament::new(league).rows();
            rows.iter().flatten().map(|point| (point.n_runs, point.n_requested)).collect::<Vec<_>>()
        };
        assert!(runs(&league).iter().all(|runs| *runs == (0, 0)));
        (league.is_trained, league.runs, league.lost) = (true, 2, 1);
        assert!(runs(&league).iter().all(|runs| *runs == (2, 3)));
        let errors: Vec<_> =
            RatedTournament::new(&league).rows().iter().flatten().filter_map(|point| point.error).collect();
        assert!(errors.len() == 3 && errors.iter().all(|error| error.kind == ErrorKind::Games), "{errors:?}");
    }

    #[test]
    fn who_cannot_be_compared_is_named() {
        let league = sample(
            &["a", "b", "c", "d", "e"],
            &[([0, 1], pairs(5, 5, 5)), ([2, 3], pairs(5, 5, 5)), ([0, 2], pairs(5, 0, 0)), ([0, 4], pairs(5, 0, 0))],
        );
        let rated = RatedTournament::new(&league);
        let notes = rated.notes();
        assert!(notes[0].ends_with("cannot be compared: a, b; c, d."), "{}", notes[0]);
        assert!(notes[1].ends_with("against the others: e."), "{}", notes[1]);
        let lost = rated.row(4);
        assert_eq!((lost[0].value, lost[0].error), (None, None));
        assert!(lost[1].value.is_some(), "the virtual draw rates everybody");
    }
}
