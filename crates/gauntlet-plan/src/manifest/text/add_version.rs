//! Adds a version of an agent to the text of a manifest. Everything else in the text stays as it is.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// A version that a manifest gets.
#[derive(Debug, Clone, Default)]
pub struct NewVersion<'a> {
    /// Its name in `[agents]`.
    pub name: &'a str,
    /// The agent whose settings it has.
    pub agent: &'a str,
    /// The directory of its files, if it is an engine.
    pub directory: Option<&'a str>,
    /// The stage of the matches between versions.
    pub stage: &'a str,
    /// The version that it plays; none for the first version.
    pub against: Option<&'a str>,
    /// Its date.
    pub date: Option<&'a str>,
    /// Its commit.
    pub commit: Option<&'a str>,
}

/// The text of a manifest with one more version: an agent, a match, and an entry in the list of versions, if there is
/// one.
///
/// # Errors
/// A message, if a part that it extends is not in this text.
pub fn add_version(text: &str, new: &NewVersion<'_>) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    add_agent(&mut document, new)?;
    if let Some(against) = new.against {
        add_match(&mut document, new, against)?;
    }
    list(&mut document, new);
    Ok(with_line_ends_of(text, document.to_string()))
}

/// A new text with CRLF line ends if the old one has no others: `toml_edit` writes LF outside of strings.
fn with_line_ends_of(old: &str, new: String) -> String {
    let is_crlf = old.contains("\r\n") && !old.replace("\r\n", "").contains('\n');
    if is_crlf { new.replace("\r\n", "\n").replace('\n', "\r\n") } else { new }
}

fn table<'d>(item: Option<&'d mut Item>, name: &str) -> Result<&'d mut dyn TableLike, String> {
    item.and_then(Item::as_table_like_mut).ok_or_else(|| format!("this file has no `{name}`"))
}

fn add_agent(document: &mut DocumentMut, new: &NewVersion<'_>) -> Result<(), String> {
    let agents = table(document.get_mut("agents"), "[agents]")?;
    let known = table(agents.get_mut(new.agent), &format!("agents.{}", new.agent))?;
    let mut copy = Table::new();
    copy.set_dotted(true);
    for (kind, settings) in known.iter() {
        let mut settings = settings.clone().into_value().map_err(|_| format!("agents.{kind} has no settings"))?;
        settings.decor_mut().clear();
        if let (Value::InlineTable(settings), Some(directory)) = (&mut settings, new.directory) {
            settings.insert("name", new.name.into());
            settings.insert("directory", directory.into());
            settings.fmt();
        }
        copy.insert(kind, Item::Value(settings));
    }
    agents.insert(new.name, Item::Table(copy));
    Ok(())
}

fn add_match(document: &mut DocumentMut, new: &NewVersion<'_>, against: &str) -> Result<(), String> {
    let path = format!("stages.{}", new.stage);
    let stage = table(table(document.get_mut("stages"), "stages")?.get_mut(new.stage), &path)?;
    let groups: Vec<&mut dyn TableLike> = tables(stage.get_mut("zip"));
    let group = groups.into_iter().find(|group| group.contains_key("agent") && group.contains_key("opponent"));
    let group = group.ok_or_else(|| {
        format!("{path} pairs no versions: write `zip = [{{ agent = [\"v2\"], opponent = [\"v1\"] }}]` there")
    })?;
    for (axis, name) in [("agent", new.name), ("opponent", against)] {
        let names = group.get_mut(axis).and_then(Item::as_array_mut);
        push(names.ok_or_else(|| format!("`{axis}` of {path} is not a list"))?, name.into());
    }
    Ok(())
}

/// Adds the version to the list of the exhibit; without a list, versions are in the order of their matches.
fn list(document: &mut DocumentMut, new: &NewVersion<'_>) {
    let of_stage = |exhibit: &mut &mut dyn TableLike| {
        let shown = exhibit.get("show").and_then(|show| show.get("versions")?.get("stage")?.as_str());
        shown == Some(new.stage)
    };
    let mut exhibits = tables(document.get_mut("exhibit")).into_iter();
    let exhibit = exhibits.find_map(|mut exhibit| of_stage(&mut exhibit).then_some(exhibit));
    let listed = exhibit.and_then(|exhibit| exhibit.get_mut("show")?.get_mut("versions")?.get_mut("versions"));
    let facts = [("name", Some(new.name)), ("date", new.date), ("commit", new.commit)];
    let facts = facts.into_iter().filter_map(|(key, text)| Some((key, text?)));
    match listed {
        Some(Item::Value(Value::Array(array))) => {
            push(array, Value::InlineTable(facts.map(|(key, text)| (key, Value::from(text))).collect::<InlineTable>()));
        }
        Some(Item::ArrayOfTables(tables)) => {
            tables.push(facts.map(|(key, text)| (key, Item::Value(text.into()))).collect());
        }
        _ => {}
    }
}

