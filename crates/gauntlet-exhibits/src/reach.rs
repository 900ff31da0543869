//! The effort of a training until its networks are as strong as another training at its end: the AlphaGateau paper's
//! "an order of magnitude faster" as a number.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::abscissa::Abscissa;
use super::draft::Draft;
use super::error_bars::ErrorBars;
use super::estimate::few_runs;
use super::league::{League, leagues_by_run, notes_by_run};
use super::progress_by_run::ProgressCurve;
use super::rated_run::{ESTIMATORS, RatedRun, mean_over_runs};
use super::sheet::{Axis, AxisScale, ConfidenceInterval, Mark, Panel, Point, Series, Spread, Vertex};
use super::uncertainty::{ANYWHERE, Uncertainty};
use super::{About, Content, Context, Fact, Kind};
use gauntlet_games::base::AboveZero;

/// Efforts until a training is as strong as another one at its end, and leads after equal efforts. The tournament of
/// each seed is rated separately; between two kept networks, the rating follows a straight line.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Reach {
    /// The stage of the tournaments, in which the kept networks of both trainings are players.
    pub stage: String,
    /// The training whose effort is measured.
    pub curve: ProgressCurve,
    /// The training whose last network is to be reached.
    pub goal: ProgressCurve,
    /// Units of effort, at least one.
    #[serde(deserialize_with = "some")]
    #[schemars(length(min = 1))]
    pub efforts: Vec<Abscissa>,
    /// Ratios that a paper states, drawn as lines.
    #[serde(default)]
    pub stated: Vec<StatedRatio>,
}

/// A ratio of efforts that a paper states.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StatedRatio {
    /// Its name in the picture.
    pub label: String,
    /// Times less effort.
    #[serde(with = "AboveZero")]
    pub times: f64,
}

/// A list that is not empty.
fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Abscissa>, D::Error> {
    let efforts = Vec::deserialize(deserializer)?;
    if efforts.is_empty() {
        return Err(D::Error::custom("name at least one unit of effort, as in `efforts = [\"frames\"]`"));
    }
    Ok(efforts)
}

impl Kind for Reach {
    fn about(&self) -> About<'_> {
        let trainings = [&self.curve, &self.goal].map(ProgressCurve::training).to_vec();
        About::of_networks("effort until as strong", &self.stage, trainings)
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let league = League::of(&self.stage, &[]);
        let runs = leagues_by_run(context, &league).into_iter().flatten().map(RatedRun::new).collect();
        let races = Races { context, show: self, facts: &facts, runs };
        let mut draft = Draft::of(&facts);
        for effort in &self.efforts {
            for (estimator, name) in ESTIMATORS.into_iter().enumerate() {
                let row = format!("{}, {name}", effort.amount());
                let known = context.recorded_where(|point| point.row == row);
                let cells = known.unwrap_or_else(|| races.cells(&row, (*effort, estimator)).to_vec());
                draft.row(row, cells);
            }
        }
        draft.notes.extend(notes_by_run(races.runs.iter().map(|run| &run.league)));
        draft.notes.extend(races.unreached());
        draft.notes.extend([&self.curve, &self.goal].into_iter().flat_map(|curve| races.untimed(curve)));
        draft.notes.extend(few_runs(draft.points.iter()));
        draft.panels.push(panel(context, self, &draft));
        let caption = self.caption(&draft.errors(context, "runs", "Student's t"));
        draft.content("Effort, ratings", self.columns(), 2, caption)
    }
}

impl Reach {
    fn columns(&self) -> [String; 4] {
        let [curve, goal] = [&self.curve.label, &self.goal.label];
        [
            format!("{goal}, whole training"),
            format!("{curve}, until as strong"),
            "Times less".to_owned(),
            format!("Elo of {curve} ahead after equal effort"),
        ]
    }

    fn caption(&self, errors: &str) -> String {
        let [curve, goal] = [&self.curve.label, &self.goal.label];
        let hours = if self.efforts.contains(&Abscissa::Hours) { Abscissa::Hours.caption() } else { "" };
        format!(
            "The effort of {curve} until its rating is that of {goal} at the end of the training. The tournament of each \
             run is rated by itself, and the rating between two kept networks follows a straight line. \"Times less\": \
             the effort of the whole other training, divided by this effort; its mean is geometric, and its interval \
             that of the logarithms. Equal effort: that of the training that took less in total. {errors}{hours}"
        )
    }
}

/// The column of the ratios.
const RATIO: usize = 2;

/// A network on the path of a training: its effort, and its lead in Elo over the goal.
type Step = (f64, f64);

