//! Tests of properties of every search, on games small enough to know the answer.

use std::num::NonZeroU32;

use super::testing::{Book, BookEntry, Fixed, Hashed, Looking, Noughts, grow, search, spec, visits};
use super::{Cached, Evaluator, Rollouts, SearchError, SearchResult, SearchSpec, SearchTask, Searcher, Tree, Uniform};
use gauntlet_games::base::{Action, Outcome, Seed, Side};
use gauntlet_games::games::{GameSpec, Lookback, Position, State};

fn most_visited(tree: &Tree) -> Action {
    let children = tree.search_result().children;
    children.iter().max_by_key(|child| child.visits).expect("a branch").action
}

#[test]
fn tic_tac_toe_is_a_draw() {
    let tree = grow(&Noughts::after(&[]), &spec("simulations = 60000"), &mut Uniform);
    assert!(tree.search_result().value.abs() < 0.05, "{}", tree.search_result().value);
    assert_eq!(most_visited(&tree), Action(4));
    let tree = grow(&Noughts::after(&[]), &spec("simulations = 20000\nrule.gumbel.scale = 0"), &mut Uniform);
    let found = tree.search_result();
    assert!(found.expectation(&found.policy(1.0)).abs() < 0.05, "{found:?}");
    // The first two stones are given: without transpositions, a tree takes long to solve the whole game.
    let tree = grow(&Noughts::after(&[0, 4]), &spec("simulations = 100000\nsolve = true"), &mut Uniform);
    let found = tree.search_result();
    assert_eq!((found.value, found.exact), (0.0, true));
}

