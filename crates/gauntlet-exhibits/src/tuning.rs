//! The course of a race between settings: which are left, how far the others are behind, and the games that it took. Of a
//! stage with `train.spsa`, the numbers that it found.

use schemars::JsonSchema;
use serde::Deserialize;

use super::draft::Draft;
use super::estimate::blank;
use super::number::fixed;
use super::raced::RacedStage;
use super::search::setting_axis;
use super::sheet::{Axis, ConfidenceInterval, Mark, Panel, Point, Series, Vertex};
use super::{About, Basis, Content, Context, Kind, Need, Unit, distinct, tuned_numbers};
use gauntlet_games::base::{count, thousands};
use gauntlet_ratings::compare::elo_of_score;
use gauntlet_ratings::intervals::percent;
use gauntlet_ratings::race::{RaceState, RaceUnits};

/// The course of the race of a stage, or of its tunings.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tuning {
    /// The stage, which has `tune` or `train.spsa`.
    pub stage: String,
}

const PLAYED: &str = "Games";
const SCORE: &str = "Score";
const BEHIND: &str = "Behind the best";
const STATE: &str = "State";

impl Kind for Tuning {
    fn about(&self) -> About<'_> {
        let needs = vec![Need::Score, Need::Optimality, Need::Tuned, Need::Fitness, Need::Operations];
        let about = About::new("the best settings", Basis::Results, vec![(self.stage.as_str(), needs)]);
        About { unit: Unit::Settings, ..about }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let Some(race) = context.facts.races.iter().find(|race| race.stage == self.stage) else {
            let facts = context.facts.stage(&self.stage);
            if facts.iter().any(|fact| fact.config.kind == "train") {
                return tuned_numbers::content(context, &facts);
            }
            let note = match facts.is_empty() {
                true => format!("The jobs of stage {} were left out.", self.stage),
                false => format!("Stage {} is no race: it has no `tune`.", self.stage),
            };
            return Draft { notes: vec![note], ..Draft::default() }.without_table("");
        };
        let drawing = RaceDrawing { context, race };
        let columns = drawing.columns();
        let mut draft = Draft { panels: drawing.panels(), notes: drawing.notes(), ..Draft::default() };
        drawing.order().iter().for_each(|&at| draft.row(drawing.name(at), drawing.points(at, &columns)));
        draft.content("Setting", columns, 3, drawing.caption())
    }
}

/// Words with a capital first letter.
fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The inputs of the table and the picture.
struct RaceDrawing<'a> {
    context: &'a Context<'a>,
    race: &'a RacedStage,
}

