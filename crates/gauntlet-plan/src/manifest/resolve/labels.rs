//! Checks: the labels that a manifest names exist, and every averaged run counts once.

use std::collections::BTreeSet;

use super::abscissa::check_abscissa;
use super::config::Config;
use super::equivalent::{check_equivalent, check_lengths};
use super::pooled::{Groups, Pooled, grouped, with_labels};
use super::problem_set::ProblemSet;
use super::progress::check_progress;
use super::rated::{check_anchor, check_rated, role};
use super::showable::check_showable;
use crate::manifest::read::exhibit::{Exhibit, Labels, Success};
use crate::manifest::read::written::{WrittenManifest, shown};
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::Node;
use gauntlet_exhibits::{Over, Unit};

/// Checks that the names in exhibits, their criteria and exclusions exist, and that no run counts twice. Averaged runs
/// are checked only in a manifest without earlier problems, as many may follow from one mistake.
pub fn check_labels(written: &WrittenManifest, configs: &[Config], found: &mut ProblemSet<'_>) {
    let is_sound = found.is_empty();
    for (exhibit, node) in written.exhibits.iter().zip(&written.exhibit_nodes) {
        let stages = exhibit.show.stages();
        let configs: Vec<&Config> = configs.iter().filter(|config| stages.contains(&config.stage.as_str())).collect();
        let Some(first) = configs.first() else { continue };
        let is_known = |axis: &str| configs.iter().any(|config| config.label(axis).is_some());
        let about = exhibit.show.about();
        let unknown: Vec<&str> = about.cells.iter().copied().chain(about.x).filter(|axis| !is_known(axis)).collect();
        unknown.iter().for_each(|axis| found.add(no_axis(first, axis, shown(node, axis))));
        if is_sound {
            if unknown.is_empty() {
                check_cells(exhibit, node, &configs, found);
            }
            check_success(exhibit, node, &configs, found);
            check_crossed(exhibit, node, &configs, found);
            check_showable(exhibit, node, &configs, found);
            check_abscissa(exhibit, node, &configs, found);
            check_progress(exhibit, node, &configs, found);
            let shown = |name: &str| written.labels.get(name).map_or(name, String::as_str).to_owned();
            check_anchor((exhibit, node), &configs, shown, found);
            check_rated(exhibit, node, &configs, found);
        }
    }
    check_excluded(written, configs, found);
}

fn no_axis(config: &Config, axis: &str, place: Span) -> Problem {
    let message = format!("stage `{}` has no axis `{axis}`", config.stage);
    Problem::at(place, message).nearest(axis, config.labels.iter().map(|(name, _)| &**name))
}

/// Checks that no cell of an exhibit pools runs of several configurations. Trainings that an exhibit selects by labels
/// are checked elsewhere.
fn check_cells(exhibit: &Exhibit, node: &Node, configs: &[&Config], found: &mut ProblemSet<'_>) {
    let about = exhibit.show.about();
    let Some(axes) = about.apart() else { return };
    let of_table = |stages: Vec<&str>| -> Vec<&Config> {
        configs.iter().copied().filter(|config| stages.contains(&config.stage.as_str())).collect()
    };
    let mut cells = about.tables.into_iter().flat_map(|stages| grouped(&of_table(stages), &axes).into_values());
    if let Some(pooled) = cells.find_map(|cell| Pooled::find(&cell)) {
        let place = node.table().and_then(|table| table.entry("show")).map_or(&node.span, |show| &show.key_span);
        let problem = Problem::at(place.clone(), format!("the exhibit {}", pooled.message()));
        let is_rated = about.unit == Unit::Players && !pooled.differs(|axis| role(axis).is_some());
        found.add(problem.hint(pooled.way_out(if is_rated { "make `panels` of" } else { "name among its axes" })));
    }
}

/// Checks that only tables of means average runs that meet several runs of their opponent.
fn check_crossed(exhibit: &Exhibit, node: &Node, configs: &[&Config], found: &mut ProblemSet<'_>) {
    if exhibit.show.about().judged.is_some() {
        return;
    }
    if let Some(config) = configs.iter().find(|config| met(config) > 1) {
        let place = node.table().and_then(|table| table.entry("show")).map_or(&node.span, |show| &show.key_span);
        let message = format!("each run of stage `{}` meets several runs, which only `means` averages", config.stage);
        found.add(Problem::at(place.clone(), message).hint("leave `runs` out of its `from`, or show means"));
    }
}

