//! Lower bound of a job's memory: its networks, and the buffers that the settings of a training require.
//!
//! A job that is refused because of this bound could never have run.

use super::work::{EstimatedGame, plies};
use gauntlet_games::games::GameSpec;
use gauntlet_jobs::JobSpec;
use gauntlet_play::learning::{AlphaZeroJob, AlphaZeroSpec, CmaesJob, TrainSpec, Window};
use gauntlet_play::measure::MeasureSpec;
use gauntlet_play::players::PlayerSpec;

/// Bytes of a game in an environment, besides its board and its tree.
const ENVIRONMENT: f64 = 4096.0;

/// Bytes of an environment for each simulation of a search.
const SIMULATION: f64 = 200.0;

/// Bytes of an environment for each site of the board.
const SITE: f64 = 16.0;

/// Bytes of an example besides its board: its value and its end.
const EXAMPLE: f64 = 12.0;

/// Bytes of a packed example for each site of the board.
const PACKED_SITE: f64 = 0.25;

/// Bytes of an evolution strategy for each pair of weights: the covariance, its axes and the copy for the
/// decomposition, and both of them as the text of a checkpoint.
const PAIR: f64 = 24.0 + 24.0;

/// Bytes of a weight in inference and in training: the weight, its gradient and Adam's two moments.
const WEIGHT: [f64; 2] = [4.0, 16.0];

/// The minimum memory of a job in bytes; 0 if unknown.
#[must_use]
pub fn memory(spec: &JobSpec) -> f64 {
    match spec {
        JobSpec::Train(TrainSpec::AlphaZero(job)) => training(job) + networks(spec, WEIGHT[1]),
        JobSpec::Train(TrainSpec::Cmaes(job)) => evolution(job),
        JobSpec::Train(TrainSpec::External(_)) => 0.0,
        // It only counts a network, without building one.
        JobSpec::Measure(MeasureSpec::Network(_)) => 0.0,
        JobSpec::Train(TrainSpec::Spsa(_)) | JobSpec::Play(_) | JobSpec::Measure(_) => networks(spec, WEIGHT[0]),
    }
}

/// The weights of all networks of a job.
fn networks(spec: &JobSpec, bytes: f64) -> f64 {
    let Some(game) = spec.job().game() else { return 0.0 };
    let guided = |player: &PlayerSpec| match player.untuned() {
        PlayerSpec::Guided(agent) => agent.weight_count(&*game.build()),
        _ => None,
    };
    let counts = spec.job().players().into_iter().filter_map(|(_, player)| guided(player));
    counts.map(|weights| bytes * weights as f64).sum()
}

fn evolution(job: &CmaesJob) -> f64 {
    let weights = job.net().map_or(0, |net| net.weight_count(job.game.build().topology().sites()));
    PAIR * (weights as f64).powi(2)
}

fn training(job: &AlphaZeroJob) -> f64 {
    let (Some(agent), Ok(games)) = (job.agent(), job.games()) else { return 0.0 };
    let boards: Vec<EstimatedGame> = games.iter().map(|(game, _): &(GameSpec, f64)| EstimatedGame::new(game)).collect();
    let least = |of: &dyn Fn(&EstimatedGame) -> f64| boards.iter().map(of).fold(f64::INFINITY, f64::min);
    let sites = least(&|board| board.whole.topology().sites() as f64);
    let settings = &job.settings;
    let environments = settings.plies.map_or(0.0, |plies| f64::from(plies.environments.get()));
    let environment =
        ENVIRONMENT + SIMULATION * f64::from(agent.search_of(&*boards[0].whole).simulations.most()) + SITE * sites;
    let units = settings.amount().units() as f64;
    // Half the length of a random game: some games are shorter.
    let added = if settings.plies.is_some() { units } else { units * least(&|board| plies(board)) / 2.0 };
    environments * environment + examples(settings, added) * (EXAMPLE + PACKED_SITE * sites)
}

/// The examples in the window once it is full, or at the end of training; each iteration adds `added`.
fn examples(settings: &AlphaZeroSpec, added: f64) -> f64 {
    match settings.window() {
        Window::Iterations(iterations) => added * iterations as f64,
        Window::Frames(frames) => (added * f64::from(settings.iterations.get())).min(frames as f64).max(added),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(settings: &str) -> f64 {
        let agent = "agent = { guided = { network = { saz = { hidden = 8 } }, search = { simulations = 16 } } }";
        let text = format!("game = {{ othello = {{ size = 4 }} }}\n{agent}\nsettings = {{ {settings} }}");
        training(&toml::from_str(&text).expect("a job"))
    }

    /// Measured: 7.7 kB an environment of 16 simulations on 16 sites, at one ply each.
    #[test]
    fn environments_and_windows_take_memory() {
        let of_environments =
            |count: u32| of(&format!("iterations = 1, plies = {{ environments = {count}, each = 1 }}"));
        assert!((0.8..1.0).contains(&(of_environments(10_000) / 77e6)), "{}", of_environments(10_000));
        assert!(of_environments(10_000_000) > 5e10);
        let window = |frames: u32, iterations: u32| {
            let plies = "plies = { environments = 100, each = 1000 }";
            of(&format!("iterations = {iterations}, {plies}, window = {{ frames = {frames} }}"))
        };
        assert!(window(1_000_000_000, 20_000) > 1.5e10);
        assert!(window(1_000_000_000, 10) < 1e8, "the window is never full");
        assert!(of("iterations = 1000, games = 1000000, history = 1000") > 1e10);
    }

    #[test]
    fn weights_take_memory_and_learned_ones_more() {
        let agent = "guided = { network = { saz = { hidden = 2048 } }, search = { simulations = 2 } }";
        let game = "game = { othello = { size = 4 } }";
        let of = |text: String| memory(&toml::from_str::<JobSpec>(&text).expect("a job"));
        let played =
            of(format!("[play.match]\n{game}\nagent = {{ {agent} }}\nopponent = {{ random = {{}} }}\ngames = 2"));
        let counted = of(format!("[measure.network]\n{game}\nagent = {{ {agent} }}"));
        let trained = of(format!(
            "[train.alpha-zero]\n{game}\nagent = {{ {agent} }}\nsettings = {{ iterations = 1, games = 1 }}"
        ));
        // At least one square matrix of the hidden layer.
        assert!(played > 4.0 * 2048.0 * 2048.0 && counted == 0.0, "{played} {counted}");
        assert!((trained / played - 4.0).abs() < 0.01, "{trained} {played}");
    }

    #[test]
    fn an_evolution_strategy_takes_the_square_of_its_weights() {
        let of = |cells: u32| {
            let agent = format!("agent = {{ net = {{ network = {{ mdlstm = {{ cells = {cells} }} }} }} }}");
            let text = format!("game = {{ atari-go = {{ size = 5 }} }}\n{agent}\nopponent = {{ naive = {{}} }}");
            evolution(&toml::from_str(&text).expect("a job"))
        };
        assert!(of(3) < 1e7);
        assert!(of(64) / of(32) > 10.0, "{}", of(64) / of(32));
    }
}
