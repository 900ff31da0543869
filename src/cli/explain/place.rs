//! A place in a JSON schema, read through references and alternatives: its keys, its choices and a description of its
//! values.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

/// A place in a schema whose references point into `root`.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    root: &'a Value,
    schema: &'a Value,
}

/// A key of a table.
#[derive(Debug, Clone)]
pub struct TableKey<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value.
    pub place: Place<'a>,
    /// Whether it is mandatory.
    pub is_required: bool,
    /// The value in the paper, from the documentation of the table.
    pub paper: Option<String>,
}

/// One of several words or tags.
#[derive(Debug, Clone)]
pub struct Alternative<'a> {
    /// The word or tag.
    pub name: &'a str,
    /// What it means.
    pub about: &'a str,
    /// Its settings; none for a plain word.
    pub content: Option<Place<'a>>,
}

impl<'a> Place<'a> {
    /// A place whose references point into `root`.
    pub fn new(root: &'a Value, schema: &'a Value) -> Place<'a> {
        Place { root, schema }
    }

    fn at(self, schema: &'a Value) -> Place<'a> {
        Place { schema, ..self }
    }

    /// The place of a top-level property.
    pub fn property(self, name: &str) -> Option<Place<'a>> {
        self.keys().into_iter().find(|key| key.name == name).map(|key| key.place)
    }

    /// The possible values, with references resolved.
    fn parts(self) -> Vec<&'a Map<String, Value>> {
        let Some(table) = self.schema.as_object() else { return Vec::new() };
        let list = |keyword: &str| table.get(keyword).and_then(Value::as_array);
        if let Some(name) = self.type_name() {
            return self.at(&self.root["definitions"][name]).parts();
        }
        match list("allOf").or_else(|| list("anyOf")) {
            Some(parts) => parts.iter().flat_map(|part| self.at(part).parts()).collect(),
            None if table.get("type").is_some_and(|name| name == "null") => Vec::new(),
            None => vec![table],
        }
    }

    /// The definition that is referred to here, apart from names and null.
    pub fn type_name(self) -> Option<&'a str> {
        let found = self.schema.get("$ref").and_then(Value::as_str)?;
        Some(found.trim_start_matches("#/definitions/"))
    }

    /// The definition that is referred to here, possibly as one of several alternatives.
    pub fn named_type(self) -> Option<&'a str> {
        let parts = ["allOf", "anyOf"].into_iter().find_map(|keyword| self.schema.get(keyword)?.as_array());
        self.type_name().or_else(|| parts?.iter().find_map(|part| self.at(part).named_type()))
    }

    /// The description of this place, or else of its type.
    pub fn about(self) -> &'a str {
        self.schema.get("description").and_then(Value::as_str).unwrap_or_else(|| self.about_type())
    }

    /// The description of the type.
    pub fn about_type(self) -> &'a str {
        let named = self.named_type().and_then(|name| self.root["definitions"][name].get("description"));
        let mut parts = self.parts().into_iter().filter(|part| !is_name(part));
        named.or_else(|| parts.find_map(|part| part.get("description"))).and_then(Value::as_str).unwrap_or_default()
    }

    /// The default value.
    pub fn default(self) -> Option<&'a Value> {
        self.schema.get("default").filter(|value| !value.is_null())
    }

    /// The keys of a table; none for other types.
    pub fn keys(self) -> Vec<TableKey<'a>> {
        self.parts().into_iter().flat_map(|part| self.keys_of(part)).collect()
    }

    fn keys_of(self, part: &'a Map<String, Value>) -> Vec<TableKey<'a>> {
        let required = part.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|list| list.iter().any(|key| key == name));
        let papers = super::text::papers(part.get("description").and_then(Value::as_str).unwrap_or_default());
        let properties = part.get("properties").and_then(Value::as_object).into_iter().flatten();
        let key = |(name, schema): (&'a String, &'a Value)| TableKey {
            name,
            place: self.at(schema),
            is_required: is_required(name),
            paper: papers.iter().find(|(key, _)| key == name).map(|(_, text)| text.clone()),
        };
        // The entries of a table of names beside them.
        let entries =
            part.get("additionalProperties").filter(|entries| entries.is_object() && part.contains_key("properties"));
        let entry = |_| TableKey { name: "NAME", place: self.at(&NAMED), is_required: false, paper: None };
        properties.map(key).chain(entries.map(entry)).collect()
    }

    /// The words and tags to choose from; none for other types.
    pub fn alternatives(self) -> Vec<Alternative<'a>> {
        let parts = self.parts().into_iter();
        let choices = parts.filter_map(|part| part.get("oneOf")?.as_array()).flatten();
        choices.flat_map(|choice| self.alternative(choice)).chain(self.parts().into_iter().flat_map(words)).collect()
    }

    fn alternative(self, choice: &'a Value) -> Vec<Alternative<'a>> {
        let about = choice.get("description").and_then(Value::as_str).unwrap_or_default();
        match (choice.get("properties").and_then(Value::as_object), choice.as_object()) {
            (Some(tags), _) => {
                let tag = |(name, content): (&'a String, &'a Value)| Alternative {
                    name,
                    about,
                    content: Some(self.at(content)),
                };
                tags.iter().map(tag).collect()
            }
            (None, Some(word)) => words(word),
            (None, None) => Vec::new(),
        }
    }

    /// The items of a list, or the entries of a table of names, with the symbol that stands for them in a path.
    pub fn each(self) -> Option<(&'static str, Place<'a>)> {
        let of = |part: &'a Map<String, Value>, keyword: &str| part.get(keyword).filter(|found| found.is_object());
        let items = self.parts().into_iter().find_map(|part| of(part, "items")).map(|items| ("[]", self.at(items)));
        let entries = || self.parts().into_iter().find_map(|part| of(part, "additionalProperties"));
        items.or_else(|| entries().map(|entry| (".NAME", self.at(entry))))
    }

    /// A description of the possible values.
    pub fn words(self) -> String {
        let mut words: Vec<String> = Vec::new();
        for part in self.parts() {
            let word = self.words_of(part);
            if !word.is_empty() && !words.contains(&word) {
                words.push(word);
            }
        }
        words.join(", or ")
    }

    fn words_of(self, part: &'a Map<String, Value>) -> String {
        let kind = match part.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().find(|kind| *kind != "null"),
            kind => kind,
        };
        match kind.and_then(Value::as_str).unwrap_or_default() {
            _ if part.contains_key("oneOf") || part.contains_key("enum") || part.contains_key("const") => {
                "one of these".to_owned()
            }
            "string" if is_name(part) => super::text::fragment(part["description"].as_str().unwrap_or_default()),
            "string" => "text".to_owned(),
            "boolean" => "true or false".to_owned(),
            "integer" => range("whole number", part),
            "number" => range("number", part),
            "array" => self.list(part),
            "object" if part.contains_key("properties") => "table".to_owned(),
            "object" => "table of names".to_owned(),
            _ => String::new(),
        }
    }

    fn list(self, part: &'a Map<String, Value>) -> String {
        match part.get("items") {
            Some(Value::Array(items)) => {
                let items: Vec<String> = items.iter().map(|item| self.at(item).words()).collect();
                format!("list of {}", items.join(" and "))
            }
            Some(items) => format!("list, each: {}", self.at(items).words()),
            None => "list".to_owned(),
        }
    }
}

