//! Cautions about claims of equivalence that have too few games for a verdict.

use super::Plan;
use crate::manifest::resolve::config::Config;
use gauntlet_exhibits::{POWER, Success};
use gauntlet_games::base::thousands;
use gauntlet_jobs::JobSpec;
use gauntlet_play::arena::PlaySpec;
use gauntlet_play::measure::MeasureSpec;

/// A caution for each claim of equivalence that rests on a single run, or whose power for equal players is too low at
/// some place. Claims over several runs have a power that depends on the spread of the runs.
pub(super) fn weak_claims(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    for exhibit in &plan.written.exhibits {
        let stages = exhibit.show.stages();
        for success in &exhibit.success {
            let is_judged = |config: &&Config| {
                let has = |(axis, label): (&String, &String)| config.label(axis).as_deref() == Some(label);
                stages.contains(&config.stage.as_str()) && success.of.iter().all(has)
            };
            let judged: Vec<&Config> = plan.configs.iter().filter(is_judged).collect();
            found.extend(judged.iter().any(|config| is_single(success, config)).then(|| single(success)));
            let weakest = judged.iter().filter_map(|config| shortage(success, config)).min();
            found.extend(weakest.map(|weak| caution(success, weak)));
        }
    }
    found
}

/// Whether the claim has no interval here: the error is over runs, and there is one.
fn is_single(success: &Success, config: &Config) -> bool {
    success.equivalent.is_some() && config.varies_by_run() && config.seeds().len() < 2
}

fn single(success: &Success) -> String {
    format!("the claim `{}` rests on a single run and stays undecided; set `seeds = 2` or more", success.claim)
}

/// The games of a configuration, if they are too few for its claim: pairs or single games, and the number needed.
fn shortage(success: &Success, config: &Config) -> Option<(u64, bool, u64)> {
    let claim = success.equivalent.filter(|_| !config.varies_by_run())?;
    let (games, are_pairs) = match &*config.spec {
        JobSpec::Play(PlaySpec::Match(job)) => (job.games.get() as u64, true),
        JobSpec::Measure(MeasureSpec::Fitness(job)) => (job.games.get() as u64, false),
        _ => return None,
    };
    let units = config.seeds().len() as u64 * if are_pairs { games / 2 } else { games };
    let needed = claim.needed(are_pairs);
    (units < needed).then_some((units, are_pairs, needed))
}

fn caution(success: &Success, (units, are_pairs, needed): (u64, bool, u64)) -> String {
    let is_logistic = success.equivalent.is_some_and(|claim| claim.is_logistic());
    format!(
        "the claim `{}` rests on {} {}; equal players need {} for a power of {:.0} %{}",
        success.claim,
        thousands(units),
        if are_pairs { "pairs" } else { "games" },
        thousands(needed),
        100.0 * POWER,
        if is_logistic { ", or fewer with draws" } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::manifest::{Overrides, load};

    fn reported(games: u32, seeds: u32, claim: &str, opponent: &str) -> Vec<String> {
        let text = format!(
            "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\ngo.atari-go = {{ size = 5 }}\n[agents]\n\
             naive.naive = {{}}\nrandom.random = {{}}\ndrawn = {{ net = {{ network.mdrnn.units = 3 }} }}\n[stages.s]\n\
             seeds = {seeds}\nplay.match = {{ game = \"go\", agent = \"random\", opponent = \"{opponent}\", games = {games} }}\n\
             [[exhibit]]\nshow.means = {{ stage = \"s\", rows = [\"agent\"] }}\n[[exhibit.success]]\n\
             claim = \"as strong\"\nof = {{ agent = \"random\" }}\n{claim}\n"
        );
        let source = BTreeMap::from([("m.toml".to_owned(), text)]);
        weak_claims(
            &load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")).unwrap(),
        )
    }

    #[test]
    fn too_few_pairs_for_a_margin_are_told() {
        let claim = "equivalent.margin = 15";
        let message = "the claim `as strong` rests on 2,297 pairs; equal players need 2,298 for a power of 80 %";
        assert_eq!(reported(4594, 1, claim, "naive"), [message]);
        assert_eq!(reported(4596, 1, claim, "naive"), [""; 0]);
        assert_eq!(reported(1532, 3, claim, "naive"), [""; 0], "seeds add games");
        assert_eq!(reported(8, 3, claim, "drawn"), [""; 0], "the power over runs is not known");
        let single = "the claim `as strong` rests on a single run and stays undecided; set `seeds = 2` or more";
        assert_eq!(reported(8, 1, claim, "drawn"), [single]);
        assert_eq!(reported(8, 1, "over.number = 0.5", "drawn"), [""; 0]);
        assert_eq!(reported(8, 1, "over.number = 0.5", "naive"), [""; 0]);
        let logistic = reported(8, 1, "equivalent = { margin = 15, scale = \"logistic\" }", "naive").join("");
        assert!(logistic.ends_with("for a power of 80 %, or fewer with draws"), "{logistic}");
    }
}
