//! Checks: a claim of equivalence judges games between a player and its opponent; the number of the games behind a claim is
//! fixed.

use super::config::Config;
use super::showable::has;
use crate::manifest::text::source::{Problem, Span};
use gauntlet_exhibits::Need;
use gauntlet_jobs::JobSpec;
use gauntlet_play::arena::PlaySpec;

/// Checks the judged runs of such a claim.
pub(super) fn check_equivalent(judged: &[&Config], place: &Span) -> Result<(), Problem> {
    for config in judged {
        let Some(spec) = config.sound_spec() else { continue };
        let stage = &config.stage;
        if !has(Need::Score, spec) {
            let message = format!("a claim with `equivalent` needs {}, not those of `{stage}`", Need::Score.words());
            return Err(
                Problem::at(place.clone(), message).hint("show a stage with games of a player and its opponent")
            );
        }
    }
    Ok(())
}

/// Checks that no results end the matches whose mean decides a claim.
pub(super) fn check_lengths<'a>(judged: impl Iterator<Item = &'a &'a Config>, place: &Span) -> Result<(), Problem> {
    let mut specs = judged.filter_map(|config| Some((&config.stage, config.sound_spec()?)));
    let Some((stage, _)) = specs.find(|(_, spec)| is_sequential(spec)) else { return Ok(()) };
    let message = format!("the matches of stage `{stage}` end by their results, which biases a claim on their mean");
    Err(Problem::at(place.clone(), message).hint("leave `sprt` out of these matches, or the claim"))
}

fn is_sequential(spec: &JobSpec) -> bool {
    matches!(spec, JobSpec::Play(PlaySpec::Match(job)) if job.sprt.is_some())
}

#[cfg(test)]
mod tests {
    use crate::manifest::testing;

    fn problems(stage: &str, show: &str) -> Vec<String> {
        let text = format!(
            "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n[games]\ngo.atari-go = {{ size = 5 }}\n[agents]\n\
             naive.naive = {{}}\nnet.net = {{ network.mdrnn.units = 3 }}\n[stages.s]\n{stage}\n\
             [[exhibit]]\nshow.{show}\n[[exhibit.success]]\nclaim = \"as strong\"\nof = {{}}\nequivalent.margin = 15\n"
        );
        testing::problems(&text)
    }

    #[test]
    fn equivalence_needs_games_of_a_fixed_number() {
        let players = "game = \"go\", agent = \"naive\", opponent = \"naive\", games = 8";
        let means = "means = { stage = \"s\", rows = [\"agent\"] }";
        for kind in ["play.match", "measure.fitness"] {
            assert_eq!(problems(&format!("{kind} = {{ {players} }}"), means), [""; 0], "{kind}");
        }
        assert_eq!(
            problems(&format!("play.match = {{ {players}, sprt = {{ elo0 = 0, elo1 = 50 }} }}"), means),
            ["the matches of stage `s` end by their results, which biases a claim on their mean"]
        );
        assert_eq!(
            problems(
                "train.cma-es = { game = \"go\", agent = \"net\", opponent = \"naive\" }",
                "curves = { stage = \"s\", curves = [\"agent\"] }"
            ),
            ["a claim with `equivalent` needs mean results (`play.match`, `measure.fitness`), not those of `s`"]
        );
    }
}
