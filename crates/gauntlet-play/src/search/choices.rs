//! Tests of each search setting: it has its documented effect and no other.

use super::testing::{Book, BookEntry, Fixed, Hashed, Noughts, grow, search, spec, visits};
use super::{Evaluator, SearchSpec, SearchTask, Searcher, Tree, Uniform};
use gauntlet_games::base::{Action, Outcome, Seed, Side};
use gauntlet_games::games::Position;

fn arms(priors: &[f32], root: f32, arms: &[f32]) -> Fixed {
    Fixed { priors: priors.to_vec(), root, arms: arms.to_vec() }
}

/// Visits of a bandit's arms after a few simulations.
fn pulls(settings: &str, evaluator: &mut Fixed) -> Vec<u32> {
    visits(&grow(&Book::bandit(evaluator.arms.len()), &spec(settings), evaluator))
}

#[test]
fn the_number_of_simulations_and_the_root() {
    let mut even = arms(&[0.5, 0.5], 0.0, &[0.0, 0.0]);
    assert_eq!(pulls("simulations = 7", &mut even).iter().sum::<u32>(), 7);
    assert_eq!(pulls("simulations = 7\ncount-root = true", &mut even).iter().sum::<u32>(), 6);
    let alone = grow(&Book::bandit(2), &spec("simulations = 1\ncount-root = true"), &mut even).search_result();
    assert_eq!((alone.visits(), alone.policy(1.0)), (0, vec![0.5, 0.5]));
}

#[test]
fn the_constant_weighs_the_priors() {
    let mut liked = arms(&[0.9, 0.1], 0.0, &[-0.2, 0.2]);
    // Without this setting the search is greedy: the arm with the high prior disappoints, the other one does not.
    assert_eq!(pulls("simulations = 4\nrule.puct.c = 0", &mut liked), [1, 3]);
    assert_eq!(pulls("simulations = 4\nrule.puct.c = 9", &mut liked), [4, 0]);
}

#[test]
fn unvisited_actions_have_the_value_that_is_set() {
    let pulls = |unvisited: &str, root: f32, values: [f32; 3]| {
        let settings = format!("simulations = 3\nrule.puct = {{ c = 0.01, unvisited = {unvisited} }}");
        pulls(&settings, &mut arms(&[0.4, 0.3, 0.3], root, &values))
    };
    // The first arm's value decides whether a second arm is tried at all.
    assert_eq!(pulls("\"zero\"", 0.0, [0.1; 3]), [3, 0, 0]);
    assert_eq!(pulls("\"zero\"", 0.0, [-0.1; 3]), [1, 1, 1]);
    assert_eq!(pulls("\"one\"", 0.0, [0.9; 3]), [1, 1, 1]);
    // Parent: the mean of 0.8 and 0.2 is 0.5, above 0.2; with a root of 0 it is 0.1, below.
    assert_eq!(pulls("\"parent\"", 0.8, [0.2; 3]), [1, 1, 1]);
    assert_eq!(pulls("\"parent\"", 0.0, [0.2; 3]), [3, 0, 0]);
    // Minus 0.5 sqrt(0.4) = 0.32 it is 0.18, below 0.2 again; minus a tenth of that it is above.
    assert_eq!(pulls("{ reduced = 0.5 }", 0.8, [0.2; 3]), [3, 0, 0]);
    assert_eq!(pulls("{ reduced = 0.05 }", 0.8, [0.2; 3]), [1, 1, 1]);
    // Siblings: 0.2 for the second arm, for any root value; then the mean of 0.2 and -0.9 for the third.
    assert_eq!(pulls("\"siblings\"", -0.8, [0.2, -0.9, 0.2]), [2, 1, 0]);
}

/// The first arm yields 0.2 and then draws. Before the fifth simulation it has 0.2 / 4 + 2 * 0.8 / 5 = 0.37. An
/// unvisited arm has the 0.2 of the first visit and 2 * 0.1: 0.4. With the first arm's Q instead it would have 0.25.
#[test]
fn siblings_count_what_their_first_visits_found() {
    let pulls = |simulations: u32| {
        let rule = "rule.puct = { c = 1, unvisited = \"siblings\" }";
        let mut liked = arms(&[0.8, 0.1, 0.1], 0.0, &[0.2; 3]);
        pulls(&format!("simulations = {simulations}\n{rule}"), &mut liked)
    };
    assert_eq!((pulls(4), pulls(5)), (vec![4, 0, 0], vec![4, 1, 0]));
}