/// The two trainings of a run.
struct Race {
    /// The steps of the training that is measured, and of that with the goal, in order.
    paths: [Vec<Step>; 2],
}

impl Race {
    /// The effort of the whole training with the goal.
    fn whole(&self) -> Option<f64> {
        Some(self.paths[1].last()?.0)
    }

    /// The first effort with a lead of 0, if the training reaches it.
    fn reached(&self) -> Option<f64> {
        let path = &self.paths[0];
        let at = path.iter().position(|&(_, lead)| lead >= 0.0)?;
        let Some(before) = at.checked_sub(1) else { return Some(path[0].0) };
        let ((from, behind), (to, ahead)) = (path[before], path[at]);
        Some(from + (to - from) * behind / (behind - ahead))
    }

    /// Whether the first rated network has the lead already, so that its effort is only an upper bound.
    fn is_bound(&self) -> bool {
        matches!(self.paths[0].first(), Some(&(effort, lead)) if effort > 0.0 && lead >= 0.0)
    }

    /// How many times less the effort is; `None` if the goal is not reached, or by the untrained network.
    fn ratio(&self) -> Option<f64> {
        let reached = self.reached().filter(|&effort| effort > 0.0)?;
        Some(self.whole()? / reached)
    }

    /// The lead after equal efforts.
    fn lead(&self) -> Option<f64> {
        let [own, other] = &self.paths;
        let effort = own.last()?.0.min(other.last()?.0);
        Some(level(own, effort)? - level(other, effort)?)
    }
}

/// The lead of a path at an effort within it; `None` before its first network.
fn level(path: &[Step], effort: f64) -> Option<f64> {
    path.first().filter(|&&(first, _)| first <= effort)?;
    let at = path.iter().position(|&(to, _)| to >= effort)?;
    let (to, lead) = path[at];
    match at.checked_sub(1).map(|before| path[before]) {
        Some((from, before)) if to > from => Some(before + (lead - before) * (effort - from) / (to - from)),
        _ => Some(lead),
    }
}

/// The races of all runs.
struct Races<'a> {
    context: &'a Context<'a>,
    show: &'a Reach,
    facts: &'a [Fact<'a>],
    runs: Vec<RatedRun>,
}

impl<'a> Races<'a> {
    /// The training of a run.
    fn training(&self, curve: &ProgressCurve, seed: u64) -> Option<Fact<'a>> {
        curve.runs(self.context).into_iter().find(|fact| fact.seed == seed)
    }

    fn player(&self, curve: &ProgressCurve, iteration: usize) -> String {
        self.context.show(&format!("{}{iteration}", curve.prefix))
    }

    /// The race of a run; `None` without its last network, or without a unit of effort.
    fn race(&self, run: &RatedRun, (effort, estimator): (Abscissa, usize)) -> Option<Race> {
        let goal = &self.show.goal;
        let end = self.training(goal, run.seed)?.entries()?;
        let goal = self.player(goal, end);
        let path = |curve: &ProgressCurve| -> Option<Vec<Step>> {
            let training = self.training(curve, run.seed)?;
            let step = |iteration: usize| {
                let lead = run.difference(estimator, &self.player(curve, iteration), &goal)?;
                let spent = iteration.checked_sub(1).map_or(Some(0.0), |entry| effort.at(&training, entry));
                Some(spent.map(|spent| (spent, lead)))
            };
            // Without a number of hours, there is no path.
            (0..=training.entries()?).filter_map(step).collect()
        };
        let paths = [path(&self.show.curve)?, path(&self.show.goal)?];
        paths.iter().all(|path| !path.is_empty()).then_some(Race { paths })
    }

    /// The cells of a row.
    fn cells(&self, row: &str, of: (Abscissa, usize)) -> [Point; 4] {
        let columns = self.show.columns();
        let games = |run: &RatedRun| run.league.names.iter().map(|name| run.games(name)).sum::<u64>() / 2;
        let mean = |metric: &str, column: usize, number: fn(&Race) -> Option<f64>| {
            let number = |run: &RatedRun| number(&self.race(run, of)?);
            mean_over_runs(&self.runs, self.facts, number, games, [metric, row, &columns[column]])
        };
        let ratio = mean("times less", RATIO, |race| race.ratio().map(f64::ln));
        let all = [
            mean("effort", 0, Race::whole),
            mean("effort", 1, Race::reached),
            exponential(ratio),
            mean("elo", 3, Race::lead),
        ];
        // A mean over the runs that reach the goal would be that of the fast ones.
        all.map(|point| {
            if self.is_partial(&point) { Point { value: None, error: None, interval: None, ..point } } else { point }
        })
    }

    /// Whether some run that was rated has no such number.
    fn is_partial(&self, point: &Point) -> bool {
        point.n_runs < self.runs.len() as u64
    }

    /// The notes on runs without a ratio: those that do not reach the goal, and those whose untrained network is as strong.
    fn unreached(&self) -> Vec<String> {
        let [curve, goal] = [&self.show.curve.label, &self.show.goal.label];
        let Some(&effort) = self.show.efforts.first() else { return Vec::new() };
        let notes = |(estimator, name): (usize, &str)| {
            let races: Vec<Race> = self.runs.iter().filter_map(|run| self.race(run, (effort, estimator))).collect();
            let count = |is: fn(Option<f64>) -> bool| races.iter().filter(|race| is(race.reached())).count();
            let (late, early) = (count(|reached| reached.is_none()), count(|reached| reached == Some(0.0)));
            let bounds = races.iter().filter(|race| race.is_bound()).count();
            let apart = races.iter().filter(|race| race.lead().is_none()).count();
            let of = format!("of {} runs", races.len());
            [
                (late > 0).then(|| {
                    format!(
                        "{name}: in {late} {of}, {curve} does not become as strong as {goal}. Its effort has no mean."
                    )
                }),
                (bounds > 0).then(|| {
                    format!(
                        "{name}: in {bounds} {of}, the first rated {curve} is as strong as {goal} already. The mean \
                         effort is an upper bound, and the ratio a lower one."
                    )
                }),
                (apart > 0).then(|| {
                    format!(
                        "{name}: in {apart} {of}, one training ends before the first rated network of the other. The \
                         lead after equal effort has no mean."
                    )
                }),
                (early > 0).then(|| {
                    format!(
                        "{name}: in {early} {of}, the untrained {curve} is as strong as {goal}. The ratio has no mean."
                    )
                }),
            ]
        };
        ESTIMATORS.into_iter().enumerate().flat_map(notes).flatten().collect()
    }

    fn untimed(&self, curve: &ProgressCurve) -> Option<String> {
        let own = curve.runs(self.context);
        self.show.efforts.iter().find_map(|effort| effort.note(&own))
    }
}

