//! Tests of ratings against statsmodels, BayesElo, Ordo, and the published numbers of AlphaGateau's authors.

use gauntlet_ratings::bradley_terry::{self, Advantage, BradleyTerry, Draws, logistic_scale};
use gauntlet_ratings::sprt::{EloScale, MatchCounts, Sprt};
use gauntlet_ratings::wls::{Errors, anchored_wls, wls};
use gauntlet_ratings::{Ladder, MatchTable, Tally};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");

/// A file of the shared folder; `None`, with a message on standard error, if the folder is not beside the checkout.
fn shared(file: &str) -> Option<String> {
    let path = PathBuf::from(SHARED).join(file);
    if !path.exists() {
        eprintln!("skipped: {file} is not beside the checkout");
        return None;
    }
    Some(std::fs::read_to_string(path).expect("the file can be read"))
}

/// One set of `elo_vectors.json`.
struct Set {
    name: String,
    players: Vec<String>,
    table: MatchTable,
    truth: Value,
}

fn sets() -> Vec<Set> {
    let Some(text) = shared("oracles/elo_vectors.json") else { return Vec::new() };
    let file: Value = serde_json::from_str(&text).expect("the vectors are JSON");
    let sets = file["sets"].as_object().expect("sets by name");
    sets.iter().map(|(name, truth)| set(name, truth)).collect()
}

fn set(name: &str, truth: &Value) -> Set {
    let players: Vec<String> = strings(&truth["players"]);
    let place =
        |value: &Value| players.iter().position(|p| Some(p.as_str()) == value.as_str()).expect("a known player");
    let mut table = MatchTable::new(players.len());
    for row in truth["matches"].as_array().expect("matches") {
        table.add(place(&row["a"]), place(&row["b"]), tally(row)).expect("the row is fine");
    }
    Set { name: name.to_owned(), players, table, truth: truth.clone() }
}

fn tally(row: &Value) -> Tally {
    let count = |key: &str| row[key].as_u64().expect("a count");
    Tally::new(count("wins_a"), count("draws"), count("losses_a"))
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().expect("a list").iter().map(|v| v.as_str().expect("a name").to_owned()).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect()
}

/// Largest difference between a ladder's ratings and the reference, ignoring players without a rating.
fn worst_rating(ladder: &Ladder, reference: &[f64]) -> f64 {
    let differences = reference.iter().enumerate().filter_map(|(i, r)| Some((ladder.rating(i)? - r).abs()));
    differences.fold(0.0, f64::max)
}

/// Largest relative difference between a ladder's errors and the reference.
fn worst_error(ladder: &Ladder, reference: &[f64]) -> f64 {
    let differences = reference.iter().enumerate().filter_map(|(i, r)| Some((ladder.error(i)? / r - 1.0).abs()));
    differences.fold(0.0, f64::max)
}

#[test]
fn least_squares_agree_with_statsmodels() {
    let mut worst = [0.0_f64; 3];
    for Set { name, table, truth, .. } in sets() {
        let scaled = wls(&table, Errors::ResidualScaled, 1000.0);
        let fixed = wls(&table, Errors::FixedScale, 1000.0);
        let rating = worst_rating(&scaled, &numbers(&truth["wls"]["params"]));
        let fixed_error = worst_error(&fixed, &numbers(&truth["wls"]["bse_fixed_scale"]));
        assert!(rating < 1e-6, "{name}: {rating:e}");
        assert!(fixed_error < 1e-8, "{name}: {fixed_error:e}");
        let df: usize = scaled.groups().iter().map(|group| group.df).sum();
        // The reference counts a row without games as an observation; this crate does not.
        let spare = truth["wls"]["df_resid"].as_f64().expect("a number") as usize;
        let idle = truth["matches"].as_array().expect("rows").iter().filter(|row| tally(row).games() == 0).count();
        assert_eq!(df, spare - idle, "{name}");
        let known = df > 0 && !["all_draws", "one_game"].contains(&name.as_str());
        assert_eq!(scaled.error(0).is_some(), known, "{name}");
        let mut scaled_error = 0.0;
        if known && idle == 0 {
            scaled_error = worst_error(&scaled, &numbers(&truth["wls"]["bse"]));
            assert!(scaled_error < 1e-8, "{name}: {scaled_error:e}");
        }
        for (worst, now) in worst.iter_mut().zip([rating, fixed_error, scaled_error]) {
            *worst = worst.max(now);
        }
    }
    eprintln!("worst rating, fixed-scale error, residual-scaled error: {worst:?}");
}

