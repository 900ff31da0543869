//! The canonical form of a game: one line of tokens, the same for all equivalent texts, used as identity.

use super::node::{Kind, Node};

/// The tokens of a node, separated by single spaces where needed.
pub fn write(node: &Node) -> String {
    let mut text = String::new();
    append(node, &mut text);
    text
}

fn append(node: &Node, text: &mut String) {
    if text.ends_with(|last: char| !"({<".contains(last)) {
        text.push(' ');
    }
    if let Some(label) = &node.label {
        text.push_str(label);
        text.push(':');
    }
    let (open, close) = match &node.kind {
        Kind::List(_) => ("(", ")"),
        Kind::Set(_) => ("{", "}"),
        Kind::Angle(_) => ("<", ">"),
        Kind::Text(_) => ("\"", "\""),
        Kind::Word(_) | Kind::Stars(_) => ("", ""),
    };
    text.push_str(open);
    match &node.kind {
        Kind::Text(inside) => text.push_str(&inside.replace('"', "\\\"")),
        Kind::Word(word) => text.push_str(word),
        Kind::List(items) | Kind::Set(items) | Kind::Angle(items) => items.iter().for_each(|item| append(item, text)),
        Kind::Stars(_) => {}
    }
    text.push_str(close);
}
