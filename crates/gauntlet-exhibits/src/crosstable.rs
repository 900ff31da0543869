//! The crosstable: scores of all pairs of players, and whether the ratings explain them.

use serde::Deserialize;

use super::draft::Draft;
use super::estimate::LEVEL;
use super::league::{League, RatingPool, leagues};
use super::sheet::{Axis, ConfidenceInterval, Mark, Panel, Point, Series, Spread, Vertex};
use super::{About, Content, Context, ErrorBars, Kind, distinct};
use gauntlet_ratings::compare::{expected_scores, residuals};
use gauntlet_ratings::{Ladder, MeanScore, Meeting};

/// Residuals beyond this number of standard errors are named.
const SURPRISING: f64 = 3.0;

/// Maximum number of named residuals.
const NAMED: usize = 10;

const CAPTION: &str = "Score of the row's player against the column's in % (a draw is half a win). The picture sets \
    it against the score that the ratings (maximum likelihood) expect.";

/// The method of the intervals.
const WILSON: &str = "Wilson's, for the effective number of games";

/// Scores of all pairs of players.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Crosstable(League);

impl Kind for Crosstable {
    fn about(&self) -> About<'_> {
        self.0.about("crosstable")
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let leagues = leagues(context, &self.0);
        let (mut draft, mut columns) = (Draft::default(), Vec::new());
        for league in &leagues {
            let ladder = league.ladder();
            let order = league.order(ladder.as_ref());
            add_columns(&mut columns, league, &order);
            draft.panels.push(panel(league, ladder.as_ref(), context.errors));
            for (player, points) in order.iter().zip(cells(league, ladder.as_ref(), &order)) {
                draft.row(league.label(*player), points);
            }
            draft.notes.extend(league.notes());
            draft.notes.extend(league.repeats_note());
            draft.notes.extend(ladder.as_ref().and_then(|ladder| surprises(league, ladder)));
        }
        draft.under(&columns);
        let caption = format!("{CAPTION} {}", draft.errors(context, "pairs of games", WILSON));
        draft.content("Player", columns, 0, caption)
    }
}

/// Adds a league's players after those of earlier leagues, whose order stays.
fn add_columns(columns: &mut Vec<String>, league: &RatingPool, order: &[usize]) {
    let own = order.iter().map(|&player| league.names[player].clone());
    *columns = distinct(std::mem::take(columns).into_iter().chain(own));
}

/// The points of each player: its scores against its opponents, in their order, then the expected ones.
fn cells(league: &RatingPool, ladder: Option<&Ladder>, order: &[usize]) -> Vec<Vec<Point>> {
    let expected = ladder.map(expected_scores);
    let row = |&player: &usize| {
        let label = league.label(player);
        let (mut actual, mut hoped) = (Vec::new(), Vec::new());
        for &other in order {
            let met = |meeting: &&Meeting| [meeting.a, meeting.b] == [player.min(other), player.max(other)];
            let Some(meeting) = league.table.meetings().find(met) else { continue };
            let Some(score) = MeanScore::in_meeting(meeting, player) else { continue };
            let games = meeting.total().games();
            let point = |metric: &str, value: Option<f64>| Point {
                value: value.map(|value| 100.0 * value),
                ..league.point(metric, &label, &league.names[other], games)
            };
            actual.push(Point {
                error: Some(Spread::over_games(100.0 * score.error)),
                interval: Some(in_percent(&score)),
                ..point("score in %", Some(score.value))
            });
            hoped.push(point("expected score in %", expected.as_ref().and_then(|table| table[player][other])));
        }
        [actual, hoped].concat()
    };
    order.iter().map(row).collect()
}

/// The interval of a score.
fn in_percent(score: &MeanScore) -> ConfidenceInterval {
    let range = score.interval(LEVEL);
    ConfidenceInterval { low: 100.0 * range.low, high: 100.0 * range.high, level: LEVEL }
}

fn panel(league: &RatingPool, ladder: Option<&Ladder>, errors: ErrorBars) -> Panel {
    let expected = ladder.map(expected_scores);
    let vertex = |meeting: &Meeting| {
        let x = 100.0 * expected.as_ref()?[meeting.a][meeting.b]?;
        let score = MeanScore::in_meeting(meeting, meeting.a)?;
        let (y, error, interval) = (100.0 * score.value, 100.0 * score.error, in_percent(&score));
        let [low, high] = match errors {
            ErrorBars::StandardError => [y - error, y + error].map(|end| end.clamp(0.0, 100.0)),
            ErrorBars::Interval => [interval.low, interval.high],
        };
        Some(Vertex { low: Some(low), high: Some(high), over_games: true, ..Vertex::at(x, y) })
    };
    let axis = |label| Axis::within(label, (0.0, 100.0));
    let name = |meeting: &Meeting| [meeting.a, meeting.b].map(|player| league.names[player].as_str()).join(" against ");
    let (names, dots): (_, Vec<_>) = league.table.meetings().filter_map(|met| Some((name(met), vertex(met)?))).unzip();
    let matches = Series { names, ..Series::new("a match", Mark::Dot, 0, dots) };
    let series = [Series::rule([(0.0, 0.0), (100.0, 100.0)]), matches];
    Panel::new(&league.title, axis("score that the ratings expect, in %"), axis("score, in %"), series)
}

