//! Races: the settings of a stage with `tune`, the stages that run the winner of one, and their checks.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::config::Config;
use super::race_rounds::round_problem;
use super::showable::has;
use crate::manifest::read::exhibit::Exhibit;
use crate::manifest::read::stage::Stage;
use crate::manifest::read::tune::Objective;
use crate::manifest::read::written::WrittenManifest;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::Node;
use gauntlet_exhibits::{Need, Unit};
use gauntlet_jobs::JobSpec;
use gauntlet_play::arena::PlaySpec;
use gauntlet_play::measure::MeasureSpec;
use gauntlet_ratings::race::{Course, RaceBudget, RaceRule, RaceSize, RaceState, RaceUnits};

/// A race between the settings of a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Race {
    /// The stage.
    pub stage: String,
    /// Its rule.
    pub rule: RaceRule,
    /// Its settings, in the order of the plan.
    pub settings: Vec<RaceSetting>,
    /// The seeds of the rounds of each rung.
    pub seeds: Vec<u64>,
    /// The axis of its rungs.
    pub rung_axis: Option<String>,
    /// The labels of its rungs, the smallest number first; one label if it has none.
    pub rungs: Vec<String>,
    /// The number by which settings are compared; `None` for the score.
    pub objective: Option<Objective>,
    /// Whether less is better.
    pub is_less_better: bool,
    /// The games of a round of one setting; 0 if it has none.
    games: u64,
}

/// A setting in a race.
#[derive(Debug, Clone, PartialEq)]
pub struct RaceSetting {
    /// Its labels on the axes in which settings differ.
    pub labels: Vec<(Arc<str>, String)>,
    /// The indices of its configurations in the plan: for each rung, one for each place of the panel.
    pub configs: Vec<usize>,
}

impl RaceSetting {
    /// Its labels as one phrase.
    #[must_use]
    pub fn name(&self) -> String {
        let labels: Vec<String> = self.labels.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
        labels.join(" ")
    }
}

impl Race {
    /// The races of a manifest.
    pub(in crate::manifest) fn all(written: &WrittenManifest, configs: &[Config]) -> Vec<Race> {
        written.stages.iter().filter_map(|stage| Race::of(stage, configs)).collect()
    }

    fn of(stage: &Stage, configs: &[Config]) -> Option<Race> {
        let (tune, _) = stage.tune.as_ref()?;
        let own: Vec<usize> = (0..configs.len()).filter(|&at| configs[at].stage == stage.name).collect();
        let without: Vec<&str> = tune.panel.iter().chain(&tune.rungs).map(String::as_str).collect();
        let mut settings = settings(configs, &own, &without);
        let rungs = rungs(configs, &own, tune.rungs.as_deref(), &mut settings);
        let first = settings.first()?;
        let places = first.configs.len() / rungs.len();
        let games = first.configs[..places].iter().map(|&at| games(&configs[at].spec)).sum();
        let seeds = configs[first.configs[0]].seeds.clone();
        let is_by_run = own.iter().any(|&at| configs[at].varies_by_run());
        let units = match tune.objective {
            Some(_) => RaceUnits::Numbers,
            None if is_by_run => RaceUnits::Runs,
            None => RaceUnits::Bounded,
        };
        let (rule, objective, is_less_better) = (tune.rule(units), tune.objective, tune.is_less_better());
        let (stage, rung_axis) = (stage.name.clone(), tune.rungs.clone());
        Some(Race { stage, rule, settings, seeds, rung_axis, rungs, objective, is_less_better, games })
    }

    /// The seed of a round, and the configurations of a setting in it.
    pub(in crate::manifest) fn round(&self, setting: usize, round: usize) -> (u64, &[usize]) {
        let (configs, rung) = (&self.settings[setting].configs, round / self.seeds.len());
        let places = configs.len() / self.rungs.len();
        (self.seeds[round % self.seeds.len()], &configs[rung * places..(rung + 1) * places])
    }