/// Checks that the names in success criteria exist.
fn check_success(exhibit: &Exhibit, node: &Node, configs: &[&Config], found: &mut ProblemSet<'_>) {
    for success in &exhibit.success {
        let mut problems = unknown_labels(success, node, configs);
        if problems.is_empty() {
            let place = node.place_of(&success.claim).unwrap_or(&node.span);
            let over = check_over(success, exhibit, place);
            problems.extend(over.and_then(|()| check_judged(success, place, configs)).err());
        }
        problems.into_iter().for_each(|problem| found.add(problem));
    }
}

/// Axes and labels of a criterion that no configuration has.
fn unknown_labels(success: &Success, node: &Node, configs: &[&Config]) -> Vec<Problem> {
    let labels_of = |axis: &str| -> Vec<String> { configs.iter().filter_map(|config| config.label(axis)).collect() };
    let place = |word: &str| node.place_of(word).unwrap_or(&node.span).clone();
    let unknown_axes = success.each.iter().filter(|axis| labels_of(axis).is_empty());
    let mut problems: Vec<Problem> = unknown_axes.map(|axis| no_axis(configs[0], axis, place(axis))).collect();
    for (axis, wanted) in success.labels() {
        let known = labels_of(axis);
        if known.is_empty() {
            problems.push(no_axis(configs[0], axis, place(wanted)));
        } else if !known.contains(wanted) {
            let message = format!("nothing has the label `{wanted}` on the axis `{axis}`");
            problems.push(Problem::at(place(wanted), message).nearest(wanted, known.iter().map(String::as_str)));
        }
    }
    problems
}

/// Checks that an exhibit with a claim on a mean shows means, and that such a mean can be near the number of the claim.
fn check_over(success: &Success, exhibit: &Exhibit, place: &Span) -> Result<(), Problem> {
    let (Some(over), about) = (&success.over, exhibit.show.about()) else { return Ok(()) };
    let Some(judged) = about.judged else {
        let problem = Problem::at(place.clone(), "a claim with `over` judges means, and this exhibit shows none");
        return Err(
            problem.hint("put the claim into an exhibit with `show.means`: it judges the first of its `values`")
        );
    };
    let ([low, high], Over::Number(number)) = (judged.range(about.scale), over) else { return Ok(()) };
    if (low..=high).contains(number) {
        return Ok(());
    }
    let range = if high.is_finite() { format!("{low} to {high}") } else { format!("{low} or more") };
    let message = format!("`over.number` is {number}, and the means of this exhibit are {range}");
    Err(Problem::at(place.clone(), message).hint("write the number on the scale of the exhibit, not as a percentage"))
}

/// Checks that the runs of a criterion exist at every place where it is judged, and that each counts once.
fn check_judged(success: &Success, place: &Span, configs: &[&Config]) -> Result<(), Problem> {
    let axes: Vec<&str> = success.each.iter().map(String::as_str).collect();
    let judged = with_labels(configs, &success.of);
    let nothing = |wanted: &Labels, at: &[String]| {
        let wanted = wanted.iter().map(|(axis, label)| format!("{axis}={label}"));
        let at = axes.iter().zip(at).map(|(axis, label)| format!("{axis}={label}"));
        let message = format!("no run has the labels {} together", wanted.chain(at).collect::<Vec<_>>().join(" "));
        Problem::at(place.clone(), message).hint("a claim on nothing is never met: name labels of one configuration")
    };
    if judged.is_empty() {
        return Err(nothing(&success.of, &[]));
    }
    if success.equivalent.is_some() {
        check_equivalent(&judged, place)?;
    }
    let baseline = match &success.over {
        Some(Over::Runs(labels)) => with_labels(configs, labels),
        _ => Vec::new(),
    };
    check_lengths(judged.iter().chain(&baseline), place)?;
    let judged = grouped(&judged, &axes);
    each_once(&judged, place)?;
    let Some(Over::Runs(labels)) = &success.over else { return Ok(()) };
    let others = grouped(&with_labels(configs, labels), &axes);
    each_once(&others, place)?;
    let met: BTreeSet<u32> = judged.values().chain(others.values()).flatten().map(|config| met(config)).collect();
    if met.len() > 1 {
        let message = "a criterion compares runs that meet different numbers of their opponent's runs";
        return Err(
            Problem::at(place.clone(), message).hint("give all of these stages the same `runs` in their `from`")
        );
    }
    if let Some(at) = judged.keys().find(|at| !others.contains_key(*at)) {
        return Err(nothing(labels, at));
    }
    check_distinct(&judged, &others, place)
}

