//! An audit: random samples of published runs, and the bounds that follow from them. A pure function of costs, a budget
//! and a seed.
//!
//! Cheap and long runs are apart: each class of costs is a stratum with a sample of its own. Its size follows from the
//! budget and the mean cost of the whole stratum, so that each of its runs is drawn with the same probability.

use rand::seq::SliceRandom as _;

use gauntlet_games::base::Seed;
use gauntlet_ratings::sampling::most_wrong;

/// The ends of the strata, in seconds of one core, with their names.
const STRATA: [(f64, &str); 4] = [
    (1.0, "runs under 1 s"),
    (10.0, "runs of 1 to 10 s"),
    (60.0, "runs of 10 s to 1 min"),
    (f64::INFINITY, "runs over 1 min"),
];

/// The confidence of a bound.
pub const CONFIDENCE: f64 = 0.95;

/// Runs of similar cost, with the random sample of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stratum {
    /// Its name: `runs under 1 s`.
    pub name: &'static str,
    /// The number of its runs.
    pub runs: usize,
    /// The indices of the drawn ones.
    pub drawn: Vec<usize>,
}

impl Stratum {
    /// The largest number of its runs that can be wrong, with [`CONFIDENCE`], if `wrong` of the drawn ones are. `None`
    /// if none was drawn.
    #[must_use]
    pub fn most_wrong(&self, wrong: usize) -> Option<u64> {
        let [runs, drawn, wrong] = [self.runs, self.drawn.len(), wrong].map(|count| count as u64);
        (drawn > 0).then(|| most_wrong(runs, drawn, wrong, CONFIDENCE))
    }
}

/// Draws runs by a seed: `seconds` are the costs of all runs, `budget` are seconds of one core, `most` is the maximum
/// number of drawn runs. Strata that are empty are left out.
#[must_use]
pub fn audit(seconds: &[f64], budget: f64, most: usize, seed: u64) -> Vec<Stratum> {
    let class = |cost: f64| STRATA.iter().position(|(end, _)| cost < *end).unwrap_or(STRATA.len() - 1);
    let members = |class_of: usize| (0..seconds.len()).filter(move |&at| class(seconds[at]) == class_of);
    let classes: Vec<(usize, Vec<usize>)> = (0..STRATA.len()).map(|at| (at, members(at).collect())).collect();
    let classes: Vec<(usize, Vec<usize>)> = classes.into_iter().filter(|(_, runs)| !runs.is_empty()).collect();
    let mean = |runs: &[usize]| runs.iter().map(|&at| seconds[at]).sum::<f64>() / runs.len() as f64;
    let costs: Vec<(f64, usize)> = classes.iter().map(|(_, runs)| (mean(runs), runs.len())).collect();
    let drawn = |((class, mut runs), size): ((usize, Vec<usize>), usize)| {
        let all = runs.len();
        runs.shuffle(&mut Seed::new(seed).child("audit", class as u64).rng());
        runs.truncate(size);
        Stratum { name: STRATA[class].1, runs: all, drawn: runs }
    };
    classes.into_iter().zip(sizes(&costs, budget, most)).map(drawn).collect()
}

/// The size of each sample, by the mean cost and the number of runs of the strata: equal parts of the budget, again and
/// again while some stratum can use more.
fn sizes(strata: &[(f64, usize)], budget: f64, most: usize) -> Vec<usize> {
    let (mut sizes, mut left, mut most) = (vec![0; strata.len()], budget, most);
    loop {
        let is_open = |&at: &usize| sizes[at] < strata[at].1 && strata[at].0 <= left && most > 0;
        let open: Vec<usize> = (0..strata.len()).filter(is_open).collect();
        let (seconds, count) = (left / open.len() as f64, most.div_ceil(open.len().max(1)));
        for &at in &open {
            let (mean, runs) = strata[at];
            let fits = ((seconds / mean) as usize).max(1).min((left / mean) as usize);
            let more = fits.min(count).min(most).min(runs - sizes[at]);
            (sizes[at], left, most) = (sizes[at] + more, left - more as f64 * mean, most - more);
        }
        if open.is_empty() {
            return sizes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gallery with 400 cheap, 100 longer and 10 very long runs.
    fn costs() -> Vec<f64> {
        let class = |at: usize| {
            if at.is_multiple_of(51) {
                1000.0
            } else if at.is_multiple_of(5) {
                20.0
            } else {
                0.1
            }
        };
        (0..510).map(class).collect()
    }

    #[test]
    fn every_stratum_has_a_share_of_the_budget() {
        let found = audit(&costs(), 600.0, usize::MAX, 1);
        let reported: Vec<_> = found.iter().map(|stratum| (stratum.name, stratum.runs, stratum.drawn.len())).collect();
        // All cheap ones for 40 s, 27 of 20 s for the rest, none of 1,000 s.
        assert_eq!(
            reported,
            [("runs under 1 s", 400, 400), ("runs of 10 s to 1 min", 100, 27), ("runs over 1 min", 10, 0)]
        );
        assert_eq!((found[0].most_wrong(0), found[2].most_wrong(0)), (Some(0), None));
        assert_eq!(audit(&costs(), f64::INFINITY, 7, 1).iter().map(|stratum| stratum.drawn.len()).sum::<usize>(), 7);
        assert!(audit(&costs(), f64::INFINITY, usize::MAX, 1).iter().all(|all| all.drawn.len() == all.runs));
    }

    #[test]
    fn the_seed_draws_each_run_as_often_as_any_other() {
        let costs = costs();
        assert_ne!(audit(&costs, 10.0, usize::MAX, 1), audit(&costs, 10.0, usize::MAX, 2));
        assert_eq!(audit(&costs, 10.0, usize::MAX, 1), audit(&costs, 10.0, usize::MAX, 1));
        let mut times = vec![0; costs.len()];
        let rounds = 4000;
        for seed in 0..rounds {
            audit(&costs, 10.0, usize::MAX, seed)
                .iter()
                .flat_map(|stratum| &stratum.drawn)
                .for_each(|&at| times[at] += 1);
        }
        let share = |at: usize| times[at] as f64 / rounds as f64;
        // 100 of 400 cheap runs, with five standard errors of a share of 4,000 draws.
        assert!((0..costs.len()).filter(|&at| costs[at] < 1.0).all(|at| (share(at) - 0.25).abs() < 0.035));
    }

    /// Known shares of a gallery are altered: the bound of at least 95 % of all draws holds them.
    #[test]
    fn bounds_hold_altered_shares() {
        let costs = costs();
        for altered in [0, 1, 4, 20, 100] {
            let is_wrong = |at: usize| costs[at] < 1.0 && at * 7 % 509 < altered;
            let truth = (0..costs.len()).filter(|&at| is_wrong(at)).count() as u64;
            let rounds = 2000;
            let holds = |seed: &u64| {
                let found = audit(&costs, 10.0, usize::MAX, *seed);
                let wrong = found[0].drawn.iter().filter(|&&at| is_wrong(at)).count();
                found[0].most_wrong(wrong).is_some_and(|most| most >= truth)
            };
            let share = (0..rounds).filter(holds).count() as f64 / rounds as f64;
            eprintln!("{truth} of 400 altered: held by {share} of the draws");
            assert!(share > 0.935, "{altered}: {share}");
        }
    }
}
