//! The work items of every kind of job.

use super::training::alpha_zero;
use super::work::{EstimatedGame, WorkItem, WorkKind, decisions};
use gauntlet_games::games::GameSpec;
use gauntlet_jobs::JobSpec;
use gauntlet_play::arena::PlaySpec;
use gauntlet_play::learning::{CmaesJob, TrainSpec};
use gauntlet_play::measure::MeasureSpec;
use gauntlet_play::players::PlayerSpec;

/// Operations of rating a file: two dense inversions for about two thousand players.
const LADDER: f64 = 1.2e11;

/// Nominal operations of solving a position: a tenth of a second.
const SOLVED: f64 = 2e9;

/// Nominal operations of a second.
const SECOND: f64 = 2e10;

/// The assumed seconds of a training by another program whose budget is in other units.
const UNKNOWN: f64 = 600.0;

/// Nominal operations of jobs that compute next to nothing.
const LITTLE: f64 = 2e9;

/// Estimated seconds of one core of 2024 for a job: the unit of the timing journal.
#[must_use]
pub fn seconds(spec: &JobSpec) -> f64 {
    parts(spec).iter().map(WorkItem::seconds).sum()
}

/// The work items of a job.
#[must_use]
pub fn parts(spec: &JobSpec) -> Vec<WorkItem<'_>> {
    match spec {
        JobSpec::Train(TrainSpec::Cmaes(job)) => evolution(job),
        JobSpec::Train(TrainSpec::AlphaZero(job)) => alpha_zero(job),
        JobSpec::Train(TrainSpec::Spsa(job)) => games(&job.game, &[&job.agent], 2.0 * f64::from(job.settings.pairs)),
        JobSpec::Train(TrainSpec::External(job)) => {
            operations(job.budget.seconds.or(job.budget.processor_seconds).unwrap_or(UNKNOWN) * SECOND)
        }
        JobSpec::Play(PlaySpec::Match(job)) => games(&job.game, &[&job.agent, &job.opponent], job.games.get() as f64),
        // Its meetings are jobs of their own.
        JobSpec::Play(PlaySpec::Tournament(job)) if job.is_divided() => operations(LITTLE),
        JobSpec::Play(PlaySpec::Tournament(job)) => {
            let players: Vec<&PlayerSpec> = job.players.iter().map(|entrant| &entrant.agent).collect();
            games(&job.game, &players, (job.matches() * job.games.get()) as f64)
        }
        JobSpec::Measure(MeasureSpec::Fitness(job)) => {
            games(&job.game, &[&job.agent, &job.opponent], job.games.get() as f64)
        }
        JobSpec::Measure(MeasureSpec::Optimal(job)) => {
            let piece = WorkKind::Decision(&job.agent, EstimatedGame::new(&job.game));
            vec![WorkItem { piece, times: f64::from(job.positions) }]
        }
        JobSpec::Measure(MeasureSpec::Solutions(job)) => operations(f64::from(job.positions) * SOLVED),
        JobSpec::Measure(MeasureSpec::Ladder(_)) => operations(LADDER),
        JobSpec::Measure(MeasureSpec::Hours(_) | MeasureSpec::Complexity(_) | MeasureSpec::Network(_)) => {
            operations(LITTLE)
        }
        JobSpec::Measure(MeasureSpec::RandomPlay(job)) => {
            let plies = f64::from(job.games.get()) * job.game.build().topology().sites() as f64;
            vec![WorkItem { piece: WorkKind::Ply, times: plies }]
        }
        JobSpec::Measure(MeasureSpec::Embeddings(job)) => operations(2.0 * job.macs()),
    }
}

fn evolution(job: &CmaesJob) -> Vec<WorkItem<'_>> {
    let Some(net) = job.net() else { return Vec::new() };
    let weights = net.weight_count(job.game.build().topology().sites());
    games(&job.game, &[&job.agent, &job.opponent], job.settings.total_games(weights) as f64)
}

fn operations(times: f64) -> Vec<WorkItem<'static>> {
    vec![WorkItem { piece: WorkKind::Operation, times }]
}

fn games<'a>(game: &GameSpec, players: &[&'a PlayerSpec], count: f64) -> Vec<WorkItem<'a>> {
    decisions(&EstimatedGame::new(game), players, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cost of a measurement depends on its players' simulations and networks.
    #[test]
    fn networks_and_simulations_cost() {
        let cost = |hidden: u32, simulations: u32, opponent: &str| {
            let text = format!(
                "game = {{ othello = {{ size = 8 }} }}\ngames = 100\nopponent = {{ {opponent} = {{}} }}\n\
                 agent = {{ guided = {{ network = {{ saz = {{ hidden = {hidden} }} }}, \
                 search = {{ simulations = {simulations} }} }} }}"
            );
            seconds(&JobSpec::Measure(MeasureSpec::Fitness(toml::from_str(&text).expect("a job"))))
        };
        // About 60 plies, half of them searched, at about 20 microseconds an evaluation.
        let usual = cost(32, 50, "random");
        assert!((1.5..6.0).contains(&usual), "{usual}");
        assert!(cost(512, 50, "random") > 50.0 * usual);
        assert!((1.9..2.1).contains(&(cost(32, 100, "random") / usual)));
        assert!(cost(32, 50, "uct") > usual);
    }
}
