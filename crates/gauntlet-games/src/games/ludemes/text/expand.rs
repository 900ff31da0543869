//! Macro expansion: from files to one game, with options chosen and macros replaced by their bodies.
//!
//! A macro is `(define "Name" body)`; `("Name" a b)` and `"Name"` stand for its body, in which `#1`, `#2`, ... are
//! the arguments, or nothing if they are missing. An option is `(option "Heading" <Tag> args:{ <x> } { (item "Name"
//! <v> "words")* })`; `<Tag:x>` stands for the value of `x` in the chosen item.

use std::collections::{BTreeMap, HashMap};

use super::lexer::is_word;
use super::node::{DEEPEST, Kind, Node};
use super::place::hint;
use super::{Mistake, SourcePlace};

/// Maximum number of nodes of a description after its macros are replaced.
const LARGEST: usize = 50_000;
/// An omitted argument.
const NOTHING: &str = "~";
/// Number of letters that count as one part, in a text with arguments.
const LETTERS: usize = 16;
/// Maximum nesting of macros.
const LAYERS: usize = 60;

/// The definitions in the files of a game.
#[derive(Debug, Default)]
pub struct Definitions {
    macros: HashMap<String, Vec<Node>>,
    /// Values of the chosen items by `Tag:argument`.
    values: BTreeMap<String, Vec<Node>>,
    /// The names of the items, by heading.
    headings: Vec<(String, Vec<String>)>,
}

impl Definitions {
    /// Adds the macros among these nodes. Later definitions replace earlier ones.
    pub fn add_macros(&mut self, nodes: &[Node], wrong: &mut Vec<Mistake>) {
        for node in nodes.iter().filter(|node| node.head() == Some("define")) {
            match node.items().get(1).and_then(Node::text) {
                Some(name) => drop(self.macros.insert(name.to_owned(), node.items()[2..].to_vec())),
                None => wrong.push(Mistake::new(node.place, "a macro needs a name: `(define \"Name\" ...)`")),
            }
        }
    }

    /// Chooses an item of every option among these nodes: the one in `choices` as `Heading/Item`, or else the first
    /// of those with most asterisks.
    pub fn choose(&mut self, nodes: &[Node], choices: &[String], wrong: &mut Vec<Mistake>) {
        for node in nodes.iter().filter(|node| node.head() == Some("option")) {
            if let Some(option) = Choice::read(node, wrong) {
                self.take(&option, choices, wrong);
            }
        }
        for choice in choices {
            self.check_choice(choice, wrong);
        }
    }

    fn take(&mut self, option: &Choice, choices: &[String], wrong: &mut Vec<Mistake>) {
        let written = |item: &Item| format!("{}/{}", option.heading, item.name);
        let wanted = |item: &&Item| choices.contains(&written(item));
        if let [first, second, ..] = option.items.iter().filter(wanted).collect::<Vec<_>>()[..] {
            let message = format!("`{}` and `{}` are of one option: choose one", written(first), written(second));
            wrong.push(Mistake::new(SourcePlace::default(), message));
        }
        let most = option.items.iter().map(|item| item.stars).max().unwrap_or(0);
        let default = || option.items.iter().find(|item| item.stars == most);
        if let Some(item) = option.items.iter().find(wanted).or_else(default) {
            for (name, value) in option.arguments.iter().zip(&item.values) {
                self.values.insert(format!("{}:{name}", option.tag), value.clone());
            }
            if let ([_], [value]) = (&option.arguments[..], &item.values[..]) {
                self.values.insert(option.tag.clone(), value.clone());
            }
        }
        let names = option.items.iter().map(|item| item.name.clone()).collect();
        self.headings.push((option.heading.clone(), names));
    }

