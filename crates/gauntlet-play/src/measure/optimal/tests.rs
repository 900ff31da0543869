//! Optimality of players whose moves are known, and the choice of sets.

use super::super::solutions::solve_positions;
use super::*;
use crate::jobs::{Inputs, ReadFile};
use gauntlet_games::base::{Cores, Interrupted, Silent};

fn job(text: &str) -> OptimalJob {
    toml::from_str(text).unwrap()
}

fn measure(job: &OptimalJob, seed: u64, sink: &mut dyn Sink) -> Result<Optimality, MeasureError> {
    let (_, bytes) = result(&solve_positions(&job.solutions(), sink)?).unwrap();
    let solutions = ReadFile { owner: Some(SOLUTIONS.to_owned()), file: RESULT.to_owned(), bytes };
    let given = Given { seed, upstream: &[solutions].into_iter().collect(), inputs: &Inputs::new(), checkpoint: None };
    measure_optimality(job, &given, sink)
}

fn of(text: &str, seed: u64) -> Optimality {
    measure(&job(text), seed, &mut Silent).unwrap()
}

const TIC_TAC_TOE: &str = "game.mnk = { rows = 3, columns = 3, row = 3 }\nplies = 3\npositions = 150\n";
const CONNECT_FOUR: &str = "game.connect-four = {}\nplies = 20\nmost-plies = 24\npositions = 40\n";

#[test]
fn a_perfect_player_keeps_every_value_and_a_random_one_by_chance() {
    let perfect = of(&format!("{TIC_TAC_TOE}agent.alpha-beta.depth = 9"), 1);
    assert_eq!((perfect.share, perfect.lost), (1.0, 0.0));
    // Without a spread, the errors are the one-sigma bounds of Wilson's interval at the ends of the ranges.
    let bound = 1.0 / (perfect.positions as f64 + 1.0);
    let is_near = |error: f64, wanted: f64| (error / wanted - 1.0).abs() < 1e-8;
    assert!(is_near(perfect.share_error, bound) && is_near(perfect.lost_error, 2.0 * bound), "{perfect:?}");
    assert_eq!(perfect.won.positions + perfect.drawn.positions, perfect.positions);
    assert_eq!(perfect.won.kept + perfect.drawn.kept, perfect.positions);
    // Over 40 seeds, the share of a random player is its chance, within four standard errors.
    let random: Vec<Optimality> = (0..40).map(|seed| of(&format!("{TIC_TAC_TOE}agent.random = {{}}"), seed)).collect();
    let share = random.iter().map(|found| found.share).sum::<f64>() / 40.0;
    let error = random[0].share_error / 40f64.sqrt();
    assert!(error > 0.0 && (share - random[0].chance).abs() < 4.0 * error, "{share} {} {error}", random[0].chance);
    assert!(random.iter().all(|found| found.choice == perfect.choice && found.chance == perfect.chance));
    assert!(random.iter().any(|found| found.share != random[0].share), "its moves depend on the seed of the run");
}

/// Every position after three plies of tic-tac-toe, by hand: all sequences, each key once, by plain minimax.
#[test]
fn a_set_has_all_positions_with_a_choice() {
    let found = of(&format!("{TIC_TAC_TOE}agent.random = {{}}").replace("150", "100000"), 1);
    let game = job(&format!("{TIC_TAC_TOE}agent.random = {{}}")).game.build();
    let mut wanted = std::collections::HashMap::new();
    let sites = || (0..9).map(Action::from);
    for [one, two, three] in sites().flat_map(|a| sites().flat_map(move |b| sites().map(move |c| [a, b, c]))) {
        if one != two && one != three && two != three {
            let mut position = game.start();
            [one, two, three].into_iter().for_each(|action| position.play(action));
            wanted.insert(position.key(), worth(&*position));
        }
    }
    assert_eq!(wanted.len(), 252);
    let [won, drawn] = [1, 0].map(|value| wanted.values().filter(|worth| **worth == (value, true)).count() as u64);
    assert_eq!([found.won.positions, found.drawn.positions], [won, drawn]);
    let Choice { tried, over, repeated, unsolved, all_win, all_draw, all_lose } = found.choice;
    assert_eq!((tried, over, unsolved), (20 * 100_000, 0, 0));
    assert_eq!(found.positions + repeated + all_win + all_draw + all_lose, tried);
    assert_eq!(found.positions + all_win + all_draw + all_lose, 252);
}