#[test]
fn maximum_likelihood_agrees_with_newton_and_choix() {
    let fisher = BradleyTerry { errors: bradley_terry::ErrorSource::Fisher, ..BradleyTerry::default() };
    let mut worst = [0.0_f64; 2];
    for Set { name, players, table, truth } in sets() {
        let ladder = fisher.fit(&table).expect("no shared parameters").ladder;
        assert!(ladder.groups().len() < 2 || name == "disconnected", "{name}");
        let complete = truth["bt_mle"]["exists"] == Value::Bool(true);
        assert_eq!(ladder.is_complete(), complete, "{name}");
        if !complete {
            assert!((0..players.len()).filter_map(|player| ladder.error(player)).all(f64::is_normal), "{name}");
            continue;
        }
        let rating = worst_rating(&ladder, &numbers(&truth["bt_mle"]["params"]));
        let error = worst_error(&ladder, &numbers(&truth["bt_mle"]["se_fisher"]));
        assert!(rating < 1e-6 && error < 1e-8, "{name}: {rating:e} {error:e}");
        worst = [worst[0].max(rating), worst[1].max(error)];
    }
    eprintln!("worst rating, Fisher error: {worst:?}");
}

/// The largest difference from a printed table of ratings. Groups without linking games are compared separately,
/// since BayesElo places them side by side; so are players beaten in every game by one player, since their mean then
/// depends on where that player's divergence was cut off.
fn worst_printed(printed: &Value, players: &[String], ladder: &Ladder) -> f64 {
    let rows = printed["ratings"].as_array().map_or(&[][..], Vec::as_slice);
    let mut differences = vec![Vec::new(); ladder.groups().len()];
    for row in rows {
        let player = players.iter().position(|p| Some(p.as_str()) == row["player"].as_str()).expect("a known player");
        let (Some(ours), Some(group)) = (ladder.rating(player), ladder.group_of(player)) else { continue };
        differences[group].push(row["rating"].as_f64().expect("a number") - ours);
    }
    let several = differences.len() > 1 || !ladder.is_complete();
    let worst = |group: &Vec<f64>| {
        let shift = if several { group.iter().sum::<f64>() / group.len() as f64 } else { 0.0 };
        group.iter().map(|difference| (difference - shift).abs()).fold(0.0, f64::max)
    };
    differences.iter().map(worst).fold(0.0, f64::max)
}

/// The same games with colours: wins, draws and losses in this order, player `a` of every row white in every other
/// game.
fn coloured(players: &[String], truth: &Value) -> MatchTable {
    let place =
        |value: &Value| players.iter().position(|p| Some(p.as_str()) == value.as_str()).expect("a known player");
    let mut table = MatchTable::new(players.len());
    for row in truth["matches"].as_array().expect("matches") {
        let (a, b, Tally { wins, draws, losses }) = (place(&row["a"]), place(&row["b"]), tally(row));
        let white = |from: u64, to: u64| to.div_ceil(2) - from.div_ceil(2);
        let first = Tally::new(white(0, wins), white(wins, wins + draws), white(wins + draws, wins + draws + losses));
        let second = Tally::new(wins - first.wins, draws - first.draws, losses - first.losses);
        table.add_coloured(a, b, first).expect("the row is fine");
        table.add_coloured(b, a, second.reversed()).expect("the row is fine");
    }
    table
}

#[test]
fn printed_tables_of_ordo_agree() {
    let mut worst = 0.0_f64;
    for Set { name, players, table, truth } in sets() {
        let ladder = BradleyTerry::default().fit(&table).expect("no shared parameters").ladder;
        let difference = worst_printed(&truth["ordo"]["logistic_scale"], &players, &ladder);
        // Ordo prints four digits but stops earlier: 0.02 Elo on the widest ladder.
        assert!(difference < 0.02, "{name}: {difference}");
        worst = worst.max(difference);
    }
    eprintln!("worst difference from Ordo: {worst}");
}

