//! Work items of an AlphaZero training: games of self-play, gates and evaluations, and examples of steps.

use super::work::{EstimatedGame, WorkItem, WorkKind, decisions, plies};
use gauntlet_games::games::GameSpec;
use gauntlet_play::learning::{AlphaZeroJob, RULE_STEP, Symmetries, Window};
use gauntlet_play::players::{GuidedAgent, PlayerSpec};

/// Symmetries of a square board.
const SYMMETRIES: f64 = 8.0;

/// The work items of a training.
pub(super) fn alpha_zero(job: &AlphaZeroJob) -> Vec<WorkItem<'_>> {
    let (Some(agent), Ok(games)) = (job.agent(), job.games()) else { return Vec::new() };
    let all: f64 = games.iter().map(|(_, weight)| weight).sum();
    let of_board = |(game, weight): &(GameSpec, f64)| iteration(job, agent, &EstimatedGame::new(game), weight / all);
    let mut parts: Vec<WorkItem<'_>> = games.iter().flat_map(of_board).collect();
    let operations = parts.iter().map(|part| part.times * operations(&part.piece)).sum::<f64>();
    parts.extend(evaluations(job));
    let iterations = f64::from(job.settings.iterations.get());
    let seconds = parts.iter().map(WorkItem::seconds).sum::<f64>();
    let limits = [
        job.settings.compute.map(|compute| compute * 1e12 / operations),
        job.settings.processor_seconds.map(|budget| budget / seconds),
    ];
    let iterations = limits.into_iter().flatten().fold(iterations, |least, limit| least.min(limit.ceil()));
    parts.iter_mut().for_each(|part| part.times *= iterations);
    parts
}

/// The share of an iteration's games on one board, and the examples of its steps.
fn iteration<'a>(job: &'a AlphaZeroJob, agent: &'a GuidedAgent, game: &EstimatedGame, share: f64) -> Vec<WorkItem<'a>> {
    let gated = job.settings.gate.map_or(0.0, |gate| gate.games.get() as f64);
    let units = job.settings.amount().units() as f64;
    let games = if job.settings.plies.is_some() { units / plies(game) } else { units };
    let mut parts = decisions(game, &[&job.agent], share * (games + gated));
    let times = share * examples(job, games * plies(game));
    parts.push(WorkItem { piece: WorkKind::Example(agent, &job.settings, game.clone()), times });
    parts
}

/// Examples of the steps of an iteration that adds `added` examples, once the window is full.
fn examples(job: &AlphaZeroJob, added: f64) -> f64 {
    let settings = &job.settings;
    let seen = if settings.symmetries == Symmetries::All { SYMMETRIES } else { 1.0 };
    let window = match settings.window() {
        Window::Iterations(iterations) => seen * added * iterations as f64,
        Window::Frames(frames) => seen * added.max(frames as f64),
    };
    let latest = settings.samples.map_or(window, |samples| window.min(f64::from(samples.get())));
    match (settings.steps, settings.reuse) {
        (Some(steps), _) => f64::from(steps.get()) * f64::from(settings.batch.get()),
        (None, Some(reuse)) => reuse * added,
        (None, None) => f64::from(settings.epochs.get()) * latest,
    }
}

/// Operations of a piece, as the budget of a training counts them.
fn operations(piece: &WorkKind<'_>) -> f64 {
    match piece {
        WorkKind::Decision(player, game) => {
            let work = player.agent().workload(&*game.whole);
            work.simulations * (work.operations + RULE_STEP as f64)
        }
        WorkKind::Example(agent, _, game) => {
            3.0 * GuidedAgent { subgraphs: None, ..(*agent).clone() }.flops(&*game.whole)
        }
        WorkKind::Ply => RULE_STEP as f64,
        WorkKind::Operation => 1.0,
    }
}

/// The games of the evaluations, by iteration.
fn evaluations(job: &AlphaZeroJob) -> Vec<WorkItem<'_>> {
    let Some(wanted) = &job.settings.evaluation else { return Vec::new() };
    let Ok(game) = job.arena(wanted) else { return Vec::new() };
    let past = wanted.past.iter().map(|_| &job.agent);
    let opponents: Vec<&PlayerSpec> = wanted.opponents().map(|(_, opponent)| opponent).chain(past).collect();
    let before = if wanted.untrained { 1.0 / f64::from(job.settings.iterations.get()) } else { 0.0 };
    let rounds = 1.0 / f64::from(wanted.every.get()) + before;
    let (game, games) = (EstimatedGame::new(&game), wanted.games.get() as f64 * rounds);
    opponents.into_iter().flat_map(|opponent| decisions(&game, &[&job.agent, opponent], games)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: &str = "game = { othello = { size = 6 } }\nsizes = [{ size = 5, share = 0.6 }, { size = 6, share = 0.4 }]\n\
        agent = { guided = { network = { saz = { hidden = 8 } } } }\n";

    /// The cost of a training depends on its window, its network and its budget.
    #[test]
    fn the_cost_follows_the_settings() {
        let cost = |hidden: u32, settings: &str| {
            let text = JOB.replace("hidden = 8", &format!("hidden = {hidden}"));
            let job: AlphaZeroJob = toml::from_str(&format!("{text}settings = {{ {settings} }}")).unwrap();
            alpha_zero(&job).iter().map(WorkItem::seconds).sum::<f64>()
        };
        let few = cost(32, "iterations = 20, samples = 1000");
        assert!(cost(32, "iterations = 20") > 5.0 * few);
        assert!(cost(512, "iterations = 20, samples = 1000") > 20.0 * few);
        // The laptop profile of SAZ without subgraphs: tens of seconds, as measured.
        let budget =
            |compute: f64| cost(32, &format!("iterations = 1000, games = 50, steps = 100, compute = {compute}"));
        assert!((20.0..300.0).contains(&budget(6.5)), "{}", budget(6.5));
        assert!((1.9..2.1).contains(&(budget(13.0) / budget(6.5))));
    }
}