/// The value of a position, and whether some action has another one.
fn worth(position: &dyn gauntlet_games::games::Position) -> (i8, bool) {
    let mut actions = Vec::new();
    position.actions(&mut actions);
    let value = |action: &Action| {
        let mut next = position.fork();
        next.play(*action);
        next.outcome().map_or_else(|| -worth(&*next).0, |outcome| outcome.score(position.side()) as i8)
    };
    let values: Vec<i8> = actions.iter().map(value).collect();
    let best = *values.iter().max().unwrap();
    (best, values.iter().any(|value| *value != best))
}

#[test]
fn the_set_depends_on_its_number_and_on_no_seed_and_no_cores() {
    struct Two;
    impl Sink for Two {
        fn record(&mut self, _event: Event<'_>) -> Result<(), Interrupted> {
            Ok(())
        }
        fn cores(&self) -> Cores {
            Cores::alone(2)
        }
    }
    let text = format!("{CONNECT_FOUR}agent.naive = {{}}");
    let one = of(&text, 1);
    assert_eq!(measure(&job(&text), 1, &mut Two).unwrap(), one);
    assert_eq!((one.choice, one.chance, one.positions), (of(&text, 2).choice, of(&text, 2).chance, 40));
    assert_ne!(of(&format!("set = 2\n{text}"), 1).chance, one.chance);
    let text = serde_json::to_string(&one).unwrap();
    assert_eq!(serde_json::from_str::<Optimality>(&text).unwrap(), one);
}

#[test]
fn deeper_searches_lose_less() {
    let of = |agent: &str| of(&format!("{CONNECT_FOUR}agent.{agent}").replace("40", "100"), 1);
    let [random, shallow, deep] = ["random = {}", "alpha-beta.depth = 2", "alpha-beta.depth = 8"].map(of);
    assert!(random.share < shallow.share && shallow.share < deep.share, "{random:?} {shallow:?} {deep:?}");
    assert!(random.lost > shallow.lost && shallow.lost > deep.lost);
}

#[test]
fn a_set_without_positions_is_refused_with_a_remedy() {
    let refused =
        |text: &str| measure(&job(&format!("{text}agent.random = {{}}")), 1, &mut Silent).unwrap_err().to_string();
    let deep = refused(&TIC_TAC_TOE.replace("plies = 3", "plies = 9"));
    assert!(deep.ends_with("were over after 9 random plies: take fewer `plies`"), "{deep}");
    let hard = refused("game.othello = { size = 8 }\nplies = 4\nnodes = 100\n");
    assert!(hard.contains("was solved within 100 nodes (") && hard.contains("take more `plies`"), "{hard}");
    let right = refused(&TIC_TAC_TOE.replace("plies = 3", "plies = 8"));
    assert!(right.ends_with("every move is right: take other `plies`"), "{right}");
}

#[test]
fn settings_are_checked_before_the_run() {
    let checked = |text: &str| job(&format!("{text}\nagent.random = {{}}")).check();
    assert_eq!(checked(TIC_TAC_TOE), Ok(()));
    let depth = checked(&TIC_TAC_TOE.replace("plies = 3", "plies = 12")).unwrap_err();
    assert_eq!(depth, "no position of mnk 3x3 row 3 after 12 random plies goes on: take at most 8 `plies`");
    assert_eq!(checked("game.hex = {}\nplies = 4\nmost-plies = 3").unwrap_err(), "`most-plies` is less than `plies`");
    let read = |text: &str| toml::from_str::<OptimalJob>(&format!("game.hex = {{}}\nagent.random = {{}}\n{text}"));
    for (text, message) in [
        ("", "missing field `plies`"),
        ("plies = 4\npositions = 0", "0 positions: a set has from 1 to 100000"),
        ("plies = 4\nnodes = 0", "0 nodes: a solver takes from 1 to"),
        ("plies = 4\nset = 0", "nonzero"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