#[test]
fn sandwich_errors_are_like_ordos_simulated_ones() {
    let mut ratios = Vec::new();
    // Ordo simulates its errors with one fitted draw model, which does not fit a chain of near-perfect matches.
    for Set { players, table, truth, .. } in sets().into_iter().filter(|set| set.name != "negative_rating") {
        let ladder = BradleyTerry::default().fit(&table).expect("no shared parameters").ladder;
        for row in truth["ordo"]["logistic_scale_auto"]["ratings"].as_array().map_or(&[][..], Vec::as_slice) {
            let player = players.iter().position(|p| Some(p.as_str()) == row["player"].as_str()).expect("known");
            let half_width = 1.959_964 * ladder.error(player).expect("rated");
            ratios.push(half_width / row["error95"].as_f64().expect("a number"));
        }
    }
    if ratios.is_empty() {
        return;
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    eprintln!("{} errors over Ordo's: mean ratio {mean:.3}", ratios.len());
    assert!((mean - 1.0).abs() < 0.02, "{mean}");
    assert!(ratios.iter().all(|ratio| (ratio - 1.0).abs() < 0.1), "{ratios:?}");
}

#[test]
fn printed_tables_of_bayeselo_agree() {
    let settings = [
        ("noprior_noadv_drawelo97", BradleyTerry { draws: Draws::RaoKupper(97.0), ..BradleyTerry::default() }),
        (
            "default",
            BradleyTerry {
                draws: Draws::RaoKupper(97.3),
                prior: 2.0,
                advantage: Advantage::Fixed(32.8),
                ..BradleyTerry::default()
            },
        ),
    ];
    for (key, settings) in settings {
        let mut worst = 0.0_f64;
        for Set { name, players, truth, .. } in sets() {
            let Draws::RaoKupper(width) = settings.draws else { panic!("both have a width") };
            let fit = settings.fit(&coloured(&players, &truth)).expect("the maximum exists");
            let difference =
                worst_printed(&truth["bayeselo"][key], &players, &fit.ladder.scaled(logistic_scale(width)));
            // Printed as whole numbers. BayesElo converges slowly and stops up to 0.15 Elo short on a chain of 59-1
            // matches.
            let short = if name == "negative_rating" { 0.15 } else { 0.02 };
            assert!(difference < 0.5 + short, "{name} {key}: {difference}");
            worst = worst.max(difference);
        }
        eprintln!("{key}: worst difference from BayesElo's whole numbers: {worst}");
    }
}

/// A perfect score has no maximum without prior: at the rating where BayesElo stopped (2175, players 1702 and 1823
/// below) one Elo more makes the 120 wins still likelier. The two others are compared in [`worst_printed`].
#[test]
fn a_perfect_score_has_no_maximum() {
    let Some(set) = sets().into_iter().find(|set| set.name == "perfect_score") else { return };
    let settings = BradleyTerry { draws: Draws::RaoKupper(97.0), ..BradleyTerry::default() };
    let ladder = settings.fit(&set.table).expect("the others are comparable").ladder;
    assert_eq!((ladder.rating(0), ladder.groups()[0].players.as_slice()), (None, &[1, 2][..]));
    let rows = set.truth["bayeselo"]["noprior_noadv_drawelo97"]["ratings"].as_array().expect("rows");
    let printed: Vec<f64> = rows.iter().map(|row| row["rating"].as_f64().expect("a number")).collect();
    let slope = |opponent: f64| {
        let elo = (printed[0] - opponent) / logistic_scale(97.0) - 97.0;
        60.0 * std::f64::consts::LN_10 / 400.0 / (1.0 + 10_f64.powf(elo / 400.0))
    };
    assert!(slope(printed[1]) + slope(printed[2]) > 1e-6, "{printed:?}");
}

/// The size for which the speed of least squares is documented: 1,000 players, each meeting five earlier ones.
#[test]
fn a_thousand_players_are_quick() {
    let mut table = MatchTable::new(1000);
    for newcomer in 1..1000_u64 {
        for k in 0..newcomer.min(5) {
            let (opponent, wins) = ((newcomer * 7919 + k * 104_729) % newcomer, 10 + (newcomer * 31 + k * 17) % 40);
            table.add(newcomer as usize, opponent as usize, Tally::new(wins, 10, 50 - wins)).expect("fine");
        }
    }
    let start = std::time::Instant::now();
    let ladder = wls(&table, Errors::ResidualScaled, 1000.0);
    let least_squares = start.elapsed();
    let likeliest = BradleyTerry::default().fit(&table).expect("no shared parameters").ladder;
    eprintln!("least squares {least_squares:?}, maximum likelihood {:?}", start.elapsed() - least_squares);
    assert!(ladder.is_complete() && likeliest.is_complete());
    // A generous limit for busy machines: the dense textbook method takes several seconds.
    assert!(least_squares.as_secs_f64() < 2.0, "{least_squares:?}");
}

/// Beyond the size of dense matrices: a chain of players, whose differences are those of its links.
#[test]
fn a_chain_of_thousands_is_rated_without_dense_matrices() {
    let chain = |n: usize| {
        let mut table = MatchTable::new(n);
        (1..n).for_each(|k| table.add(k - 1, k, Tally::new(20 + k as u64 % 3, 10, 20)).expect("two players"));
        table
    };
    let start = std::time::Instant::now();
    let (short, long) = (chain(40), chain(5000));
    let fit = |table: &MatchTable| BradleyTerry::default().fit(table).expect("sparse").ladder;
    let squares = |table: &MatchTable| anchored_wls(table, Errors::FixedScale, 0.0, &[(0, 0.0)]);
    for (short, long) in [(fit(&short), fit(&long)), (squares(&short), squares(&long))] {
        assert!(long.is_complete() && long.groups()[0].df == 0);
        let [own, other] = [&short, &long].map(|ladder| ladder.difference(20, 3).expect("linked"));
        // The few degrees of freedom of the short chain enlarge its errors a little.
        assert!((own.elo - other.elo).abs() < 1e-3, "{own:?} {other:?}");
        assert!((own.error.unwrap() / other.error.unwrap() - 1.0).abs() < 0.03, "{own:?} {other:?}");
    }
    let middle = fit(&long).error(2500).expect("known");
    let ends = fit(&long).error(0).expect("known");
    assert!(ends > 1.5 * middle, "errors against the mean grow towards the ends: {middle} {ends}");
    eprintln!("chains of 5,000 in {:?}", start.elapsed());
}

#[test]
fn published_results_by_maximum_likelihood() {
    let Some(Published { players, table, .. }) = published() else { return };
    let start = std::time::Instant::now();
    let ladder = BradleyTerry::default().fit(&table).expect("no shared parameters").ladder;
    eprintln!("{} players in {:?}", players.len(), start.elapsed());
    assert!(ladder.is_complete());
    // The same data by an independent Newton solver; its zero is not the mean, so differences are compared.
    let known = [
        ("chess_2024-08-20:00h13/499", 2316.1591),
        ("chess_2024-09-09:16h58/499", 658.2703),
        ("chess_2024-10-18:17h59/099", 2073.6782),
    ];
    let place = |name: &str| players.iter().position(|p| p == name).expect("a published player");
    for (name, elo) in &known[1..] {
        let difference = ladder.difference(place(known[0].0), place(name)).expect("linked").elo;
        assert!((difference - (known[0].1 - elo)).abs() < 2e-4, "{name} {difference}");
    }
    let ratings: Vec<f64> = (0..players.len()).filter_map(|player| ladder.rating(player)).collect();
    let span = ratings.iter().copied().fold(f64::MIN, f64::max) - ratings.iter().copied().fold(f64::MAX, f64::min);
    assert!((span - 3313.944).abs() < 1e-3, "{span}");
    assert!((0..players.len()).all(|player| ladder.error(player).is_some_and(|e| e > 5.0 && e < 200.0)));
}

/// The published results of AlphaGateau's authors: players in order, with stored rating and error.
struct Published {
    players: Vec<String>,
    stored: Vec<(f64, f64)>,
    table: MatchTable,
}

fn published() -> Option<Published> {
    let (players, matches) = (shared("data/alphagateau/players.csv")?, shared("data/alphagateau/matches.csv")?);
    let fields = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let rows: Vec<Vec<String>> = players.lines().skip(1).map(fields).collect();
    let place: BTreeMap<&str, usize> = rows.iter().enumerate().map(|(i, row)| (row[0].as_str(), i)).collect();
    let mut table = MatchTable::new(rows.len());
    for row in matches.lines().skip(1).map(fields) {
        let [wins, draws, losses] = [2, 3, 4].map(|k: usize| row[k].parse().expect("a count"));
        table.add(place[row[0].as_str()], place[row[1].as_str()], Tally::new(wins, draws, losses)).expect("fine");
    }
    let stored = rows.iter().map(|row| (number(&row[3]), number(&row[4]))).collect();
    Some(Published { players: rows.iter().map(|row| row[0].clone()).collect(), stored, table })
}

#[test]
fn every_published_rating_comes_out() {
    let Some(Published { players, stored, table }) = published() else { return };
    let start = std::time::Instant::now();
    let ladder = wls(&table, Errors::ResidualScaled, 1000.0);
    eprintln!("{} players in {:?}", players.len(), start.elapsed());
    assert!(ladder.is_complete());
    assert_eq!((players.len(), ladder.groups()[0].df), (1933, 10_094));
    let mut worst = 0.0_f64;
    for (player, &(elo, error)) in stored.iter().enumerate() {
        let rating = ladder.rating(player).expect("everybody played");
        assert_eq!(rating.trunc(), elo, "{} is {rating}", players[player]);
        worst = worst.max((ladder.error(player).expect("many meetings") / error - 1.0).abs());
    }
    assert!(worst < 1e-9, "{worst:e}");
    eprintln!("worst relative error of a standard error: {worst:e}");

    // The numbers in the paper's text, with two standard errors.
    let text = [
        ("chess_2024-08-20:00h13/499", 2104.86, 42.45),
        ("chess_2024-09-09:16h58/499", 667.23, 37.80),
        ("gardner_chess_2024-10-09:15h32/099", 806.53, 46.39),
        ("chess_2024-10-18:17h59/001", 1181.08, 49.63),
        ("chess_2024-10-18:17h59/099", 1876.42, 46.61),
    ];
    for (name, elo, two_errors) in text {
        let player = players.iter().position(|p| p == name).expect("a published player");
        let (rating, error) = (ladder.rating(player).expect("rated"), ladder.error(player).expect("known"));
        assert!((rating - elo).abs() < 0.005 && (2.0 * error - two_errors).abs() < 0.005, "{name} {rating} {error}");
    }
}

#[test]
fn sequential_tests_agree_with_fastchess() {
    let Some(text) = shared("oracles/sprt_vectors.json") else { return };
    let vectors: Vec<Value> = serde_json::from_str(&text).expect("the vectors are JSON");
    let mut worst = 0.0_f64;
    // The others are of cutechess, which uses another test: draws by the Rao-Kupper model.
    for vector in vectors.iter().filter(|vector| !vector["model"].as_str().expect("a model").starts_with("bayeselo")) {
        let number = |key: &str| vector[key].as_f64().expect("a number");
        let counts = vector["counts_low_to_high"].as_array().expect("counts");
        let counts: Vec<u64> = counts.iter().map(|count| count.as_u64().expect("a count")).collect();
        let model = vector["model"].as_str().expect("a model");
        let scale = if model.starts_with("normalized") { EloScale::Normalized } else { EloScale::Logistic };
        let (elo0, elo1) = (number("elo0"), number("elo1"));
        let sprt = Sprt { scale, elo0, elo1, alpha: number("alpha"), beta: number("beta") };
        let llr = match counts[..] {
            [losses, draws, wins] => sprt.llr(&MatchCounts::Trinomial([losses, draws, wins])),
            [a, b, c, d, e] => sprt.llr(&MatchCounts::Pentanomial([a, b, c, d, e])),
            _ => panic!("{model} has {} counts", counts.len()),
        };
        let (relative, bounds) = ((llr / number("computed") - 1.0).abs(), sprt.bounds());
        assert!(relative < 1e-6, "{model} {counts:?}: {llr}");
        assert!((llr - number("published")).abs() < f64::max(0.01 * number("published").abs(), 0.01));
        assert!((bounds.low - number("lower")).abs() < 1e-12 && (bounds.high - number("upper")).abs() < 1e-12);
        worst = worst.max(relative);
    }
    eprintln!("{} log-likelihood ratios, worst relative difference {worst:e}", vectors.len());
}
