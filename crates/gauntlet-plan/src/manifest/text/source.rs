//! The texts a manifest is made of, and the problems found in them.
//!
//! All texts (files, includes, command line) share one space of byte offsets, so that a span alone identifies its text
//! after any merging.

use std::collections::HashSet;
use std::ops::Range;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceSpan};

use gauntlet_games::base::{visible, visible_lines};

/// A place in the shared space of offsets.
pub type Span = Range<usize>;

/// All texts, in one space of offsets.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    texts: Vec<Text>,
}

#[derive(Debug, Clone)]
struct Text {
    name: String,
    start: usize,
    content: String,
}

impl Sources {
    /// Adds a text and returns the offset at which it starts.
    pub fn add(&mut self, name: &str, content: &str) -> usize {
        let start = self.texts.last().map_or(0, |text| text.start + text.content.len() + 1);
        self.texts.push(Text { name: name.to_owned(), start, content: content.to_owned() });
        start
    }

    /// The first text: the manifest itself.
    #[must_use]
    pub fn main_text(&self) -> &str {
        self.texts.first().map_or("", |text| &text.content)
    }

    /// Name and line (from 1) of a place.
    #[must_use]
    pub fn locate(&self, span: &Span) -> Option<(&str, usize)> {
        let text = self.text_at(span.start)?;
        let line = text.content[..text.local(span.start)].matches('\n').count() + 1;
        Some((&text.name, line))
    }

    fn text_at(&self, offset: usize) -> Option<&Text> {
        self.texts.iter().find(|text| offset >= text.start && offset <= text.start + text.content.len())
    }
}

impl Text {
    /// An offset within this text, moved back to a character boundary.
    fn local(&self, offset: usize) -> usize {
        let mut local = (offset - self.start).min(self.content.len());
        while !self.content.is_char_boundary(local) {
            local -= 1;
        }
        local
    }
}

/// A mistake in a manifest: a message, a place and a hint.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The message, a lower-case fragment.
    pub message: String,
    /// The place, if there is one.
    pub span: Option<Span>,
    /// A suggested fix, if there is one.
    pub hint: Option<String>,
    /// Whether it may be only the consequence of a syntax error: the missing part may be in the unreadable text.
    pub is_echo: bool,
}

impl Problem {
    /// A problem at a place.
    #[must_use]
    pub fn at(span: Span, message: impl Into<String>) -> Problem {
        Problem { message: message.into(), span: Some(span), hint: None, is_echo: false }
    }

    /// A problem of the manifest as a whole.
    #[must_use]
    pub fn general(message: impl Into<String>) -> Problem {
        Problem { message: message.into(), span: None, hint: None, is_echo: false }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// Marks the problem as a possible consequence of a syntax error.
    #[must_use]
    pub fn echo(mut self) -> Problem {
        self.is_echo = true;
        self
    }

    /// Adds the hint `did you mean`, if one of the known words is similar.
    #[must_use]
    pub fn nearest<'a>(self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Problem {
        let mut known: Vec<&str> = known.into_iter().collect();
        let mut seen = HashSet::new();
        known.retain(|word| seen.insert(*word));
        match nearest(word, &known) {
            Some(near) => self.hint(format!("did you mean `{near}`?")),
            None if known.is_empty() => self,
            None => self.hint(format!("known: {}", known.join(", "))),
        }
    }
}

/// The known word that is most similar to `word`, if any is similar.
#[must_use]
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let (near, likeness) =
        known.iter().map(|candidate| (*candidate, likeness(word, candidate))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    (likeness > 0.75).then_some(near)
}

/// Similarity of two words, 0 to 1. In short words, one changed letter or two swapped ones make the whole difference.
fn likeness(word: &str, candidate: &str) -> f64 {
    let is_slip = word.chars().count() > 2 && strsim::osa_distance(word, candidate) == 1;
    strsim::jaro_winkler(word, candidate).max(if is_slip { 0.9 } else { 0.0 })
}

/// All problems of a manifest, in the order of the text.
#[derive(Debug, Clone)]
pub struct Problems {
    sources: Sources,
    problems: Vec<Problem>,
}