/// The note on scores that the ratings do not explain.
fn surprises(league: &RatingPool, ladder: &Ladder) -> Option<String> {
    let found = residuals(ladder, &league.table);
    let shown = found.iter().filter(|residual| residual.z.abs() > SURPRISING).take(NAMED).map(|residual| {
        let [a, b] = [residual.a, residual.b].map(|player| &league.names[player]);
        let [score, expected] = [residual.score, residual.expected].map(|share| 100.0 * share);
        format!("{a} against {b} scored {score:.0} % instead of {expected:.0} %")
    });
    let shown: Vec<String> = shown.collect();
    let text = format!("More than {SURPRISING} standard errors from what the ratings expect: {}.", shown.join("; "));
    (!shown.is_empty()).then(|| league.titled(&text))
}

#[cfg(test)]
mod tests {
    use super::super::league::sample;
    use super::*;

    #[test]
    fn a_cell_and_its_mirror_add_up() {
        let league = sample(
            &["a", "b", "c"],
            &[([0, 1], [[2, 1, 0], [0, 3, 1], [4, 0, 9]]), ([1, 2], [[2, 0, 0], [0, 0, 0], [1, 0, 3]])],
        );
        let ladder = league.ladder();
        let rows = cells(&league, ladder.as_ref(), &[0, 1, 2]);
        let opponents = |row: usize| rows[row].iter().map(|point| point.column.as_str()).collect::<Vec<_>>();
        assert_eq!(opponents(0), ["b"; 2]);
        assert_eq!(opponents(1), ["a", "c", "a", "c"]);
        let (ours, theirs) = (&rows[0][0], &rows[1][0]);
        assert!((ours.value.unwrap() + theirs.value.unwrap() - 100.0).abs() < 1e-9);
        assert!((ours.error.unwrap().size - theirs.error.unwrap().size).abs() < 1e-9);
        // 20 pairs with 2 x 0, 1 x 1/4, 3 + 4 x 1/2, 1 x 3/4 and 9 x 1.
        assert!((ours.value.unwrap() - 100.0 * 13.5 / 20.0).abs() < 1e-9);
        let expected = &rows[0][1];
        assert_eq!((expected.metric.as_str(), expected.error), ("expected score in %", None));
        assert!((expected.value.unwrap() - ours.value.unwrap()).abs() < 1e-6, "a tree is explained exactly");
        assert_eq!(surprises(&league, &ladder.unwrap()), None);
    }

    #[test]
    fn a_clean_sweep_is_not_as_sure_as_its_spread() {
        let league = sample(&["a", "b"], &[([0, 1], [[0, 0, 0], [0, 0, 0], [0, 0, 50]])]);
        let rows = cells(&league, None, &[0, 1]);
        let interval = rows[0][0].interval.unwrap();
        // Wilson's interval of 100 of 100.
        assert!((interval.low - 96.301).abs() < 1e-3 && interval.high == 100.0, "{interval:?}");
        let mirror = rows[1][0].interval.unwrap();
        assert!((interval.low + mirror.high - 100.0).abs() < 1e-9 && mirror.low == 0.0, "{mirror:?}");
    }

    #[test]
    fn columns_stand_in_the_order_of_the_first_league() {
        let mut columns = Vec::new();
        add_columns(&mut columns, &sample(&["a", "b"], &[]), &[1, 0]);
        add_columns(&mut columns, &sample(&["a", "c", "b"], &[]), &[1, 0, 2]);
        assert_eq!(columns, ["b", "a", "c"]);
    }

    #[test]
    fn rock_paper_scissors_surprises() {
        let won = [[2, 0, 0], [0, 0, 0], [0, 0, 28]];
        let league = sample(&["rock", "paper", "scissors"], &[([0, 2], won), ([1, 0], won), ([2, 1], won)]);
        let note = surprises(&league, &league.ladder().unwrap()).unwrap();
        assert!(note.contains("rock against scissors scored 93 % instead of 50 %"), "{note}");
    }
}
