//! Plays random games of a described game, and shows the end of the first one.

use gauntlet_games::base::{Outcome, Seed, Side};
use gauntlet_games::games::ludemes::spec::LudemeSpec;
use gauntlet_games::games::{Game as _, View, diagram};

/// Four in a row win, three lose.
const SQUAVA: &str = r#"(game "Squava"
    (players 2)
    (equipment { (board (square 5)) (piece "Stone" Each) })
    (rules
        (play (move Add (to (sites Empty))))
        (end { (if (is Line 4) (result Mover Win)) (if (is Line 3) (result Mover Loss)) })))"#;

fn main() -> Result<(), String> {
    let game = LudemeSpec::read("squava", SQUAVA, &[], &[])?.build();
    let (mut wins, mut draws, mut losses) = (0, 0, 0);
    for index in 0..1000 {
        let (mut position, mut rng) = (game.start(), Seed::new(1).child("game", index).rng());
        while position.outcome().is_none() {
            let action = position.random_action(&mut rng);
            position.play(action);
        }
        if index == 0 {
            let mut view = View::new();
            position.view(&mut view);
            println!("{}", diagram(&*game, &view, &[], |_, sign| sign));
        }
        match position.outcome() {
            Some(Outcome::Win(Side::First)) => wins += 1,
            Some(Outcome::Win(Side::Second)) => losses += 1,
            Some(Outcome::Draw) | None => draws += 1,
        }
    }
    println!("1000 random games: the first side won {wins}, drew {draws} and lost {losses}");
    Ok(())
}
