//! Laws of success criteria over runs: pairs only where the plan knows a shared cause, and the larger error decides.

use rand::RngExt as _;
use rand_distr::{Distribution as _, StandardNormal};

use super::super::criteria::decide;
use super::*;
use gauntlet_exhibits::Comparison;
use gauntlet_games::base::{Rng, Seed};

const CAUSES: &str = r#"
[games.othello.othello]
size = 6
[agents.saz.guided.network.saz]
hidden = 4
[trainings.zero.alpha-zero]
game = "othello"
agent = "saz"
[variant.graph]
[variant.cnn.set]
"agent.network" = { az-cnn = { channels = 4, wide = 4, narrow = 4 } }
[variant.untrained.set]
agent = "saz"
[stages.train]
seeds = 5
variants = ["graph", "cnn"]
train = "zero"
[stages.test]
from = "train"
play.match = { opponent = "random", games = 100 }
[stages.floors]
seeds = 5
variants = ["untrained"]
play.match = { game = "othello", agent = "saz", opponent = "random", games = 100 }
[[exhibit]]
show.means = { stage = ["test", "floors"], rows = ["variant"], scale = "fitness" }
[[exhibit.success]]
claim = "The graph network is ahead of the CNN"
of = { variant = "graph" }
over.runs = { variant = "cnn" }
[[exhibit.success]]
claim = "It is, with seeds as pairs"
of = { variant = "graph" }
over.runs = { variant = "cnn" }
paired = true
[[exhibit.success]]
claim = "Training helps"
of = { variant = "graph" }
over.runs = { variant = "untrained" }
[[exhibit.success]]
claim = "It does, with seeds as labels"
of = { variant = "graph" }
over.runs = { variant = "untrained" }
paired = false
"#;

/// The criteria of a plan for results that `result` gives by variant and seed.
fn criteria(plan: &Plan, result: impl Fn(&str, u64) -> Value) -> Vec<Criterion> {
    let of = |job: &gauntlet_plan::manifest::plan::PlanJob| {
        let variant = plan.config(job).label("variant")?;
        (plan.config(job).stage != "train").then(|| result(&variant, job.seed))
    };
    let facts = facts(plan, plan.jobs.iter().map(of).collect());
    decide(&ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: false })
}