    /// Its size.
    #[must_use]
    pub fn size(&self) -> RaceSize {
        let rungs = self.rungs.len();
        let jobs = self.settings.first().map_or(0, |setting| setting.configs.len() / rungs) as u64;
        RaceSize { settings: self.settings.len(), rounds: self.seeds.len() * rungs, rungs, jobs, games: self.games }
    }

    /// The rung of the next round, as axis and label; `None` without rungs.
    #[must_use]
    pub fn rung(&self, course: &Course) -> Option<String> {
        let at = (course.rounds.len() / self.seeds.len().max(1)).min(self.rungs.len() - 1);
        self.rung_axis.as_ref().map(|axis| format!("{axis}={}", self.rungs[at]))
    }

    /// One line about its course: the settings that are left.
    #[must_use]
    pub fn line(&self, course: &Course) -> String {
        let left = course.left().len();
        let verb = if left == 1 { "is" } else { "are" };
        let settings = format!("race `{}`: {left} of {} settings {verb} left", self.stage, self.settings.len());
        let end = match course.state {
            RaceState::Waits(_) => {
                return self.rung(course).map_or(settings.clone(), |rung| format!("{settings} at {rung}"));
            }
            RaceState::Decided => "it is decided",
            RaceState::Within => "no other is better by more than the margin",
            RaceState::Spent => "the budget is spent",
            RaceState::Played => "all seeds are played",
        };
        let tie = if course.is_tied() { " (a tie; it is the first in the manifest)" } else { "" };
        let winner = course.winner().map(|at| format!("; the best is {}{tie}", named(&self.settings[at])));
        let winner = winner.unwrap_or_default();
        format!("{settings}, and {end}{winner}")
    }

    /// The setting with the labels of a configuration of another stage.
    #[must_use]
    pub fn setting_of(&self, config: &Config) -> Option<usize> {
        let has = |(axis, label): &(Arc<str>, String)| config.label(axis).as_ref() == Some(label);
        self.settings.iter().position(|setting| setting.labels.iter().all(has))
    }
}

/// The labels of the rungs of a race, the smallest number first; one label if it has none. Sorts the configurations of each
/// setting by them.
fn rungs(configs: &[Config], own: &[usize], axis: Option<&str>, settings: &mut [RaceSetting]) -> Vec<String> {
    let Some(axis) = axis else { return vec![String::new()] };
    let label = |at: usize| configs[at].label(axis).unwrap_or_default();
    let mut rungs: Vec<String> = Vec::new();
    for &at in own {
        if !rungs.contains(&label(at)) {
            rungs.push(label(at));
        }
    }
    let number = |label: &String| label.parse().unwrap_or(f64::NAN);
    rungs.sort_by(|one, other| number(one).total_cmp(&number(other)));
    let rung = |&at: &usize| rungs.iter().position(|own| *own == label(at));
    settings.iter_mut().for_each(|setting| setting.configs.sort_by_key(rung));
    rungs
}

/// The configurations of a stage by their labels, without those on some axes.
fn settings(configs: &[Config], own: &[usize], without: &[&str]) -> Vec<RaceSetting> {
    let mut axes: Vec<&Arc<str>> = Vec::new();
    for (axis, _) in own.iter().flat_map(|&at| &configs[at].labels) {
        if !axes.contains(&axis) && !without.contains(&&**axis) {
            axes.push(axis);
        }
    }
    let label = |at: usize, axis: &str| configs[at].label(axis).unwrap_or_default();
    let differs = |axis: &&&Arc<str>| own.iter().any(|&at| label(at, axis) != label(own[0], axis));
    let axes: Vec<&Arc<str>> = axes.iter().filter(differs).copied().collect();
    let mut settings: Vec<RaceSetting> = Vec::new();
    for &at in own {
        let labels: Vec<_> = axes.iter().map(|axis| (Arc::clone(axis), label(at, axis))).collect();
        match settings.iter_mut().find(|setting| setting.labels == labels) {
            Some(known) => known.configs.push(at),
            None => settings.push(RaceSetting { labels, configs: vec![at] }),
        }
    }
    settings
}

