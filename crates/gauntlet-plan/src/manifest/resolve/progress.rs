//! Check: each training that an exhibit selects by labels is one configuration.

use super::config::Config;
use super::pooled::{Pooled, with_labels};
use super::problem_set::ProblemSet;
use crate::manifest::read::exhibit::Exhibit;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::Node;
use gauntlet_exhibits::ChosenTraining;

/// Checks that the labels of each curve select one configuration of its stage.
pub(super) fn check_progress(exhibit: &Exhibit, node: &Node, configs: &[&Config], found: &mut ProblemSet<'_>) {
    for curve in exhibit.show.about().trainings {
        let own: Vec<&Config> = configs.iter().copied().filter(|config| config.stage == curve.stage).collect();
        let place = node.place_of(curve.label).unwrap_or(&node.span);
        if let Some(problem) = problem(&curve, &own, place) {
            found.add(problem);
        }
    }
}

fn problem(curve: &ChosenTraining<'_>, own: &[&Config], place: &Span) -> Option<Problem> {
    let chosen = with_labels(own, curve.only);
    if chosen.is_empty() && !own.is_empty() {
        let only: Vec<String> = curve.only.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
        let message = format!("no training of stage `{}` has {}", curve.stage, only.join(" "));
        return Some(Problem::at(place.clone(), message).hint("`only` names labels of one configuration"));
    }
    let pooled = Pooled::find(&chosen)?;
    let problem = Problem::at(place.clone(), format!("the curve `{}` {}", curve.label, pooled.message()));
    Some(problem.hint(pooled.way_out("name in `only`")))
}

#[cfg(test)]
mod tests {
    use crate::manifest::testing;

    /// The problems of a curve with additional settings, over trainings of two networks.
    fn problems(only: &str) -> Vec<String> {
        let text = format!(
            "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\ngo.atari-go = {{ size = 5 }}\n[agents]\n\
             naive.naive = {{}}\nN-1.naive = {{}}\nsmall.net = {{ network.mdrnn.units = 3 }}\n\
             large.net = {{ network.mdrnn.units = 4 }}\n[stages.train]\nsweep = {{ agent = [\"small\", \"large\"] }}\n\
             train.cma-es = {{ game = \"go\", agent = \"small\", opponent = \"naive\" }}\n\
             [stages.league]\nplay.tournament = {{ game = \"go\", players = [\"naive\", \"N-1\"], games = 2 }}\n\
             [[exhibit]]\nshow.progress = {{ stage = \"league\", anchor = \"naive\", curves = [{{ label = \"N\", \
             stage = \"train\", prefix = \"N-\"{only} }}] }}\n"
        );
        testing::problems(&text)
    }

    #[test]
    fn a_curve_is_of_one_training() {
        assert_eq!(problems(", only = { agent = \"small\" }"), [""; 0]);
        let none = problems(", only = { agent = \"tiny\" }");
        assert_eq!(none, ["no training of stage `train` has agent=tiny"]);
        let both = problems("").join("");
        assert!(both.starts_with("the curve `N` would take two configurations for one: `train "), "{both}");
    }
}
