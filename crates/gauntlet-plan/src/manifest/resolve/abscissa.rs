//! Check: trainings count the unit on the abscissa of their learning curves.

use super::config::Config;
use super::problem_set::ProblemSet;
use crate::manifest::read::exhibit::Exhibit;
use crate::manifest::read::written::shown;
use crate::manifest::text::source::Problem;
use crate::manifest::text::tree::Node;
use gauntlet_exhibits::Show;
use gauntlet_jobs::JobSpec;
use gauntlet_play::learning::TrainSpec;

/// Evolutions count neither evaluations nor operations.
pub(super) fn check_abscissa(exhibit: &Exhibit, node: &Node, configs: &[&Config], found: &mut ProblemSet<'_>) {
    let Show::Curves(curves) = &exhibit.show else { return };
    let Some(word) = curves.uncounted() else { return };
    if let Some(config) = configs.iter().find(|config| is_evolution(config)) {
        let message = format!("the trainings of stage `{}` count no {word}", config.stage);
        let hint = "an evolution counts `iterations`, `games` and `hours`";
        found.add(Problem::at(shown(node, word), message).hint(hint));
    }
}

fn is_evolution(config: &Config) -> bool {
    matches!(config.sound_spec(), Some(JobSpec::Train(TrainSpec::Cmaes(_))))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::manifest::{Overrides, Plan, load};

    /// The problems of learning curves of an evolution over an abscissa.
    fn problems(x: &str) -> Vec<String> {
        let text = format!(
            "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\ngo.atari-go = {{ size = 5 }}\n[agents]\n\
             naive.naive = {{}}\nnet.net = {{ network.mdrnn.units = 3 }}\n[stages.train]\n\
             train.cma-es = {{ game = \"go\", agent = \"net\", opponent = \"naive\" }}\n\
             [[exhibit]]\nshow.curves = {{ stage = \"train\", curves = [\"agent\"], x = \"{x}\" }}\n"
        );
        let source = BTreeMap::from([("m.toml".to_owned(), text)]);
        match load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")) {
            Ok(_) => Vec::new(),
            Err(problems) => problems.list().iter().map(|problem| problem.message.clone()).collect(),
        }
    }

    #[test]
    fn an_evolution_counts_games_and_no_operations() {
        for counted in ["iterations", "games", "hours"] {
            assert_eq!(problems(counted), [""; 0]);
        }
        for uncounted in ["evaluations", "operations"] {
            assert_eq!(problems(uncounted), [format!("the trainings of stage `train` count no {uncounted}")]);
        }
    }
}
