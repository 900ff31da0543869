//! Self-play on this machine: the same games on one core and on all, and how full the batches of a device are.

use std::sync::Arc;
use std::time::Instant;

use super::Finding;
use super::finding::UNTRUSTED;
use gauntlet_games::base::{Cores, Seed, Stop};
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::deep::{Init, device_load};
use gauntlet_play::learning::{Amount, PolicyTarget, SelfPlay, Trajectory, ValueTarget, WeightedBoard};
use gauntlet_play::players::{GuidedAgent, PlayerSpec};

const SUBJECT: &str = "play";

/// A little self-play: games, board and agent.
type Example = (u64, &'static str, &'static str);

const ON_CPU: Example =
    (16, "othello = { size = 6 }", "guided = { network = { saz = { hidden = 64 } }, search = { simulations = 16 } }");

/// A GPU gets more games, as its batches are larger, and a network of a paper.
const ON_GPU: Example =
    (256, "othello = { size = 8 }", "guided = { network = { saz = { hidden = 512 } }, search = { simulations = 16 } }");

/// The checks.
pub fn lines(cores: usize, tell: &mut dyn FnMut(Finding)) {
    let work = if device_load().is_some() { ON_GPU } else { ON_CPU };
    let cores = cores.max(2);
    let one = play(work, 1);
    let (before, start) = (device_load(), Instant::now());
    let all = play(work, cores);
    let taken = start.elapsed();
    match (one, all) {
        (Ok((one, _)), Ok((all, seconds))) => {
            let text = format!(
                "{} games on one core and on {cores} are {}",
                work.0,
                if one == all { "the same" } else { "OTHERS" }
            );
            tell(Finding::check(SUBJECT, "cores", one == all, text, UNTRUSTED));
            let plies: usize = all.iter().map(|game| game.examples.len()).sum();
            tell(Finding::fact(SUBJECT, "self-play", format!("{plies} plies in {seconds:.1} s")));
        }
        (Err(error), _) | (_, Err(error)) => tell(Finding::failed(SUBJECT, "self-play", &error, UNTRUSTED)),
    }
    if let (Some(before), Some(after)) = (before, device_load()) {
        let (batches, positions) = (after.batches - before.batches, after.positions - before.positions);
        let size = positions as f64 / batches.max(1) as f64;
        let busy = 100.0 * (after.busy - before.busy).as_secs_f64() / taken.as_secs_f64();
        let text = format!(
            "{batches} batches with {size:.0} positions in the mean; the owner is busy {busy:.0} % of the time"
        );
        tell(Finding::fact(SUBJECT, "batches", text));
    }
}

/// Plays games with these cores; with the seconds.
fn play((games, board, agent): Example, cores: usize) -> anyhow::Result<(Vec<Trajectory>, f64)> {
    let PlayerSpec::Guided(agent) = toml::from_str(agent)? else { unreachable!("the agent is guided") };
    let agent: GuidedAgent = *agent;
    let game = toml::from_str::<GameSpec>(board)?.build();
    let net = agent.network.build(agent.encoder(&[Arc::clone(&game)]).dims(), Init::default(), &Seed::new(5))?;
    let inference = agent.inference(net)?;
    let boards = [WeightedBoard { game, weight: 1.0 }];
    let (value, policy) = (ValueTarget::default(), PolicyTarget::default());
    let rules = SelfPlay { agent: &agent, boards: &boards, value, policy };
    let (cores, stop, start) = (Cores::alone(cores), Stop::default(), Instant::now());
    let (games, _) = rules.play(inference, Amount::Games(games), &Seed::new(6), (&cores, &stop), &mut |_, _| Ok(()))?;
    Ok((games, start.elapsed().as_secs_f64()))
}