#[test]
fn a_win_in_one_is_found_at_once() {
    // First has 0 and 1; 2 wins.
    let position = Noughts::after(&[0, 3, 1, 4]);
    let tree = grow(&position, &spec("simulations = 20"), &mut Uniform);
    assert_eq!(most_visited(&tree), Action(2));
    let solved = grow(&position, &spec("simulations = 20\nsolve = true"), &mut Uniform).search_result();
    assert_eq!((solved.value, solved.exact, solved.visits()), (1.0, true, 1), "the first action tried wins");
    assert_eq!(solved.policy(1.0), [1.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_forced_loss_is_valued_so() {
    // Second is to move; First has the corners 0, 8 and 2, and two open rows.
    let position = Noughts::after(&[0, 4, 8, 3, 2]);
    assert_eq!(State::side(&position), Side::Second);
    let lost = Noughts::after(&[0, 1, 8, 3, 2]);
    let value = |position: &Noughts, text| grow(position, &spec(text), &mut Uniform).search_result();
    assert!(value(&lost, "simulations = 5000").value < -0.9);
    let solved = value(&lost, "simulations = 5000\nsolve = true");
    assert_eq!((solved.value, solved.exact), (-1.0, true));
    let won = value(&position, "simulations = 5000\nsolve = true");
    assert_eq!((won.value, won.exact), (1.0, true), "4 and 3 are Second's, 5 wins");
}

#[test]
fn a_side_that_moves_twice_keeps_its_sign() {
    use BookEntry::{End, Turn};
    let (first, second) = (Side::First, Side::Second);
    for hero in Side::BOTH {
        let villain = hero.opponent();
        let book = Book::new(vec![
            Turn(hero, vec![1, 2]),
            Turn(hero, vec![3, 4]),
            Turn(villain, vec![5, 6]),
            End(second, Outcome::Draw),
            End(first, Outcome::Win(hero)),
            End(first, Outcome::Win(villain)),
            End(second, Outcome::Win(hero)),
        ]);
        let tree = grow(&book, &spec("simulations = 2000"), &mut Uniform);
        let found = tree.search_result();
        assert_eq!(found.side, Some(hero));
        assert!(found.value > 0.9, "{found:?}");
        assert!(found.children[0].value > Some(0.9) && found.children[1].value < Some(-0.5), "{found:?}");
        let solved = grow(&book, &spec("simulations = 2000\nsolve = true"), &mut Uniform).search_result();
        assert_eq!((solved.value, solved.exact), (1.0, true));
    }
}

#[test]
fn an_arm_is_worth_what_its_puller_gets() {
    for (arms, best) in [([0.5, -0.5, 0.1], 0), ([-0.9, -0.5, -0.7], 1), ([0.0, 0.1, 0.9], 2)] {
        let mut fixed = Fixed { priors: vec![1.0 / 3.0; 3], root: 0.0, arms: arms.to_vec() };
        // Three simulations end on the arms themselves, before the draws below them count.
        let tree = grow(&Book::bandit(3), &spec("simulations = 3\nrule.puct.unvisited = \"one\""), &mut fixed);
        let values: Vec<f32> =
            tree.search_result().children.iter().map(|child| child.value.expect("visited")).collect();
        assert_eq!(values, arms);
        let fourth = grow(&Book::bandit(3), &spec("simulations = 4"), &mut fixed);
        assert!(arms[best] <= 0.0 || visits(&fourth)[best] == 2, "{:?}", visits(&fourth));
    }
}

#[test]
fn visits_and_values_are_conserved() {
    for text in [
        "",
        "rule.uct = {}",
        "rule.uct.rave = {}",
        "rule.gumbel = {}",
        "noise = { alpha = 1.0 }\nties = \"random\"",
        "forced-visits = 2.0",
    ] {
        let settings = SearchSpec { simulations: 700.into(), ..spec(text) };
        let tree = grow(&Noughts::after(&[4]), &settings, &mut Hashed);
        assert_eq!(tree.search_result().visits(), 700);
        tree.check_conservation();
    }
}

fn many() -> Vec<Box<dyn Position>> {
    let game = toml::from_str::<GameSpec>("gomoku = { size = 5, row = 4 }").expect("a game").build();
    let position = |index: usize| {
        let (mut position, mut rng) = (game.start(), Seed::new(index as u64).rng());
        for _ in 0..index % 8 {
            let action = position.random_action(&mut rng);
            position.play(action);
        }
        position
    };
    (0..40).map(position).filter(|position| position.outcome().is_none()).collect()
}

/// The results of searches of these positions, in batches of `batch`.
fn found(
    positions: &[Box<dyn Position>],
    batch: usize,
    spec: &SearchSpec,
    by: &mut dyn Evaluator,
) -> Vec<SearchResult> {
    let mut searcher = Searcher::new(spec.clone());
    let mut trees: Vec<Tree> = positions.iter().map(|_| Tree::new()).collect();
    let seeds = (0..).map(|index| Seed::new(index).child("search", 1));
    let mut tasks: Vec<SearchTask<'_>> = trees
        .iter_mut()
        .zip(positions)
        .zip(seeds)
        .map(|((tree, position), seed)| SearchTask { tree, position: &**position, seed })
        .collect();
    tasks.chunks_mut(batch).for_each(|tasks| searcher.search(tasks, by).expect("sound"));
    trees.iter().map(Tree::search_result).collect()
}

#[test]
fn nothing_depends_on_the_batch() {
    let positions = many();
    let settings = spec("simulations = 60\nnoise = { alpha = 0.3 }\nroot-noise = { alpha = 1.0 }\nties = \"random\"");
    let gumbel = spec("simulations = 60\nrule.gumbel = {}\nties = \"random\"");
    let grave = spec("simulations = 60\nrule.uct.rave = { ref = 3 }\nties = \"random\"");
    let mut rollouts = Rollouts { count: NonZeroU32::new(2).expect("two"), most_plies: u32::MAX };
    let mut evaluators: [&mut dyn Evaluator; 3] = [&mut Hashed, &mut Uniform, &mut rollouts];
    for by in &mut evaluators {
        for settings in [&settings, &gumbel, &grave] {
            let whole = found(&positions, positions.len(), settings, *by);
            for batch in [1, 7] {
                assert!(found(&positions, batch, settings, *by) == whole, "{batch} at a time");
            }
        }
    }
}

#[test]
fn a_cache_saves_work_and_changes_nothing() {
    let (positions, settings) = (many(), spec("simulations = 80\nroot-noise = { alpha = 1.0 }"));
    let without = found(&positions, 16, &settings, &mut Hashed);
    for capacity in [0, 2, 50, 100_000] {
        let mut cached = Cached::new(Hashed, capacity);
        assert!(found(&positions, 16, &settings, &mut cached) == without, "capacity {capacity}");
        assert!(cached.len() <= capacity && cached.hits() > 0, "{} in {capacity}", cached.len());
        let (misses, hits) = (cached.misses(), cached.hits());
        assert!(found(&positions, 3, &settings, &mut cached) == without);
        assert_eq!(cached.misses() + cached.hits(), 2 * (misses + hits));
        assert!(capacity < 100_000 || cached.misses() == misses, "all of it is remembered");
        cached.clear();
        assert!(cached.is_empty());
    }
}

/// In chess, many paths reach the same position. An evaluator that reads the history must not get the answer for
/// another path. Without its declared lookback it would.
#[test]
fn a_cache_knows_how_far_back_an_answer_looks() {
    let game = toml::from_str::<GameSpec>("chess = { size = 5 }").expect("a game").build();
    let (positions, settings) = ([game.start()], spec("simulations = 400\nroot-noise = { alpha = 1.0 }"));
    let last_two = Lookback { actions: 2, positions: 0 };
    for at in [Lookback::NONE, Lookback::LAST, last_two, Lookback { actions: 0, positions: 3 }] {
        let without = found(&positions, 1, &settings, &mut Looking { at, claims: at });
        let mut cached = Cached::new(Looking { at, claims: at }, 100_000);
        assert!(found(&positions, 1, &settings, &mut cached) == without, "{at:?}");
        let mut wrong = Cached::new(Looking { at, claims: Lookback::NONE }, 100_000);
        assert_eq!(found(&positions, 1, &settings, &mut wrong) == without, at == Lookback::NONE, "{at:?}");
        assert!(wrong.hits() > 0 && (at != Lookback::NONE || cached.hits() > 0), "{at:?}");
    }
}

#[test]
fn nonsense_is_refused() {
    struct Nonsense(f32, f32);
    impl Evaluator for Nonsense {
        fn evaluate(&mut self, _: &[super::Leaf<'_>], out: &mut super::Evaluations) -> Result<(), SearchError> {
            out.priors_mut(0)[3] = self.0;
            out.set_value(0, self.1);
            Ok(())
        }
    }
    for (prior, value) in [(f32::NAN, 0.0), (-0.1, 0.0), (1.5, 0.0), (1.0, f32::NAN), (1.0, -1.5)] {
        let mut tree = Tree::new();
        let position = Noughts::after(&[]);
        let mut tasks = [SearchTask { tree: &mut tree, position: &position, seed: Seed::new(1) }];
        let result = Searcher::new(spec("")).search(&mut tasks, &mut Nonsense(prior, value));
        assert!(result.is_err_and(|error| error.to_string().contains("unsound")), "{prior} {value}");
        // The tree can be used again.
        search(&mut tree, &position, &spec("simulations = 10"), &mut Uniform);
        assert_eq!(tree.search_result().visits(), 10);
    }
}

#[test]
fn a_finished_position_has_nothing_to_find() {
    let tree = grow(&Noughts::after(&[0, 3, 1, 4, 2]), &spec(""), &mut Uniform);
    assert!(tree.search_result().children.is_empty());
    assert!(Tree::new().search_result() == SearchResult::default());
}
