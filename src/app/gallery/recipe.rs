//! The tables of single runs in a gallery, and the plans that make them: from the provenance on the page, or without a
//! page from the table itself.

use std::path::{Path, PathBuf};

use crate::app::library::natural;
use crate::app::options::Options;
use crate::app::plans::Planned;
use gauntlet_games::base::files::{LARGEST_NOTE, read_text};
use gauntlet_games::base::visible;
use gauntlet_nets::nets::deep::{Precision, is_card};
use gauntlet_plan::manifest::written::CUSTOM;
use gauntlet_report::published_runs::{PublishedRun, parse};

/// A table of runs with the plan that makes it.
pub struct PublishedTable {
    /// Its path below the gallery.
    pub name: String,
    /// The plan of its manifest today.
    pub planned: Planned,
    /// Its runs.
    pub runs: Vec<PublishedRun>,
}

/// The recipe of a table: the options of the command that made it.
pub(super) struct Recipe {
    manifest: String,
    /// None for the default one.
    profile: Option<String>,
    set: Vec<(String, String)>,
    seeds: Option<String>,
    only: Vec<String>,
    /// Whether it ran on a card, and the precision.
    on_card: bool,
    precision: Precision,
}

/// The tables below a gallery, `<paper>/<profile>/runs/*.csv`, in order.
pub fn paths(gallery: &Path) -> Vec<PathBuf> {
    let below = |directory: &Path| {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort_by_cached_key(|path| natural(&path.to_string_lossy()));
        paths
    };
    let reports = below(gallery).into_iter().flat_map(|family| below(&family));
    let files = reports.flat_map(|report| below(&report.join("runs")));
    files.filter(|path| path.extension().is_some_and(|ending| ending == "csv")).collect()
}

/// Reads a table and plans its manifest. Tables that cannot be made here are skipped with a message; tables that are
/// not `wanted` are skipped without one.
pub fn read(
    options: &Options,
    (gallery, path): (&Path, &Path),
    wanted: &[String],
    note: &mut dyn FnMut(String),
) -> Option<PublishedTable> {
    let name = path.strip_prefix(gallery).unwrap_or(path).to_string_lossy().into_owned();
    let mut left_out = |reason: &str| note(format!("{} is left out: {reason}", visible(&name)));
    let Some(runs) = read_text(path, LARGEST_NOTE).ok().as_deref().and_then(parse) else {
        left_out("it is not a table of runs");
        return None;
    };
    let manifest = runs.first()?.manifest.clone();
    let is_named = |wanted: &String| manifest == *wanted || manifest.starts_with(&format!("{wanted}/"));
    if !wanted.is_empty() && !wanted.iter().any(is_named) {
        return None;
    }
    let recipe = Recipe::of(path, &manifest)?;
    if let Some(reason) = recipe.misfit(&options.own_class) {
        left_out(&reason);
        return None;
    }
    let planned = match recipe.plan(options, &manifest) {
        Ok(planned) => planned,
        Err(error) => {
            left_out(&error.to_string());
            return None;
        }
    };
    if let Some(file) = planned.plan.missing_input() {
        left_out(&format!("it reads `{file}`; --data names the directory that holds it"));
        return None;
    }
    Some(PublishedTable { name, planned, runs })
}

/// The pages of a report that link to its table of runs at `path`, in order.
pub fn linking_pages(path: &Path) -> Vec<String> {
    let link = format!("(runs/{})", path.file_name().unwrap_or_default().to_string_lossy());
    let report = path.parent().and_then(Path::parent);
    let entries = report.and_then(|report| std::fs::read_dir(report).ok()).into_iter().flatten().flatten();
    let pages = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let texts = pages.filter_map(|page| read_text(&page, LARGEST_NOTE).ok());
    let mut linking: Vec<String> = texts.filter(|text| text.contains(&link)).collect();
    linking.sort();
    linking
}

impl Recipe {
    fn new(manifest: String, profile: Option<String>) -> Recipe {
        let (set, seeds, only) = (Vec::new(), None, Vec::new());
        Recipe { manifest, profile, set, seeds, only, on_card: false, precision: Precision::default() }
    }

    /// The reason why a table of a card cannot be made here.
    fn misfit(&self, class: &str) -> Option<String> {
        let fits = !self.on_card || is_card(class) && Precision::of_class(class) == self.precision;
        let way = format!("it was made on a card: add --device cuda --precision {}", self.precision.word());
        (!fits).then_some(way)
    }