/// Checks that a claim compares no runs with themselves.
fn check_distinct(judged: &Groups<'_>, others: &Groups<'_>, place: &Span) -> Result<(), Problem> {
    let is_among = |config: &Config, others: &[&Config]| others.iter().any(|other| std::ptr::eq(*other, config));
    let twice = judged.iter().find_map(|(at, own)| {
        let others = others.get(at)?;
        own.iter().find(|config| is_among(config, others))
    });
    let Some(config) = twice else { return Ok(()) };
    let message = format!("a claim compares the runs `{}` with themselves", config.describe());
    Err(Problem::at(place.clone(), message).hint("give `of` and `over.runs` different labels on an axis"))
}

/// The number of opponent runs that each run meets.
fn met(config: &Config) -> u32 {
    config.from.iter().map(|dependency| dependency.runs).max().unwrap_or(1)
}

/// Checks that each place has one run of a seed: runs are identified by their seeds.
fn each_once(places: &Groups<'_>, place: &Span) -> Result<(), Problem> {
    match places.values().find_map(|group| Pooled::find(group)) {
        None => Ok(()),
        Some(pooled) => {
            let message = format!("a criterion {}", pooled.message());
            Err(Problem::at(place.clone(), message).hint(pooled.way_out("name in `each`, or by a label,")))
        }
    }
}

