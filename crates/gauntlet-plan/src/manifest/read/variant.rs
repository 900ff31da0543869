//! Variants as written: the arms of an ablation, as changes relative to a stage's job.
//!
//! They are a list, `[[variant]] name = "model3"`, or the equivalent table, `[variant.model3]`. A profile or the
//! command line can thus change a single arm by its name.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::names::Name;
use super::seeds::Seeds;
use crate::manifest::text::later::ReadLater;
use crate::manifest::text::reader::read;
use crate::manifest::text::source::Problem;
use crate::manifest::text::tree::{Entry, Node, SET, Setting, Table, Value};

/// One arm of an ablation: changes relative to the base job.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Its name, the label on the axis `variant`.
    pub name: String,
    /// Its changes.
    pub set: Vec<Setting>,
    /// Its training seeds, if they differ from those of the stage.
    pub seeds: Option<Vec<u64>>,
}

/// The arms as written: a list, or a table of names.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[expect(dead_code, reason = "the variants tell the schema what can be written")]
pub(super) enum WrittenVariants {
    Listed(Vec<ListedArm>),
    Named(BTreeMap<String, WrittenArm>),
}

#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "the schema of an arm with its name")]
pub(super) struct ListedArm {
    /// The name in stages, tables and filters.
    name: String,
    #[serde(flatten)]
    arm: WrittenArm,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(super) struct WrittenArm {
    /// Values of this arm by dotted paths into the jobs.
    #[serde(default)]
    #[expect(dead_code, reason = "read with its places")]
    set: ReadLater<Paths>,
    /// Its training seeds. Default: those of the stage.
    seeds: Option<Seeds>,
}

/// Values by dotted paths.
pub(super) type Paths = BTreeMap<String, serde_json::Value>;

/// Converts the lists of variants in a text and its profiles to tables.
pub(super) fn by_name(root: &mut Table, problems: &mut Vec<Problem>) {
    make_table(root, problems);
    let Some(Node { value: Value::Table(profiles), .. }) = root.get_mut("profile") else { return };
    for name in profiles.keys().map(str::to_owned).collect::<Vec<_>>() {
        if let Some(Node { value: Value::Table(profile), .. }) = profiles.get_mut(&name) {
            make_table(profile, problems);
        }
    }
}

fn make_table(root: &mut Table, problems: &mut Vec<Problem>) {
    let Some(Node { value, .. }) = root.get_mut("variant") else { return };
    let Value::List(list) = value else { return };
    let mut arms = Table::default();
    for item in list {
        let mut arm = item.table().cloned().unwrap_or_default();
        let name = arm.remove("name").map(|entry| entry.node);
        let Some((name, span)) = name.as_ref().and_then(|node| Some((node.text()?, &node.span))) else {
            let problem = Problem::at(item.span.clone(), "a variant has a name");
            problems.push(problem.hint("for example `name = \"model3\"`"));
            continue;
        };
        if arms.get(name).is_some() {
            problems.push(Problem::at(span.clone(), format!("two variants are named `{name}`")));
        }
        let node = Node { span: item.span.clone(), value: Value::Table(arm) };
        arms.insert(Entry { key: name.into(), key_span: span.clone(), node });
    }
    *value = Value::Table(arms);
}

/// Removes the seeds of all variants: the seeds of the command line apply to every stage.
pub(super) fn forget_seeds(root: &mut Table) {
    let Some(Node { value: Value::Table(arms), .. }) = root.get_mut("variant") else { return };
    for name in arms.keys().map(str::to_owned).collect::<Vec<_>>() {
        if let Some(Node { value: Value::Table(arm), .. }) = arms.get_mut(&name) {
            arm.remove("seeds");
        }
    }
}

/// Reads the table of variants; every mistake becomes a problem.
pub(super) fn read_variants(node: &Node, problems: &mut Vec<Problem>) -> Vec<Variant> {
    let Some(table) = node.table() else {
        problems.push(Problem::at(node.span.clone(), "variants are written `[[variant]]`"));
        return Vec::new();
    };
    table.entries().iter().filter_map(|entry| read_variant(entry, problems)).collect()
}

fn read_variant(entry: &Entry, problems: &mut Vec<Problem>) -> Option<Variant> {
    let set = entry.node.table().and_then(|table| table.get(SET));
    let set = set.map_or(Vec::new(), |set| settings(set, problems));
    let WrittenArm { seeds, .. } = read(&entry.node, problems)?;
    match Name::try_from(entry.key.to_string()) {
        Ok(name) => Some(Variant { name: name.to_string(), set, seeds: seeds.map(|Seeds(seeds)| seeds) }),
        Err(message) => {
            problems.push(Problem::at(entry.key_span.clone(), message));
            None
        }
    }
}

/// A table of `path = value`; anything else becomes a problem.
pub(super) fn settings(node: &Node, problems: &mut Vec<Problem>) -> Vec<Setting> {
    let Some(table) = node.table() else {
        problems.push(Problem::at(node.span.clone(), "expected a table of `path = value`"));
        return Vec::new();
    };
    table.entries().iter().map(Setting::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::text::parse::parse;
    use crate::manifest::text::source::Sources;

    fn variants(text: &str, over: &str) -> (Vec<String>, Vec<String>) {
        let mut problems = Vec::new();
        let [mut below, mut above] = [text, over].map(|text| parse(&mut Sources::default(), "test.toml", text).0);
        by_name(&mut below, &mut problems);
        by_name(&mut above, &mut problems);
        below.merge(&above);
        let read = below.get("variant").map_or(Vec::new(), |node| read_variants(node, &mut problems));
        let show = |variant: &Variant| {
            let set = variant.set.iter().map(|s| format!("{}={}", s.path, s.node.value.label()));
            format!("{} {} {:?}", variant.name, set.collect::<Vec<_>>().join(","), variant.seeds)
        };
        (read.iter().map(show).collect(), problems.into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn a_change_reaches_one_arm_by_its_name() {
        let list = "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nset = { x = 1, y = 2 }";
        let (read, problems) = variants(list, "[variant.b]\nseeds = 2\nset.y = 3\n[[variant.c.set]]");
        assert_eq!(read, ["a  None", "b x=1,y=3 Some([1, 2])", "c  None"]);
        assert_eq!(problems, ["expected a table of `path = value`"]);
        let (read, problems) = variants(list, "[[variant]]\nname = \"a\"\nset = { z = 4 }");
        assert_eq!((read[0].as_str(), problems.len()), ("a z=4 None", 0));
    }

    #[test]
    fn invalid_variants_report_key_and_reason() {
        let messages = |text: &str| variants(text, "").1;
        assert_eq!(messages("[[variant]]\nset = {}"), ["a variant has a name"]);
        assert_eq!(messages("variant = [{ name = \"a\" }, { name = \"a\" }]"), ["two variants are named `a`"]);
        assert_eq!(messages("variant = 3"), ["variants are written `[[variant]]`"]);
        assert!(messages("[variant.a]\nseed = 3")[0].contains("unknown key `seed`"));
        assert_eq!(messages("[variant.a]\nseeds = 0"), ["0 seeds are outside 1 to 1000000"]);
    }
}
