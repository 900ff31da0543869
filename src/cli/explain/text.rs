//! Documentation comments as plain text: tables are parsed, links lose their targets, lines have one width.

/// Columns of a line.
const WIDTH: usize = 100;

/// The text outside of the tables, as paragraphs of plain text.
pub fn paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('|')).collect();
    let blocks = lines.split(|line| line.trim().is_empty()).filter(|block| !block.is_empty());
    let is_code = |block: &[&str]| block.iter().any(|line| line.starts_with("```"));
    let plain = |block: &[&str]| block.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    blocks.map(|block| without_targets(&if is_code(block) { code(block) } else { plain(block) })).collect()
}

/// The lines of a code block, without its fences.
fn code(block: &[&str]) -> String {
    block.iter().filter(|line| !line.starts_with("```")).copied().collect::<Vec<_>>().join("\n")
}

/// The column for the paper of a table, by key.
pub fn papers(text: &str) -> Vec<(String, String)> {
    let rows: Vec<Vec<&str>> = text.lines().filter(|line| line.starts_with('|')).map(cells).collect();
    let column = rows.first().and_then(|head| head.iter().position(|name| name.contains("paper")));
    let Some(column) = column else { return Vec::new() };
    let of_row = |row: &Vec<&str>| -> Vec<(String, String)> {
        let keys = row[0].split('`').skip(1).step_by(2);
        let cell = row.get(column).copied().filter(|cell| !cell.is_empty()).map(without_targets);
        cell.map_or(Vec::new(), |cell| keys.map(|key| (key.to_owned(), cell.clone())).collect())
    };
    // The second row of a table is a rule.
    rows.iter().skip(2).flat_map(of_row).collect()
}

fn cells(line: &str) -> Vec<&str> {
    line.trim().trim_matches('|').split('|').map(str::trim).collect()
}

/// Text without the targets of its links: [`Net`](gauntlet_nets::nets) becomes `Net`.
fn without_targets(text: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, link)) = rest.split_once("[`") {
        let Some((name, after)) = link.split_once("`]") else { break };
        plain += &format!("{before}`{name}`");
        let target = after.strip_prefix('(').and_then(|target| target.split_once(')'));
        rest = target.map_or(after, |(_, after)| after);
    }
    plain + rest
}

/// A sentence as a part of another: without its capital and its full stop.
pub fn fragment(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().collect::<String>() + letters.as_str())
}

/// Paragraphs in lines of one width, each with this indent; the lines of code stay as they are.
pub fn wrapped(paragraph: &str, indent: usize) -> String {
    let margin = " ".repeat(indent);
    if paragraph.contains('\n') {
        return paragraph.lines().map(|line| format!("{margin}{line}\n")).collect();
    }
    let (mut text, mut column) = (String::new(), 0);
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        let fits = column > 0 && column + 1 + length <= WIDTH;
        if !fits {
            text += if column > 0 { "\n" } else { "" };
            text += &margin;
            column = indent;
        } else {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += length;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOC: &str = "How it learns\n(a paper, see [`Net`](gauntlet_nets::nets::Net)).\n\n| key | default | the paper |\n|---|---|---|\n\
                       | `a`, `b` | 3 | not given |\n| `c` | 1 | |\n\nMore.";

    #[test]
    fn documentation_is_taken_apart() {
        assert_eq!(paragraphs(DOC), ["How it learns (a paper, see `Net`).", "More."]);
        let reported = |key: &str| (key.to_owned(), "not given".to_owned());
        assert_eq!(papers(DOC), [reported("a"), reported("b")]);
        assert_eq!(fragment("A name of `[games]`."), "a name of `[games]`");
        assert_eq!(paragraphs("```text\na  b\nc\n```"), ["a  b\nc"]);
    }

    #[test]
    fn lines_have_one_width_and_lose_no_word() {
        let text = wrapped(&"word ".repeat(60), 4);
        assert!(text.lines().all(|line| line.len() <= WIDTH && line.starts_with("    word")), "{text}");
        assert_eq!(text.split_whitespace().count(), 60);
        assert_eq!(wrapped("a\n  b", 2), "  a\n    b\n");
    }
}
