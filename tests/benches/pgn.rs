//! Benchmark of reading players and results from PGN: bytes a second on one core, with and without the moves.

use divan::Bencher;
use divan::counter::BytesCount;
use gauntlet_games::formats::pgn::PgnReader;

fn main() {
    divan::main();
}

/// About 32 MB of games as chess programs write them: eight tags, 40 moves with clocks in comments.
fn games() -> String {
    let moves: String = (1..=40).map(|n| format!("{n}. Nf3 {{ +0.31/12 0.52s }} Nc6 {{ -0.28/13 0.49s }}\n")).collect();
    let game = |n: usize| {
        format!(
            "[Event \"bench\"]\n[Site \"?\"]\n[Date \"2024.01.01\"]\n[Round \"{n}\"]\n[White \"engine {}\"]\n\
             [Black \"engine {}\"]\n[Result \"1-0\"]\n[ECO \"C20\"]\n\n{moves}1-0\n\n",
            n % 7,
            n % 7 + 1
        )
    };
    (0..14_000).map(game).collect()
}

fn count(mut reader: PgnReader<&[u8]>) -> usize {
    let mut n = 0;
    while reader.next_game().expect("all games are fine").is_some() {
        n += 1;
    }
    n
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn tags(bencher: Bencher) {
    let text = games();
    bencher.counter(BytesCount::of_str(&text)).bench(|| count(PgnReader::new(text.as_bytes())));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn moves(bencher: Bencher) {
    let text = games();
    bencher.counter(BytesCount::of_str(&text)).bench(|| count(PgnReader::new(text.as_bytes()).with_moves()));
}
