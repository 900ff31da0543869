//! From syntax to the typed tree: which row of the table every ludeme is, which parameter every argument.

use super::super::text::{Kind, Mistake, Node, hint};
use super::signature::{Parameter, Signature, Times, heads, with_head};
use super::tree::{Argument, Tree};
use super::types::{COMPASS, TURNS, Type, is_value, words};

/// The tree of a ludeme of this type.
///
/// # Errors
/// Appends everything that is wrong in it; then nothing comes back.
pub fn bind(node: &Node, wants: Type, wrong: &mut Vec<Mistake>) -> Option<Tree> {
    let before = wrong.len();
    let tree = Binder { wrong }.tree(node, wants);
    tree.filter(|_| wrong.len() == before)
}

/// The types whose ludemes can stand where one is wanted.
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
            self.wrong.push(Mistake::new(node.place, format!("unknown ludeme `{head}`{}", hint(head, heads()))));
            return None;
        }
        let keyword = node.items().get(1).and_then(Node::word);
        let fitting = |row: &&&Signature| row.keyword.is_none() || row.keyword == keyword;
        let suited: Vec<_> = rows.iter().filter(fitting).filter(|row| admits(wants, row.result)).collect();
        let Some(first) = suited.first() else {
            self.misplaced(node, head, keyword, wants);
            return None;
        };
        let whole = suited.iter().find(|row| assign(row, node).is_ok());
        match whole {
            Some(row) => self.arguments(row, node),
            None => {
                let best = suited.iter().find(|row| row.keyword.is_some()).unwrap_or(first);
                self.wrong.extend(assign(best, node).err());
                self.look_inside(node);
                None
            }
        }
    }

    /// Says why no row of this head can stand here.
    fn misplaced(&mut self, node: &Node, head: &str, keyword: Option<&str>, wants: Type) {
        let rows = with_head(head);
        let known: Vec<&str> = rows.iter().filter_map(|row| row.keyword).collect();
        let elsewhere = rows.iter().find(|row| row.keyword.is_none() || row.keyword == keyword);
        let message = match (elsewhere, keyword) {
            (Some(row), _) => {
                let name = row.keyword.map_or_else(|| head.to_owned(), |keyword| format!("{head} {keyword}"));
                format!("`{name}` is {}; here {} is expected", row.result.say(), wants.say())
            }
            (None, Some(keyword)) => {
                format!("unknown ludeme `{head} {keyword}`{}", hint(keyword, known.iter().copied()))
            }
            (None, None) => format!("`{head}` needs a keyword: one of {}", known.join(", ")),
        };
        self.wrong.push(Mistake::new(node.place, message));
        self.look_inside(node);
    }

    /// Reports the unknown ludemes within one that cannot be read.
    fn look_inside(&mut self, node: &Node) {
        for item in node.items() {
            match item.head() {
                Some(head) if with_head(head).is_empty() => {
                    let message = format!("unknown ludeme `{head}`{}", hint(head, heads()));
                    self.wrong.push(Mistake::new(item.place, message));
                }
                _ => {}
            }
            self.look_inside(item);
        }
    }

    fn arguments(&mut self, row: &'static Signature, node: &Node) -> Option<Tree> {
        let assigned = assign(row, node).ok()?;
        let mut tree = Tree { word: row.word, result: row.result, arguments: Vec::new(), place: node.place };
        let mut whole = true;
        for (parameter, argument) in assigned {
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

/// Whether a node may be an argument of this type, by its first word.
fn fits(wants: Type, node: &Node) -> bool {
    if is_value(wants, node) {
        return true;
    }
    let Some(head) = node.head() else { return false };
    let keyword = node.items().get(1).and_then(Node::word);
    let fitting = |row: &&Signature| admits(wants, row.result) && (row.keyword.is_none() || row.keyword == keyword);
    with_head(head).iter().any(fitting)
}

/// The parameter of every argument, where they fit the row.
fn assign<'a>(row: &'static Signature, node: &'a Node) -> Result<Vec<(&'static Parameter, &'a Node)>, Mistake> {
    let skipped = 1 + usize::from(row.keyword.is_some());
    let (mut given, mut next) = (Vec::new(), 0);
    for item in &node.items()[skipped.min(node.items().len())..] {
        let parameter = match &item.label {
            Some(label) => row.parameters.iter().find(|parameter| parameter.labelled && parameter.name == label),
            None => positional(row, &mut next, item),
        };
        let parameter = parameter.ok_or_else(|| unexpected(row, item))?;
        match &item.kind {
            Kind::Set(items)
                if matches!(parameter.times, Times::Set | Times::Many) && !is_value(parameter.wants, item) =>
            {
                given.extend(items.iter().map(|item| (parameter, item)));
            }
            _ => given.push((parameter, item)),
        }
        if item.label.is_some() && !suits(parameter, item) {
            return Err(unexpected(row, item));
        }
    }
    missing(row, &given).map_or(Ok(given), |name| {
        Err(Mistake::new(node.place, format!("`{}` lacks {name}; it is written `({})`", title(row), row.written)))
    })
}

/// The next parameter by position that an argument fits.
fn positional(row: &'static Signature, next: &mut usize, item: &Node) -> Option<&'static Parameter> {
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
        // What is a list is judged where it is read, so that the message is about its inside.
        (Kind::List(_), _) if parameter.labelled => true,
        _ => fits(parameter.wants, item),
    }
}

/// What the first parameter wants that was not given.
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

/// Says why an argument has no place in a row.
fn unexpected(row: &'static Signature, item: &Node) -> Mistake {
    let written = format!("; it is written `({})`", row.written);
    let message = match &item.label {
        Some(label) => {
            let known = row.parameters.iter().filter(|parameter| parameter.labelled).map(|parameter| parameter.name);
            format!("`{}` has no `{label}:` of this kind{}{written}", title(row), hint(label, known))
        }
        None => match (item.head(), &item.kind) {
            (Some(head), _) if with_head(head).is_empty() => format!("unknown ludeme `{head}`{}", hint(head, heads())),
            (None, Kind::Word(word)) => {
                let lists = row.parameters.iter().flat_map(|parameter| words(parameter.wants).iter().copied());
                let turns = row.parameters.iter().filter(|parameter| parameter.wants == Type::Dirs);
                let turns = turns.flat_map(|_| COMPASS.iter().chain(&TURNS).copied());
                format!("`{}` has no place for `{word}`{}{written}", title(row), hint(word, lists.chain(turns)))
            }
            _ => format!("`{}` has no place for {}{written}", title(row), show(item)),
        },
    };
    Mistake::new(item.place, message)
}

/// A node in a few words.
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
