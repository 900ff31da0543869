//! From syntax to the typed tree: the table row of every ludeme, and the parameter of every argument.

use std::collections::HashSet;

use super::super::text::{Kind, Mistake, Node, hint};
use super::signature::{Parameter, Signature, Times, table, with_head};
use super::tree::{Argument, Tree};
use super::types::{COMPASS, TURNS, Type, is_value, words};

/// The tree of a ludeme of this type.
///
/// # Errors
/// Appends all mistakes in it and returns `None`.
pub fn bind(node: &Node, wants: Type, wrong: &mut Vec<Mistake>) -> Option<Tree> {
    let before = wrong.len();
    let tree = Binder { wrong }.tree(node, wants);
    tree.filter(|_| wrong.len() == before)
}

/// The types of ludemes that are allowed for a wanted type.
fn admits(wants: Type, result: Type) -> bool {
    match wants {
        Type::Place => matches!(result, Type::Region | Type::Int),
        Type::Region => matches!(result, Type::Region | Type::Int),
        Type::Any | Type::Named => result == Type::Int,
        _ => wants == result,
    }
}

struct Binder<'a> {
    wrong: &'a mut Vec<Mistake>,
}

impl Binder<'_> {
    fn tree(&mut self, node: &Node, wants: Type) -> Option<Tree> {
        let Some(head) = node.head() else {
            self.wrong.push(Mistake::new(node.place, format!("here {} is expected, not {}", wants.say(), show(node))));
            return None;
        };
        let rows = with_head(head);
        if rows.is_empty() {
            self.unknown(node, head, Some(&[wants]));
            return None;
        }
        let keyword = node.items().get(1).and_then(Node::word);
        let fitting = |row: &&&Signature| row.keyword.is_none() || row.keyword == keyword;
        let suited: Vec<_> = rows.iter().filter(fitting).filter(|row| admits(wants, row.result)).collect();
        let Some(first) = suited.first() else {
            self.misplaced(node, head, keyword, Some(wants));
            return None;
        };
        let whole = suited.iter().map(|row| (row, assign(row, node))).find(|(_, assigned)| assigned.wrong.is_empty());
        if let Some((row, assigned)) = whole {
            return self.arguments(row, assigned, node);
        }
        match unknown_keyword(node, Some(&[wants])) {
            Some(unknown) => {
                self.wrong.push(unknown);
                self.inside(node);
            }
            None => self.misread(assign(suited.iter().find(|row| row.keyword.is_some()).unwrap_or(first), node)),
        }
        None
    }

    /// Reports why a ludeme does not fit a row, and the mistakes in its arguments.
    fn misread(&mut self, assigned: Assigned) {
        self.wrong.extend(assigned.wrong);
        for (parameter, argument) in assigned.given {
            drop(self.argument(argument, parameter.wants));
        }
        assigned.strays.into_iter().for_each(|stray| self.inside(stray));
    }

    /// Reports why no row with this head is allowed here; `wants` is `None` in an unreadable ludeme.
    fn misplaced(&mut self, node: &Node, head: &str, keyword: Option<&str>, wants: Option<Type>) {
        let rows = with_head(head);
        let allowed = rows.iter().filter(|row| wants.is_none_or(|wants| admits(wants, row.result)));
        let known: Vec<&str> = allowed.filter_map(|row| row.keyword).collect();
        let elsewhere = rows.iter().find(|row| row.keyword.is_none() || row.keyword == keyword);
        let elsewhere = elsewhere.or(rows.first().filter(|_| known.is_empty())).zip(wants);
        let message = match (elsewhere, keyword) {
            (Some((row, wants)), _) => {
                let name = row.keyword.filter(|own| Some(*own) == keyword);
                let name = name.map_or_else(|| head.to_owned(), |keyword| format!("{head} {keyword}"));
                format!("`{name}` is {}; here {} is expected", row.result.say(), wants.say())
            }
            (None, Some(keyword)) => {
                format!("unknown ludeme `{head} {keyword}`{}", hint(keyword, known))
            }
            (None, None) => format!("`{head}` needs a keyword: one of {}", known.join(", ")),
        };
        self.wrong.push(Mistake::new(node.place, message));
        self.inside(node);
    }

    /// Reports an unknown ludeme, and the mistakes in it.
    fn unknown(&mut self, node: &Node, head: &str, wants: Option<&[Type]>) {
        self.wrong.push(Mistake::new(node.place, unknown_head(head, wants)));
        self.inside(node);
    }

    /// Reports the mistakes in the parts of an unreadable ludeme.
    fn inside(&mut self, node: &Node) {
        node.items().iter().for_each(|item| self.alone(item));
    }

    /// Reports mistakes in a part of an unreadable ludeme, as far as they do not depend on its context.
    fn alone(&mut self, node: &Node) {
        let Some(head) = node.head() else { return self.inside(node) };
        let keyword = node.items().get(1).and_then(Node::word);
        let rows = with_head(head).iter().filter(|row| row.keyword.is_none() || row.keyword == keyword);
        let results: HashSet<Type> = rows.map(|row| row.result).collect();
        match (results.len(), results.iter().next()) {
            (1, Some(result)) => drop(self.tree(node, *result)),
            (0, _) if with_head(head).is_empty() => self.unknown(node, head, None),
            (0, _) => self.misplaced(node, head, keyword, None),
            _ => self.inside(node),
        }
    }

    fn arguments(&mut self, row: &'static Signature, assigned: Assigned, node: &Node) -> Option<Tree> {
        let mut tree = Tree { word: row.word, result: row.result, arguments: Vec::new(), place: node.place };
        let mut whole = true;
        for (parameter, argument) in assigned.given {
            match self.argument(argument, parameter.wants) {
                Some(argument) => tree.arguments.push((parameter.name, argument)),
                None => whole = false,
            }
        }
        whole.then_some(tree)
    }

    fn argument(&mut self, node: &Node, wants: Type) -> Option<Argument> {
        if is_value(wants, node) {
            return Some(Argument::Value(node.clone()));
        }
        self.tree(node, wants).map(Argument::Tree)
    }
}