/// The schema of numbers with names of their own, beside the other keys of a table.
static NAMED: LazyLock<Value> =
    LazyLock::new(|| json!({ "type": "number", "description": "A number by a name of its own." }));

/// Whether a text is a name that refers to a definition elsewhere.
fn is_name(part: &Map<String, Value>) -> bool {
    let about = part.get("description").and_then(Value::as_str).unwrap_or_default();
    part.get("type").is_some_and(|kind| kind == "string")
        && ["A name of ", "The name of a file "].iter().any(|start| about.starts_with(start))
}

/// Plain words: `"zero"`, or several without a meaning of their own.
fn words(part: &Map<String, Value>) -> Vec<Alternative<'_>> {
    let about = part.get("description").and_then(Value::as_str).unwrap_or_default();
    let several = part.get("enum").and_then(Value::as_array).into_iter().flatten();
    let word = |name| Alternative { name, about, content: None };
    part.get("const").into_iter().chain(several).filter_map(Value::as_str).map(word).collect()
}

/// A kind of number with its bounds.
fn range(kind: &str, part: &Map<String, Value>) -> String {
    let bound = |keyword: &str| part.get(keyword).and_then(Value::as_f64);
    let step = match bound("multipleOf") {
        Some(2.0) => "even ".to_owned(),
        Some(step) => format!("multiple of {step} as "),
        None => String::new(),
    };
    let least = match (bound("exclusiveMinimum"), bound("minimum")) {
        (Some(least), _) => Some(format!("above {least}")),
        (None, least) => least.map(|least| format!("from {least}")),
    };
    let most = match (bound("exclusiveMaximum"), bound("maximum")) {
        (Some(most), _) => Some(format!("below {most}")),
        (None, Some(most)) if least.as_ref().is_some_and(|least| least.starts_with("from")) => {
            Some(format!("to {most}"))
        }
        (None, most) => most.map(|most| format!("up to {most}")),
    };
    let join = if most.as_ref().is_some_and(|most| most.starts_with("to")) { " " } else { ", " };
    let bounds = least.into_iter().chain(most).collect::<Vec<_>>().join(join);
    format!("{step}{kind} {bounds}").trim_end().to_owned()
}