/// The games of a job; 0 if they are no result of it.
fn games(spec: &JobSpec) -> u64 {
    match spec {
        JobSpec::Play(PlaySpec::Match(job)) => job.games.get() as u64,
        JobSpec::Measure(MeasureSpec::Fitness(job)) => job.games.get() as u64,
        _ => 0,
    }
}

/// Marks the configurations of stages that run the winner of a race: each of them stands for another winner than the
/// first setting.
pub(super) fn mark_alternatives(written: &WrittenManifest, configs: &mut [Config]) {
    for race in Race::all(written, configs) {
        let is_of_winner = |config: &Config| written.runs_winner_of(config.written_stage(), &race.stage);
        let others: Vec<usize> = (0..configs.len())
            .filter(|&at| is_of_winner(&configs[at]) && race.setting_of(&configs[at]) != Some(0))
            .collect();
        others.into_iter().for_each(|at| configs[at].is_alternative = true);
    }
}

/// Checks the races of a manifest without other problems, and the stages that run their winners.
pub(in crate::manifest) fn check_races(written: &WrittenManifest, configs: &[Config], found: &mut Vec<Problem>) {
    for stage in &written.stages {
        let Some((race, (tune, span))) = Race::of(stage, configs).zip(stage.tune.as_ref()) else { continue };
        let first = &configs[race.settings[0].configs[0]];
        let known: Vec<&str> = first.labels.iter().map(|(axis, _)| &**axis).collect();
        if let Some(axis) = tune.panel.iter().chain(&tune.rungs).find(|axis| !known.contains(&axis.as_str())) {
            let problem = Problem::at(span.clone(), format!("stage `{}` has no axis `{axis}`", stage.name));
            found.push(problem.nearest(axis, known));
            continue;
        }
        if written.runs_winner_of(&stage.name, &stage.name) {
            let message = format!("the race `{}` waits for its own winner", stage.name);
            let hint = "train the winner in a stage that the race does not take from";
            found.push(Problem::at(span.clone(), message).hint(hint));
            continue;
        }
        if let Some(axis) = tune.rungs.as_ref().filter(|axis| tune.panel.contains(axis)) {
            let message = format!("the axis `{axis}` of stage `{}` is in `rungs` and in `panel`", stage.name);
            found.push(Problem::at(span.clone(), message).hint("name it in one of them"));
            continue;
        }
        let wrong = rungs_problem(&race, configs).or_else(|| problem(&race, configs));
        found.extend(wrong.map(|(message, hint)| Problem::at(span.clone(), message).hint(hint)));
        found.extend(
            written
                .exhibits
                .iter()
                .zip(&written.exhibit_nodes)
                .filter_map(|(exhibit, node)| unfit_exhibit(&stage.name, exhibit, node)),
        );
    }
    let races = Race::all(written, configs);
    found.extend(written.exhibits.iter().zip(&written.exhibit_nodes).filter_map(|(exhibit, node)| {
        let stage = exhibit.show.about().stage().to_owned();
        let is_course = exhibit.show.about().unit == Unit::Settings;
        let own = written.stages.iter().find(|own| *own.name == *stage && !own.has_tune)?;
        // Of a stage with mistakes, these are reported.
        let is_other = |config: &Config| config.sound_spec().is_some_and(|spec| !has(Need::Tuned, spec));
        let mut own_configs = configs.iter().filter(|config| config.stage == stage).peekable();
        let tunes_nothing = own_configs.peek().is_some() && own_configs.all(is_other);
        let hint = match &own.tuned {
            Some((race, _)) => format!("name the race: `{race}`"),
            None => "a race has `tune = {}`, and a tuning of numbers is `train.spsa`".to_owned(),
        };
        let message = format!("stage `{stage}` is no race");
        let place = node.place_of(&stage).unwrap_or(&node.span).clone();
        (is_course && tunes_nothing).then(|| Problem::at(place, message).hint(hint))
    }));
    for stage in &written.stages {
        let Some((raced, span)) = &stage.tuned else { continue };
        let Some(race) = races.iter().find(|race| *race.stage == **raced) else { continue };
        found.extend(winner_problem(stage, race, configs, span));
    }
}

