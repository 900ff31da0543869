//! Whether the players of a job take the networks of the trainings that its stage names.

use super::config::Config;
use super::dependency::Dependency;
use crate::manifest::read::upstream::Upstream;
use crate::manifest::text::source::Problem;
use gauntlet_jobs::JobSpec;
use gauntlet_play::learning::TrainSpec;
use gauntlet_play::players::{PlayerSpec, Weights};

/// The problem of a job whose players do not take what an upstream stage trains, or cannot.
pub(super) fn misfit(spec: &JobSpec, upstream: &Upstream, from: &[Dependency], configs: &[Config]) -> Option<Problem> {
    other_network(spec, upstream, from, configs)
        .or_else(|| unread_files(spec, upstream, from, configs))
        .or_else(|| unused_training(spec, upstream, from, configs))
}

/// The problem of a player whose network or input planes differ from those of the training that its weights come from.
fn other_network(spec: &JobSpec, upstream: &Upstream, from: &[Dependency], configs: &[Config]) -> Option<Problem> {
    let (own, span) = match &upstream.player {
        Some((name, span)) => (&**name, span),
        None => (spec.job().training().map(|_| LEARNER)?, &upstream.stage.1),
    };
    let dependency = from.iter().find(|dependency| dependency.player.as_deref() == upstream.player())?;
    let training = configs[dependency.config].spec.job().training()?;
    let (_, player) = spec.job().players().into_iter().find(|(name, _)| **name == *own)?;
    let Some(trained) = training.agent else {
        let message = format!("`{own}` takes no files of stage `{}`, which another program trains", upstream.stage.0);
        let hint = "an engine plays with such files: `engine = { command = [...] }`";
        return (!takes(player, None)).then(|| Problem::at(span.clone(), message).hint(hint));
    };
    let is_tuned = matches!(trained, PlayerSpec::Tuned(_)) || matches!(player, PlayerSpec::Tuned(_));
    let (player, trained) = (player.agent(), trained.agent());
    let (what, key) = match (player.shares_network(trained), player.shares_input(trained)) {
        (true, true) => return None,
        (false, _) if is_tuned => ("is another player", "`agent` and the `numbers`"),
        (false, _) => ("has another network", "network"),
        (true, false) => ("sees other planes", "planes"),
    };
    let message = format!("`{own}` {what} than the one that stage `{}` trains", upstream.stage.0);
    let hint = format!("leave its own settings out, or give it the {key} of the training");
    Some(Problem::at(span.clone(), message).hint(hint))
}

/// The problem of a training that no player of a job takes, although one has the network: named in the job, it plays with
/// drawn weights.
fn unused_training(spec: &JobSpec, upstream: &Upstream, from: &[Dependency], configs: &[Config]) -> Option<Problem> {
    let dependency = from.iter().find(|own| own.player.is_none() && upstream.player.is_none())?;
    let trained = configs[dependency.config].spec.job().training()?.agent?;
    let players = spec.job().players();
    if spec.job().training().is_some()
        || players.iter().any(|(_, player)| player.agent().weights() == Some(&Weights::Trained))
    {
        return None;
    }
    let is_drawn = |player: &PlayerSpec| matches!(player.agent().weights(), Some(Weights::Random));
    let (name, _) = players.into_iter().find(|(_, player)| is_drawn(player) && takes(player, Some(trained)))?;
    let (stage, span) = &upstream.stage;
    let message = format!("the stage names its `{name}`, which then does not take the weights of stage `{stage}`");
    let hint = format!("leave `{name}` out, or name the player that takes them: `from = {{ {name} = \"{stage}\" }}`");
    Some(Problem::at(span.clone(), message).hint(hint))
}

/// The problem of files of another program that no player takes, or of weights that no trainer of another program reads.
fn unread_files(spec: &JobSpec, upstream: &Upstream, from: &[Dependency], configs: &[Config]) -> Option<Problem> {
    let dependency = from.iter().find(|dependency| dependency.player.as_deref() == upstream.player())?;
    let training = configs[dependency.config].spec.job().training()?;
    let is_trainer = matches!(spec, JobSpec::Train(TrainSpec::External(_)));
    let takes = |(_, player): &(&str, &PlayerSpec)| player.agent().weights() == Some(&Weights::Trained);
    let (stage, span) = &upstream.stage;
    let (message, hint) = match training.agent {
        Some(_) if is_trainer => (
            format!("a trainer of another program reads no weights of stage `{stage}`"),
            "name a stage with `train.external`, or leave `from` out",
        ),
        None if !is_trainer && !spec.job().players().iter().any(takes) => (
            format!("no player takes the files of stage `{stage}`"),
            "name the engine that plays with them: `from = { agent = \"stage\" }`",
        ),
        _ => return None,
    };
    Some(Problem::at(span.clone(), message).hint(hint))
}

/// Whether a player can take what a training leaves: weights for the network of an agent, or files for an engine.
pub(super) fn takes(player: &PlayerSpec, trained: Option<&PlayerSpec>) -> bool {
    match trained {
        Some(trained) => player.agent().shares_network(trained.agent()),
        None => matches!(player, PlayerSpec::Engine(_)),
    }
}

/// The learning player of a training.
pub(super) const LEARNER: &str = "agent";

#[cfg(test)]
mod tests {
    use crate::manifest::testing;

    /// A job that names the trained agent itself would play with drawn weights, without a word.
    #[test]
    fn a_training_that_no_player_takes_is_refused() {
        let problems = |from: &str, play: &str| {
            let text = format!(
                "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\nsmall.othello = {{ size = 6 }}\n[agents]\n\
                 greedy.greedy = {{}}\nlearner.guided = {{ network.agz-cnn = {{}} }}\n\
                 [stages.train.train.alpha-zero]\ngame = \"small\"\nagent = \"learner\"\n\
                 [stages.test]\nfrom = {from}\n{play}"
            );
            testing::problems(&text)
        };
        let refused = |name: &str| {
            vec![format!("the stage names its `{name}`, which then does not take the weights of stage `train`")]
        };
        let named = "play.match = { agent = \"learner\", opponent = \"greedy\", games = 2 }";
        assert_eq!(problems("\"train\"", named), refused("agent"));
        let swept = "sweep = { agent = [\"learner\"] }\nplay.match = { opponent = \"greedy\", games = 2 }";
        assert_eq!(problems("\"train\"", swept), refused("agent"));
        let fitness = "measure.fitness = { agent = \"learner\", opponent = \"greedy\", games = 2 }";
        assert_eq!(problems("\"train\"", fitness), refused("agent"));
        let opponent = "play.match = { agent = \"greedy\", opponent = \"learner\", games = 2 }";
        assert_eq!(problems("\"train\"", opponent), refused("opponent"));
        let floor = "play.match = { opponent = \"learner\", games = 2 }";
        for (from, play) in [
            ("{ agent = \"train\" }", named),
            ("\"train\"", "play.match = { opponent = \"greedy\", games = 2 }"),
            ("\"train\"", floor),
            ("\"train\"", "play.match = { agent = \"greedy\", opponent = \"greedy\", games = 2 }"),
        ] {
            assert_eq!(problems(from, play), [""; 0], "{from} {play}");
        }
    }
}
