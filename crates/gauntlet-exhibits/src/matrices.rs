//! Matrices of players against players, by first player: win and lose rates, and the scores that follow from them.
//!
//! "Reinforcement Learning for Gomoku" (Chen, Chin and Megas), Figures 3 and 4, in its orientation. In the matrix of
//! rates a row is white's player and a column black's, who moves first and whose wins and losses are counted. In the
//! matrix of scores a cell compares the column's player with the row's. Players keep the manifest's order.

use serde::Deserialize;

use super::draft::Draft;
use super::estimate::{LEVEL, at_level, share_error};
use super::league::{League, RatingPool, leagues};
use super::published::HALVES;
use super::sheet::{Axis, ConfidenceInterval, Mark, Panel, Point, Series, Spread, Vertex};
use super::{About, Content, Context, ErrorBars, Kind, distinct};
use gauntlet_ratings::intervals::{normal_quantile, wilson};
use gauntlet_ratings::win_matrix::WinMatrix as Tallies;

const RATES: &str = "Win and lose rate of the column's player, who plays black and moves first. The row's player plays \
    white. The rest to 1 are draws.";

const SCORES: &str = "score(A, B) = B(A, B) - B(B, A) + W(A, B) - W(B, A) of the column's player A and the row's \
    player B. B(i, j) is the win rate of i against j as black, and W(i, j) that as white. Above 0, A is the better \
    one. Errors are those of multinomial counts, each game a draw of its own: training again would add its own.";

const ONCE: &str = "Each score stands in the table twice, with both signs, and is compared with the paper's once, above the \
    diagonal.";

/// A number of a point, with its error.
type Number = fn(&Point) -> Option<(f64, Option<f64>)>;

/// The measured and the published numbers, which pictures show side by side.
const MEASURED: (&str, Number) = ("measured", Point::measured);
const PUBLISHED: (&str, Number) = ("published", Point::printed);

/// Above this number of players, cells have no room for numbers.
const MOST_TILES: usize = 8;

/// The metric of a matrix of scores.
const SCORE: &str = "score";

/// Win and lose rates.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct WinMatrix(League);

/// Scores that follow from the rates.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct ScoreMatrix(League);

impl Kind for WinMatrix {
    fn about(&self) -> About<'_> {
        self.0.about("win and lose rates")
    }

    fn render(&self, context: &Context<'_>) -> Content {
        render(
            context,
            &self.0,
            "White",
            (RATES, "Wilson's of a share"),
            |league, black| HALVES.map(|half| format!("{} / {half}", league.names[black])).to_vec(),
            rates,
        )
    }
}

impl Kind for ScoreMatrix {
    fn about(&self) -> About<'_> {
        self.0.about("scores")
    }

    fn render(&self, context: &Context<'_>) -> Content {
        render(context, &self.0, "B, against A", (SCORES, "normal"), |league, a| vec![league.names[a].clone()], scores)
    }
}

/// Renders a matrix: one row a player, and for each player the columns that `heads` names and `cell` fills, if it can.
fn render(
    context: &Context<'_>,
    show: &League,
    corner: &str,
    (caption, how): (&str, &str),
    heads: impl Fn(&RatingPool, usize) -> Vec<String>,
    cell: impl Fn(&Matrix<'_>, usize, usize) -> Vec<Point>,
) -> Content {
    let leagues = leagues(context, show);
    let players = leagues.iter().flat_map(|league| (0..league.names.len()).map(move |player| (league, player)));
    let columns: Vec<String> = distinct(players.flat_map(|(league, player)| heads(league, player)));
    let mut draft = Draft::default();
    for league in &leagues {
        let (matrix, players) = (Matrix::new(league), 0..league.names.len());
        let start = draft.points.len();
        for row in players.clone() {
            let own = players.clone().flat_map(|column| {
                let points = cell(&matrix, row, column).into_iter().map(|point| context.with_published(point));
                points.map(move |point| judged_once(point, row, column))
            });
            draft.row(league.label(row), own.collect::<Vec<_>>());
        }
        draft.panels.extend(matrix.panels(&draft.points[start..], context.errors));
        draft.notes.extend(league.notes());
        draft.notes.extend(league.repeats_note());
    }
    if draft.points.iter().any(|point| point.metric == SCORE && point.published.is_some()) {
        draft.notes.push(ONCE.to_owned());
    }
    draft.under(&columns);
    let caption = format!("{caption} {}", draft.errors(context, "games", how));
    draft.content(corner, columns, 2, caption)
}

/// Removes redundant verdicts: a score has its negative across the diagonal, on which it is 0 for any games.
fn judged_once(point: Point, row: usize, column: usize) -> Point {
    let is_news = point.metric != SCORE || column > row;
    Point { verdict: point.verdict.filter(|_| is_news), ..point }
}

/// A league by first player.
struct Matrix<'a> {
    league: &'a RatingPool,
    wins: Tallies,
}

