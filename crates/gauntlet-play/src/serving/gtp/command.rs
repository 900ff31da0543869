//! Lines of GTP: a command with its number, and the form of an answer.

/// A command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Command<'a> {
    /// Its number, which the answer repeats; empty if it has none.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its arguments.
    pub arguments: Vec<&'a str>,
}

impl<'a> Command<'a> {
    /// Reads a line; nothing from an empty line or a comment.
    pub fn read(line: &'a str) -> Option<Command<'a>> {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        let first = words.next()?;
        let is_number = first.len() < 20 && first.bytes().all(|byte| byte.is_ascii_digit());
        let (id, name) = if is_number { (first, words.next().unwrap_or_default()) } else { ("", first) };
        Some(Command { id, name, arguments: words.collect() })
    }
}

/// Appends the answer to a command: the text, or a reason why not.
pub(super) fn answer(id: &str, answer: &Result<String, String>, out: &mut String) {
    let (sign, text) = match answer {
        Ok(text) => ('=', text),
        Err(reason) => ('?', reason),
    };
    out.push(sign);
    *out += id;
    if !text.is_empty() {
        // A text on several lines starts on the next one.
        out.push(if text.starts_with('\n') { '\n' } else { ' ' });
        // An empty line would end the answer.
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        *out += &lines.join("\n");
    }
    *out += "\n\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_the_standard_says() {
        let read = |line| Command::read(line).map(|it| (it.id, it.name, it.arguments));
        assert_eq!(read("12 play  black\tD4 # a comment\r"), Some(("12", "play", vec!["black", "D4"])));
        assert_eq!(read("name"), Some(("", "name", vec![])));
        assert_eq!(read("7"), Some(("7", "", vec![])));
        assert_eq!((read("# play"), read(" \t")), (None, None));
        assert_eq!(read("\u{7}undo"), Some(("", "undo", vec![])));
    }

    #[test]
    fn answers_end_with_an_empty_line_and_contain_none() {
        let answered = |id, text: Result<&str, &str>| {
            let mut out = String::new();
            answer(id, &text.map(str::to_owned).map_err(str::to_owned), &mut out);
            out
        };
        assert_eq!(answered("3", Ok("")), "=3\n\n");
        assert_eq!(answered("", Ok("D4")), "= D4\n\n");
        assert_eq!(answered("1", Ok("\n A\n\n1 .\n")), "=1\n A\n1 .\n\n");
        assert_eq!(answered("", Err("unknown command")), "? unknown command\n\n");
    }
}
