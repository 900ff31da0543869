//! A ranking of players from any source: the data of each player, and its table and picture. It is not an artefact of a
//! paper.

use serde::Serialize;

use super::number::fixed;
use super::sheet::{Axis, Chart, ConfidenceInterval, Mark, Panel, Point, Series, Sheet, Spread, Table, Vertex};
use gauntlet_exhibits::blank;
use gauntlet_games::base::count;
use gauntlet_plan::manifest::exhibit::ErrorBars;
use gauntlet_ratings::compare::EloEstimate;
use gauntlet_ratings::intervals::{Interval, percent};

/// The profile of its sheets, which have none.
pub const RATE: &str = "rate";
/// The column of the groups.
const GROUP: &str = "Group";
/// With more players than this, the picture shows ranks instead of names.
const NAMED: usize = 40;

/// The estimator of ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// Maximum likelihood with sandwich errors.
    Likelihood,
    /// Weighted least squares with the errors of its binomial variances.
    LeastSquares,
}

impl Estimator {
    /// Head of a column.
    #[must_use]
    pub fn short(self) -> &'static str {
        if self == Estimator::Likelihood { "Elo" } else { "WLS" }
    }

    /// Start of a column's name in CSV files.
    #[must_use]
    pub fn key(self) -> &'static str {
        if self == Estimator::Likelihood { "bt" } else { "wls" }
    }

    /// Name in legends.
    #[must_use]
    pub fn name(self) -> &'static str {
        if self == Estimator::Likelihood { "maximum likelihood" } else { "weighted least squares" }
    }
}

/// One player.
#[derive(Debug, Clone, Serialize)]
pub struct RankedPlayer {
    /// Its name, escaped for terminals.
    pub name: String,
    /// Its rating by maximum likelihood; `None` if there is no finite one.
    #[serde(serialize_with = "estimate")]
    pub likelihood: Option<EloEstimate>,
    /// Its rating by weighted least squares.
    #[serde(serialize_with = "estimate")]
    pub least_squares: Option<EloEstimate>,
    /// Degrees of freedom of its group's least squares.
    pub spare: usize,
    /// Games played.
    pub games: u64,
    /// Points over games, 0 to 1.
    pub score: f64,
    /// Share of drawn games.
    pub draw_rate: f64,
    /// Opponents met.
    pub opponents: u64,
    /// Number, from 1, of the group of players with comparable ratings; `None` without a rating.
    pub group: Option<usize>,
    /// Whether its rating is given; all others are relative to it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_anchor: bool,
}

fn estimate<S: serde::Serializer>(estimate: &Option<EloEstimate>, serializer: S) -> Result<S::Ok, S::Error> {
    estimate.map(|estimate| serde_json::json!({ "elo": estimate.elo, "error": estimate.error })).serialize(serializer)
}

impl RankedPlayer {
    /// The rating by one estimator; an anchor has no error.
    #[must_use]
    pub fn rating(&self, estimator: Estimator) -> Option<EloEstimate> {
        if estimator == Estimator::Likelihood { self.likelihood } else { self.least_squares }
    }

    /// Its normal interval; `None` if the error is unknown.
    #[must_use]
    pub fn interval(&self, estimator: Estimator, level: f64) -> Option<Interval> {
        self.rating(estimator)?.interval(level)
    }
}

/// All players, group by group, the strongest first.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// The players.
    pub standings: Vec<RankedPlayer>,
    /// The estimators to show; the first one ranks.
    pub methods: Vec<Estimator>,
    /// Coverage of intervals.
    pub level: f64,
    /// Mean rating of groups without anchors.
    pub mean: f64,
    /// Whether some players have given ratings.
    pub anchored: bool,
    /// Number of groups of players with comparable ratings.
    pub groups: usize,
    /// Number of groups of players that are linked by games.
    pub components: usize,
    /// First-player advantage, if it was estimated.
    pub advantage: Option<EloEstimate>,
    /// Remarks on settings without an effect.
    pub idle: Vec<String>,
}

impl Ranking {
    /// The meaning of the half widths in the terminal's table.
    #[must_use]
    pub fn width(&self) -> String {
        let (level, zero) = (percent(self.level), self.zero());
        format!("± is half of a {level} % interval of a rating against {zero}; it does not compare two players")
    }

    /// The zero of the ratings.
    fn zero(&self) -> String {
        let mut groups = self.standings.iter().filter_map(|standing| standing.group);
        let is_anchored = |group| self.standings.iter().any(|own| own.is_anchor && own.group == Some(group));
        let mean = format!("the mean of {}", self.mean);
        match (self.anchored, groups.any(|group| !is_anchored(group))) {
            (false, _) => mean,
            (true, false) => "the anchors".to_owned(),
            (true, true) => format!("the anchors, in groups without one against {mean}"),
        }
    }