/// The win and the lose rate of `black`; empty if the two did not play with these colours.
fn rates(matrix: &Matrix<'_>, white: usize, black: usize) -> Vec<Point> {
    let games = matrix.wins.tally(black, white);
    let n = games.games();
    let league = matrix.league;
    let point = |half: &str, count: u64| {
        let share = count as f64 / n as f64;
        let (metric, column) = (format!("{half} rate"), format!("{} / {half}", league.names[black]));
        Point {
            value: Some(share),
            error: share_error(share, n).map(Spread::over_games),
            interval: wilson(count as f64, n as f64, LEVEL).map(at_level),
            ..league.point(&metric, &league.label(white), &column, n)
        }
    };
    if n == 0 { Vec::new() } else { vec![point(HALVES[0], games.wins), point(HALVES[1], games.losses)] }
}

/// The score of `a` against `b`; empty unless they met with both colours.
fn scores(matrix: &Matrix<'_>, b: usize, a: usize) -> Vec<Point> {
    let n_games = [(a, b), (b, a)].map(|(first, second)| matrix.wins.tally(first, second).games()).iter().sum();
    let Some(score) = matrix.wins.score(a, b) else { return Vec::new() };
    let interval = |error: f64| {
        let reach = normal_quantile(0.5 + LEVEL / 2.0) * error;
        ConfidenceInterval { low: (score.value - reach).max(-2.0), high: (score.value + reach).min(2.0), level: LEVEL }
    };
    let league = matrix.league;
    vec![Point {
        value: Some(score.value),
        error: score.error.map(Spread::over_games),
        interval: score.error.map(interval),
        ..league.point(SCORE, &league.label(b), &league.names[a], if a == b { 0 } else { n_games })
    }]
}

/// Whether a point stands in a column of this player. Names may have slashes, too.
fn is_of(name: &str, point: &Point) -> bool {
    match point.column.strip_prefix(name) {
        Some("") => point.metric == SCORE,
        Some(half) => point.metric != SCORE && half.strip_prefix(" / ").is_some_and(|half| HALVES.contains(&half)),
        None => false,
    }
}

impl Matrix<'_> {
    fn new(league: &RatingPool) -> Matrix<'_> {
        let mut wins = Tallies::from(&league.table);
        league.mirrors.iter().enumerate().for_each(|(player, &games)| wins.add(player, player, games));
        Matrix { league, wins }
    }

    /// A panel for each metric: rows as categories, columns as colours.
    fn panels(&self, points: &[Point], errors: ErrorBars) -> Vec<Panel> {
        let metrics = distinct(points.iter().map(|point| point.metric.as_str()));
        let few = self.league.names.len() <= MOST_TILES;
        let of_metric = |metric: &str| {
            let is_printed = |point: &Point| point.metric == metric && point.published.is_some();
            if few && points.iter().any(is_printed) {
                return vec![self.tiles(metric, MEASURED, points), self.tiles(metric, PUBLISHED, points)];
            }
            vec![self.panel(metric, points, errors)]
        };
        metrics.into_iter().flat_map(of_metric).collect()
    }

    /// The numbers of one source in coloured cells: rows and columns like the table.
    fn tiles(&self, metric: &str, (word, number): (&str, Number), points: &[Point]) -> Panel {
        let (names, is_score) = (&self.league.names, metric == SCORE);
        let most = if is_score { 2.0 } else { 1.0 };
        let place = |point: &Point| {
            let column = names.iter().position(|name| is_of(name, point))?;
            let row = (0..names.len()).position(|row| self.league.label(row) == point.row)?;
            Some(Vertex::at(column as f64, row as f64))
        };
        let series = points.iter().filter(|point| point.metric == metric).filter_map(|point| {
            let (value, error) = number(point)?;
            let mark = Mark::Tile { value, error, depth: value.abs() / most };
            Some(Series::new("", mark, 0, [place(point)?]))
        });
        let axis = |label| Axis::categories(label, names.clone());
        let title = if is_score { "score(A, B)" } else { metric };
        let title = self.league.titled(&format!("{title}, {word}"));
        let (x, y) = if is_score { ("A", "B") } else { ("black", "white") };
        Panel::new(title, axis(x), axis(y), series)
    }

    fn panel(&self, metric: &str, points: &[Point], errors: ErrorBars) -> Panel {
        let is_score = metric == SCORE;
        let (label, range) = if is_score { ("score(A, B)", (-2.0, 2.0)) } else { (metric, (0.0, 1.0)) };
        let names = &self.league.names;
        let dots = |name: &String| {
            let own = points.iter().filter(|point| point.metric == metric && point.error.is_some());
            let own = own.filter(|point| is_of(name, point));
            let vertex = |point: &Point| {
                let y = (0..names.len()).position(|row| self.league.label(row) == point.row)? as f64;
                point.sideways(y, errors, range.into())
            };
            own.filter_map(vertex).collect::<Vec<_>>()
        };
        let (of, category) = if is_score { ("A", "B") } else { ("black", "white") };
        let series = names.iter().enumerate();
        let series = series.map(|(colour, name)| Series::new(format!("{of}: {name}"), Mark::Dot, colour, dots(name)));
        let zero = Series::rule([(0.0, -0.5), (0.0, names.len() as f64 - 0.5)]);
        let (x, y) = (Axis::within(label, range), Axis::categories(category, names.clone()));
        Panel::new(&self.league.title, x, y, is_score.then_some(zero).into_iter().chain(series))
    }
}

