//! Parsing of TOML into trees with places. The only file that reads manifests with the TOML parser.

use toml::de::{DeTable, DeValue};

use super::source::{Problem, Sources};
use super::tree::{Entry, Node, Table, Value};

/// Parses a text and adds it to the sources; every line with a syntax error is one problem.
///
/// The understood part is returned too, so that it can be checked at the same time.
pub fn parse(sources: &mut Sources, name: &str, content: &str) -> (Table, Vec<Problem>) {
    let start = sources.add(name, content);
    let (table, errors) = DeTable::parse_recoverable(content);
    let mut problems: Vec<Problem> = Vec::new();
    for error in errors {
        let message = error.message().lines().next().unwrap_or_default();
        let span = error.span().unwrap_or(0..0);
        let place = span.start + start..span.end + start;
        problems.push(match (message, content.get(span)) {
            ("duplicate key", Some(key)) => {
                Problem::at(place, format!("`{key}` is written twice")).hint("remove one of both, or join them")
            }
            _ => Problem::at(place, message),
        });
    }
    let table = own_table(table.get_ref(), start, &mut problems);
    // The parser reports consequential errors: only the first error of a line is kept.
    let line = |problem: &Problem| problem.span.as_ref().and_then(|span| sources.locate(span)).map(|(_, line)| line);
    problems.sort_by_key(|problem| problem.span.as_ref().map(|span| span.start));
    problems.dedup_by_key(|problem| line(problem));
    (table, problems)
}

/// Parses a value of the command line that starts at `start`; a text that is not a TOML value is a string.
pub fn parse_value(text: &str, start: usize, problems: &mut Vec<Problem>) -> Node {
    match DeValue::parse(text) {
        Ok(value) => own_node(&value, start, problems),
        Err(_) => Node { span: start..start + text.len(), value: Value::Text(text.into()) },
    }
}

fn own_table(table: &DeTable<'_>, start: usize, problems: &mut Vec<Problem>) -> Table {
    let mut entries: Vec<Entry> = Vec::with_capacity(table.len());
    for (key, value) in table.iter().filter(|(_, value)| is_written(value)) {
        let span = key.span();
        entries.push(Entry {
            key: key.get_ref().as_ref().into(),
            key_span: span.start + start..span.end + start,
            node: own_node(value, start, problems),
        });
    }
    entries.sort_by_key(|entry| entry.key_span.start);
    Table::from(entries)
}

/// Whether a value is in the text: the parser replaces an unreadable value by a 0 without a place.
fn is_written(value: &toml::Spanned<DeValue<'_>>) -> bool {
    !value.span().is_empty() || value.get_ref().is_table()
}

fn own_node(node: &toml::Spanned<DeValue<'_>>, start: usize, problems: &mut Vec<Problem>) -> Node {
    let span = node.span().start + start..node.span().end + start;
    let value = match node.get_ref() {
        DeValue::String(text) => Value::Text(text.as_ref().into()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Datetime(value) => Value::Text(value.to_string().into()),
        DeValue::Array(list) => {
            let items = list.iter().filter(|item| is_written(item));
            Value::List(items.map(|item| own_node(item, start, problems)).collect())
        }
        DeValue::Table(table) => Value::Table(own_table(table, start, problems)),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(value) => Value::Integer(value),
            Err(_) => {
                // The next number that fits, so that the check of the setting names its own bound.
                let nearest = if number.as_str().starts_with('-') { i64::MIN } else { i64::MAX };
                let message = format!("the whole numbers of a manifest are from {} to {}", i64::MIN, i64::MAX);
                problems.push(Problem::at(span.clone(), message));
                Value::Integer(nearest)
            }
        },
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
    };
    Node { span, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let mut sources = Sources::default();
        let (_, problems) = parse(&mut sources, "test.toml", text);
        problems.iter().map(|problem| sources.locate(problem.span.as_ref().unwrap()).unwrap().1).collect()
    }

    #[test]
    fn every_line_with_a_syntax_error_is_one_problem() {
        assert_eq!(lines("a = \nb = 2\nc = 3\nc = 4\nd = 'x\n"), [1, 4, 5]);
        assert_eq!(lines("a = 99999999999999999999\nb = 0xff\nc = 01"), [1, 3]);
        assert_eq!(lines("a = 1"), [0; 0]);
    }

    #[test]
    fn the_rest_of_a_torn_text_is_there() {
        let (table, _) = parse(&mut Sources::default(), "test.toml", "a = \nb = 2\n[c]\nd = 3\n");
        assert_eq!((table.lookup("b"), table.lookup("c.d")), (Some(&Value::Integer(2)), Some(&Value::Integer(3))));
    }

    #[test]
    fn what_the_parser_makes_up_is_not_there() {
        let (table, problems) = parse(&mut Sources::default(), "test.toml", "a == 1\nb = 2\nc.d = \"\"\n");
        assert_eq!((problems.len(), table.get("a"), table.lookup("b")), (1, None, Some(&Value::Integer(2))));
        assert_eq!(table.lookup("c.d").and_then(Value::text), Some(""));
    }

    #[test]
    fn values_of_the_command_line_keep_their_places() {
        let node = parse_value("[5, x]", 100, &mut Vec::new());
        assert_eq!((node.span, node.value.text()), (100..106, Some("[5, x]")), "no TOML: a string");
        let Value::List(items) = parse_value("[5, 7]", 100, &mut Vec::new()).value else { panic!("a list") };
        assert_eq!(items[1].span, 104..105);
        let mut problems = Vec::new();
        parse_value("99999999999999999999", 100, &mut problems);
        let range = "the whole numbers of a manifest are from -9223372036854775808 to 9223372036854775807";
        assert_eq!(problems, [Problem::at(100..120, range)]);
    }
}
