//! A sheet as GitHub-flavoured Markdown: heading, picture, table, caption, notes.

use super::grid::{Grid, Head};
use super::profile::stated;
use super::sheet::Sheet;
use gauntlet_games::base::is_obeyed;

/// Renders a sheet; `picture` is the file name of its plot, next to the Markdown file.
pub fn render(sheet: &Sheet, picture: &str) -> String {
    let mut blocks = vec![format!("# {}", escape(&sheet.title))];
    let profile = stated(&sheet.profile).map(|profile| format!("*{}.*", escape(&profile)));
    blocks.push(profile.into_iter().chain([escape(&sheet.caption)]).collect::<Vec<_>>().join(" "));
    blocks.push(format!("![{}]({})", escape(&sheet.title), destination(picture)));
    if let Some(grid) = Grid::new(sheet) {
        blocks.push(table(&grid));
        blocks.push(escape(&grid.legend.join(" ")));
    }
    let criteria: Vec<_> = sheet.criteria.iter().map(|one| format!("- {}", escape(&one.sentence()))).collect();
    if !criteria.is_empty() {
        blocks.push(format!("**Success criteria**:\n\n{}", criteria.join("\n")));
    }
    let notes: Vec<_> = sheet.notes.iter().map(|note| format!("- {}", escape(note))).collect();
    blocks.push(notes.join("\n"));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

/// Text that Markdown and the HTML made from it print unchanged, on one line.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '$' => escaped.extend(['\\', c]),
            c if is_obeyed(c) => {}
            c => escaped.push(c),
        }
    }
    escape_start(escaped)
}

/// A leading `-`, `+` or `1.` would start a list.
fn escape_start(text: String) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let list = digits > 0 && (text[digits..].starts_with(". ") || text[digits..].starts_with(") "));
    if list || text.starts_with(['-', '+', '=']) { format!("{}\\{}", &text[..digits], &text[digits..]) } else { text }
}

/// A file name as the target of a link.
fn destination(name: &str) -> String {
    name.replace('%', "%25").replace(' ', "%20").replace('(', "%28").replace(')', "%29")
}

fn table(grid: &Grid) -> String {
    let heads = grid.heads.iter().flat_map(head);
    let rules = grid.heads.iter().flat_map(|h| if h.compared { vec!["--:", ":-:", ":--"] } else { vec!["--:"] });
    let mut lines = vec![line(&escape(&grid.corner), heads), line(":--", rules.map(String::from))];
    for (label, cells) in &grid.rows {
        let texts = cells.iter().zip(&grid.heads).flat_map(|(cell, head)| cell.texts(head.compared));
        lines.push(line(&escape(label), texts.map(escape)));
    }
    lines.join("\n")
}

fn line(first: &str, rest: impl Iterator<Item = String>) -> String {
    rest.fold(format!("| {first} |"), |line, text| line + &format!(" {text} |"))
}

fn head(head: &Head) -> Vec<String> {
    let group = head.group.as_ref().map_or(String::new(), |group| format!("{group} / "));
    let name = escape(&format!("{group}{}", head.label));
    if head.compared { vec![name, String::new(), "paper".into()] } else { vec![name] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_small_table() {
        insta::assert_snapshot!(render(&samples::small_table(), "table2.svg"), @r"
        # Table 2. Scalability of trained networks

        *Profile: paper.* Correlation of the fitness on 7x7 with that on larger boards, 100 networks per scenario.

        ![Table 2. Scalability of trained networks](table2.svg)

        | Sizes | CONV / Correlation |  | paper | CONV / p |  | paper | ties |
        | :-- | --: | :-: | :-- | --: | :-: | :-- | --: |
        | 7x7 vs. 9x9 | 0.84 ± 0.03 | ≈ | 0.86 ± 0.026 | 0.12 ± 0.10 | ○ | 0.20 ± 0.10 | 0.07 ± 0.02 |
        | 7x7 vs. 11x11 | −0.05 ± 0.10 | ≠ | 0.72 ± 0.05 |  |  |  |  |

        Every number rests on n = 100 runs. ± is one standard error. Ours against the paper's: ≈ agrees within twice the combined standard error; ≠ differs by more than twice the combined standard error; ○ not comparable, as it was measured at another scale.

        - One network was lost &amp; replaced.
        ");
    }

    #[test]
    fn outside_text_stays_text() {
        let text = escape("<script>alert(1)</script> a|b_c & 100% *x* [y](z)\nnext");
        assert_eq!(text, r"&lt;script&gt;alert(1)&lt;/script&gt; a\|b\_c &amp; 100% \*x\* \[y\](z) next");
        assert_eq!(escape("1. first"), r"1\. first");
        assert_eq!(escape("a\u{1b}b\u{202e}c\0"), "abc");
        assert_eq!(escape("- item"), r"\- item");
        assert_eq!(escape("0.86"), "0.86");
    }

    #[test]
    fn every_row_has_as_many_cells_as_the_head() {
        let mut sheet = samples::small_table();
        sheet.table.as_mut().expect("it has a table").rows[0].0 = "a | b".into();
        let markdown = render(&sheet, "x.svg");
        let rows: Vec<_> = markdown.lines().filter(|line| line.starts_with('|')).collect();
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(rows.len() >= 3 && rows.iter().all(|row| cells(row) == cells(rows[0])), "{markdown}");
    }
}