/// The problem of an exhibit that would show a race as if its settings had played alike.
fn unfit_exhibit(stage: &str, exhibit: &Exhibit, node: &Node) -> Option<Problem> {
    let about = exhibit.show.about();
    let is_race = about.unit == Unit::Settings;
    if !about.stages().contains(&stage) || is_race && exhibit.success.is_empty() {
        return None;
    }
    let hint = "show it with `tuning`, and the winner by a stage with `tuned`, where claims are judged";
    let (word, message) = match is_race {
        true => (exhibit.success[0].claim.as_str(), format!("the race `{stage}` judges its settings by its own rule")),
        false => (stage, format!("stage `{stage}` is a race: settings that lose early play fewer games")),
    };
    Some(Problem::at(node.place_of(word).unwrap_or(&node.span).clone(), message).hint(hint))
}

/// The problem of the rungs of a race, and a hint.
fn rungs_problem(race: &Race, configs: &[Config]) -> Option<(String, String)> {
    let Race { stage, rungs, rung_axis, settings, .. } = race;
    let axis = rung_axis.as_ref()?;
    // Names of variants, players and games are no lengths, and neither are the games of a round.
    let is_number = |label: &String| axis.contains('.') && label.parse().is_ok_and(f64::is_finite);
    if rungs.len() < 2 || !rungs.iter().all(is_number) {
        let message =
            format!("the rungs of stage `{stage}` are not two numbers or more of a setting: {}", rungs.join(", "));
        return Some((message, "for example `sweep.\"settings.iterations\" = [5, 10, 20]`".to_owned()));
    }
    let places = |setting: &RaceSetting| setting.configs.len().div_ceil(rungs.len());
    let is_shared = |label: &&(Arc<str>, Arc<str>)| *label.0 != **axis;
    let labels = |at: usize| configs[at].labels.iter().filter(is_shared).collect::<Vec<_>>();
    let is_even = |setting: &RaceSetting| {
        let mut of_rungs = setting.configs.chunks(places(setting)).zip(rungs);
        let has_rung = |(own, rung): (&[usize], &String)| {
            own.iter().all(|&at| configs[at].label(axis).as_ref() == Some(rung))
                && own.iter().map(|&at| labels(at)).eq(setting.configs[..own.len()].iter().map(|&at| labels(at)))
        };
        setting.configs.len() == places(setting) * rungs.len() && of_rungs.all(has_rung)
    };
    let uneven = settings.iter().find(|setting| !is_even(setting))?;
    let message = format!("the setting {} does not have every place of the panel at every rung", named(uneven));
    Some((message, "exclude none of them alone".to_owned()))
}

