//! `gauntlet explain`: the keys of manifests, and of the files that jobs write. The text is generated from the types
//! that read and write them.

mod files;
mod ludemes;
mod network;
mod onnx_file;
mod place;
mod reference;
mod render;
mod tables;
mod tensors;
mod text;
mod weights;
mod weights_file;

use clap::Args;
use serde_json::json;

use super::output::{Misuse, result, table, visible};
use super::{Exit, Flags, output};
pub use files::files;
use gauntlet_plan::manifest::source::nearest;
use reference::{Reference, Topic};
pub use text::wrapped;

/// Explain the keys of manifests, the columns and keys of result files, the ludemes of games, and the tensors of
/// networks: type, default, meaning, and the value in the paper
#[derive(Debug, Args)]
pub struct Explain {
    /// A topic, a key, a ludeme, a network or a file of weights: train.alpha-zero, simulations, result.json, runs.csv,
    /// ludemes, "move Add", "weights saz", my.safetensors; without one, all topics are listed
    #[arg(value_name = "TOPIC")]
    topic: Option<String>,
    /// Explain everything
    #[arg(long, conflicts_with = "topic")]
    all: bool,
}

/// Synonyms of section names.
const SYNONYMS: [(&str, &str); 8] = [
    ("game", "games"),
    ("agent", "agents"),
    ("player", "agents"),
    ("players", "agents"),
    ("opponent", "agents"),
    ("stage", "stages"),
    ("variants", "variant"),
    ("exhibits", "exhibit"),
];

/// The topics whose explanations are no keys.
const OTHERS: [(&str, &str); 2] = [(ludemes::TOPIC, ludemes::ABOUT), (weights::TOPIC, weights::ABOUT)];

impl Explain {
    /// Prints the topic, or all topics.
    ///
    /// # Errors
    /// If the topic does not exist.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let (manifest, files) = (gauntlet_plan::manifest::reference(), files());
        let reference = Reference::new(&manifest, &files);
        let Some(topic) = &self.topic else {
            let all: Vec<&Topic<'_>> = reference.topics.iter().collect();
            match self.all {
                true => {
                    show(&reference, &all, flags);
                    if !flags.json {
                        show_ludemes(ludemes::TOPIC, flags);
                        result(&format!("\n{}", weights::overview()));
                    }
                }
                false => list(&reference, flags),
            }
            return Ok(Exit::Done);
        };
        if topic.starts_with(ludemes::TOPIC) && show_ludemes(topic, flags) {
            return Ok(Exit::Done);
        }
        if show_weights(topic, flags)? {
            return Ok(Exit::Done);
        }
        let topic = SYNONYMS.iter().find(|(word, _)| word == topic).map_or(topic.as_str(), |(_, name)| name);
        match (&reference.named(topic)[..], &reference.keys(topic)[..]) {
            ([], []) if show_ludemes(topic, flags) => {}
            ([], []) => return Err(unknown(topic, &reference)),
            ([], keys) => match flags.json {
                true => output::json(&keys.iter().map(|(topic, keys)| render::json(topic, keys)).collect::<Vec<_>>()),
                false => keys.iter().for_each(|(topic, keys)| result(&render::found(topic, keys))),
            },
            (topics, _) => show(&reference, &with_parts(topics, &reference), flags),
        }
        Ok(Exit::Done)
    }
}

/// Prints the ludemes that a topic names; returns whether there are any.
fn show_ludemes(topic: &str, flags: &Flags) -> bool {
    let found = ludemes::named(topic);
    if !found.is_empty() {
        match flags.json {
            true => output::json(&found.iter().map(ludemes::json).collect::<Vec<_>>()),
            false => result(&ludemes::page(&found, topic == ludemes::TOPIC)),
        }
    }
    !found.is_empty()
}

/// Prints what a topic on weights names; returns whether it is one.
fn show_weights(topic: &str, flags: &Flags) -> anyhow::Result<bool> {
    let found = match weights_file::explained(topic)?.or(onnx_file::explained(topic)?) {
        None => weights::explained(topic)?,
        found => found,
    };
    if let Some((text, value)) = &found {
        match flags.json {
            true => output::json(value),
            false => result(text),
        }
    }
    Ok(found.is_some())
}

/// Topics, each file followed by its parts.
fn with_parts<'r, 'a>(topics: &[&'r Topic<'a>], reference: &'r Reference<'a>) -> Vec<&'r Topic<'a>> {
    let is_part =
        |topic: &Topic<'_>, other: &Topic<'_>| topic.is_file() && other.path.starts_with(&format!("{}.", topic.path));
    let parts = |topic: &&'r Topic<'a>| {
        let topic = *topic;
        std::iter::once(topic).chain(reference.topics.iter().filter(move |other| is_part(topic, other)))
    };
    topics.iter().flat_map(parts).collect()
}

fn show<'a>(reference: &Reference<'a>, topics: &[&Topic<'a>], flags: &Flags) {
    let entries = |topic: &Topic<'a>| reference.entries(topic.place);
    match flags.json {
        true => output::json(&topics.iter().map(|topic| render::json(topic, &entries(topic))).collect::<Vec<_>>()),
        false => {
            let pages: Vec<String> = topics.iter().map(|topic| render::topic(topic, &entries(topic))).collect();
            result(&pages.join("\n"));
        }
    }
}

/// All topics with a line for each.
fn list(reference: &Reference<'_>, flags: &Flags) {
    let about = |topic: &Topic<'_>| text::paragraphs(topic.about).into_iter().next().unwrap_or_default();
    if flags.json {
        let topics = reference.topics.iter().map(|topic| json!({ "topic": topic.path, "about": about(topic) }));
        let others = OTHERS.map(|(topic, about)| json!({ "topic": topic, "about": about }));
        return output::json(&topics.chain(others).collect::<Vec<_>>());
    }
    let topics = reference.topics.iter().map(|topic| vec![topic.path.clone(), about(topic)]);
    let others = OTHERS.map(|(topic, about)| vec![topic.to_owned(), about.to_owned()]);
    result(&table(&["topic", "what it is"], topics.chain(others)));
    result(
        "\n`gauntlet explain TOPIC` explains its keys; any key can be asked for, too: `gauntlet explain simulations`",
    );
}

fn unknown(topic: &str, reference: &Reference<'_>) -> anyhow::Error {
    let words: Vec<String> = reference.words().into_iter().chain(ludemes::names()).chain(weights::names()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let last = topic.rsplit('.').next().unwrap_or(topic);
    let hint = match nearest(topic, &words).or_else(|| nearest(last, &words)) {
        Some(near) if near.contains(' ') => format!("did you mean `gauntlet explain \"{near}\"`?"),
        Some(near) => format!("did you mean `gauntlet explain {near}`?"),
        None => "`gauntlet explain` lists all topics".to_owned(),
    };
    Misuse::new(format!("there is nothing called `{}` to explain", visible(topic)), hint)
}