impl RaceDrawing<'_> {
    /// The name of a setting.
    fn name(&self, setting: usize) -> String {
        let (axes, labels): (Vec<String>, Vec<String>) = self.race.labels[setting].iter().cloned().unzip();
        self.context.named(&axes, &labels)
    }

    fn has_games(&self) -> bool {
        self.race.size.games > 0
    }

    /// Games of a number of rounds of one setting; jobs if it has no games.
    fn played(&self, rounds: usize) -> u64 {
        rounds as u64 * self.race.size.unit().1
    }

    /// The rounds that a setting played.
    fn rounds(&self, setting: usize) -> usize {
        self.race.course.rounds.iter().filter(|played| played.contains(&setting)).count()
    }

    /// The mean result of a setting, as it was measured.
    fn measured(&self, setting: usize) -> Option<f64> {
        let sign = if self.race.is_less_better { -1.0 } else { 1.0 };
        self.race.course.settings[setting].mean().map(|mean| sign * mean)
    }

    fn mean(&self, setting: usize) -> f64 {
        self.race.course.settings[setting].mean().unwrap_or(f64::NEG_INFINITY)
    }

    /// The settings: the leader, the others that are left by their scores, then those that are out, the last one first.
    fn order(&self) -> Vec<usize> {
        let course = &self.race.course;
        let last = |at: usize| course.settings[at].out.map_or(usize::MAX, |(round, _)| round);
        let mut order: Vec<usize> = (0..course.settings.len()).collect();
        order.sort_by(|&one, &other| {
            let leads = |at: usize| course.leader == Some(at);
            let by_rank = leads(other).cmp(&leads(one)).then(last(other).cmp(&last(one)));
            by_rank.then(self.mean(other).total_cmp(&self.mean(one)))
        });
        order
    }

    fn columns(&self) -> [String; 4] {
        let score = self.race.objective.map_or_else(|| SCORE.to_owned(), capitalised);
        let played = if self.has_games() { PLAYED } else { "Jobs" };
        [played.to_owned(), score, BEHIND.to_owned(), STATE.to_owned()]
    }

    /// The points of a setting, in the order of the columns.
    fn points(&self, setting: usize, columns: &[String; 4]) -> [Point; 4] {
        let (course, row) = (&self.race.course, self.name(setting));
        let rounds = self.rounds(setting);
        let games = self.played(rounds);
        let point = |metric: &str, column: usize| Point {
            n_runs: rounds as u64,
            n_requested: rounds as u64,
            n_games: if self.has_games() { games } else { 0 },
            config_ids: self.race.config_ids[setting].clone(),
            ..blank(metric, &row, &columns[column])
        };
        let (mean, is_best) = (self.measured(setting), course.leader == Some(setting));
        let range = course
            .behind(setting, &self.race.rule)
            .filter(|range| !is_best && rounds > 0 && range.low.is_finite() && range.high.is_finite());
        let interval = range.map(|range| ConfidenceInterval {
            low: range.low,
            high: range.high,
            level: 1.0 - self.race.rule.error,
        });
        let units = course.settings[setting].units.len();
        let is_of_rung = |leader: &usize| course.last_rung(*leader) == course.last_rung(setting);
        let behind = course.leader.filter(|_| units > 0).filter(is_of_rung).map(|leader| {
            let pairs = course.settings[leader].units.iter().zip(&course.settings[setting].units);
            pairs.map(|(leader, own)| leader - own).sum::<f64>() / units as f64
        });
        let text = match (behind, interval) {
            (Some(behind), Some(interval))
                if self.race.rule.units == RaceUnits::Numbers || interval.low > -1.0 || interval.high < 1.0 =>
            {
                format!("{} [{}, {}]", fixed(behind, 3), fixed(interval.low, 3), fixed(interval.high, 3))
            }
            (Some(_), None) if is_best => "0".to_owned(),
            (Some(behind), _) => format!("{}, no bound yet", fixed(behind, 3)),
            _ => String::new(),
        };
        [
            Point { value: Some(games as f64), text: Some(thousands(games)), ..point("games", 0) },
            Point {
                value: mean,
                text: mean.map(|mean| fixed(mean, 3)),
                ..point(self.race.objective.unwrap_or("score"), 1)
            },
            Point { value: behind, interval, text: Some(text), ..point("behind", 2) },
            Point { text: Some(self.state(setting)), ..point("state", 3) },
        ]
    }

    /// How a setting stands, in words.
    fn state(&self, setting: usize) -> String {
        let course = &self.race.course;
        match course.settings[setting].out {
            Some((round, by)) => format!("out {}, by {}", self.after(round), self.name(by)),
            None if course.leader == Some(setting) => {
                let so_far = if course.state == RaceState::Decided { "" } else { " so far" };
                match &self.race.rungs[..] {
                    [_] => format!("the best{so_far}"),
                    rungs => format!("the best{so_far} at rung {}", rungs[course.last_rung(setting)]),
                }
            }
            None if course.leader.is_none() => "has not played".to_owned(),
            None => "not told apart from the best".to_owned(),
        }
    }

    /// A round in words: its number in its rung, and the rung.
    fn after(&self, round: usize) -> String {
        let RacedStage { size, rungs, .. } = self.race;
        match rungs.len() {
            1 => format!("after round {}", round + 1),
            all => format!("after round {} of rung {}", round % (size.rounds / all) + 1, rungs[size.rung(round)]),
        }
    }

    fn caption(&self) -> String {
        let (unit, law) = match self.race.rule.units {
            RaceUnits::Bounded if self.has_games() => ("pairs of games", "betting; Waudby-Smith and Ramdas 2024"),
            RaceUnits::Bounded => ("measurements", "betting; Waudby-Smith and Ramdas 2024"),
            RaceUnits::Runs | RaceUnits::Numbers => (
                "runs",
                "a t-test of the differences between runs, which it takes as normally distributed; Wang and Ramdas 2025",
            ),
        };
        let (rungs, promise) = match &self.race.rungs[..] {
            [_] => (
                String::new(),
                "each setting that is out is worse than the one that beat it. The best setting is then among the others, and \
                 all intervals hold",
            ),
            rungs => (
                format!(
                    "The rungs are {}: settings that are left after all rounds of one go on to the next one, with new \
                     evidence. The result of a setting that is out is that of its rung, and it may be the best at a later one. ",
                    rungs.join(", ")
                ),
                "each setting that is out is worse, at its rung, than the one that beat it, and all intervals hold",
            ),
        };
        format!(
            "The settings raced by {unit} with equal seeds. After each round, a setting is out if another one is better. \
             {rungs}The error of the whole race is {} %: with the remaining probability, {promise}, at whatever round \
             the race ends ({law}). The interval is that of the best one's lead. Its {} is too {}, since it was chosen \
             by it.",
            percent(self.race.rule.error),
            self.race.objective.unwrap_or("score"),
            if self.race.is_less_better { "low" } else { "high" }
        )
    }

    fn notes(&self) -> Vec<String> {
        let RacedStage { course, size, rule, .. } = self.race;
        let played = self.played(course.rounds.iter().map(Vec::len).sum());
        let whole = self.played(course.rounds.len() * size.settings);
        let (unit, _) = size.unit();
        let (left, end) = (
            course.left(),
            match course.state {
                RaceState::Waits(_) => "the race waits for results",
                RaceState::Decided => "the race is decided",
                RaceState::Within => "no other is better by more than the margin of the race",
                RaceState::Spent => "the budget is spent, and they cannot be told apart",
                RaceState::Played => {
                    "all seeds are played, and they cannot be told apart (more `seeds` continue the race)"
                }
            },
        );
        let left_of =
            format!("{} of {} left after {} {unit}", left.len(), count(size.settings, "setting"), thousands(played));
        let verb = if left.len() == 1 { "is" } else { "are" };
        let mut notes = vec![format!("{}: {end}.", left_of.replacen(" left", &format!(" {verb} left"), 1))];
        if course.is_tied() {
            notes.push(
                "Others have the same mean as the best one, which is the first of them in the manifest.".to_owned(),
            );
        }
        if played > 0 {
            notes.push(format!(
                "If every setting had played as much as the best one, it would have taken {} {unit}.",
                thousands(whole)
            ));
        }
        if let Some(leader) = course.leader.filter(|_| left.len() > 1) {
            let lead = left.iter().filter(|&&at| at != leader).filter_map(|&at| Some(-course.behind(at, rule)?.low));
            let most = lead.fold(0.0, f64::max);
            let score = self.mean(leader);
            if most >= if rule.units == RaceUnits::Numbers { f64::INFINITY } else { 1.0 } {
                return notes;
            }
            let is_score = self.has_games() && score > 0.0 && score + most < 1.0;
            let elo = if is_score {
                format!(", about {} Elo", fixed(elo_of_score(score + most) - elo_of_score(score), 0))
            } else {
                String::new()
            };
            notes.push(format!(
                "No setting is better than the best so far, {}, by more than {}{elo}.",
                self.name(leader),
                fixed(most, 3)
            ));
        }
        notes
    }

    /// The settings that are left over the games of the race, and the scores against each axis.
    fn panels(&self) -> Vec<Panel> {
        let RacedStage { course, size, .. } = self.race;
        if course.rounds.is_empty() {
            return Vec::new();
        }
        let axes = self.race.labels.iter().flatten().map(|(axis, _)| axis.as_str());
        let slices = distinct(axes).into_iter().map(|axis| self.slice(axis));
        let point = |[played, left]: [usize; 2]| Vertex::at(self.played(played) as f64, left as f64);
        let series = Series::new("", Mark::Line, 0, course.left_over().into_iter().map(point));
        let x = Axis::linear(if self.has_games() { "games of the race" } else { "jobs of the race" });
        let course = Panel::new("", x, Axis::within("settings left", (0.0, size.settings as f64)), [series]);
        std::iter::once(course).chain(slices).collect()
    }

    /// The scores of all settings against one axis.
    fn slice(&self, axis: &str) -> Panel {
        let course = &self.race.course;
        let label =
            |labels: &Vec<(String, String)>| labels.iter().find(|(own, _)| own == axis).map(|(_, label)| label.clone());
        let labels: Vec<String> = self.race.labels.iter().map(|labels| label(labels).unwrap_or_default()).collect();
        let (x, places) = setting_axis(self.context, axis, &labels.iter().map(String::as_str).collect::<Vec<_>>());
        let series = |name: &str, mark, colour, is_left: bool| {
            let own = (0..places.len()).filter(|&at| course.settings[at].out.is_none() == is_left);
            let vertex = |at: usize| Some((self.name(at), Vertex::at(places[at], self.measured(at)?)));
            let (names, points): (_, Vec<_>) = own.filter_map(vertex).unzip();
            Series { names, ..Series::new(name, mark, colour, points) }
        };
        let series = [series("left", Mark::Dot, 0, true), series("out", Mark::Cross, 1, false)];
        let score = if self.has_games() { "score" } else { "optimal moves or score" };
        let y = Axis::linear(self.race.objective.unwrap_or(score));
        Panel::new("", x, y, series)
    }
}