    /// Remarks on the numbers, one sentence each.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.components > 1 {
            remarks.push(format!("no game links {} components of players", self.components));
        }
        if self.groups > 1 {
            remarks.push(format!("ratings compare within each of {} groups only, not between them", self.groups));
        }
        let unrated = self.standings.iter().filter(|standing| standing.rating(self.methods[0]).is_none()).count();
        if unrated > 0 {
            let (players, have) = (count(unrated, "player"), if unrated == 1 { "has" } else { "have" });
            remarks.push(format!(
                "{players} {have} no finite rating: no wins and draws link them with others in both directions \
                 (`--prior 2` gives cautious ratings)"
            ));
        }
        remarks.extend(self.idle.iter().cloned());
        remarks.extend(self.advantage.map(|advantage| {
            let error = advantage.error.map_or(String::new(), |error| format!(" ± {error:.1} (one standard error)"));
            format!("moving first is worth {:.1}{error} Elo", advantage.elo)
        }));
        remarks
    }
}

/// The ranking as a sheet, for every renderer.
#[must_use]
pub fn sheet(ranking: &Ranking, artefact: &str, notes: &[String]) -> Sheet {
    let (mut points, mut rows) = (Vec::new(), Vec::new());
    for standing in &ranking.standings {
        let start = points.len();
        points.extend(ranking.methods.iter().map(|method| rating(standing, *method, ranking.level)));
        let shares = [("score", "Score", standing.score), ("draw rate", "Draws", standing.draw_rate)];
        points.extend(shares.map(|(metric, column, share)| Point {
            value: Some(share),
            n_games: standing.games,
            ..blank(metric, &standing.name, column)
        }));
        points.extend((ranking.groups > 1).then(|| Point {
            text: Some(standing.group.map_or(String::new(), |group| group.to_string())),
            ..blank("group", &standing.name, GROUP)
        }));
        rows.push((standing.name.clone(), (start..points.len()).map(Some).collect()));
    }
    let columns = ranking.methods.iter().map(|method| method.short()).chain(["Score", "Draws"]);
    let columns = columns.chain((ranking.groups > 1).then_some(GROUP)).map(str::to_owned).collect();
    Sheet {
        artefact: artefact.to_owned(),
        title: "Ratings".to_owned(),
        caption: format!(
            "Brackets in the table and bars in the picture are {} % intervals over games, against {}.",
            percent(ranking.level),
            ranking.zero()
        ),
        profile: RATE.to_owned(),
        points,
        table: Some(Table { corner: "Player".to_owned(), columns, rows, digits: 2 }),
        chart: Chart::of(vec![panel(ranking)]),
        errors: ErrorBars::Interval,
        notes: notes.iter().map(|note| format!("{}.", note.trim())).collect(),
        ..Sheet::default()
    }
}

fn rating(standing: &RankedPlayer, method: Estimator, level: f64) -> Point {
    let rating = standing.rating(method);
    let interval = standing.interval(method, level);
    let given = rating.filter(|_| standing.is_anchor).map(|rating| format!("{} (given)", fixed(rating.elo, 2)));
    Point {
        value: rating.map(|rating| rating.elo),
        text: given,
        error: rating.and_then(|rating| rating.error).map(Spread::over_games),
        interval: interval.map(|found| ConfidenceInterval { low: found.low, high: found.high, level }),
        n_games: standing.games,
        ..blank("elo", &standing.name, method.short())
    }
}

/// Players from top to bottom by name, or, if there are many, from left to right by rank.
fn panel(ranking: &Ranking) -> Panel {
    let named = ranking.standings.len() <= NAMED;
    let series = ranking.methods.iter().enumerate().map(|(colour, &method)| {
        let vertex = |(place, standing): (usize, &RankedPlayer)| {
            let elo = standing.rating(method)?.elo;
            // A given rating has no error.
            let given = Interval { low: elo, high: elo };
            let interval = standing.interval(method, ranking.level).or_else(|| standing.is_anchor.then_some(given));
            let (low, high) = interval.map(|found| (found.low, found.high)).unzip();
            let (x, y) = if named { (elo, place as f64) } else { (place as f64 + 1.0, elo) };
            Some(Vertex { low, high, ..Vertex::at(x, y) })
        };
        let mark = if named { Mark::Dot } else { Mark::Line };
        let drawn = ranking.standings.iter().enumerate();
        let drawn = drawn.filter_map(|(at, own)| Some((own.name.clone(), vertex((at, own))?)));
        let (names, points): (_, Vec<_>) = drawn.unzip();
        let names = if named { Vec::new() } else { names };
        Series { names, ..Series::new(method.name(), mark, colour, points) }
    });
    let names = || ranking.standings.iter().map(|standing| standing.name.clone()).collect::<Vec<_>>();
    let (x, y) = match named {
        true => (Axis::linear("Elo"), Axis::categories("", names())),
        false => (Axis::linear("place"), Axis::linear("Elo")),
    };
    Panel::new("", x, y, series)
}