/// Whether a node may be an argument of this type, judged by its first word.
fn fits(wants: Type, node: &Node) -> bool {
    if is_value(wants, node) {
        return true;
    }
    let Some(head) = node.head() else { return false };
    let keyword = node.items().get(1).and_then(Node::word);
    let fitting = |row: &&Signature| admits(wants, row.result) && (row.keyword.is_none() || row.keyword == keyword);
    with_head(head).iter().any(fitting)
}

/// The arguments of a ludeme, with their parameters in a row.
#[derive(Default)]
struct Assigned<'a> {
    given: Vec<(&'static Parameter, &'a Node)>,
    /// The arguments without a parameter in the row.
    strays: Vec<&'a Node>,
    /// The reasons why the ludeme does not fit the row; empty if it does.
    wrong: Vec<Mistake>,
}

/// The parameter of every argument, as far as they fit the row.
fn assign<'a>(row: &'static Signature, node: &'a Node) -> Assigned<'a> {
    let skipped = 1 + usize::from(row.keyword.is_some());
    let (mut assigned, mut next) = (Assigned::default(), 0);
    for item in &node.items()[skipped.min(node.items().len())..] {
        let open = next;
        let parameter = match &item.label {
            Some(label) => row.parameters.iter().find(|parameter| parameter.labelled && parameter.name == label),
            None => positional(row, &mut next, item),
        };
        let is_given = |label: &String| assigned.given.iter().any(|(known, _)| known.labelled && known.name == label);
        if let Some(label) = item.label.as_ref().filter(|label| is_given(label)) {
            let message = format!("`{label}:` stands twice in `{}`", title(row));
            assigned.wrong.push(Mistake::new(item.place, message));
        }
        match parameter.filter(|parameter| item.label.is_none() || suits(parameter, item)) {
            Some(parameter) => give(parameter, item, &mut assigned.given),
            None => {
                assigned.wrong.push(unexpected(row, open, item));
                assigned.strays.push(item);
            }
        }
    }
    if let Some(name) = missing(row, &assigned.given).filter(|_| assigned.strays.is_empty()) {
        let message = format!("`{}` lacks {name}; it is written `({})`", title(row), row.written);
        assigned.wrong.push(Mistake::new(node.place, message));
    }
    assigned
}