    fn check_choice(&self, choice: &str, wrong: &mut Vec<Mistake>) {
        let all = || {
            self.headings.iter().flat_map(|(heading, items)| items.iter().map(move |item| format!("{heading}/{item}")))
        };
        if !all().any(|known| known == choice) {
            let known: Vec<String> = all().collect();
            let near = hint(choice, known.iter().map(String::as_str));
            let list = if known.is_empty() {
                "the game has no options".to_owned()
            } else {
                format!("there are {}", known.join(", "))
            };
            wrong.push(Mistake::new(SourcePlace::default(), format!("there is no option `{choice}`{near} ({list})")));
        }
    }

    /// The headings of the options with the names of their items.
    pub fn headings(&self) -> &[(String, Vec<String>)] {
        &self.headings
    }

    /// Replaces all macros and options in a node.
    pub fn expand(&self, node: &Node, wrong: &mut Vec<Mistake>) -> Option<Node> {
        let mut expander = Expander { known: self, size: 0, called: [0; 2], wrong };
        let mut out = Vec::new();
        let whole = expander.node(node, &[], [0, 0], &mut out);
        let game = whole.then(|| out.into_iter().next()).flatten()?;
        let shallow = game.is_nested_within(DEEPEST);
        if !shallow {
            let message = format!("with its macros replaced this is nested deeper than {DEEPEST}");
            wrong.push(Mistake::new(node.place, message));
        }
        shallow.then_some(game)
    }
}

/// A parsed option.
struct Choice {
    heading: String,
    tag: String,
    arguments: Vec<String>,
    items: Vec<Item>,
}

/// An item of an option.
struct Item {
    name: String,
    values: Vec<Vec<Node>>,
    stars: usize,
}

impl Choice {
    fn read(node: &Node, wrong: &mut Vec<Mistake>) -> Option<Choice> {
        let items = node.items();
        let angle = |node: &Node| match &node.kind {
            Kind::Angle(inside) => inside.iter().filter_map(Node::word).collect::<Vec<_>>().concat(),
            _ => String::new(),
        };
        let heading = items.get(1).and_then(Node::text);
        let tag = items.iter().find(|item| matches!(item.kind, Kind::Angle(_))).map(angle);
        let arguments = items.iter().find(|item| item.label.as_deref() == Some("args"));
        let (Some(heading), Some(tag), Some(arguments)) = (heading, tag, arguments) else {
            let message = "an option is `(option \"Heading\" <Tag> args:{ <x> } { (item \"Name\" <value>) })`";
            wrong.push(Mistake::new(node.place, message));
            return None;
        };
        let listed = items.iter().find(|item| item.label.is_none() && matches!(item.kind, Kind::Set(_)));
        let items = listed.map_or_else(Vec::new, |set| Item::read_all(set.items()));
        let arguments = arguments.items().iter().map(angle).collect();
        Some(Choice { heading: heading.to_owned(), tag, arguments, items })
    }
}

impl Item {
    fn read_all(nodes: &[Node]) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        for node in nodes {
            match (&node.kind, items.last_mut()) {
                (Kind::Stars(stars), Some(item)) => item.stars = *stars,
                (Kind::List(inside), _) if node.head() == Some("item") => {
                    let values = inside.iter().filter(|part| matches!(part.kind, Kind::Angle(_)));
                    let values = values.map(|part| labelled(part.items())).collect();
                    let name = inside.get(1).and_then(Node::text).unwrap_or_default().to_owned();
                    items.push(Item { name, values, stars: 0 });
                }
                _ => {}
            }
        }
        items
    }
}

struct Expander<'a> {
    known: &'a Definitions,
    size: usize,
    /// The place of the macro call in the description while its body is copied; 0 outside of macros.
    called: [u32; 2],
    wrong: &'a mut Vec<Mistake>,
}

