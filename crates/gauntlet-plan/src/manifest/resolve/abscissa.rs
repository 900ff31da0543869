//! Checks: trainings count the unit on the abscissa of their learning curves, and the abscissa of means has numbers.

use super::config::Config;
use super::problem_set::ProblemSet;
use crate::manifest::read::exhibit::Exhibit;
use crate::manifest::read::written::shown;
use crate::manifest::text::source::Problem;
use crate::manifest::text::tree::Node;
use gauntlet_exhibits::Show;
use gauntlet_jobs::JobSpec;
use gauntlet_play::learning::TrainSpec;

pub(super) fn check_abscissa(exhibit: &Exhibit, node: &Node, configs: &[&Config], found: &mut ProblemSet<'_>) {
    let problem = match &exhibit.show {
        Show::Curves(curves) => curves.uncounted().and_then(|word| uncounted(word, node, configs)),
        Show::Means(means) => means.x.as_ref().and_then(|x| unnumbered(x, &means.rows, node, configs)),
        _ => None,
    };
    problem.into_iter().for_each(|problem| found.add(problem));
}

/// The problem of an evolution: it counts neither evaluations nor operations.
fn uncounted(word: &str, node: &Node, configs: &[&Config]) -> Option<Problem> {
    let config = configs.iter().find(|config| is_evolution(config))?;
    let message = format!("the trainings of stage `{}` count no {word}", config.stage);
    let hint = "an evolution counts `iterations`, `games` and `hours`";
    Some(Problem::at(shown(node, word), message).hint(hint))
}

/// The problem of an abscissa that is no row of the table, or whose labels are no numbers.
fn unnumbered(x: &str, rows: &[String], node: &Node, configs: &[&Config]) -> Option<Problem> {
    if !rows.iter().any(|row| row == x) {
        let message = format!("the abscissa `{x}` is not among the `rows`");
        let hint = "name it there, and other axes in `columns` or `panels`";
        return Some(Problem::at(shown(node, x), message).hint(hint));
    }
    let is_number = |label: &str| label.parse().is_ok_and(f64::is_finite);
    let label = configs.iter().filter_map(|config| config.label(x)).find(|label| !is_number(label))?;
    let message = format!("the abscissa `{x}` has the label `{label}`, which is no number");
    Some(Problem::at(shown(node, x), message).hint("leave `x` out: the rows then stand beside each other"))
}

fn is_evolution(config: &Config) -> bool {
    matches!(config.sound_spec(), Some(JobSpec::Train(TrainSpec::Cmaes(_))))
}

#[cfg(test)]
mod tests {
    use crate::manifest::testing;

    /// The problems of learning curves of an evolution over an abscissa.
    fn problems(x: &str) -> Vec<String> {
        let text = format!(
            "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\ngo.atari-go = {{ size = 5 }}\n[agents]\n\
             naive.naive = {{}}\nnet.net = {{ network.mdrnn.units = 3 }}\n[stages.train]\n\
             train.cma-es = {{ game = \"go\", agent = \"net\", opponent = \"naive\" }}\n\
             [[exhibit]]\nshow.curves = {{ stage = \"train\", curves = [\"agent\"], x = \"{x}\" }}\n"
        );
        testing::problems(&text)
    }

    #[test]
    fn an_abscissa_of_means_is_a_row_of_numbers() {
        let problems = |agents: &str, show: &str| {
            let text = format!(
                "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\ngo.atari-go = {{ size = 5 }}\n[agents]\n\
                 naive.naive = {{}}\n7.uct = {{}}\nnan.uct = {{}}\n[stages.s]\n\
                 sweep = {{ agent = {agents}, \"game.size\" = [7, 5] }}\n\
                 play.match = {{ game = \"go\", agent = \"7\", opponent = \"naive\", games = 2 }}\n\
                 [[exhibit]]\nshow.means = {{ stage = \"s\", {show} }}\n"
            );
            testing::problems(&text).concat()
        };
        let among = |x: &str| format!("the abscissa `{x}` is not among the `rows`");
        let label = |label: &str| format!("the abscissa `agent` has the label `{label}`, which is no number");
        let size = "rows = [\"game.size\"], columns = [\"agent\"]";
        for (agents, show, expected) in [
            ("[\"naive\", \"7\"]", format!("{size}, x = \"game.size\""), String::new()),
            ("[\"naive\", \"7\"]", format!("{size}, x = \"agent\""), among("agent")),
            ("[\"naive\", \"7\"]", "rows = [\"agent\", \"game.size\"], x = \"agent\"".to_owned(), label("naive")),
            ("[\"nan\", \"7\"]", "rows = [\"agent\", \"game.size\"], x = \"agent\"".to_owned(), label("nan")),
        ] {
            assert_eq!(problems(agents, &show), expected, "{agents} {show}");
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