/// Gives an argument to a parameter: every item of a set in braces, if the parameter takes several.
fn give<'a>(parameter: &'static Parameter, item: &'a Node, given: &mut Vec<(&'static Parameter, &'a Node)>) {
    match &item.kind {
        Kind::Set(items) if matches!(parameter.times, Times::Set | Times::Many) && !is_value(parameter.wants, item) => {
            given.extend(items.iter().map(|item| (parameter, item)));
        }
        _ => given.push((parameter, item)),
    }
}

/// The next positional parameter that an argument fits. An argument that fits none is skipped: a misspelt one
/// together with its likely parameter, so that later arguments are judged correctly.
fn positional(row: &'static Signature, next: &mut usize, item: &Node) -> Option<&'static Parameter> {
    let before = *next;
    let found = first_fitting(row, next, item);
    if found.is_none() {
        let needed = row.parameters.get(*next).filter(|_| is_misspelt(item));
        *next = needed.map_or(before, |_| *next + 1);
    }
    found
}

/// Whether no row begins like this.
fn is_misspelt(item: &Node) -> bool {
    match item.head() {
        Some(head) => with_head(head).is_empty() || unknown_keyword(item, None).is_some(),
        None => matches!(item.kind, Kind::Word(_)),
    }
}

fn first_fitting(row: &'static Signature, next: &mut usize, item: &Node) -> Option<&'static Parameter> {
    while let Some(parameter) = row.parameters.get(*next) {
        if !parameter.labelled && suits(parameter, item) {
            *next += usize::from(parameter.times != Times::Many);
            return Some(parameter);
        }
        let needed = parameter.times == Times::One && !parameter.labelled;
        if needed {
            return None;
        }
        *next += 1;
    }
    None
}

fn suits(parameter: &Parameter, item: &Node) -> bool {
    match (&item.kind, parameter.times) {
        (Kind::Set(items), Times::Set | Times::Many) => {
            items.iter().all(|item| item.head().is_some() || fits(parameter.wants, item))
        }
        // A list is checked when it is read, so that the message is about its contents.
        (Kind::List(_), _) if parameter.labelled => true,
        _ => fits(parameter.wants, item),
    }
}

/// The label and type of the first missing parameter.
fn missing(row: &'static Signature, given: &[(&'static Parameter, &Node)]) -> Option<String> {
    let has = |name: &str| given.iter().any(|(parameter, _)| parameter.name == name);
    let needed = |parameter: &&Parameter| parameter.times == Times::One || parameter.times == Times::Many;
    let lacking = row.parameters.iter().filter(needed).find(|parameter| !has(parameter.name))?;
    let label = if lacking.labelled { format!("`{}:`, ", lacking.name) } else { String::new() };
    Some(format!("{label}{}", lacking.wants.say()))
}

fn title(row: &Signature) -> String {
    row.keyword.map_or_else(|| row.head.to_owned(), |keyword| format!("{} {keyword}", row.head))
}

/// Whether a ludeme with this row may stand where one of these types is wanted; `None` for an unknown place.
fn is_allowed(row: &Signature, wants: Option<&[Type]>) -> bool {
    wants.is_none_or(|wants| wants.iter().any(|wants| admits(*wants, row.result)))
}

/// The fault of an unknown ludeme, with a similar one that is allowed there.
fn unknown_head(head: &str, wants: Option<&[Type]>) -> String {
    let allowed = table().iter().filter(|row| is_allowed(row, wants)).map(|row| row.head);
    format!("unknown ludeme `{head}`{}", hint(head, allowed))
}

/// Reports an unknown keyword of a ludeme, if a similar one is allowed there or the ludeme always has one.
fn unknown_keyword(node: &Node, wants: Option<&[Type]>) -> Option<Mistake> {
    let (head, keyword) = (node.head()?, node.items().get(1).and_then(Node::word)?);
    let rows = with_head(head);
    let near = hint(keyword, rows.iter().filter(|row| is_allowed(row, wants)).filter_map(|row| row.keyword));
    let is_keyword = !near.is_empty() || rows.iter().all(|row| row.keyword.is_some());
    let is_unknown = !rows.is_empty() && rows.iter().all(|row| row.keyword != Some(keyword));
    (is_keyword && is_unknown).then(|| Mistake::new(node.place, format!("unknown ludeme `{head} {keyword}`{near}")))
}