impl Expander<'_> {
    /// Appends the expansion of a node, given the arguments of the enclosing macro and the depth in brackets and in
    /// macros. Returns false if the limit is exceeded, which stops the expansion.
    fn node(&mut self, node: &Node, arguments: &[Vec<Node>], depth: [usize; 2], out: &mut Vec<Node>) -> bool {
        if !self.grow(1, depth[0], node.place) {
            return false;
        }
        match &node.kind {
            Kind::Text(text) => self.text(node, text, arguments, depth, out),
            Kind::Word(word) => self.word(node, word, arguments, depth, out),
            Kind::Stars(_) => {
                self.wrong.push(Mistake::new(node.place, "asterisks stand after items of options only"));
                true
            }
            Kind::Angle(inside) => self.option(node, inside, depth, out),
            Kind::List(inside) => match inside.first().and_then(Node::text).filter(|name| self.is_macro(name)) {
                Some(name) => self.call(node, name, &inside[1..], arguments, depth, out),
                None => self.inside(node, inside, arguments, depth, out, |nodes| Kind::List(nodes.into())),
            },
            Kind::Set(inside) => self.inside(node, inside, arguments, depth, out, |nodes| Kind::Set(nodes.into())),
        }
    }

    /// Counts parts about to be added at some depth. Returns false if the limit is exceeded.
    fn grow(&mut self, parts: usize, depth: usize, place: SourcePlace) -> bool {
        self.size = self.size.saturating_add(parts);
        let fits = self.size <= LARGEST && depth <= 2 * DEEPEST;
        if !fits {
            let message =
                format!("with its macros replaced this has over {LARGEST} parts, or is nested over {}", 2 * DEEPEST);
            self.wrong.push(Mistake::new(place, message));
        }
        fits
    }

    /// Counts the parts of an argument before it is copied: the limit applies to the expanded game.
    fn grow_by(&mut self, nodes: &[Node], depth: usize, place: SourcePlace) -> bool {
        nodes.iter().all(|node| self.grow(1, depth, place) && self.grow_by(node.items(), depth + 1, place))
    }

    /// A place; in a shared macro, with the place of the call.
    fn placed(&self, place: SourcePlace) -> SourcePlace {
        if place.file == 0 { place } else { SourcePlace { called: self.called, ..place } }
    }

    fn is_macro(&self, name: &str) -> bool {
        self.known.macros.contains_key(name)
    }

    fn inside(
        &mut self,
        node: &Node,
        inside: &[Node],
        arguments: &[Vec<Node>],
        depth: [usize; 2],
        out: &mut Vec<Node>,
        kind: impl Fn(Vec<Node>) -> Kind,
    ) -> bool {
        let mut nodes = Vec::with_capacity(inside.len());
        let whole = inside.iter().all(|item| self.node(item, arguments, [depth[0] + 1, depth[1]], &mut nodes));
        out.push(Node { label: node.label.clone(), kind: kind(nodes), place: self.placed(node.place) });
        whole
    }

    /// Replaces a macro call by the macro's body.
    fn call(
        &mut self,
        node: &Node,
        name: &str,
        given: &[Node],
        arguments: &[Vec<Node>],
        depth: [usize; 2],
        out: &mut Vec<Node>,
    ) -> bool {
        if depth[1] >= LAYERS {
            let message =
                format!("macro `{name}` stands in itself, or macros stand in one another over {LAYERS} times");
            self.wrong.push(Mistake::new(node.place, message));
            return false;
        }
        let below = [depth[0] + 1, depth[1] + 1];
        let mut passed = Vec::with_capacity(given.len());
        for argument in given {
            let mut nodes = Vec::new();
            if !self.node(argument, arguments, below, &mut nodes) {
                return false;
            }
            passed.push(nodes);
        }
        let (known, mut nodes, outside) = (self.known, Vec::new(), self.called);
        if node.place.file == 0 {
            self.called = [node.place.line, node.place.column];
        }
        let whole = known.macros[name].iter().all(|part| self.node(part, &passed, below, &mut nodes));
        self.called = outside;
        if !whole {
            return false;
        }
        relabel(node, nodes, out);
        true
    }

    fn text(
        &mut self,
        node: &Node,
        text: &str,
        arguments: &[Vec<Node>],
        depth: [usize; 2],
        out: &mut Vec<Node>,
    ) -> bool {
        let Some(text) = self.fill(text, arguments, node.place) else { return false };
        if self.is_macro(&text) {
            return self.call(node, &text, &[], &[], depth, out);
        }
        out.push(Node { label: node.label.clone(), kind: Kind::Text(text), place: self.placed(node.place) });
        true
    }

    fn word(
        &mut self,
        node: &Node,
        word: &str,
        arguments: &[Vec<Node>],
        depth: [usize; 2],
        out: &mut Vec<Node>,
    ) -> bool {
        if let Some(number) = argument_number(word) {
            let nodes = arguments.get(number - 1).map_or(&[][..], Vec::as_slice);
            let fits = self.grow_by(nodes, depth[0], node.place);
            if fits {
                relabel(node, nodes.to_vec(), out);
            }
            return fits;
        }
        if word == NOTHING {
            return true;
        }
        let Some(filled) = self.fill(word, arguments, node.place) else { return false };
        if filled != word && !is_word(&filled) {
            self.wrong.push(Mistake::new(node.place, format!("with its arguments `{word}` is \"{filled}\", no word")));
        }
        out.push(Node { label: node.label.clone(), kind: Kind::Word(filled), place: self.placed(node.place) });
        true
    }

    /// A text with every `#1` replaced by the word or text of the argument; `None` if it is too long.
    fn fill(&mut self, text: &str, arguments: &[Vec<Node>], place: SourcePlace) -> Option<String> {
        if !text.contains('#') {
            return Some(text.to_owned());
        }
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('#') {
            let number = rest[at + 1..].chars().next().and_then(|digit| digit.to_digit(10)).filter(|&digit| digit > 0);
            let argument = number.and_then(|number| arguments.get(number as usize - 1)?.first());
            let value = argument.and_then(|node| node.text().or(node.word())).unwrap_or_default();
            let [kept, next] = if number.is_some() { [at, at + 2] } else { [at + 1, at + 1] };
            filled.push_str(&rest[..kept]);
            if !self.grow((kept + value.len()) / LETTERS, 0, place) {
                return None;
            }
            filled.push_str(value);
            rest = &rest[next..];
        }
        filled.push_str(rest);
        Some(filled)
    }

    /// Replaces `<Tag:argument>` by the value of the chosen item.
    fn option(&mut self, node: &Node, inside: &[Node], depth: [usize; 2], out: &mut Vec<Node>) -> bool {
        let name: String = inside.iter().filter_map(Node::word).collect();
        let known = self.known;
        let Some(value) = known.values.get(&name) else {
            let near = hint(&name, known.values.keys().map(String::as_str));
            self.wrong.push(Mistake::new(node.place, format!("no option defines `<{name}>`{near}")));
            return true;
        };
        if depth[1] >= LAYERS {
            self.wrong.push(Mistake::new(node.place, format!("option `<{name}>` stands in itself")));
            return false;
        }
        let mut nodes = Vec::new();
        let whole = value.iter().all(|part| self.node(part, &[], [depth[0] + 1, depth[1] + 1], &mut nodes));
        relabel(node, nodes, out);
        whole
    }
}

/// The nodes of a value, where `name:` labels the next node.
fn labelled(nodes: &[Node]) -> Vec<Node> {
    let mut label: Option<String> = None;
    let mut found = Vec::with_capacity(nodes.len());
    for node in nodes {
        match node.word().and_then(|word| word.strip_suffix(':')) {
            Some(name) => label = Some(name.to_owned()),
            None => found.push(Node { label: label.take().or_else(|| node.label.clone()), ..node.clone() }),
        }
    }
    found
}

/// Appends the replacement of a node; the node's label goes to the first part.
fn relabel(node: &Node, nodes: Vec<Node>, out: &mut Vec<Node>) {
    let labels = std::iter::once(node.label.clone()).chain(std::iter::repeat(None));
    out.extend(nodes.into_iter().zip(labels).map(|(new, label)| Node { label: label.or(new.label), ..new }));
}

/// The number of `#1`, from 1.
fn argument_number(word: &str) -> Option<usize> {
    word.strip_prefix('#').and_then(|digits| digits.parse().ok()).filter(|number| (1..=9).contains(number))
}