fn normal(rng: &mut Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// The comparison, with its interval.
fn compared(criterion: &Criterion) -> (Comparison, [f64; 2]) {
    let interval = criterion.gain.interval.expect("there are five runs");
    (criterion.comparison.expect("it compares runs"), [interval.low, interval.high])
}

#[test]
fn intervals_of_differences_cover_as_the_plan_decides() {
    const SETS: usize = 10_000;
    let (plan, mut rng) = (plan(CAUSES), Seed::new(3).rng());
    let (mut covered, mut widths) = ([0; 4], [0.0; 4]);
    for _ in 0..SETS {
        // The untrained network is a part of the cause of the trained one; the CNN has none in common with it.
        let starts: Vec<f64> = (0..5).map(|_| 0.1 * normal(&mut rng)).collect();
        let graph: Vec<f64> = starts.iter().map(|start| 0.2 + start + 0.04 * normal(&mut rng)).collect();
        let cnn: Vec<f64> = (0..5).map(|_| 0.1 + 0.05 * normal(&mut rng)).collect();
        let found = criteria(&plan, |variant, seed| {
            let of = match variant {
                "graph" => &graph,
                "cnn" => &cnn,
                _ => &starts,
            };
            json!({ "mean": of[seed as usize - 1], "games": 100 })
        });
        for (at, (criterion, truth)) in found.iter().zip([0.1, 0.1, 0.2, 0.2]).enumerate() {
            let (_, [low, high]) = compared(criterion);
            covered[at] += usize::from(low <= truth && truth <= high);
            widths[at] += (high - low) / SETS as f64;
        }
        let ways =
            [Comparison::NothingShared, Comparison::StatedPairs, Comparison::DrawnWeights, Comparison::StatedApart];
        assert_eq!([0, 1, 2, 3].map(|at| compared(&found[at]).0), ways);
    }
    let shares = covered.map(|covered| covered as f64 / SETS as f64);
    eprintln!("coverage {shares:?}, widths {widths:?}");
    // Three standard errors of a share of 10,000 are 0.0065. The plan's choice covers; pairs without a cause are wider.
    assert!((shares[0] - 0.95).abs() < 0.015 && (shares[2] - 0.95).abs() < 0.007, "{shares:?}");
    assert!(widths[0] < widths[1], "{widths:?}");
    // Without its pairs, a shared cause makes the interval too wide.
    assert!(shares[3] > 0.99 && widths[3] > 1.5 * widths[2], "{shares:?} {widths:?}");
}

#[test]
fn seeds_of_networks_that_share_nothing_are_labels() {
    let (plan, mut rng) = (plan(CAUSES), Seed::new(8).rng());
    let values: [[f64; 5]; 2] = [0.0, 0.05].map(|lead| [(); 5].map(|()| lead + 0.05 * normal(&mut rng)));
    // All orders of the CNN's five runs.
    let (mut labels, mut pairs) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    for code in 0..5_usize.pow(5) {
        let order = [0, 1, 2, 3, 4].map(|place| code / 5_usize.pow(place) % 5);
        if order.iter().collect::<std::collections::BTreeSet<_>>().len() < 5 {
            continue;
        }
        let found = criteria(&plan, |variant, seed| {
            let at = seed as usize - 1;
            json!({ "mean": if variant == "cnn" { values[1][order[at]] } else { values[0][at] }, "games": 100 })
        });
        let ends = |at: usize| compared(&found[at]).1.map(|end| (1e9 * end).round() as i64);
        labels.insert(ends(0));
        pairs.insert(ends(1));
    }
    assert_eq!(labels.len(), 1, "Welch's interval depends on no order");
    assert!(pairs.len() > 50, "pairs by seed do: {}", pairs.len());
}

#[test]
fn the_comparison_is_stated() {
    let plan = plan(CAUSES);
    let found = criteria(&plan, |variant, seed| {
        let own = 0.01 * (seed * seed % 5) as f64;
        json!({ "mean": if variant == "graph" { 0.3 + own } else { 0.02 * seed as f64 }, "games": 100 })
    });
    let reported: Vec<String> = found.iter().map(Criterion::sentence).collect();
    for (reported, end) in reported.iter().zip([
        "n = 5. Not paired (Welch): runs of one seed share no weights.",
        "n = 5. Paired by seed, as the manifest states.",
        "n = 5. Paired by seed: runs of one seed share the weights that it draws.",
        "n = 5. Not paired (Welch), as the manifest states.",
    ]) {
        assert!(reported.ends_with(end), "{reported}");
    }
}

const NUMBER: &str = r#"
[agents.drawn.net]
network.mdlstm = { cells = 2 }
[variant.new.set]
agent = "drawn"
[stages.test]
seeds = 3
variants = ["new"]
play.match = { game = "atari-go", agent = "random", opponent = "naive", games = 60 }
[[exhibit]]
show.means = { stage = "test", rows = ["variant"], scale = "outcome" }
[[exhibit.success]]
claim = "It scores more than one half"
of = { variant = "new" }
over.number = 0.5
"#;

/// Thirty pairs of games, of which so many are won; the others are lost.
fn thirty(won: u64) -> Value {
    let pairs = [[30 - won, 0, 0], [0, 0, 0], [0, 0, won]];
    json!({ "mean": won as f64 / 15.0 - 1.0, "games": 60, "distinct": 60, "plies": 2400, "meetings": [{ "pairs": pairs }] })
}

#[test]
fn the_larger_error_decides_and_the_smaller_one_is_marked() {
    let plan = plan(NUMBER);
    let of = |won: [u64; 3]| criteria(&plan, |_, seed| thirty(won[seed as usize - 1])).remove(0);
    // Scores 19/30, 20/30, 21/30: an error of 0.019 over runs, of sqrt(2/9 / 89) = 0.05 over 90 pairs.
    let close = of([19, 20, 21]);
    let (smaller, error) = (close.smaller.expect("runs are closer than games allow"), close.gain.error.unwrap());
    assert!((smaller.error - 1.0 / 30.0 / 3.0_f64.sqrt()).abs() < 1e-12 && smaller.changes_verdict, "{close:?}");
    assert!((error.size - (2.0_f64 / 9.0 / 89.0).sqrt()).abs() < 1e-12 && error.kind == ErrorKind::Games, "{close:?}");
    // t of two degrees of freedom is 4.302 65.
    let low = close.gain.interval.unwrap().low;
    assert!(!close.met && (low - (1.0 / 6.0 - 4.302_65 * error.size)).abs() < 1e-5, "{close:?}");
    let reported = close.sentence();
    let mark = "† The error over games, 0.050, decides: that over runs, 0.019, is smaller. The runs alone would give \
                another verdict.";
    assert!(reported.contains("the 95 % interval over games, n = 3.") && reported.ends_with(mark), "{reported}");
    let far = of([16, 22, 28]);
    assert!(far.smaller.is_none() && far.sentence().contains("interval over runs,"), "{far:?}");
    let alike = of([18; 3]);
    assert!(alike.sentence().contains("the 95 % interval over runs, which ended alike: Student's t"), "{alike:?}");
}

/// Three runs of equal players: by luck their results can lie close together. The runs alone would then be sure.
#[test]
fn verdicts_by_the_larger_error_are_as_rare_as_promised() {
    const SETS: usize = 10_000;
    let (plan, mut rng) = (plan(NUMBER), Seed::new(4).rng());
    let (mut covered, mut wrong, mut marked, mut alone) = (0, 0, 0, [0; 2]);
    for _ in 0..SETS {
        let won = [(); 3].map(|()| (0..30).filter(|_| rng.random_bool(0.5)).count() as u64);
        let found = criteria(&plan, |_, seed| thirty(won[seed as usize - 1])).remove(0);
        let interval = found.gain.interval.expect("three runs");
        covered += usize::from(interval.low <= 0.0 && 0.0 <= interval.high);
        wrong += usize::from(found.met);
        if let Some(smaller) = found.smaller {
            marked += 1;
            assert!(smaller.error < found.gain.error.unwrap().size);
            alone[usize::from(found.met)] += usize::from(smaller.changes_verdict);
        }
    }
    eprintln!("covered {covered}, met {wrong}, marked {marked}, verdicts changed {alone:?}");
    assert!(covered >= 9_500 && wrong <= 250, "{covered} {wrong}");
    // Verdicts that the larger error takes back are marked, and no verdict rests on the smaller one.
    assert!(marked > SETS / 2 && alone[0] > 0 && alone[1] == 0, "{marked} {alone:?}");
}

/// Runs that share 200 positions: shares of 0.90, 0.91 and 0.92 have an error of 0.006 over runs, and one of 0.021 over
/// positions.
#[test]
fn shared_positions_leave_an_error_that_runs_do_not_show() {
    let of_match = "play.match = { game = \"atari-go\", agent = \"random\", opponent = \"naive\", games = 60 }";
    let manifest = NUMBER
        .replace(of_match, "measure.optimal = { game = \"gomoku\", plies = 20, positions = 200 }")
        .replace("scale = \"outcome\"", "values = [\"optimal\"]")
        .replace("0.5", "0.85");
    let plan = plan(&manifest);
    let kept = |share: f64| {
        let kept = json!({ "positions": 100, "kept": 90 });
        let choice = json!({ "tried": 300, "over": 0, "repeated": 0, "unsolved": 0, "all-win": 0, "all-draw": 0, "all-lose": 100 });
        json!({
            "share": share, "share-error": 0.021, "lost": 0.1, "lost-error": 0.03, "chance": 0.4, "positions": 200,
            "won": kept, "drawn": kept, "choice": choice
        })
    };
    let found = criteria(&plan, |_, seed| kept(0.89 + 0.01 * seed as f64)).remove(0);
    let (smaller, error) = (found.smaller.expect("runs are closer than positions allow"), found.gain.error.unwrap());
    assert!((smaller.error - 0.01 / 3.0_f64.sqrt()).abs() < 1e-12 && smaller.changes_verdict, "{found:?}");
    assert!((error.size, error.kind) == (0.021, ErrorKind::Positions) && !found.met, "{found:?}");
    let mark = "the 95 % interval over positions, n = 3. † The error over positions, 0.021, decides: that over runs, 0.006, \
                is smaller. The runs alone would give another verdict.";
    assert!(found.sentence().ends_with(mark), "{}", found.sentence());
}

#[test]
fn a_single_training_decides_nothing() {
    let plan = plan(&NUMBER.replace("seeds = 3", "seeds = 1"));
    let alone = criteria(&plan, |_, _| json!({ "mean": -0.5, "games": 60 })).remove(0);
    let reported = "It scores more than one half: undecided. Gain −0.250, without an interval, n = 1.";
    assert_eq!((alone.sentence().as_str(), alone.met), (reported, false));
}