/// The types that a row takes by position from parameter `open` on, up to the first one that is needed.
fn open_types(row: &'static Signature, open: usize) -> Vec<Type> {
    let rest = &row.parameters[open.min(row.parameters.len())..];
    let needed = rest.iter().position(|parameter| parameter.times == Times::One && !parameter.labelled);
    let rest = &rest[..needed.map_or(rest.len(), |at| at + 1)];
    rest.iter().filter(|parameter| !parameter.labelled).map(|parameter| parameter.wants).collect()
}

/// Reports why an argument does not fit a row, whose parameters before `open` have theirs.
fn unexpected(row: &'static Signature, open: usize, item: &Node) -> Mistake {
    let own = |label: &String| row.parameters.iter().find(|own| own.labelled && own.name == label);
    let types = match &item.label {
        None => open_types(row, open),
        Some(label) => own(label).map(|own| own.wants).into_iter().collect(),
    };
    if let Some(unknown) = unknown_keyword(item, Some(&types)) {
        return unknown;
    }
    let written = format!("; it is written `({})`", row.written);
    let word = |word: &str| {
        let turns = types.iter().filter(|wants| **wants == Type::Dirs).flat_map(|_| COMPASS.iter().chain(&TURNS));
        hint(word, types.iter().flat_map(|wants| words(*wants)).chain(turns).copied())
    };
    let message = match (&item.label, item.head(), &item.kind) {
        (Some(label), ..) => match own(label) {
            Some(own) => {
                let near = if let Kind::Word(text) = &item.kind { word(text) } else { String::new() };
                format!("`{label}:` of `{}` is {}, not {}{near}{written}", title(row), own.wants.say(), show(item))
            }
            None => {
                let known = row.parameters.iter().filter(|own| own.labelled).map(|own| own.name);
                format!("`{}` has no `{label}:`{}{written}", title(row), hint(label, known))
            }
        },
        (None, Some(head), _) if with_head(head).is_empty() => unknown_head(head, Some(&types)),
        (None, None, Kind::Word(text)) => format!("`{}` has no place for `{text}`{}{written}", title(row), word(text)),
        _ => format!("`{}` has no place for {}{written}{}", title(row), show(item), known_for(row)),
    };
    Mistake::new(item.place, message)
}

/// The known ludemes for parameters of a row that take few, such as the graphs of boards.
fn known_for(row: &'static Signature) -> String {
    let listed = row.parameters.iter().filter(|parameter| LISTED.contains(&parameter.wants));
    let say = |parameter: &Parameter| {
        let of = table().iter().filter(|row| row.result == parameter.wants);
        let mut known: Vec<&str> = of.map(|row| row.head).collect();
        known.dedup();
        format!("; {} is one of `{}`", parameter.wants.say(), known.join("`, `"))
    };
    listed.map(say).collect()
}

/// Types whose ludemes are listed in messages.
const LISTED: [Type; 4] = [Type::Graph, Type::Item, Type::Metarule, Type::Startrule];

/// A short description of a node.
fn show(node: &Node) -> String {
    match (&node.kind, node.head()) {
        (Kind::List(_), Some(head)) => match node.items().get(1).and_then(Node::word) {
            Some(keyword) => format!("`({head} {keyword} ...)`"),
            None => format!("`({head} ...)`"),
        },
        (Kind::List(items), None) => match items.first().and_then(Node::text) {
            Some(name) => format!("macro `{name}`, which nothing defines"),
            None => "an empty list".to_owned(),
        },
        (Kind::Set(_), _) => "a set in braces".to_owned(),
        (Kind::Text(text), _) => format!("\"{text}\""),
        (Kind::Word(word), _) => format!("`{word}`"),
        (Kind::Angle(_) | Kind::Stars(_), _) => "part of an option".to_owned(),
    }
}