impl Problems {
    /// Sorts the problems by place, and removes duplicates.
    #[must_use]
    pub fn new(sources: Sources, problems: Vec<Problem>) -> Problems {
        let mut sorted = Problems { sources, problems: Vec::new() };
        sorted.add(problems);
        sorted
    }

    fn add(&mut self, problems: Vec<Problem>) {
        self.problems.extend(problems);
        self.problems.sort_by_key(|problem| problem.span.as_ref().map_or(usize::MAX, |span| span.start));
        let mut known = HashSet::new();
        self.problems.retain(|problem| known.insert(problem.clone()));
    }

    /// Adds the problems from another reading of the same texts.
    pub fn merge(&mut self, other: Problems) {
        self.add(other.problems);
    }

    /// Whether there are no problems.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// The problems, in the order of the text.
    #[must_use]
    pub fn list(&self) -> &[Problem] {
        &self.problems
    }

    /// One diagnostic a problem, each with its line underlined.
    pub fn reports(&self) -> impl Iterator<Item = miette::Report> {
        self.problems.iter().map(|problem| miette::Report::new(self.display(problem)))
    }

    /// File and line of a problem, if it has a place.
    #[must_use]
    pub fn locate(&self, problem: &Problem) -> Option<(&str, usize)> {
        self.sources.locate(problem.span.as_ref()?)
    }

    fn display(&self, problem: &Problem) -> Displayed {
        let place = problem.span.as_ref().and_then(|span| {
            let text = self.sources.text_at(span.start)?;
            let start = text.local(span.start);
            let end = text.local(span.end.max(span.start)).max(start);
            let line_end = text.content[start..].find('\n').map_or(text.content.len(), |at| start + at);
            let [start, end] = [start, end.min(line_end)].map(|at| visible_lines(&text.content[..at]).len());
            let source = NamedSource::new(visible(&text.name), visible_lines(&text.content));
            Some((source, (start, end - start).into()))
        });
        let (message, hint) = (visible(&problem.message), problem.hint.as_deref().map(visible));
        Displayed { problem: Problem { message, hint, ..problem.clone() }, place }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{}", .problem.message)]
struct Displayed {
    problem: Problem,
    place: Option<(NamedSource<String>, SourceSpan)>,
}

impl Diagnostic for Displayed {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.problem.hint.as_ref().map(|hint| Box::new(hint) as Box<dyn std::fmt::Display>)
    }
    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.place.as_ref().map(|(source, _)| source as &dyn miette::SourceCode)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (_, span) = self.place.as_ref()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, *span))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_finds_its_text_and_line() {
        let mut sources = Sources::default();
        assert_eq!(sources.add("a.toml", "x = 1\ny = 2\n"), 0);
        let start = sources.add("b.toml", "z = 3\nw = 4\n");
        assert_eq!(sources.locate(&(6..7)), Some(("a.toml", 2)));
        assert_eq!(sources.locate(&(start + 6..start + 7)), Some(("b.toml", 2)));
    }

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        let mut sources = Sources::default();
        sources.add("a\u{1b}.toml", "x = \"\u{7}\"\ny = 2\n");
        let problems = Problems::new(sources, vec![Problem::at(8..9, "no \u{1b}[2J").hint("say \0")]);
        let mut shown = String::new();
        let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor());
        problems.reports().for_each(|report| handler.render_report(&mut shown, report.as_ref()).unwrap());
        assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
        assert!(shown.contains("x = \"\\u{7}\"") && shown.contains(":2:1]"), "{shown}");
    }

    #[test]
    fn problems_stand_in_the_order_of_the_text_and_once_each() {
        let at = |start| Problem::at(start..start + 1, "wrong");
        let mut problems = Problems::new(Sources::default(), vec![Problem::general("all"), at(7), at(2), at(7)]);
        problems.merge(Problems::new(Sources::default(), vec![at(2), at(4)]));
        assert_eq!(problems.list(), [at(2), at(4), at(7), Problem::general("all")]);
    }

    #[test]
    fn the_nearest_word_is_offered_only_if_it_is_near() {
        assert_eq!(nearest("oponent", &["opponent", "games"]), Some("opponent"));
        assert_eq!(nearest("zzz", &["opponent", "games"]), None);
        assert_eq!(nearest("utc", &["uct", "net"]), Some("uct"));
    }
}
