//! The versions of an agent in a manifest, with the results that the store has.

use super::errors::Misuse;
use super::options::Options;
use super::plans::{Planned, directory_of};
use gauntlet_exhibits::{Show, VersionTree, Versions};
use gauntlet_plan::manifest::reader::read;
use gauntlet_play::players::PlayerSpec;
use gauntlet_report::facts::Facts;

/// The first exhibit of versions.
///
/// # Errors
/// If the manifest has none.
pub fn versions(planned: &Planned) -> anyhow::Result<&Versions> {
    let exhibits = &planned.plan.written.exhibits;
    let found = exhibits.iter().find_map(|exhibit| match &exhibit.show {
        Show::Versions(versions) => Some(versions),
        _ => None,
    });
    found.ok_or_else(|| {
        let message = format!("{} shows no versions of an agent", planned.name);
        Misuse::new(message, "add an [[exhibit]] with `show.versions`; experiments/ladder.toml is an example")
    })
}

/// The versions with the results in the store.
///
/// # Errors
/// If the store cannot be read.
pub fn version_tree(options: &Options, planned: &Planned, versions: &Versions) -> anyhow::Result<VersionTree> {
    let store = options.look()?;
    let batch = options.batch([planned], &store)?;
    let (results, _) = batch.results(&store)?;
    let facts = Facts::of(&planned.plan, batch.places[0].iter().map(|&place| results[place].as_ref()));
    Ok(versions.tree(facts.frame()))
}

/// An agent of the manifest by its name; an engine starts where the manifest is.
#[must_use]
pub fn agent(planned: &Planned, name: &str) -> Option<PlayerSpec> {
    // A manifest with mistakes has no plan.
    let mut player = read::<PlayerSpec>(planned.plan.written.agents.get(name)?, &mut Vec::new())?;
    player.locate_program(&directory_of(&planned.name));
    Some(player)
}
