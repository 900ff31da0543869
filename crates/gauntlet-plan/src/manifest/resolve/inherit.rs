//! Inheritance of game, players and labels from upstream trainings by a job template.

use std::sync::Arc;

use super::template::{Labels, TrainedPlayer, content, content_mut};
use crate::manifest::read::upstream::Upstream;
use crate::manifest::text::tree::{Entry, Table};

/// Puts trained players into the open roles of the job, except the `leading` one, and labels them. Entrants are
/// inserted by their names elsewhere.
pub fn put_in(job: &mut Table, trained: &[TrainedPlayer<'_>], leading: Option<&str>) -> Labels {
    let mut labels = Labels::new();
    for player in trained.iter().filter(|player| leading.is_some_and(|leading| leading != player.name)) {
        let own = content_mut(job);
        if let (None, Some(node)) = (own.get(player.name), player.agent.clone()) {
            let (_, key_span) = player.upstream.stage.clone();
            own.insert(Entry { key: player.name.into(), key_span, node });
            labels.extend(player.label.clone().map(|label| (player.name.into(), label)));
        }
    }
    labels
}

/// Inherits from the training of an upstream: its game and opponent if this stage names none; its agent, trained, in a
/// role; and their labels, under this job's keys.
pub fn inherit(job: &mut Table, upstream: &Upstream, role: Option<&str>, before: &Table, labels: &Labels) -> Labels {
    let own = content_mut(job);
    let named: Vec<String> = own.keys().map(str::to_owned).collect();
    for key in ["game", "opponent", "agent"] {
        let entry = content(before).and_then(|before| before.entry(key));
        if let (Some(place), Some(entry)) = (place_of(key, role), entry)
            && own.get(place).is_none()
        {
            own.insert(Entry { key: place.into(), ..entry.clone() });
        }
    }
    // A named player becomes trained after its own name is resolved.
    if let (None, Some(agent)) = (&upstream.player, own.entry("agent").filter(|_| role.is_some()).cloned()) {
        own.insert(Entry { node: upstream.trained(&agent.node), ..agent });
    }
    let trains = job.tagged().is_some_and(|(kind, _)| &*kind.key == "train");
    let label = |(axis, label): &(Arc<str>, Arc<str>)| {
        let (head, rest) = axis.split_at(axis.find('.').unwrap_or(axis.len()));
        // The axes of a tournament's players distinguish its cells, although their names are not known here.
        let place = if role.is_none() { head } else { place_of(head, role)? };
        let axis = if place == head { axis.clone() } else { format!("{place}{rest}").into() };
        match named.iter().any(|name| name == place) {
            false => Some((axis, label.clone())),
            // A label of the stage's own value does not describe the training that it continues.
            true => trains.then(|| (format!("trained.{axis}").into(), label.clone())),
        }
    };
    labels.iter().filter_map(label).collect()
}

/// The key that a key of a training gets if its agent plays a role; `None` if it is not inherited.
fn place_of<'k>(key: &'k str, role: Option<&'k str>) -> Option<&'k str> {
    match (key, role) {
        ("agent", role) => role,
        ("opponent", Some("agent")) => Some("opponent"),
        ("opponent", _) => None,
        _ => Some(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::read::upstream::read_upstreams;
    use crate::manifest::text::parse::parse;
    use crate::manifest::text::source::Sources;
    use crate::manifest::text::tree::Value;

    fn tree(text: &str) -> Table {
        parse(&mut Sources::default(), "test.toml", text).0
    }

    const TRAINING: &str = "train.cma-es = { game = { gomoku = { size = 9 } }, opponent = { naive = {} }, \
        agent = { net = { k = 3 } }, sigma = 1 }";

    /// The job and its labels as text if the training's agent plays a role.
    fn taken(job: &str, from: &str, role: Option<&str>) -> (String, String) {
        let labels = [("game", "g"), ("game.size", "9"), ("opponent", "n"), ("agent.k", "3"), ("sigma", "1")];
        let labels: Labels = labels.map(|(axis, label)| (axis.into(), label.into())).into();
        let (mut job, from) = (tree(job), tree(from));
        let upstream = &read_upstreams(from.get("from").unwrap(), &mut Vec::new()).unwrap()[0];
        let labels = inherit(&mut job, upstream, role, &tree(TRAINING), &labels);
        let labels: Vec<String> = labels.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
        (Value::Table(job).label(), labels.join(" "))
    }

    #[test]
    fn a_stage_takes_over_what_it_does_not_name() {
        let (job, labels) = taken("measure.fitness = { game = \"p\" }", "from = \"train\"", Some("agent"));
        assert_eq!(job, "measure fitness game p opponent naive agent net k 3 weights trained");
        assert_eq!(labels, "opponent=n agent.k=3 sigma=1");
    }

    #[test]
    fn a_training_tells_its_own_axes_from_those_of_the_one_before() {
        let (job, labels) = taken("train.cma-es = { game = \"p\", sigma = 2 }", "from = \"train\"", Some("agent"));
        assert_eq!(job, "train cma-es game p sigma 2 opponent naive agent net k 3 weights trained");
        assert_eq!(labels, "trained.game=g trained.game.size=9 opponent=n agent.k=3 trained.sigma=1");
    }

    #[test]
    fn a_trained_opponent_brings_its_labels_and_no_opponent_of_its_own() {
        let (job, labels) =
            taken("play.match = { agent = \"n\" }", "from = { opponent = \"train\" }", Some("opponent"));
        assert_eq!(job, "play match agent n game gomoku size 9 opponent net k 3");
        assert_eq!(labels, "game=g game.size=9 opponent.k=3 sigma=1");
    }

    #[test]
    fn a_tournament_takes_over_the_game_and_nobody() {
        let (job, labels) = taken("play.tournament = { games = 2 }", "from = \"train\"", None);
        assert_eq!(job, "play tournament games 2 game gomoku size 9");
        assert_eq!(labels, "game=g game.size=9 opponent=n agent.k=3 sigma=1");
    }
}