#[test]
fn the_first_visit_goes_where_it_is_set() {
    let first = |first_visit: &str| {
        let settings = format!("simulations = 1\nrule.puct.first-visit = \"{first_visit}\"");
        pulls(&settings, &mut arms(&[0.2, 0.5, 0.3], 0.0, &[0.0; 3]))
    };
    assert_eq!(first("prior"), [0, 1, 0]);
    assert_eq!(first("own-visit"), [0, 1, 0]);
    assert_eq!(first("order"), [1, 0, 0], "to the letter, all scores are 0");
    // A greater sum under the root explores more: 0.12 + 0.6 s / 2 is above 0.4 s for s = 1, below for sqrt(2).
    let second = |first_visit: &str| {
        let settings = format!("simulations = 2\nrule.puct = {{ c = 1, first-visit = \"{first_visit}\" }}");
        pulls(&settings, &mut arms(&[0.6, 0.4], 0.0, &[0.12, 0.0]))
    };
    assert_eq!(second("prior"), [2, 0]);
    assert_eq!(second("own-visit"), [1, 1]);
}

#[test]
fn ties_go_to_the_first_or_to_anyone() {
    let firsts = |ties: &str| {
        let settings = spec(&format!("simulations = 1\nties = \"{ties}\""));
        let mut counts = [0; 9];
        for seed in 0..900 {
            let (mut tree, position) = (Tree::new(), Noughts::after(&[]));
            let mut tasks = [SearchTask { tree: &mut tree, position: &position, seed: Seed::new(seed) }];
            Searcher::new(settings.clone()).search(&mut tasks, &mut Uniform).expect("sound");
            let visited = visits(&tree).iter().position(|&visits| visits == 1);
            counts[visited.expect("one simulation")] += 1;
        }
        counts
    };
    assert_eq!(firsts("first"), [900, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert!(firsts("random").iter().all(|count| (65..=135).contains(count)), "{:?}", firsts("random"));
}

#[test]
fn uct_tries_everything_once() {
    let mut liked = arms(&[0.1, 0.8, 0.1], 0.0, &[0.5, -0.5, 0.0]);
    assert_eq!(pulls("simulations = 1\nrule.uct = {}", &mut liked), [0, 1, 0]);
    assert_eq!(pulls("simulations = 3\nrule.uct = {}", &mut liked), [1, 1, 1]);
    assert_eq!(pulls("simulations = 4\nrule.uct = {}", &mut liked), [2, 1, 1]);
    assert_eq!(pulls("simulations = 6\nrule.uct.c = 0", &mut liked), [4, 1, 1]);
}

#[test]
fn a_gumbel_search_halves_what_it_considers() {
    let mut liked = arms(&[0.4, 0.3, 0.2, 0.1], 0.0, &[-0.5, 0.2, 0.0, 0.9]);
    let pulls = |text: &str, arms: &mut Fixed| pulls(&format!("rule.gumbel = {{ scale = 0, {text} }}"), arms);
    // Four arms twice each, then the two best until the end.
    assert_eq!(pulls("considered = 4", &mut liked)[0], 100 / 8);
    assert_eq!(pulls("considered = 2", &mut liked)[2..], [0, 0], "the greatest priors alone");
    assert_eq!(pulls("considered = 1", &mut liked), [100, 0, 0, 0]);
    // Values outweigh priors, unless their weight is 0.
    assert_eq!(pulls("value-scale = 0", &mut liked), [38, 38, 12, 12]);
    assert_eq!(pulls("value-scale = 1", &mut liked), [12, 38, 12, 38]);
    let noisy = |seed: u64| {
        let settings = spec("simulations = 1\nrule.gumbel = {}");
        let (mut tree, position) = (Tree::new(), Book::bandit(4));
        let mut tasks = [SearchTask { tree: &mut tree, position: &position, seed: Seed::new(seed) }];
        let mut priors = arms(&[0.4, 0.3, 0.2, 0.1], 0.0, &[0.0; 4]);
        Searcher::new(settings).search(&mut tasks, &mut priors).expect("sound");
        visits(&tree).iter().position(|&visits| visits == 1).expect("one simulation")
    };
    // The argmax of `g + ln P` is a sample of P.
    let mut counts = [0_i32; 4];
    (0..1000).for_each(|seed| counts[noisy(seed)] += 1);
    assert!(counts.iter().zip([400, 300, 200, 100]).all(|(count, wanted)| (count - wanted).abs() < 50), "{counts:?}");
}

/// All four arms of the bandit end the game, so that no simulation but the first of each needs an evaluation.
#[test]
fn endings_may_be_free() {
    let simulations = |endings: &str| {
        let settings = spec(&format!("simulations = 20\nrule.gumbel = {{ endings = \"{endings}\" }}"));
        grow(&Noughts::after(&[0, 1, 2, 3, 4, 6, 5]), &settings, &mut Uniform).search_result().visits()
    };
    assert_eq!((simulations("count"), simulations("free")), (20, 40), "twice as many are the most");
}

fn priors(tree: &Tree) -> Vec<f32> {
    tree.search_result().children.iter().map(|child| child.prior).collect()
}

#[test]
fn noise_is_where_it_is_set() {
    let position = Noughts::after(&[]);
    let grown = |text: &str| grow(&position, &SearchSpec { simulations: 50.into(), ..spec(text) }, &mut Uniform);
    let (none, root, all) =
        (grown(""), grown("root-noise = { alpha = 1.0 }"), grown("noise = { alpha = 1.0, weight = 0.25 }"));
    let clean = |priors: &[f32]| priors.iter().all(|prior| *prior == priors[0]);
    assert!(clean(&priors(&none)) && !clean(&priors(&root)) && !clean(&priors(&all)));
    assert!(none.interior_priors().iter().chain(&root.interior_priors()).all(|priors| clean(priors)));
    assert!(!all.interior_priors().is_empty() && all.interior_priors().iter().all(|priors| !clean(priors)));
    for tree in [&root, &all] {
        let (priors, sum) = (priors(tree), priors(tree).iter().sum::<f32>());
        assert!((sum - 1.0).abs() < 1e-5 && priors.iter().all(|prior| (0.75 / 9.0..0.36).contains(prior)));
    }
    // With weight 0 there is no noise.
    assert_eq!(visits(&grown("noise = { alpha = 1.0, weight = 0.0 }")), visits(&none));
}

#[test]
fn forced_visits_are_made_at_the_root() {
    let mut lopsided = arms(&[0.7, 0.2, 0.1], 0.0, &[0.5, -0.9, -0.9]);
    let at = |settings: &str, evaluator: &mut Fixed| pulls(&format!("simulations = 200\n{settings}"), evaluator);
    let (free, forced) = (at("", &mut lopsided), at("forced-visits = 2.0", &mut lopsided));
    // floor(sqrt(2 * 0.2 * 199)) = 8 and floor(sqrt(2 * 0.1 * 199)) = 6.
    assert!(forced[1] >= 8 && forced[2] >= 6, "{forced:?}");
    assert_eq!(at("forced-visits = 0.0", &mut lopsided), free);
    let mut hopeless = arms(&[0.98, 0.01, 0.01], 0.0, &[0.9, -1.0, -1.0]);
    assert_eq!(at("rule.puct.c = 0", &mut hopeless)[1..], [0, 0]);
    assert_eq!(at("rule.puct.c = 0\nforced-visits = 2.0", &mut hopeless)[1..], [1, 1]);
}

#[test]
fn forced_visits_may_be_counted_from_all_simulations() {
    let at = |text: &str| {
        let mut lopsided = arms(&[0.7, 0.2, 0.1], 0.0, &[0.5, -0.9, -0.9]);
        pulls(&format!("simulations = 50\nrule.puct.c = 0.3\nforced-visits = 2\n{text}"), &mut lopsided)
    };
    // floor(sqrt(2 * 0.2 * 50)) = 4 and floor(sqrt(2 * 0.1 * 50)) = 3, once those arms have their first visit.
    let forced = at("forced-by = \"simulations\"");
    assert!(forced[1] >= 4 && forced[2] >= 3, "{forced:?}");
    // The first arm scores 0.01 + 0.3 * 7 * 0.7 / 44 = 0.05, the second with one visit -0.23 + 0.3 * 7 * 0.2 / 2 = -0.01.
    let pruned = at("forced-by = \"simulations\"\nprune-forced = true");
    assert_eq!((pruned[0], &pruned[1..]), (forced[0], &[0, 0][..]), "{forced:?}");
    let mut hopeless = arms(&[0.98, 0.01, 0.01], 0.0, &[0.9, -1.0, -1.0]);
    let text = "rule.puct.c = 0\nforced-visits = 200\nforced-by = \"simulations\"";
    assert_eq!(pulls(text, &mut hopeless)[1..], [0, 0], "an action without visits is owed none");
}

/// The first side either wins at once or plays on.
#[test]
fn the_end_of_a_game_counts_so_many_times() {
    use BookEntry::{End, Turn};
    let (first, second) = (Side::First, Side::Second);
    let book = Book::new(vec![
        Turn(first, vec![1, 2]),
        End(second, Outcome::Win(first)),
        Turn(second, vec![3, 3]),
        End(first, Outcome::Draw),
    ]);
    let found = |text: &str| {
        let mut even = arms(&[0.5, 0.5], 0.0, &[0.0, 0.0]);
        grow(&book, &spec(&format!("simulations = 2\nrule.puct.c = 0.01\n{text}")), &mut even).search_result()
    };
    // The win is visited first, as ties go to the first action. `value` is capped at that of a win: (0 + 2 w) / 3 at
    // the root.
    for (text, value) in [("", 2.0 / 3.0), ("terminal-weight = 1.2", 0.8), ("terminal-weight = 2", 1.0)] {
        let found = found(text);
        assert_eq!((found.children[0].visits, found.children[0].value), (2, Some(1.0)), "{text}");
        assert!((found.value - value).abs() < 1e-6, "{text}: {}", found.value);
    }
    assert!((found("terminal-weight = 0.5").value - 1.0 / 3.0).abs() < 1e-6);
}

/// Counts its evaluations.
struct Counted(u32);

impl Evaluator for Counted {
    fn evaluate(&mut self, leaves: &[super::Leaf<'_>], out: &mut super::Evaluations) -> Result<(), super::SearchError> {
        self.0 += leaves.len() as u32;
        Uniform.evaluate(leaves, out)
    }
}

/// Two searches with two plies between them; visits of the second root, and evaluations for it.
fn second_search(text: &str, say: &[u32], then: &[u32]) -> (u32, u32, Vec<u32>) {
    let settings = SearchSpec { simulations: 300.into(), ..spec(text) };
    let (mut tree, mut counted) = (Tree::new(), Counted(0));
    search(&mut tree, &Noughts::after(&[]), &settings, &mut counted);
    say.iter().for_each(|&action| tree.played(Action(action)));
    let before = counted.0;
    search(&mut tree, &Noughts::after(then), &settings, &mut counted);
    tree.check_conservation();
    (tree.search_result().visits(), counted.0 - before, visits(&tree))
}

#[test]
fn a_kept_tree_goes_on_where_it_was() {
    let fresh = second_search("", &[4, 0], &[4, 0]);
    let kept = second_search("reuse = \"keep\"", &[4, 0], &[4, 0]);
    let topped = second_search("reuse = \"top-up\"", &[4, 0], &[4, 0]);
    assert_eq!((fresh.0, topped.0), (300, 300));
    assert!(kept.0 > 300 && topped.1 < fresh.1, "{kept:?} {topped:?} {fresh:?}");
    assert_eq!(topped.2, fresh.2, "without noise, the same simulations lead to the same tree");
    // One more action may be missing from `played`; the search finds it by its position.
    assert_eq!(second_search("reuse = \"keep\"", &[4], &[4, 0]), kept);
    // A position that does not follow from the tree starts a new one, and so does one without the moves to it.
    for (say, then) in [(&[4, 0][..], &[5, 0][..]), (&[0], &[4, 0]), (&[], &[4, 0]), (&[], &[])] {
        let lost = second_search("reuse = \"keep\"", say, then);
        assert_eq!((lost.0, lost.1 > 0), (300, true));
        assert_eq!(lost.2, second_search("", say, then).2);
    }
}

#[test]
fn a_kept_root_gets_its_noise() {
    let settings = SearchSpec { simulations: 300.into(), ..spec("reuse = \"keep\"\nroot-noise = { alpha = 1.0 }") };
    let mut tree = grow(&Noughts::after(&[]), &settings, &mut Uniform);
    tree.played(Action(4));
    search(&mut tree, &Noughts::after(&[4]), &settings, &mut Uniform);
    let priors = priors(&tree);
    assert!(priors.iter().any(|prior| *prior != priors[0]) && (priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
fn another_game_in_the_same_tree_is_no_trouble() {
    let mut tree = grow(&Noughts::after(&[]), &spec(""), &mut Uniform);
    let book = Book::bandit(3);
    search(&mut tree, &book, &spec("reuse = \"keep\""), &mut Uniform);
    assert_eq!(tree.search_result().children.len(), 3);
    let position: &dyn Position = &Noughts::after(&[0]);
    search(&mut tree, position, &spec(""), &mut Uniform);
    assert_eq!(tree.search_result(), grow(position, &spec(""), &mut Uniform).search_result());
}

#[test]
fn solving_only_matters_where_games_end() {
    // Far from any end nothing is solved, so nothing changes.
    let position = Noughts::after(&[]);
    let plain = grow(&position, &spec("simulations = 60"), &mut Hashed).search_result();
    let solving = grow(&position, &spec("simulations = 60\nsolve = true"), &mut Hashed).search_result();
    assert_eq!(plain.children.iter().map(|b| b.visits).sum::<u32>(), solving.visits());
    assert!(!plain.exact && plain.children.iter().all(|child| !child.exact));
    assert_eq!(plain, solving);
}
