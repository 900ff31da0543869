//! Self-play on this machine: the same games on one core and on all, and how full the batches of a device are.

use std::sync::Arc;
use std::time::Instant;

use super::Line;
use super::line::UNTRUSTED;
use crate::learning::{Amount, PolicyTarget, SelfPlay, Trajectory, ValueTarget, WeightedBoard};
use crate::players::{GuidedAgent, PlayerSpec};
use gauntlet_games::base::{Cores, Seed, Stop};
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::deep::{Init, device_load};

const SUBJECT: &str = "play";

/// Games of self-play; a GPU gets more, as its batches are larger.
const GAMES: [u64; 2] = [16, 256];

const AGENT: &str = "guided = { network = { saz = { hidden = 64 } }, search = { simulations = 16 } }";

/// The checks.
pub fn lines(cores: usize, tell: &mut dyn FnMut(Line)) {
    let (before, start) = (device_load(), Instant::now());
    let games = GAMES[usize::from(before.is_some())];
    let cores = cores.max(2);
    match (play(games, 1), play(games, cores)) {
        (Ok((one, _)), Ok((all, seconds))) => {
            let text = format!(
                "{games} games on one core and on {cores} are {}",
                if one == all { "the same" } else { "OTHERS" }
            );
            tell(Line::check(SUBJECT, "cores", one == all, text, UNTRUSTED));
            let plies: usize = all.iter().map(|game| game.examples.len()).sum();
            tell(Line::fact(SUBJECT, "self-play", format!("{plies} plies in {seconds:.1} s")));
        }
        (Err(error), _) | (_, Err(error)) => tell(Line::failed(SUBJECT, "self-play", &error, UNTRUSTED)),
    }
    if let (Some(before), Some(after)) = (before, device_load()) {
        let (batches, positions) = (after.batches - before.batches, after.positions - before.positions);
        let size = positions as f64 / batches.max(1) as f64;
        let busy = 100.0 * (after.busy - before.busy).as_secs_f64() / start.elapsed().as_secs_f64();
        let text = format!(
            "{batches} batches with {size:.0} positions in the mean; the owner is busy {busy:.0} % of the time"
        );
        tell(Line::fact(SUBJECT, "batches", text));
    }
}

/// Plays games with these cores; with the seconds.
fn play(games: u64, cores: usize) -> anyhow::Result<(Vec<Trajectory>, f64)> {
    let PlayerSpec::Guided(agent) = toml::from_str(AGENT)? else { unreachable!("the agent is guided") };
    let agent: GuidedAgent = *agent;
    let game = toml::from_str::<GameSpec>("othello = { size = 6 }")?.build();
    let net = agent.network.build(agent.encoder(&[Arc::clone(&game)]).dims(), Init::default(), &Seed::new(5))?;
    let inference = agent.inference(net)?;
    let boards = [WeightedBoard { game, weight: 1.0 }];
    let (value, policy) = (ValueTarget::default(), PolicyTarget::default());
    let rules = SelfPlay { agent: &agent, boards: &boards, value, policy };
    let (cores, stop, start) = (Cores::alone(cores), Stop::default(), Instant::now());
    let (games, _) = rules.play(inference, Amount::Games(games), &Seed::new(6), (&cores, &stop), &mut |_, _| Ok(()))?;
    Ok((games, start.elapsed().as_secs_f64()))
}
