//! Check: the jobs of a stage have the results that an exhibit shows.

use super::config::Config;
use super::problem_set::ProblemSet;
use crate::manifest::read::exhibit::Exhibit;
use crate::manifest::read::written::shown;
use crate::manifest::text::source::Problem;
use crate::manifest::text::tree::Node;
use gauntlet_exhibits::Need;
use gauntlet_jobs::JobSpec;
use gauntlet_play::arena::PlaySpec;
use gauntlet_play::learning::TrainSpec;
use gauntlet_play::measure::MeasureSpec;

/// Checks that no stage of an exhibit consists of jobs without the results that it shows.
pub(super) fn check_showable(exhibit: &Exhibit, node: &Node, configs: &[&Config], found: &mut ProblemSet<'_>) {
    for (stage, needs) in exhibit.show.about().stages {
        let is_met = |spec: &JobSpec| needs.is_empty() || needs.iter().any(|need| has(*need, spec));
        let mut own = configs.iter().filter(|config| config.stage == stage);
        if own.any(|config| config.sound_spec().is_some_and(|spec| !is_met(spec))) {
            let mut wanted: Vec<&str> = needs.iter().map(|need| need.words()).collect();
            wanted.dedup();
            let message = format!("the exhibit shows {}, and stage `{stage}` has none", wanted.join(" or "));
            let is_solved = configs.iter().filter(|config| config.stage == stage).all(|config| {
                config.sound_spec().is_some_and(|spec| needs.contains(&Need::Score) && has(Need::Optimality, spec))
            });
            let hint = match is_solved {
                true => "say which of its numbers: `values = [\"optimal\"]`",
                false => {
                    "name another stage, or choose the exhibit by the stage's jobs: `gauntlet explain exhibit` lists all"
                }
            };
            found.add(Problem::at(shown(node, stage), message).hint(hint));
        }
    }
}

/// Whether a job has a result.
pub(super) fn has(need: Need, spec: &JobSpec) -> bool {
    match need {
        Need::Score => is_match(spec) || matches!(spec, JobSpec::Measure(MeasureSpec::Fitness(_))),
        Need::Optimality => matches!(spec, JobSpec::Measure(MeasureSpec::Optimal(_))),
        Need::Match | Need::Colours => is_match(spec),
        Need::Meetings => matches!(spec, JobSpec::Play(_)) || has_panel(spec),
        Need::Panel => has_panel(spec),
        Need::Games => matches!(spec, JobSpec::Play(_)),
        Need::Effort => matches!(spec, JobSpec::Train(TrainSpec::AlphaZero(_) | TrainSpec::External(_))),
        Need::Operations => matches!(spec, JobSpec::Train(TrainSpec::AlphaZero(_))),
        Need::Checkpoints => matches!(spec, JobSpec::Train(_)),
        Need::Fitness => matches!(spec, JobSpec::Train(TrainSpec::Cmaes(_))),
        Need::Tuned => matches!(spec, JobSpec::Train(TrainSpec::Spsa(_))),
        Need::Skill => spec.evaluation().is_some(),
        Need::Embeddings => matches!(spec, JobSpec::Measure(MeasureSpec::Embeddings(_))),
        Need::Ladder => matches!(spec, JobSpec::Measure(MeasureSpec::Ladder(_))),
        Need::Hours => matches!(spec, JobSpec::Measure(MeasureSpec::Hours(_))),
    }
}

/// Whether it is a training whose evaluations have a panel.
fn has_panel(spec: &JobSpec) -> bool {
    !spec.panel().is_empty()
}

fn is_match(spec: &JobSpec) -> bool {
    matches!(spec, JobSpec::Play(PlaySpec::Match(_)))
}

#[cfg(test)]
mod tests {
    use crate::manifest::testing;

    /// The problems of an exhibit over a stage that evolves, one that trains by self-play, and one that measures.
    fn problems(show: &str) -> Vec<String> {
        let text = format!(
            "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\ngo.atari-go = {{ size = 5 }}\n[agents]\n\
             naive.naive = {{}}\nnet.net = {{ network.mdrnn.units = 3 }}\n\
             saz.guided = {{ network.saz = {{ hidden = 4 }} }}\n\
             [stages.evolve]\ntrain.cma-es = {{ game = \"go\", agent = \"net\", opponent = \"naive\" }}\n\
             [stages.learn]\ntrain.alpha-zero = {{ game = \"go\", agent = \"saz\" }}\n\
             [stages.fitness]\nmeasure.fitness = {{ game = \"go\", agent = \"naive\", opponent = \"naive\", games = 2 }}\n\
             [[exhibit]]\nshow.{show}\n"
        );
        testing::problems(&text)
    }

    #[test]
    fn an_exhibit_shows_what_its_stage_leaves() {
        for (show, other, wanted) in [
            ("means = { stage = \"fitness\", rows = [\"agent\"] }", "evolve", "shows mean results"),
            ("curves = { stage = \"evolve\", curves = [\"agent\"] }", "fitness", "shows the fitness of generations"),
            ("curves = { stage = \"evolve\", curves = [\"agent\"] }", "learn", "shows the fitness of generations"),
            (
                "means = { stage = \"learn\", rows = [\"agent\"], values = [\"games\"] }",
                "evolve",
                "what trainings took",
            ),
        ] {
            assert_eq!(problems(show), [""; 0], "{show}");
            let stage = show.split('"').nth(1).unwrap();
            let found = problems(&show.replace(stage, other)).join("");
            assert!(found.contains(wanted) && found.ends_with(&format!("stage `{other}` has none")), "{found}");
        }
        for show in ["ratings", "crosstable", "win-matrix", "score-matrix", "embeddings"] {
            let found = problems(&format!("{show} = {{ stage = \"fitness\" }}")).join("");
            assert!(found.ends_with("and stage `fitness` has none"), "{show}: {found}");
        }
        let found = problems("curves = { stage = \"learn\", curves = [\"agent\"], of = \"skill\" }").join("");
        assert!(found.contains("`train.alpha-zero` with `settings.evaluation`"), "{found}");
    }
}
