//! Rates the players of a PGN file: Elo with one standard error, by maximum likelihood.

use std::error::Error;

use gauntlet_games::base::{Outcome, Side};
use gauntlet_games::formats::pgn::PgnReader;
use gauntlet_ratings::{BradleyTerry, MatchTable, Tally};

/// The games of a tournament.
const PGN: &str = r#"[White "Ada"]
[Black "Bob"]
[Result "1-0"]

1. e4 e5 1-0

[White "Bob"]
[Black "Ada"]
[Result "1/2-1/2"]

1. d4 d5 1/2-1/2

[White "Bob"]
[Black "Cay"]
[Result "1-0"]

1. c4 c5 1-0

[White "Cay"]
[Black "Bob"]
[Result "1/2-1/2"]

1. Nf3 Nf6 1/2-1/2

[White "Ada"]
[Black "Cay"]
[Result "1-0"]

1. g3 g6 1-0

[White "Cay"]
[Black "Ada"]
[Result "1-0"]

1. b3 b6 1-0"#;

fn main() -> Result<(), Box<dyn Error>> {
    let players = ["Ada", "Bob", "Cay"];
    let place = |name: &str| players.iter().position(|player| *player == name).ok_or_else(|| name.to_owned());
    let (mut table, mut reader) = (MatchTable::new(players.len()), PgnReader::new(PGN.as_bytes()));
    while let Some(game) = reader.next_game()? {
        let tally = match game.outcome {
            Outcome::Win(Side::First) => Tally::new(1, 0, 0),
            Outcome::Draw => Tally::new(0, 1, 0),
            Outcome::Win(Side::Second) => Tally::new(0, 0, 1),
        };
        table.add_coloured(place(game.first)?, place(game.second)?, tally)?;
    }

    let ladder = BradleyTerry::default().fit(&table)?.ladder;
    for (player, name) in players.iter().enumerate() {
        match ladder.rating(player).zip(ladder.error(player)) {
            Some((elo, error)) => println!("{name}: {elo:.0} +- {error:.0}"),
            None => println!("{name}: not comparable"),
        }
    }
    Ok(())
}
