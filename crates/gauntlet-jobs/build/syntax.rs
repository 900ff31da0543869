//! Rust source as tokens and syntax: text without comments, lints and tests, and helpers for paths and types.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;

/// Attributes that change no result: documentation, lints, optimiser hints, error texts, descriptions.
const SILENT: [&str; 11] =
    ["doc", "allow", "expect", "warn", "deny", "must_use", "inline", "cold", "track_caller", "error", "schemars"];

/// Parses a text as a file, without documentation, lints and test items.
///
/// # Panics
/// If the text is not valid Rust.
pub fn file(text: &str, name: &str) -> syn::File {
    let stream: TokenStream = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
    let tokens = clean(stream).into_iter().collect();
    syn::parse2(tokens).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The tokens without documentation, lints and test items.
fn clean(stream: TokenStream) -> Vec<TokenTree> {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let (mut kept, mut at) = (Vec::with_capacity(trees.len()), 0);
    while at < trees.len() {
        let Some((attribute, next)) = attribute(&trees, at) else {
            kept.push(match &trees[at] {
                TokenTree::Group(group) => {
                    TokenTree::Group(Group::new(group.delimiter(), clean(group.stream()).into_iter().collect()))
                }
                other => other.clone(),
            });
            at += 1;
            continue;
        };
        let words = attribute.stream().to_string().replace(' ', "");
        if words == "cfg(test)" {
            at = item_end(&trees, next);
            continue;
        }
        if !is_silent(attribute.stream()) {
            kept.extend_from_slice(&trees[at..next]);
        }
        at = next;
    }
    kept
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether an attribute changes no result, also under a condition: `cfg_attr(unix, inline)`.
fn is_silent(attribute: TokenStream) -> bool {
    let trees: Vec<TokenTree> = attribute.into_iter().collect();
    match &trees[..] {
        [TokenTree::Ident(name), TokenTree::Group(group)] if name == "cfg_attr" => {
            let trees: Vec<TokenTree> = group.stream().into_iter().collect();
            let mut parts = trees.split(|tree| is_punct(tree, ',')).filter(|part| !part.is_empty()).skip(1).peekable();
            parts.peek().is_some() && parts.all(|part| is_silent(part.iter().cloned().collect()))
        }
        [TokenTree::Ident(name), ..] => SILENT.iter().any(|silent| name == silent),
        _ => false,
    }
}

/// The brackets of the attribute that starts here, and the index of the next token.
fn attribute(trees: &[TokenTree], at: usize) -> Option<(&Group, usize)> {
    if !is_punct(&trees[at], '#') {
        return None;
    }
    let place = at + 1 + usize::from(trees.get(at + 1).is_some_and(|tree| is_punct(tree, '!')));
    match trees.get(place) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => Some((group, place + 1)),
        _ => None,
    }
}

/// The index after the end of the item that starts here: after its braces or its semicolon.
fn item_end(trees: &[TokenTree], mut at: usize) -> usize {
    while let Some((_, next)) = trees.get(at).and_then(|_| attribute(trees, at)) {
        at = next;
    }
    let plain = ["use", "const", "static", "type"];
    let is_plain = |tree: &TokenTree| plain.iter().any(|word| is_word(tree, word));
    let has_braces =
        !trees[at..].iter().take(3).any(is_plain) || trees[at..].iter().take(3).any(|tree| is_word(tree, "fn"));
    let ends = |tree: &TokenTree| is_punct(tree, ';') || (has_braces && is_braces(tree));
    trees[at..].iter().position(ends).map_or(trees.len(), |length| at + length + 1)
}

pub fn is_punct(tree: &TokenTree, wanted: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

pub fn is_word(tree: &TokenTree, wanted: &str) -> bool {
    matches!(tree, TokenTree::Ident(word) if word == wanted)
}

fn is_braces(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// Whether the two tokens from here are `::`.
pub fn is_path_mark(trees: &[TokenTree], at: usize) -> bool {
    [at, at + 1].iter().all(|&at| trees.get(at).is_some_and(|tree| is_punct(tree, ':')))
}

/// The path that starts here, without generic arguments, and the index after it.
pub fn path_at(trees: &[TokenTree], mut at: usize) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    while let Some(TokenTree::Ident(name)) = trees.get(at) {
        path.push(name.to_string());
        at += 1;
        if !is_path_mark(trees, at) || !matches!(trees.get(at + 2), Some(TokenTree::Ident(_))) {
            break;
        }
        at += 2;
    }
    (path, at)
}

/// The identifiers among some tokens, at any depth.
pub fn words(stream: TokenStream, found: &mut std::collections::BTreeSet<String>) {
    for tree in stream {
        match tree {
            TokenTree::Group(group) => words(group.stream(), found),
            TokenTree::Ident(word) => drop(found.insert(word.to_string())),
            _ => {}
        }
    }
}

/// The names of a path, without generic arguments.
pub fn names(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// Parses a text as a path: `super::share`, as serde attributes name functions.
pub fn quoted_path(text: &str) -> Option<Vec<String>> {
    let path: Vec<String> = text.split("::").map(str::to_owned).collect();
    let is_name = |name: &String| !name.is_empty() && name.chars().all(is_of_word);
    path.iter().all(is_name).then_some(path)
}

/// The tokens of syntax, one space after each; without the last comma of a list, which formatting adds and removes.
/// `replace` may substitute words.
pub fn print(syntax: &impl ToTokens, replace: &impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::new();
    put(&syntax.to_token_stream().into_iter().collect::<Vec<_>>(), replace, &mut text);
    text
}

fn put(trees: &[TokenTree], replace: &impl Fn(&str) -> Option<String>, text: &mut String) {
    for tree in trees {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = marks(group);
                let mut inner: Vec<TokenTree> = group.stream().into_iter().collect();
                // The comma of a one-element tuple is significant.
                let commas = inner.iter().filter(|tree| is_punct(tree, ',')).count();
                if inner.last().is_some_and(|tree| is_punct(tree, ',')) && (commas > 1 || open != "(") {
                    inner.pop();
                }
                text.push_str(open);
                text.push(' ');
                put(&inner, replace, text);
                text.push_str(close);
            }
            other => {
                let word = other.to_string();
                text.push_str(&replace(&word).unwrap_or(word));
            }
        }
        text.push(' ');
    }
}

fn marks(group: &Group) -> (&'static str, &'static str) {
    match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}
