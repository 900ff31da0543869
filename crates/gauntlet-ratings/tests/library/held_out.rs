//! Ratings predict the scores of pairings that they have not seen: recorded tournaments, each pairing left out in turn.
//!
//! `held_out.csv` has the pairs of games of three tournaments of eight players in Connect Four: two that look at no more
//! than a move, alpha-beta of depth 2 and 4, and UCT with 25 to 1,600 simulations; 30 pairs of each pairing, from two
//! random plies. The counts are by the results of the first player, moving first and moving second.

use std::collections::BTreeMap;

use gauntlet_ratings::{BradleyTerry, GameResult, MatchTable, MeanScore, Meeting};

const GAMES: &str = include_str!("held_out.csv");

/// A pairing of a run, and its counts of pairs of games.
type Line = ([usize; 2], Vec<u64>);

/// The pairings of each run.
fn runs() -> BTreeMap<u64, Vec<Line>> {
    let mut players: BTreeMap<&str, usize> = BTreeMap::new();
    let mut runs: BTreeMap<u64, Vec<Line>> = BTreeMap::new();
    for line in GAMES.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [run, a, b, counts @ ..] = &fields[..] else { panic!("{line}") };
        let mut place = |name| {
            let next = players.len();
            *players.entry(name).or_insert(next)
        };
        let pairing = [place(*a), place(*b)];
        let counts = counts.iter().map(|count| count.parse().expect("a count")).collect();
        runs.entry(run.parse().expect("a number")).or_default().push((pairing, counts));
    }
    runs
}

fn table<'a>(lines: impl Iterator<Item = &'a Line>) -> MatchTable {
    let results = [GameResult::Loss, GameResult::Draw, GameResult::Win];
    let mut table = MatchTable::new(PLAYERS);
    for ([a, b], counts) in lines {
        for (at, &count) in counts.iter().enumerate() {
            table.add_pairs(*a, *b, [results[at / 3], results[at % 3]], count).expect("two players");
        }
    }
    table
}

const PLAYERS: usize = 8;

/// The deviations of the observed scores from the predicted ones, in combined standard errors.
fn deviations() -> Vec<f64> {
    let mut found = Vec::new();
    for lines in runs().values() {
        for (left_out, line) in lines.iter().enumerate() {
            let rest = lines.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, line)| line);
            let fit = BradleyTerry { prior: 0.5, ..BradleyTerry::default() }
                .fit(&table(rest))
                .expect("a prior keeps ratings finite");
            let [a, b] = line.0;
            let own = table(std::iter::once(line));
            let meeting: Vec<&Meeting> = own.meetings().collect();
            let observed = MeanScore::in_meeting(meeting[0], a).expect("it has games");
            let difference = fit.ladder.difference(a, b).expect("all are rated");
            let logit = std::f64::consts::LN_10 / 400.0;
            let expected = 1.0 / (1.0 + (-difference.elo * logit).exp());
            let slope = expected * (1.0 - expected) * logit;
            let error = (slope * difference.error.expect("there are more meetings than players")).hypot(observed.error);
            found.push((observed.value - expected) / error);
        }
    }
    found
}

#[test]
fn pairings_that_were_left_out_are_predicted_within_the_errors() {
    let deviations = deviations();
    let within = |errors: f64| deviations.iter().filter(|deviation| deviation.abs() < errors).count() as f64;
    let all = deviations.len() as f64;
    let squares = deviations.iter().map(|deviation| deviation * deviation).sum::<f64>() / all;
    assert!(all > 50.0 && within(2.0) >= 0.9 * all && (0.3..1.6).contains(&squares), "{squares} {deviations:?}");
}
