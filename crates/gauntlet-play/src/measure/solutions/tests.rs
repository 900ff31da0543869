//! Solutions as a file, and positions from given openings.

use super::*;
use gauntlet_games::base::Silent;

fn job(text: &str) -> SolutionsJob {
    toml::from_str(text).unwrap()
}

fn solved(text: &str) -> Solutions {
    solve_positions(&job(text), &mut Silent).unwrap()
}

/// Names of actions are read back, in games with their own notation, of several kinds of action, and described ones.
#[test]
fn a_set_that_is_written_is_read_back() {
    for (text, positions) in [
        ("game.connect-four = {}\nplies = 26", 20),
        ("game.othello = { size = 4 }\nplies = 5", 20),
        ("game.breakthrough = { size = 4 }\nplies = 10", 10),
        (
            "game.mnk = { rows = 3, columns = 3, row = 3 }\nplies = 0\nopenings.file = { name = \"set.epd\", text = \"SET\" }",
            2,
        ),
        ("game.ludeme = { name = \"hex\", options = [\"Board/7x7\"] }\nplies = 34", 3),
    ] {
        let set = "xo1/1x1/o2 x;\\nx2/1o1/2x o;\\n";
        let job = SolutionsJob { positions, ..job(&text.replace("SET", set)) };
        let game = job.game.build();
        let drawn = draw(&job, &*game, &mut Silent).unwrap();
        let solutions = solve_positions(&job, &mut Silent).unwrap();
        let written = serde_json::to_string(&solutions).unwrap();
        let read: Solutions = serde_json::from_str(&written).unwrap();
        assert_eq!(read, solutions);
        let problems = read.problems(&*game).unwrap();
        assert_eq!((problems.len(), read.choice), (drawn.problems.len(), drawn.choice));
        for (problem, wanted) in problems.iter().zip(&drawn.problems) {
            assert_eq!((&problem.played, &problem.values), (&wanted.played, &wanted.values), "{text}");
            assert_eq!((problem.position.key(), &problem.start), (wanted.position.key(), &wanted.start), "{text}");
        }
    }
}

/// Names of actions are separated by spaces, so that none has one.
#[test]
fn names_of_actions_have_no_spaces_and_are_read_back() {
    for spec in GameSpec::examples() {
        let (game, mut rng) = (spec.build(), gauntlet_games::base::Seed::new(1).rng());
        let mut position = game.start();
        for _ in 0..60 {
            if position.outcome().is_some() {
                break;
            }
            let action = position.random_action(&mut rng);
            let name = game.write_move(&*position, action);
            assert!(!name.is_empty() && !name.contains(char::is_whitespace), "{}: {name}", game.name());
            assert_eq!(game.read_move(&*position, &name), Some(action), "{}: {name}", game.name());
            position.play(action);
        }
    }
}

#[test]
fn positions_follow_the_given_openings() {
    let text = "game.connect-four = {}\nplies = 14\nmost-plies = 16\npositions = 30\n";
    let openings = "openings.list = [\"D1 D2 D3 D4\", \"A1 G1 A2 G2\"]";
    let (free, given) = (solved(text), solved(&format!("{text}{openings}")));
    let begins = |start: &str| given.positions.iter().filter(|solved| solved.played.starts_with(start)).count();
    let both = [begins("D1 D2 D3 D4 "), begins("A1 G1 A2 G2 ")];
    assert!(both[0] > 5 && both[1] > 5 && both[0] + both[1] == given.positions.len(), "{both:?}");
    let plies = |solved: &Solved| solved.played.split(' ').count();
    assert!(given.positions.iter().all(|solved| (18..=20).contains(&plies(solved))));
    assert!(free.positions.iter().all(|solved| (14..=16).contains(&plies(solved))));
}

#[test]
fn openings_that_lead_nowhere_are_refused() {
    let refused = |openings: &str, plies: u32| {
        job(&format!("game.connect-four = {{}}\nplies = {plies}\nopenings.{openings}")).check().unwrap_err()
    };
    let random = refused("random = { plies = 2 }", 3);
    assert!(random.contains("leave random `openings` out"), "{random}");
    assert!(refused("list = [\"D9\"]", 3).contains("`D9` is not a legal action"));
    let deep = refused("list = [\"D1\"]", 42);
    assert!(deep.ends_with("after 42 random plies goes on: take fewer `plies`, or shorter openings"), "{deep}");
}

#[test]
fn solutions_of_another_game_are_refused() {
    let solutions = solved("game.connect-four = {}\nplies = 30\npositions = 3");
    let other = job("game.othello = { size = 8 }\nplies = 30").game.build();
    let error = solutions.problems(&*other).err().unwrap().to_string();
    assert!(error.ends_with("is no position of othello 8x8"), "{error}");
}