/// A number whose logarithm is given: with the standard error by the delta method, and the interval's ends.
fn exponential(point: Point) -> Point {
    let value = point.value.map(f64::exp);
    let error = point.error.zip(value).map(|(error, value)| Spread { size: error.size * value, ..error });
    let ends = |range: ConfidenceInterval| ConfidenceInterval { low: range.low.exp(), high: range.high.exp(), ..range };
    Point { value, error, interval: point.interval.map(ends), ..point }
}

/// A ratio at a category, with the standard error of its logarithm, as its mean is geometric; an interval stays.
fn on_logarithms(point: &Point, category: f64, errors: ErrorBars) -> Option<Vertex> {
    let vertex = point.sideways(category, errors, ANYWHERE)?;
    let Some(Uncertainty::Error(error)) = point.uncertainty(errors) else { return Some(vertex) };
    let factor = (error.size / vertex.x).exp();
    Some(Vertex { low: Some(vertex.x / factor), high: Some(vertex.x * factor), ..vertex })
}

/// The ratios, one row a unit.
fn panel(context: &Context<'_>, show: &Reach, draft: &Draft) -> Panel {
    let names: Vec<String> = show.efforts.iter().map(|effort| effort.word().to_owned()).collect();
    let series = |(estimator, name): (usize, &str)| {
        let ratios = draft.column(RATIO).filter(|(row, _)| row % ESTIMATORS.len() == estimator);
        let vertex = |(row, point)| on_logarithms(point, (row / ESTIMATORS.len()) as f64, context.errors);
        Series::new(name, [Mark::Dot, Mark::Diamond][estimator], estimator, ratios.filter_map(vertex))
    };
    let ratios = std::iter::once(("equal", 1.0)).chain(show.stated.iter().map(|one| (one.label.as_str(), one.times)));
    let ratios = ratios.zip(ESTIMATORS.len()..).map(|((name, times), colour)| {
        let ends = [-0.5, names.len() as f64 - 0.5].map(|at| Vertex::at(times, at));
        Series::new(name, Mark::Dashed, colour, ends)
    });
    let all: Vec<Series> = ESTIMATORS.into_iter().enumerate().map(series).chain(ratios).collect();
    let x = Axis { scale: AxisScale::Log, ..Axis::linear(format!("times less than {} takes", show.goal.label)) };
    Panel::new("", x, Axis::categories("", names), all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race(own: &[Step], other: &[Step]) -> Race {
        Race { paths: [own.to_vec(), other.to_vec()] }
    }

    /// Numbers by hand: -100 at 10 and 50 at 40 cross 0 at 30; the other training ends at 90.
    #[test]
    fn the_effort_is_read_between_two_networks() {
        let race = race(&[(0.0, -300.0), (10.0, -100.0), (40.0, 50.0), (60.0, 10.0)], &[(0.0, -250.0), (90.0, 0.0)]);
        assert_eq!(race.reached(), Some(30.0));
        assert_eq!(race.ratio(), Some(3.0));
        // After 60, the measured training is 10 ahead of the goal, and the other one a third of 250 behind.
        assert!((race.lead().unwrap() - (10.0 + 250.0 / 3.0)).abs() < 1e-12);
    }

    #[test]
    fn a_goal_can_be_met_exactly_at_once_or_never() {
        let other = [(0.0, -10.0), (5.0, 0.0)];
        assert_eq!(race(&[(0.0, -3.0), (2.0, 0.0)], &other).reached(), Some(2.0));
        assert_eq!(race(&[(0.0, 0.0), (2.0, 9.0)], &other).reached(), Some(0.0));
        assert_eq!(race(&[(0.0, 0.0), (2.0, 9.0)], &other).ratio(), None);
        assert_eq!(race(&[(0.0, -3.0), (2.0, -1.0)], &other).reached(), None);
        // The shorter training gives the effort: after 2, the other one is 6 behind its end.
        assert_eq!(race(&[(0.0, -3.0), (2.0, -1.0)], &other).lead(), Some(5.0));
        // Nothing is known of a training before its first rated network.
        assert_eq!(race(&[(1.0, 3.0), (2.0, 4.0)], &[(15.0, -1.0), (90.0, 0.0)]).lead(), None);
        assert_eq!(race(&[(15.0, 3.0), (20.0, 4.0)], &[(10.0, -1.0), (15.0, 0.0)]).lead(), Some(3.0));
        // A first network with some effort, as nothing was kept before it.
        assert_eq!(race(&[(4.0, 1.0), (5.0, 2.0)], &other).reached(), Some(4.0));
    }

    #[test]
    fn a_unit_of_effort_is_required() {
        let read = |efforts: &str| {
            let curve = r#"{ label = "a", stage = "train", prefix = "A-" }"#;
            toml::from_str::<Reach>(&format!("stage = \"l\"\nefforts = {efforts}\ncurve = {curve}\ngoal = {curve}"))
        };
        assert!(read(r#"["frames", "hours"]"#).is_ok());
        assert!(read("[]").unwrap_err().to_string().contains("at least one unit"));
    }

    #[test]
    fn bars_on_a_logarithmic_axis_are_those_of_the_logarithm() {
        let interval = Some(ConfidenceInterval { low: 2.0, high: 9.0, level: 0.95 });
        let ratio = Point { value: Some(4.0), interval, n_runs: 5, ..super::super::blank("a", "b", "c") };
        let bar = |error: Option<f64>, errors| {
            let point = Point { error: error.map(Spread::standard_error), ..ratio.clone() };
            let vertex = on_logarithms(&point, 1.0, errors).unwrap();
            assert_eq!((vertex.x, vertex.y), (4.0, 1.0));
            [vertex.low, vertex.high].map(Option::unwrap)
        };
        let [low, high] = bar(Some(2.0), ErrorBars::StandardError);
        assert!((low * high - 16.0).abs() < 1e-12 && (high / 4.0 - 0.5f64.exp()).abs() < 1e-12);
        // However large the error is, the bar stays above 0.
        assert!(bar(Some(100.0), ErrorBars::StandardError)[0] > 0.0);
        assert_eq!(bar(Some(2.0), ErrorBars::Interval), [2.0, 9.0]);
        assert_eq!(bar(None, ErrorBars::StandardError), [2.0, 9.0]);
    }

    /// The mean of the logarithms of 2 and 8 is that of 4; the interval's ends follow.
    #[test]
    fn ratios_are_geometric() {
        let range = ConfidenceInterval { low: 2f64.ln(), high: 8f64.ln(), level: 0.95 };
        let point = Point { value: Some(4f64.ln()), interval: Some(range), ..super::super::blank("a", "b", "c") };
        let point = exponential(point);
        let range = point.interval.unwrap();
        assert!((point.value.unwrap() - 4.0).abs() < 1e-12);
        assert!((range.low - 2.0).abs() < 1e-12 && (range.high - 8.0).abs() < 1e-12);
    }
}