/// Checks that the axes of exclusions exist, in stages without other problems.
fn check_excluded(written: &WrittenManifest, configs: &[Config], found: &mut ProblemSet<'_>) {
    for stage in &written.stages {
        let Some(first) = configs.iter().find(|config| config.stage == stage.name) else { continue };
        for setting in stage.excluded.iter().flatten() {
            if first.label(&setting.path).is_none() {
                found.add(no_axis(first, &setting.path, setting.span.clone()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap as ManifestSource;

    use crate::manifest::{Overrides, Plan, Problem, load};

    const MANIFEST: &str = r#"schema = 1
name = "a/b"
title = "t"
[games]
go.atari-go = { size = 5 }
[agents]
naive.naive = {}
random.random = {}
[variant.new.set]
agent = "naive"
[variant.old.set]
agent = "random"
[stages.test]
seeds = 2
variants = ["new", "old"]
sweep = { "game.size" = [5, 7] }
exclude = [{ variant = "old", "game.size" = 7 }]
play.match = { game = "go", agent = "random", opponent = "naive", games = 8 }
[stages.late]
seeds = 2
variants = ["new"]
play.match = { game = "go", agent = "random", opponent = "random", games = 8 }
[[exhibit]]
show.means = { stage = "test", rows = ["variant"], columns = ["game.size"] }
[[exhibit.success]]
claim = "better"
of = { variant = "new", "game.size" = "5" }
over.runs = { variant = "old" }
each = ["game.size"]
"#;

    /// The problems of the manifest with a change, and their hints.
    fn problems(from: &str, to: &str) -> Vec<String> {
        assert!(MANIFEST.contains(from), "{from}");
        let source = ManifestSource::from([("m.toml".to_owned(), MANIFEST.replacen(from, to, 1))]);
        let reported =
            |problem: &Problem| format!("{} ({})", problem.message, problem.hint.as_deref().unwrap_or_default());
        match load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")) {
            Ok(_) => Vec::new(),
            Err(problems) => problems.list().iter().map(reported).collect(),
        }
    }

    #[test]
    fn a_claim_on_nothing_is_a_mistake() {
        let hint = "a claim on nothing is never met: name labels of one configuration";
        let of = "of = { variant = \"new\", \"game.size\" = \"5\" }";
        assert_eq!(problems("better", "better"), [""; 0]);
        assert_eq!(
            problems(of, "of = { variant = \"old\", \"game.size\" = \"7\" }"),
            [format!("no run has the labels game.size=7 variant=old together ({hint})")]
        );
        // The plan has no configuration of the old player on the larger board.
        assert_eq!(
            problems(of, "of = { variant = \"new\" }"),
            [format!("no run has the labels variant=old game.size=7 together ({hint})")]
        );
    }

    #[test]
    fn a_claim_can_be_met() {
        let over = "over.runs = { variant = \"old\" }";
        let scale = "write the number on the scale of the exhibit, not as a percentage";
        for number in ["50", "-0.1", "1.5"] {
            let found = problems(over, &format!("over.number = {number}"));
            let range = "and the means of this exhibit are 0 to 1";
            assert_eq!(found, [format!("`over.number` is {number}, {range} ({scale})")]);
        }
        assert_eq!(problems(over, "over.number = 1.0"), [""; 0]);
        let found = problems(over, "over.runs = { variant = \"new\" }").join("");
        assert!(found.starts_with("a claim compares the runs `test variant=new "), "{found}");
        assert!(found.contains("` with themselves (give `of` and `over.runs` different labels"), "{found}");
    }

    #[test]
    fn a_hint_names_each_label_once() {
        let reported = problems("over.runs = { variant = \"old\" }", "over.runs = { \"game.size\" = \"9\" }").join("");
        assert_eq!(reported, "nothing has the label `9` on the axis `game.size` (known: 5, 7)");
    }

    #[test]
    fn configurations_are_no_runs_of_each_other() {
        let in_each = problems("\neach = [\"game.size\"]", "").join("");
        assert_eq!(in_each, "", "the labels tell them apart");
        let pooled = "would take two configurations for one: `test variant=new game=go agent=naive opponent=naive \
            game.size=5` and `test variant=new game=go agent=naive opponent=naive game.size=7`";
        let of = "of = { variant = \"new\", \"game.size\" = \"5\" }\nover.runs = { variant = \"old\" }\neach = [\"game.size\"]";
        assert_eq!(
            problems(of, "of = { variant = \"new\" }\nover.number = 0.5"),
            [format!("a criterion {pooled} (name in `each`, or by a label, what tells them apart: `game.size`)")]
        );
        let hint = "(name among its axes what tells them apart: `game.size`)";
        assert_eq!(problems(", columns = [\"game.size\"]", ""), [format!("the exhibit {pooled} {hint}")]);
    }

    #[test]
    fn no_kind_of_exhibit_takes_configurations_for_runs() {
        let size = "`game.size`";
        for (kind, axes, apart) in [
            ("percentiles", "curves = [\"variant\"]", size),
            ("percentiles", "curves = [\"variant\"], panels = [\"game.size\"]", ""),
            ("curves", "curves = [\"variant\"]", size),
            ("curves", "curves = [\"variant\"], panels = [\"game.size\"]", ""),
            ("scatter", "across = \"game.size\", x = 5, y = 7", "`variant` or `agent`"),
            ("scatter", "across = \"game.size\", x = 5, y = 7, series = [\"variant\"]", ""),
            ("correlations", "across = \"game.size\", pairs = [[5, 7]]", "`variant` or `agent`"),
            ("correlations", "across = \"game.size\", pairs = [[5, 7]], rows = [\"variant\"]", ""),
            ("numbers", "columns = [\"variant\"], numbers = [], y-label = \"\"", size),
            ("numbers", "columns = [\"variant\", \"game.size\"], numbers = [], y-label = \"\"", ""),
            ("embeddings", "panels = [\"variant\"]", size),
            ("ratings", "", size),
            ("ratings", "panels = [\"game.size\"]", ""),
            ("elo-differences", "", size),
            ("boards", "games = []", ""),
            ("positions", "games = []", ""),
        ] {
            let show = format!("show.{kind} = {{ stage = \"test\", {axes} }}").replace(", }", " }");
            let found =
                problems("show.means = { stage = \"test\", rows = [\"variant\"], columns = [\"game.size\"] }", &show);
            let reported = found.first().and_then(|problem| problem.split("apart: ").nth(1));
            assert_eq!(reported.map_or("", |axes| axes.trim_end_matches(')')), apart, "{kind}: {found:?}");
        }
    }

    #[test]
    fn labels_of_claims_may_be_numbers() {
        assert_eq!(problems("\"game.size\" = \"5\" }", "\"game.size\" = 5 }"), [""; 0]);
        let table = problems("\"game.size\" = \"5\" }", "\"game.size\" = [5] }").join("");
        assert!(table.contains("expected a label: text, a number, or true or false"), "{table}");
    }

    #[test]
    fn a_kind_of_player_is_nobody_s_name() {
        let reported = problems("opponent = \"random\"", "opponent = \"greedy\"");
        let hint = "`greedy` is a kind, not a name: define one, `[agents]` `greedy.greedy = {}`";
        assert_eq!(reported, [format!("unknown opponent `greedy` ({hint})")]);
    }

    #[test]
    fn an_anchor_is_one_of_the_players() {
        let means = "means = { stage = \"test\", rows = [\"variant\"], columns = [\"game.size\"] }";
        let ratings = |anchor: &str| {
            let show = format!("ratings = {{ stage = \"test\", panels = [\"game.size\"], anchor = \"{anchor}\" }}");
            // The claims of the manifest are on means.
            let mut found = problems(means, &show);
            found.retain(|problem| !problem.starts_with("a claim with `over`"));
            found
        };
        assert_eq!(ratings("naive"), [""; 0]);
        let unanchored = "ratings = { stage = \"test\", panels = [\"game.size\"], anchor-elo = 20 }";
        let found = problems(means, unanchored);
        let wanted = "`anchor-elo` is the rating of an anchor, and there is none (name the player: `anchor = \"...\"`)";
        assert!(found.iter().any(|problem| problem == wanted), "{found:?}");
        assert_eq!(ratings("nave"), ["stage `test` has no player `nave` (did you mean `naive`?)"]);
        assert_eq!(ratings("Zz"), ["stage `test` has no player `Zz` (known: naive, random)"]);
    }

    #[test]
    fn one_name_of_a_rated_player_is_one_player() {
        let means = "show.means = { stage = \"test\", rows = [\"variant\"], columns = [\"game.size\"] }";
        let ratings = |rest: &str| problems(means, &format!("show.ratings = {{ stage = \"test\", {rest} }}"));
        let first = |rest: &str| ratings(rest).into_iter().next().unwrap_or_default();
        assert!(first("players = [\"agent\", \"opponent\"], panels = [\"game.size\"]").starts_with("a claim"));
        let pooled = first("players = [\"agent\", \"opponent\"]");
        assert!(pooled.ends_with("(make `panels` of what tells them apart: `game.size`)"), "{pooled}");
        // The opponents of both boards would have one name.
        let twice = first("players = [\"agent\", \"opponent\", \"game.size\"]");
        let message = "the exhibit would rate two players under one name: `naive`";
        assert!(twice.starts_with(message) && twice.ends_with("apart: `game.size`)"), "{twice}");
    }

    #[test]
    fn stages_stand_in_one_table_where_an_axis_tells_them_apart() {
        let both = problems("stage = \"test\"", "stage = [\"test\", \"late\"]");
        assert!(both[0].contains("what tells them apart: `opponent`"), "{both:?}");
        let twice = problems("stage = \"test\"", "stage = [\"test\", \"test\"]");
        assert!(twice[0].starts_with("the stage `test` twice would count each run as two"), "{twice:?}");
        let arms = problems("[\"new\", \"old\"]", "[\"new\", \"new\"]");
        assert!(arms[0].starts_with("the variant `new` twice would count each run as two"), "{arms:?}");
        let none = problems("[\"new\", \"old\"]", "[]");
        assert!(none[0].starts_with("a list of variants names at least one"), "{none:?}");
    }
}
