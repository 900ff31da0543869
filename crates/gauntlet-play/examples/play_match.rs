//! Plays ten pairs of games of Connect Four between tree search and a player that moves at random.

use std::error::Error;

use gauntlet_games::base::Seed;
use gauntlet_games::games::GameSpec;
use gauntlet_play::arena::play_pairs;
use gauntlet_play::players::{PlayerSpec, Source};

/// The number of pairs; each has one opening and both colours.
const PAIRS: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let game = serde_json::from_str::<GameSpec>(r#"{ "connect-four": {} }"#)?.build();
    let seed = Seed::new(1);
    let source = Source { seed: &seed, checkpoint: None };
    let player = |text: &str| Ok::<_, Box<dyn Error>>(serde_json::from_str::<PlayerSpec>(text)?.build(&game, &source)?);
    let mut search = player(r#"{ "uct": { "simulations": 100 } }"#)?;
    let mut random = player(r#"{ "random": {} }"#)?;
    let pairs = play_pairs(&*game, [&mut *search, &mut *random], PAIRS, 2, &seed)?;
    let points: u32 = pairs.iter().flat_map(|pair| pair.points).map(u32::from).sum();
    println!("tree search scores {} of {} games", f64::from(points) / 2.0, 2 * PAIRS);
    Ok(())
}
