//! Benchmark of ratings with all errors: 1,000 players with five opponents each (`tests/peers/wls.py` times
//! statsmodels on the same table), and the 1,933 published players of AlphaGateau if their file lies in `../shared`.

use divan::Bencher;
use gauntlet_games::formats::results::{GameResults, Reading, read};
use gauntlet_play::measure::match_table;
use gauntlet_ratings::wls::{Errors, wls};
use gauntlet_ratings::{BradleyTerry, MatchTable, Tally};

fn main() {
    divan::main();
}

/// Each player meets five of the earlier ones.
fn newcomers(n_players: u64) -> MatchTable {
    let mut table = MatchTable::new(n_players as usize);
    for newcomer in 1..n_players {
        for k in 0..newcomer.min(5) {
            let (opponent, wins) = ((newcomer * 7919 + k * 104_729) % newcomer, 10 + (newcomer * 31 + k * 17) % 40);
            table.add(newcomer as usize, opponent as usize, Tally::new(wins, 10, 50 - wins)).expect("two players");
        }
    }
    table
}

/// The published table; a small one, with a message on stderr, if the file is missing.
fn published() -> MatchTable {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/alphagateau/rankings.json");
    let mut results = GameResults::default();
    match read(file, Reading::default(), &mut results) {
        Ok(_) => match_table(&results),
        Err(error) => {
            eprintln!("skipped: {error}");
            newcomers(10)
        }
    }
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn least_squares_1000(bencher: Bencher) {
    let table = newcomers(1000);
    bencher.bench(|| wls(&table, Errors::ResidualScaled, 1000.0));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn likelihood_1000(bencher: Bencher) {
    let table = newcomers(1000);
    bencher.bench(|| BradleyTerry::default().fit(&table));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn least_squares_published(bencher: Bencher) {
    let table = published();
    bencher.bench(|| wls(&table, Errors::ResidualScaled, 1000.0));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn likelihood_published(bencher: Bencher) {
    let table = published();
    bencher.bench(|| BradleyTerry::default().fit(&table));
}