    /// The recipe of the table at `path`: from the page that links to it, or else from its directory.
    fn of(path: &Path, manifest: &str) -> Option<Recipe> {
        let report = path.parent()?.parent()?;
        let (profile, manifest) = (report.file_name()?.to_string_lossy().into_owned(), manifest.to_owned());
        let mut recipe = Recipe::new(manifest, named(profile));
        linking_pages(path)
            .first()
            .and_then(|text| Recipe::command(text))
            .iter()
            .for_each(|command| recipe.read(command));
        Some(recipe)
    }

    /// The command on a page.
    pub(super) fn command(page: &str) -> Option<&str> {
        Some(page.split_once("Made by `")?.1.split_once('`')?.0)
    }

    /// The recipe on a page of a profile, and the name of its manifest.
    pub(super) fn of_page(page: &str, profile: &str) -> Option<(Recipe, String)> {
        let mut recipe = Recipe::new(String::new(), named(profile.to_owned()));
        recipe.read(Recipe::command(page)?);
        let file = recipe.manifest.strip_prefix("experiments/").unwrap_or(&recipe.manifest);
        let name = file.strip_suffix(".toml").unwrap_or(file).to_owned();
        Some((recipe, name))
    }

    /// Adds the options of a command: `gauntlet run NAME --profile laptop --set 'a=b'`.
    fn read(&mut self, command: &str) {
        let mut words = words(command).into_iter().skip(2);
        self.manifest = words.next().unwrap_or_default();
        while let (Some(option), Some(value)) = (words.next(), words.next()) {
            match (option.as_str(), value.split_once('=')) {
                ("--profile", _) => self.profile = named(value),
                ("--seeds", _) => self.seeds = Some(value),
                ("--only", _) => self.only.push(value),
                ("--device", _) => self.on_card = value.starts_with("cuda"),
                ("--precision", _) => self.precision = value.parse().unwrap_or_default(),
                ("--set", Some((key, value))) => self.set.push((key.to_owned(), value.to_owned())),
                _ => {}
            }
        }
    }

    /// The plan of the current manifest, under its own name or under the name in the command.
    pub(super) fn plan(self, options: &Options, name: &str) -> anyhow::Result<Planned> {
        let Recipe { manifest, profile, set, seeds, only, .. } = self;
        let options = Options { set, seeds, only, ..options.at_profile(profile.as_deref()) };
        let called = manifest.strip_prefix("experiments/").and_then(|path| path.strip_suffix(".toml"));
        options.planned(name).or_else(|error| {
            let other = called.filter(|called| *called != name).map_or(manifest.clone(), str::to_owned);
            if other == name { Err(error) } else { options.planned(&other) }
        })
    }
}

/// A profile of a manifest: `custom` is the result of changes.
fn named(profile: String) -> Option<String> {
    Some(profile).filter(|profile| profile != CUSTOM)
}

/// The words of a command; some are in single quotes.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for letter in command.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            letter => word.push(letter),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_says_how_a_table_was_made() {
        let profile = named("custom".to_owned());
        let mut recipe = Recipe::new("a/b".to_owned(), profile);
        recipe.read("gauntlet run experiments/a/b.toml --profile laptop --set 'x.y=[1, 2]' --only 'game=go' --seeds 3");
        assert_eq!((recipe.manifest.as_str(), recipe.profile.as_deref()), ("experiments/a/b.toml", Some("laptop")));
        assert_eq!(recipe.set, [("x.y".to_owned(), "[1, 2]".to_owned())]);
        assert_eq!((recipe.seeds.as_deref(), &*recipe.only), (Some("3"), &["game=go".to_owned()][..]));
        assert_eq!(recipe.misfit("cpu-x86_64-avx512"), None);
    }

    #[test]
    fn a_table_of_a_card_is_made_on_a_card() {
        let mut recipe = Recipe::new("a/b".to_owned(), None);
        recipe.read("gauntlet run experiments/a/b.toml --profile wide --device cuda --precision bf16");
        assert_eq!(recipe.misfit("cuda-nvidia-h200-bf16"), None);
        for class in ["cpu-x86_64-avx512", "cuda-nvidia-h200"] {
            let reason = recipe.misfit(class).unwrap();
            assert_eq!(reason, "it was made on a card: add --device cuda --precision bf16", "{class}");
        }
        recipe.read("gauntlet run experiments/a/b.toml --device cuda --precision f32");
        assert_eq!(recipe.misfit("cuda-nvidia-h200"), None);
    }
}