/// The problem of a race, and a hint.
fn problem(race: &Race, configs: &[Config]) -> Option<(String, String)> {
    let Race { stage, settings, rule, .. } = race;
    if let Err(message) = rule.check() {
        return Some((message, "for example `tune = { error = 0.05 }`".to_owned()));
    }
    let all = || settings.iter().flat_map(|setting| &setting.configs).map(|&at| &configs[at]);
    if let Some((config, objective)) =
        race.objective.and_then(|own| Some((all().find(|config| !has(own.need(), &config.spec))?, own)))
    {
        let message = format!("stage `{stage}` is `{}`, which has no {}", config.spec.kind(), objective.words());
        return Some((message, objective.jobs().to_owned()));
    }
    if let Some(config) = all().find(|config| race.objective.is_none() && !can_race(&config.spec)) {
        let message = format!("stage `{stage}` is `{}`, which has no score for a race", config.spec.kind());
        let hint = "race a `play.match` without `sprt`, a `measure.fitness`, a `measure.optimal`, or a training by an `objective`";
        return Some((message, hint.to_owned()));
    }
    if all().any(|config| config.opponents_each() > 1) {
        let message = format!("each run of stage `{stage}` meets several runs, which a race cannot");
        return Some((message, "leave `runs` out of its `from`".to_owned()));
    }
    let of_setting = |setting: &RaceSetting| setting.configs.iter().map(|&at| &configs[at]).collect();
    let of_settings: Vec<Vec<&Config>> = settings.iter().map(of_setting).collect();
    if let Some(problem) = round_problem(race.objective, race.seeds.len(), &of_settings) {
        return Some(problem);
    }
    if settings.len() < 2 {
        let message = format!("stage `{stage}` has one setting, and a race needs two");
        return Some((message, "add `search`, `sweep` or `variants`, or take an axis out of `panel`".to_owned()));
    }
    let places = |setting: &RaceSetting| -> Vec<Vec<(Arc<str>, Arc<str>)>> {
        let is_shared = |axis: &Arc<str>| settings[0].labels.iter().all(|(own, _)| own != axis);
        let labels = |&at: &usize| configs[at].labels.iter().filter(|(axis, _)| is_shared(axis)).cloned().collect();
        setting.configs.iter().map(labels).collect()
    };
    let first = places(&settings[0]);
    if let Some(uneven) = settings.iter().find(|setting| places(setting) != first) {
        let message = format!("the setting {} does not have every place of the panel", named(uneven));
        return Some((message, "every setting plays the same panel: exclude none of its places alone".to_owned()));
    }
    for place in 0..settings[0].configs.len() {
        let mut known: BTreeSet<Vec<String>> = BTreeSet::new();
        let is_known = |setting: &RaceSetting| !known.insert(identity(configs, setting.configs[place]));
        if let Some(same) = settings.iter().position(is_known) {
            let message = format!("the setting {} is the same job as another one", named(&settings[same]));
            return Some((message, "leave out an axis without an effect, or equal values".to_owned()));
        }
    }
    let size = race.size();
    let (a_round, budget, unit) = match rule.budget? {
        RaceBudget::Games(games) => (size.games * size.settings as u64, games, "games"),
        RaceBudget::Jobs(jobs) => (size.jobs * size.settings as u64, jobs, "jobs"),
    };
    if a_round == 0 {
        let message = format!("stage `{stage}` has no games");
        return Some((message, "give the budget in jobs: `budget = { jobs = 100 }`".to_owned()));
    }
    (budget < a_round).then(|| {
        let message = format!("a budget of {budget} {unit} is too small: the first round has {a_round}");
        (message, format!("allow several rounds, such as {}", 10 * a_round))
    })
}

/// The identities of a configuration and of those that its jobs read.
fn identity(configs: &[Config], at: usize) -> Vec<String> {
    let before = configs[at].from.iter().flat_map(|dependency| identity(configs, dependency.config));
    std::iter::once(configs[at].key.hex()).chain(before).collect()
}

/// Whether the results of a job are scores from 0 to 1.
fn can_race(spec: &JobSpec) -> bool {
    match spec {
        JobSpec::Play(PlaySpec::Match(job)) => job.sprt.is_none(),
        JobSpec::Measure(MeasureSpec::Fitness(_) | MeasureSpec::Optimal(_)) => true,
        _ => false,
    }
}

/// A setting as a quoted phrase.
fn named(setting: &RaceSetting) -> String {
    format!("`{}`", setting.name())
}

/// The problem of a stage that runs the winner of a race.
fn winner_problem(stage: &Stage, race: &Race, configs: &[Config], span: &Span) -> Option<Problem> {
    let own = || configs.iter().filter(|config| config.stage == stage.name);
    let missing = (0..race.settings.len()).find(|&at| own().all(|config| race.setting_of(config) != Some(at)));
    if let Some(at) = missing {
        let message =
            format!("stage `{}` has no configuration of the setting {}", stage.name, named(&race.settings[at]));
        return Some(Problem::at(span.clone(), message).hint("the winner may be any setting: exclude none"));
    }
    let seed = own().flat_map(|config| &config.seeds).find(|seed| race.seeds.contains(seed))?;
    let message = format!("the seed {seed} of stage `{}` takes part in the race, which chose the winner", stage.name);
    let next = race.seeds.iter().max().map_or(1, |last| last.saturating_add(1));
    let hint = format!("measure the winner by other games: `seeds = [{next}, {}]`", next.saturating_add(1));
    Some(Problem::at(span.clone(), message).hint(hint))
}