/// The tables of a list, in either form.
fn tables(item: Option<&mut Item>) -> Vec<&mut dyn TableLike> {
    match item {
        Some(Item::ArrayOfTables(tables)) => tables.iter_mut().map(|table| table as &mut dyn TableLike).collect(),
        Some(Item::Value(Value::Array(array))) => {
            let tables = array.iter_mut().filter_map(Value::as_inline_table_mut);
            tables.map(|table| table as &mut dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

/// Adds a value to a list in the form of the list: behind the last one, or on a line of its own. A comment behind the
/// last value stays there.
fn push(array: &mut Array, mut value: Value) {
    let is_alone = array.len() == 1;
    let text = |raw: Option<&toml_edit::RawString>| raw.and_then(|raw| raw.as_str()).unwrap_or_default().to_owned();
    if let Some(last) = array.get_mut(array.len().wrapping_sub(1)) {
        let prefix = text(last.decor().prefix());
        let line = prefix.rfind('\n').map(|at| prefix[at..].to_owned());
        let suffix = text(last.decor().suffix());
        last.decor_mut().set_suffix("");
        let prefix = line.unwrap_or_else(|| if is_alone { " ".to_owned() } else { prefix });
        value.decor_mut().set_prefix(prefix);
        value.decor_mut().set_suffix(suffix);
    }
    let trailing = text(Some(array.trailing()));
    if let Some((comment, rest)) = trailing.rsplit_once('\n').filter(|(comment, _)| comment.contains('#')) {
        let prefix = text(value.decor().prefix());
        value.decor_mut().set_prefix(format!("{comment}{prefix}"));
        array.set_trailing(format!("\n{rest}"));
    }
    array.push_formatted(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: NewVersion<'_> = NewVersion {
        name: "v3",
        agent: "mine",
        directory: Some("versions/v3-ab"),
        stage: "patches",
        against: Some("v2"),
        date: Some("2026-02-01"),
        commit: Some("c3"),
    };

    #[test]
    fn a_version_is_added_and_the_rest_stays() {
        let text = "# A ladder.\n[agents]\n# The newest files.\nmine.engine = { command = [\"sh\", \"a.sh\"] } # mine\n\
             v1.engine = { command = [\"sh\", \"a.sh\"], directory = \"versions/v1-ab\" }\n\n\
             [stages.patches]\nzip = [{ agent = [\"v2\"], opponent = [\"v1\"] }] # pairs\nplay.match = { games = 2 }\n\n\
             [[exhibit]]\nshow.versions = { stage = \"patches\", versions = [\n    { name = \"v1\" }, # the first\n    \
             { name = \"v2\" }, # the second\n] }\n";
        let wanted = text
            .replace(
                "v1-ab\" }\n",
                "v1-ab\" }\nv3.engine = { command = [\"sh\", \"a.sh\"], name = \"v3\", directory = \"versions/v3-ab\" }\n",
            )
            .replace("[\"v2\"], opponent = [\"v1\"]", "[\"v2\", \"v3\"], opponent = [\"v1\", \"v2\"]")
            .replace(
                "# the second\n",
                "# the second\n    { name = \"v3\", date = \"2026-02-01\", commit = \"c3\" },\n",
            );
        assert_eq!(add_version(text, &NEW).unwrap(), wanted);
        // Line ends stay, in strings of several lines too.
        for ends in ["\n", "\r\n"] {
            let titled = |text: &str| format!("title = \"\"\"\nA\nB\"\"\"\n{text}").replace('\n', ends);
            assert_eq!(add_version(&titled(text), &NEW).unwrap(), titled(&wanted), "{ends:?}");
        }
        let mixed = format!("title = \"\"\"A\r\nB\"\"\"\n{text}");
        assert_eq!(add_version(&mixed, &NEW).unwrap(), format!("title = \"\"\"A\r\nB\"\"\"\n{wanted}"));
    }

    #[test]
    fn tables_in_other_forms_are_extended_too() {
        let text = "[agents.mine.engine]\ncommand = [\"sh\", \"a.sh\"]\n[[stages.patches.zip]]\nagent = [\n  \"v2\"\n]\n\
             opponent = []\n[[exhibit]]\n[exhibit.show.versions]\nstage = \"patches\"\n[[exhibit.show.versions.versions]]\n\
             name = \"v1\"\n";
        let added = add_version(text, &NEW).unwrap();
        let parsed: toml::Table = toml::from_str(&added).unwrap_or_else(|error| panic!("{error}\n{added}"));
        let parsed = toml::Value::Table(parsed);
        let step = |value: &toml::Value, key: &&str| match value {
            toml::Value::Array(items) => items[key.parse::<usize>().unwrap()].clone(),
            value => value[*key].clone(),
        };
        let at = |path: &[&str]| path.iter().fold(parsed.clone(), |value, key| step(&value, key)).to_string();
        assert_eq!(at(&["agents", "v3", "engine", "directory"]), "\"versions/v3-ab\"");
        assert_eq!(at(&["stages", "patches", "zip", "0", "agent"]), "[\"v2\", \"v3\"]");
        assert_eq!(at(&["stages", "patches", "zip", "0", "opponent"]), "[\"v2\"]");
        assert_eq!(at(&["exhibit", "0", "show", "versions", "versions", "1", "commit"]), "\"c3\"");
    }

    #[test]
    fn a_missing_part_is_named() {
        let fails = |text: &str| add_version(text, &NEW).unwrap_err();
        assert_eq!(fails("[games]\n"), "this file has no `[agents]`");
        assert_eq!(fails("[agents]\nother.random = {}\n"), "this file has no `agents.mine`");
        let unpaired = fails("[agents]\nmine.random = {}\n[stages.patches]\nplay.match = {}\n");
        assert!(unpaired.contains("`zip = [{ agent = [\"v2\"], opponent = [\"v1\"] }]`"), "{unpaired}");
    }
}
