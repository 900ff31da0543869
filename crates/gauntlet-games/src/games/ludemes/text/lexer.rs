//! The lexer: from characters to tokens (brackets, words, strings), without comments.

use super::{Mistake, SourcePlace};

/// The kind of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// `(`, `{` or an angle bracket that opens an argument of an option.
    Open(char),
    /// `)`, `}` or the angle bracket that closes it.
    Close(char),
    /// Text between quotes.
    Text(String),
    /// A word, a number, or an operator.
    Word(String),
    /// `name:`, the label of the next token.
    Label(String),
    /// Asterisks after an item of an option: its preference.
    Stars(usize),
}

/// Maximum number of characters of a description or of a file of macros.
pub const LONGEST: usize = 1 << 20;

/// The byte order mark, which some editors write at the start of a text.
const MARK: char = '\u{feff}';

/// Whether a character may continue a word.
fn is_of_word(letter: char) -> bool {
    !letter.is_whitespace() && !"(){}<>\":*".contains(letter) && letter != MARK
}

/// Whether a text is a single word token.
pub fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_of_word) && !text.starts_with("//")
}

/// The tokens of a text with their places, and the mistakes.
pub fn tokens(file: u16, text: &str) -> (Vec<(Token, SourcePlace)>, Vec<Mistake>) {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    let mut lexer = Lexer {
        rest: text,
        place: SourcePlace { file, line: 1, column: 1, called: [0; 2] },
        found: Vec::new(),
        wrong: Vec::new(),
        suspect: None,
    };
    if text.len() > LONGEST {
        lexer.wrong.push(Mistake::new(lexer.place, format!("a description has at most {LONGEST} bytes")));
    } else {
        while lexer.step() {}
    }
    (lexer.found, lexer.wrong)
}

struct Lexer<'a> {
    rest: &'a str,
    place: SourcePlace,
    found: Vec<(Token, SourcePlace)>,
    wrong: Vec<Mistake>,
    /// The first multi-line text with a bracket in it: if a quote is missing, its end may be here.
    suspect: Option<SourcePlace>,
}

impl Lexer<'_> {
    /// Reads one token or gap; false at the end.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        let start = self.place;
        match first {
            _ if first.is_whitespace() || first == MARK => self.take(1),
            '/' if self.rest.starts_with("//") => drop(self.take_while(|letter| letter != '\n')),
            '"' => self.text(start),
            '(' | '{' => self.one(Token::Open(first), start),
            ')' | '}' => self.one(Token::Close(first), start),
            '<' | '>' if !self.after_bracket() || self.opens_argument() => {
                let token = if first == '<' { Token::Open('<') } else { Token::Close('>') };
                self.one(token, start);
            }
            '*' if !self.after_bracket() => {
                let stars = self.take_while(|letter| letter == '*').len();
                self.found.push((Token::Stars(stars), start));
            }
            _ => self.word(start),
        }
        true
    }

    /// Whether the last token opens a list, so that an operator may follow.
    fn after_bracket(&self) -> bool {
        matches!(self.found.last(), Some((Token::Open('('), _)))
    }

    /// Whether this is the start of an option's argument rather than an operator: `<Tag:x>`, not `< a b`.
    fn opens_argument(&self) -> bool {
        self.rest.strip_prefix('<').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
    }

    fn one(&mut self, token: Token, start: SourcePlace) {
        self.take(1);
        self.found.push((token, start));
    }

    /// Reads a text up to the next quote, possibly over several lines; `\"` in it is a quote.
    fn text(&mut self, start: SourcePlace) {
        self.take(1);
        let mut inside = self.take_while(|letter| letter != '"');
        while inside.ends_with('\\') && self.rest.starts_with('"') {
            inside.pop();
            self.take(1);
            inside.push('"');
            inside.push_str(&self.take_while(|letter| letter != '"'));
        }
        if self.suspect.is_none() && inside.contains('\n') && inside.contains('(') {
            self.suspect = Some(start);
        }
        if self.rest.starts_with('"') {
            self.take(1);
        } else {
            let place = self.suspect.unwrap_or(start);
            self.wrong.push(Mistake::new(place, "this quote has no end, or the one that ends a text is missing here"));
            self.rest = "";
        }
        self.found.push((Token::Text(inside), start));
    }

    fn word(&mut self, start: SourcePlace) {
        if self.after_bracket() && self.rest.starts_with(['<', '>', '*']) {
            let operator = self.take_while(|letter| "<>=*".contains(letter));
            self.found.push((Token::Word(operator), start));
            return;
        }
        let word = self.take_while(is_of_word);
        if self.rest.starts_with(':') {
            self.take(1);
            self.found.push((Token::Label(word), start));
        } else {
            self.found.push((Token::Word(word), start));
        }
    }

    fn take(&mut self, characters: usize) {
        let mut left = characters;
        self.take_while(|_| {
            let more = left > 0;
            left = left.saturating_sub(1);
            more
        });
    }

    fn take_while(&mut self, mut belongs: impl FnMut(char) -> bool) -> String {
        let end = self.rest.char_indices().find(|&(_, letter)| !belongs(letter)).map_or(self.rest.len(), |(at, _)| at);
        let (taken, rest) = self.rest.split_at(end);
        for letter in taken.chars() {
            if letter == '\n' {
                self.place = SourcePlace { line: self.place.line + 1, column: 1, ..self.place };
            } else {
                self.place.column += 1;
            }
        }
        self.rest = rest;
        taken.to_owned()
    }
}
