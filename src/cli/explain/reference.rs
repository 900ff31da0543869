//! The reference: every table of the manifest language and of the files of jobs as a topic, with its keys.

use std::collections::HashMap;

use super::place::{Alternative, Place, TableKey};

/// Settings with sections of their own.
const HOMES: [(&str, &str); 2] = [("GameSpec", "games"), ("PlayerSpec", "agents")];

/// All topics, in reading order.
pub struct Reference<'a> {
    /// The topics.
    pub topics: Vec<Topic<'a>>,
    /// The topics that explain the choices of a type.
    homes: HashMap<&'a str, String>,
}

/// A table or a choice with a name.
#[derive(Debug, Clone)]
pub struct Topic<'a> {
    /// Its dotted path: `train.alpha-zero`.
    pub path: String,
    /// Its description.
    pub about: &'a str,
    /// Its content.
    pub place: Place<'a>,
}

/// A key of a topic, or of a table in it.
#[derive(Debug, Clone)]
pub struct ManifestKey<'a> {
    /// Its dotted path within the topic.
    pub path: String,
    /// The key.
    pub key: TableKey<'a>,
    /// The topic that explains its choices, if these are more than words.
    pub see: Option<String>,
}

impl Topic<'_> {
    /// Whether it belongs to a file that this program writes, and not to a manifest.
    #[must_use]
    pub fn is_file(&self) -> bool {
        [".json", ".csv"].iter().any(|ending| self.path.contains(ending))
    }
}

impl<'a> Reference<'a> {
    /// The reference of the manifest language and of files, both as schemas.
    #[must_use]
    pub fn new(manifest: &'a serde_json::Value, files: &'a serde_json::Value) -> Reference<'a> {
        let homes = HOMES.map(|(name, home)| (name, home.to_owned())).into();
        let mut reference = Reference { topics: Vec::new(), homes };
        let root = Place::new(manifest, manifest);
        reference.topics.push(Topic { path: "manifest".to_owned(), about: "The keys of a manifest.", place: root });
        let each = |name: &str| root.property(name).and_then(|place| Some((place.about(), place.each()?.1)));
        for name in ["games", "agents"] {
            each(name).into_iter().for_each(|(about, place)| reference.add(name, about, place));
        }
        if let Some((about, stage)) = each("stages") {
            reference.topics.push(Topic { path: "stages".to_owned(), about, place: stage });
            for name in ["play", "train", "measure"] {
                stage.property(name).into_iter().for_each(|place| reference.add(name, place.about(), place));
            }
        }
        for name in ["variant", "exhibit", "paper", "suite", "cluster"] {
            let section = root.property(name).map(|place| (place.about(), place));
            each(name).or(section).into_iter().for_each(|(about, place)| reference.add(name, about, place));
        }
        for file in Place::new(files, files).keys() {
            reference.add(file.name, file.place.about(), file.place);
        }
        reference
    }

    /// Adds a topic and those of its choices.
    fn add(&mut self, path: &str, about: &'a str, place: Place<'a>) {
        let about = if about.is_empty() { place.about() } else { about };
        self.topics.push(Topic { path: path.to_owned(), about, place });
        self.add_choices(path, place);
        for entry in self.entries(place) {
            let place = content(entry.key.place);
            let home = place.named_type().filter(|_| has_settings(place));
            if let Some(name) = home.filter(|name| !self.homes.contains_key(name)) {
                let path = format!("{path}.{}", entry.path);
                self.homes.insert(name, path.clone());
                self.add_choices(&path, place);
            }
        }
    }

    fn add_choices(&mut self, path: &str, place: Place<'a>) {
        for Alternative { name, about, content } in place.alternatives() {
            let Some(content) = content else { continue };
            self.add(&format!("{path}.{name}"), about, content);
        }
    }

    /// The keys of a topic, each followed by those of its table.
    pub fn entries(&self, place: Place<'a>) -> Vec<ManifestKey<'a>> {
        let mut entries = Vec::new();
        self.collect("", place, &mut Vec::new(), &mut entries);
        entries
    }

    fn collect(&self, prefix: &str, place: Place<'a>, above: &mut Vec<&'a str>, entries: &mut Vec<ManifestKey<'a>>) {
        for key in place.keys() {
            let path = format!("{prefix}{}", key.name);
            let inner = content(key.place);
            let sign = key.place.each().filter(|_| key.place.keys().is_empty()).map_or("", |(sign, _)| sign);
            let name = inner.named_type().unwrap_or_default();
            let see = self.homes.get(name).cloned();
            let is_open = see.is_none() && !has_settings(inner) && !above.contains(&name);
            entries.push(ManifestKey { path: path.clone(), key, see });
            if is_open {
                above.push(name);
                self.collect(&format!("{path}{sign}."), inner, above, entries);
                above.pop();
            }
        }
    }

    /// The topics with this path, or else those whose path ends with it.
    #[must_use]
    pub fn named(&self, path: &str) -> Vec<&Topic<'a>> {
        let tail = format!(".{path}");
        match self.topics.iter().find(|topic| topic.path == path) {
            Some(topic) => vec![topic],
            None => self.topics.iter().filter(|topic| topic.path.ends_with(&tail)).collect(),
        }
    }

    /// The keys whose path below a topic is this one, or ends with it, each with its topic, and followed by the keys
    /// of its table.
    #[must_use]
    pub fn keys(&self, path: &str) -> Vec<(&Topic<'a>, Vec<ManifestKey<'a>>)> {
        let (tail, mut found) = (format!(".{path}"), Vec::new());
        for topic in &self.topics {
            let of_topic = path.strip_prefix(&topic.path).and_then(|rest| rest.strip_prefix('.'));
            let fits = |own: &str| of_topic == Some(own) || own == path || own.ends_with(&tail);
            let entries = self.entries(topic.place);
            let roots: Vec<String> = entries.iter().map(|entry| entry.path.clone()).filter(|own| fits(own)).collect();
            let is_in = |own: &str, root: &str| {
                own.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            let is_below = |own: &str| roots.iter().any(|root| is_in(own, root));
            let wanted: Vec<_> = entries.into_iter().filter(|entry| is_below(&entry.path)).collect();
            if !wanted.is_empty() {
                found.push((topic, wanted));
            }
        }
        found
    }

    /// All words that have an explanation.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let last = |path: &str| path.rsplit('.').next().unwrap_or(path).to_owned();
        let topics = self.topics.iter().flat_map(|topic| [topic.path.clone(), last(&topic.path)]);
        let keys = self.topics.iter().flat_map(|topic| self.entries(topic.place)).map(|entry| last(&entry.path));
        let mut words: Vec<String> = topics.chain(keys).collect();
        words.sort();
        words.dedup();
        words
    }
}

/// The content of a place, or of each item of a list or of a table of names.
fn content(place: Place<'_>) -> Place<'_> {
    match place.each() {
        Some((_, inner)) if place.keys().is_empty() && place.alternatives().is_empty() => inner,
        _ => place,
    }
}

/// Whether this place is a choice of several tags with settings.
fn has_settings(place: Place<'_>) -> bool {
    place.alternatives().iter().filter_map(|choice| choice.content).any(|content| !content.keys().is_empty())
}