#[cfg(test)]
mod tests {
    use super::super::league::sample;
    use super::*;

    /// Ten pairs in which `a` wins 8 as black, loses 1 as black, and wins 3 and loses 5 as white.
    const PAIRS: [[u64; 3]; 3] = [[1, 0, 0], [0, 1, 0], [4, 1, 3]];

    #[test]
    fn a_row_is_white_and_a_column_black() {
        let league = sample(&["a", "b"], &[([0, 1], PAIRS)]);
        let matrix = Matrix::new(&league);
        let cell =
            |white, black| rates(&matrix, white, black).iter().map(|point| point.value.unwrap()).collect::<Vec<_>>();
        assert_eq!(cell(1, 0), [0.8, 0.1]);
        assert_eq!(cell(0, 1), [0.5, 0.3]);
        assert!(cell(0, 0).is_empty());
        let itself = sample(&["a"], &[([0, 0], PAIRS)]);
        let rate = |point: &Point| point.value.unwrap();
        // Black's: 8 and 5 wins, 1 and 3 losses.
        assert_eq!(rates(&Matrix::new(&itself), 0, 0).iter().map(rate).collect::<Vec<_>>(), [13.0 / 20.0, 4.0 / 20.0]);
        let wins = &rates(&matrix, 1, 0)[0];
        assert_eq!((wins.row.as_str(), wins.column.as_str(), wins.n_games), ("b", "a / win", 10));
        assert!((wins.error.unwrap().size - (0.8 * 0.2 / 10.0_f64).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn names_with_slashes_keep_their_points() {
        for name in ["a", "a / b", "a / win"] {
            let league = sample(&[name, "c"], &[([0, 1], PAIRS)]);
            let matrix = Matrix::new(&league);
            let (rates, scores) = (rates(&matrix, 1, 0), scores(&matrix, 1, 0));
            assert!(rates.len() == 2 && rates.iter().chain(&scores).all(|point| is_of(name, point)), "{name}");
            assert!(!rates.iter().chain(&scores).any(|point| is_of("c", point)));
        }
        assert!(!is_of("a", &rates(&Matrix::new(&sample(&["a / b", "c"], &[([0, 1], PAIRS)])), 1, 0)[0]));
    }

    #[test]
    fn a_cell_compares_the_column_with_the_row() {
        let league = sample(&["a", "b"], &[([0, 1], PAIRS)]);
        let matrix = Matrix::new(&league);
        let score = |b, a| scores(&matrix, b, a)[0].clone();
        // B(a, b) - B(b, a) + W(a, b) - W(b, a) = 0.8 - 0.5 + 0.3 - 0.1.
        assert!((score(1, 0).value.unwrap() - 0.5).abs() < 1e-12);
        assert!((score(0, 1).value.unwrap() + 0.5).abs() < 1e-12);
        assert_eq!((score(1, 0).row.as_str(), score(1, 0).column.as_str(), score(1, 0).n_games), ("b", "a", 20));
        assert_eq!((score(0, 0).value, score(0, 0).error, score(0, 0).n_games), (Some(0.0), None, 0));
        // (0.9 - 0.7^2 + 0.8 - 0.2^2) / 10.
        let error = (1.17_f64 / 10.0).sqrt();
        assert!((score(1, 0).error.unwrap().size - error).abs() < 1e-12);
    }

    #[test]
    fn a_picture_has_no_dot_for_a_player_against_itself() {
        let league = sample(&["a", "b", "c"], &[([0, 1], PAIRS), ([2, 1], PAIRS)]);
        let matrix = Matrix::new(&league);
        let all = |cell: fn(&Matrix<'_>, usize, usize) -> Vec<Point>| -> Vec<Point> {
            (0..9).flat_map(|at| cell(&matrix, at / 3, at % 3)).collect()
        };
        let panels = matrix.panels(&all(scores), ErrorBars::Interval);
        let dots = |panel: &Panel| panel.series.iter().map(|series| series.points.len()).collect::<Vec<_>>();
        assert_eq!((panels.len(), dots(&panels[0])), (1, vec![2, 1, 2, 1]));
        let panels = matrix.panels(&all(rates), ErrorBars::StandardError);
        assert_eq!(panels.iter().map(dots).collect::<Vec<_>>(), [[1, 2, 1]; 2]);
    }
}
