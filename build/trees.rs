//! Token trees: what is asked of them, and what of them is left out.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

/// Attributes that change no result: documentation and lints.
const SILENT: [&str; 6] = ["doc", "allow", "expect", "warn", "deny", "must_use"];

/// The tokens without documentation, lints and test items.
pub fn clean(stream: TokenStream) -> Vec<TokenTree> {
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
        if !SILENT.iter().any(|silent| words.strip_prefix(silent).is_some_and(|rest| !rest.starts_with('_'))) {
            kept.extend_from_slice(&trees[at..next]);
        }
        at = next;
    }
    kept
}

/// The brackets of the attribute that begins here, and where the next token is.
pub fn attribute(trees: &[TokenTree], at: usize) -> Option<(&Group, usize)> {
    if !is_punct(&trees[at], '#') {
        return None;
    }
    let place = at + 1 + usize::from(trees.get(at + 1).is_some_and(|tree| is_punct(tree, '!')));
    match trees.get(place) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => Some((group, place + 1)),
        _ => None,
    }
}

/// Where the item that begins here ends: behind its braces or its semicolon.
pub fn item_end(trees: &[TokenTree], mut at: usize) -> usize {
    while let Some((_, next)) = trees.get(at).and_then(|_| attribute(trees, at)) {
        at = next;
    }
    let plain = ["use", "const", "static", "type"];
    let has_braces = !trees[at..].iter().take(3).any(|tree| plain.iter().any(|word| is_word(tree, word)));
    let ends = |tree: &TokenTree| is_punct(tree, ';') || (has_braces && is_braces(tree));
    trees[at..].iter().position(ends).map_or(trees.len(), |length| at + length + 1)
}

pub fn is_punct(tree: &TokenTree, wanted: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

pub fn is_word(tree: &TokenTree, wanted: &str) -> bool {
    matches!(tree, TokenTree::Ident(word) if word == wanted)
}

pub fn word(tree: Option<&TokenTree>) -> Option<String> {
    match tree {
        Some(TokenTree::Ident(word)) => Some(word.to_string()),
        _ => None,
    }
}

pub fn is_path_mark(trees: &[TokenTree], at: usize) -> bool {
    [at, at + 1].iter().all(|&at| trees.get(at).is_some_and(|tree| is_punct(tree, ':')))
}

pub fn is_arrow(trees: &[TokenTree], at: usize) -> bool {
    trees.get(at).is_some_and(|tree| is_punct(tree, '=')) && trees.get(at + 1).is_some_and(|tree| is_punct(tree, '>'))
}

pub fn inner(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

/// The path that begins here, and where it ends.
pub fn path_at(trees: &[TokenTree], mut at: usize) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    while let Some(name) = word(trees.get(at)) {
        path.push(name);
        at += 1;
        if !is_path_mark(trees, at) || word(trees.get(at + 2)).is_none() {
            break;
        }
        at += 2;
    }
    (path, at)
}

/// A single `=`.
pub fn is_assignment(trees: &[TokenTree], at: usize) -> bool {
    let is = |at: usize, mark| trees.get(at).is_some_and(|tree| is_punct(tree, mark));
    let before = at.checked_sub(1).is_some_and(|before| {
        ['=', '<', '>', '!', '.'].iter().any(|&mark| is(before, mark) && is_joint(&trees[before]))
    });
    is(at, '=') && !is(at + 1, '=') && !is_arrow(trees, at) && !before || is(at, ';')
}

pub fn is_joint(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint)
}

/// `impl` begins an item behind these.
pub fn is_item_border(tree: &TokenTree) -> bool {
    let is_brackets = matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket);
    is_brackets || is_punct(tree, ';') || is_word(tree, "unsafe") || is_word(tree, "default")
}

pub fn has_bar(group: &Group) -> bool {
    group.stream().into_iter().any(|tree| match tree {
        TokenTree::Group(group) => has_bar(&group),
        other => is_punct(&other, '|'),
    })
}

pub fn split_guard(pattern: &[TokenTree]) -> (&[TokenTree], &[TokenTree]) {
    pattern.split_at(pattern.iter().position(|tree| is_word(tree, "if")).unwrap_or(pattern.len()))
}

/// Where the angle brackets that begin here end.
pub fn angle_end(trees: &[TokenTree]) -> usize {
    let mut depth = 0;
    for (at, tree) in trees.iter().enumerate() {
        let is_result = at > 0 && is_punct(&trees[at - 1], '-');
        depth += i32::from(is_punct(tree, '<')) - i32::from(is_punct(tree, '>') && !is_result);
        if depth == 0 {
            return at + 1;
        }
    }
    trees.len()
}

/// The path of a type or trait, without references and generics.
pub fn type_path(trees: &[TokenTree]) -> Vec<String> {
    let starts = |at: &usize| {
        let is_lifetime = *at > 0 && is_punct(&trees[at - 1], '\'');
        word(trees.get(*at)).is_some_and(|name| !is_lifetime && !["dyn", "mut", "const"].contains(&name.as_str()))
    };
    (0..trees.len()).find(starts).map_or(Vec::new(), |at| path_at(trees, at).0)
}

pub fn marks(group: &Group) -> (&'static str, &'static str) {
    match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}

/// Whether a group is in braces.
pub fn is_braces(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}
