//! The pages of a gallery as parts of HTML: the Markdown that this program wrote ([`super::markdown`]), read again.

use minijinja::{Value, context};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

use super::sheet::Agreement;

/// With more compared columns than this, verdicts are signs without words.
const DENSE: usize = 3;
/// The mark of the heading of published numbers.
const PAPER: &str = "paper";

/// A page in parts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct WrittenPage {
    /// The profile and the caption.
    pub caption: String,
    /// The table, if there is one.
    pub table: Option<WrittenTable>,
    /// Everything below the picture and the table, as HTML.
    pub rest: String,
}

/// A table of texts in HTML.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct WrittenTable {
    pub heads: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl WrittenPage {
    /// Reads the Markdown of a page.
    pub fn read(markdown: &str) -> WrittenPage {
        let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES);
        // HTML in Markdown is text that was not written here.
        let events = parser.map(|event| match event {
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
            event => event,
        });
        let mut page = WrittenPage::default();
        for block in blocks(events) {
            match &block[0] {
                Event::Start(Tag::Heading { .. }) => {}
                Event::Start(Tag::Table(_)) if page.table.is_none() => page.table = Some(table(&block)),
                Event::Start(Tag::Paragraph) if is_picture(&block) => {}
                Event::Start(Tag::Paragraph) if page.caption.is_empty() => page.caption = html_of(inner(&block)),
                _ => page.rest += &judged(&html_of(&block)),
            }
        }
        page
    }
}

/// The top-level elements, each with its start and its end.
fn blocks<'a>(events: impl Iterator<Item = Event<'a>>) -> Vec<Vec<Event<'a>>> {
    let (mut blocks, mut depth) = (Vec::new(), 0_u32);
    for event in events {
        if depth == 0 {
            blocks.push(Vec::new());
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        blocks.last_mut().expect("a block began").push(event);
    }
    blocks
}

fn is_picture(block: &[Event<'_>]) -> bool {
    matches!(block.get(1), Some(Event::Start(Tag::Image { .. })))
}

fn inner<'b, 'a>(block: &'b [Event<'a>]) -> &'b [Event<'a>] {
    &block[1..block.len() - 1]
}

fn html_of(events: &[Event<'_>]) -> String {
    let mut text = String::new();
    html::push_html(&mut text, events.iter().cloned());
    text
}

fn table(block: &[Event<'_>]) -> WrittenTable {
    let mut table = WrittenTable::default();
    let (mut row, mut cell): (Vec<String>, Vec<Event<'_>>) = (Vec::new(), Vec::new());
    for event in inner(block) {
        match event {
            Event::End(TagEnd::TableCell) => row.push(html_of(&std::mem::take(&mut cell))),
            Event::End(TagEnd::TableHead) => table.heads = std::mem::take(&mut row),
            Event::End(TagEnd::TableRow) => table.rows.push(std::mem::take(&mut row)),
            Event::Start(Tag::TableCell | Tag::TableHead | Tag::TableRow) => {}
            event => cell.push(event.clone()),
        }
    }
    table
}

/// The verdicts on criteria as chips.
fn judged(html: &str) -> String {
    let chips = [("met", "agrees"), ("not met", "differs"), ("undecided", "apart"), ("not measured", "apart")];
    chips.iter().fold(html.to_owned(), |html, (word, class)| {
        html.replace(&format!(": {word}. "), &format!(": <span class=\"chip {class}\">{word}</span> "))
    })
}

impl WrittenTable {
    /// The table for a template: heads with their places, and cells with the whole heads of their columns.
    pub fn value(&self) -> Value {
        let kinds: Vec<Kind> = (0..self.heads.len()).map(|at| self.kind(at)).collect();
        let whole = |at: usize| match kinds[at] {
            Kind::Published => PAPER.to_owned(),
            Kind::Verdict | Kind::Own => self.heads[at].clone(),
        };
        let heads = self.heads.iter().enumerate().map(|(at, head)| {
            let is_sorted = kinds[at] != Kind::Verdict;
            context! { head => Value::from_safe_string(head.clone()), at, class => kinds[at].class(), is_sorted, whole => self.whole(at) }
        });
        let is_verdict = |at: usize| kinds.get(at) == Some(&Kind::Verdict);
        let verdicts = self.rows.iter().flat_map(|row| row.iter().enumerate().filter(|(at, _)| is_verdict(*at)));
        let is_apart =
            verdicts.map(|(_, cell)| cell).all(|cell| cell.is_empty() || cell == Agreement::NotComparable.mark());
        let rows = self.rows.iter().map(|row| {
            let cells = row.iter().enumerate().take(kinds.len()).map(|(at, cell)| {
                // The legend says once that no number can be compared.
                let chip = (is_verdict(at) && !is_apart).then(|| chip(cell)).flatten();
                let head = Value::from_safe_string(if kinds[at] == Kind::Verdict { String::new() } else { whole(at) });
                context! { text => Value::from_safe_string(cell.clone()), head, class => kinds[at].class(), chip }
            });
            Value::from(cells.collect::<Vec<_>>())
        });
        let is_dense = kinds.iter().filter(|kind| **kind == Kind::Verdict).count() > DENSE;
        context! { heads => heads.collect::<Vec<_>>(), rows => rows.collect::<Vec<_>>(), is_dense }
    }

    /// A published column follows one of verdicts without a heading.
    fn kind(&self, at: usize) -> Kind {
        let head = |at: usize| self.heads.get(at).map(String::as_str);
        match head(at) {
            Some("") if at > 0 && head(at + 1) == Some(PAPER) => Kind::Verdict,
            Some(PAPER) if at > 1 && head(at - 1) == Some("") => Kind::Published,
            _ => Kind::Own,
        }
    }

    /// The heading of a column by itself.
    fn whole(&self, at: usize) -> Value {
        let own = &self.heads[at];
        let whole =
            if self.kind(at) == Kind::Published { format!("{}, paper", self.heads[at - 2]) } else { own.clone() };
        Value::from_safe_string(whole.replace('"', "&quot;"))
    }
}

/// The kind of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Own,
    Verdict,
    Published,
}

impl Kind {
    fn class(self) -> &'static str {
        match self {
            Kind::Own => "",
            Kind::Verdict => "verdict",
            Kind::Published => "paper",
        }
    }
}

fn chip(cell: &str) -> Option<Value> {
    Agreement::ALL.into_iter().find(|verdict| verdict.mark() == cell).map(super::page_table::chip)
}

/// The headings of lines that a CSV has.
const COLUMNS: [&str; 7] = ["row", "column", "x", "metric", "value", "interval_low", "interval_high"];
/// The least number of points of a line.
const SHORTEST: usize = 3;
/// The most lines of a page.
const MOST: usize = 40;

/// Abscissa, value, and the ends of the interval.
type CsvPoint = [Option<f64>; 4];
/// A line with its name.
type CsvLine = (String, Vec<CsvPoint>);

/// The lines of a CSV of an artefact, as data for the script of pages: rows of one name over increasing abscissas.
pub(super) fn lines(csv: &str) -> Option<serde_json::Value> {
    let records = super::published_runs::records(csv);
    let (heads, rows) = records.split_first()?;
    let places: Vec<usize> = COLUMNS.iter().filter_map(|name| heads.iter().position(|head| head == name)).collect();
    let [row, column, x, metric, value, low, high] = *places.as_slice() else { return None };
    let mut panels: Vec<(String, Vec<CsvLine>)> = Vec::new();
    for cells in rows.iter().filter(|cells| cells.len() == heads.len()) {
        let number = |at: usize| cells[at].parse::<f64>().ok();
        let (Some(place), Some(level)) = (number(x), number(value)) else { continue };
        let name = [cells[row].as_str(), cells[column].as_str()].join(" · ");
        let point = [Some(place), Some(level), number(low), number(high)];
        let at = panels.iter().position(|(known, _)| *known == cells[metric]).unwrap_or_else(|| {
            panels.push((cells[metric].clone(), Vec::new()));
            panels.len() - 1
        });
        match panels[at].1.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push(point),
            None => panels[at].1.push((name, vec![point])),
        }
    }
    for (_, lines) in &mut panels {
        lines.retain(|(_, points)| points.len() >= SHORTEST && points.windows(2).all(|pair| pair[0][0] < pair[1][0]));
    }
    panels.retain(|(_, lines)| !lines.is_empty() && lines.len() <= MOST);
    let panel = |(metric, lines): &(String, Vec<CsvLine>)| {
        let line = |(colour, (name, points)): (usize, &CsvLine)| {
            let all = |at: usize| points.iter().map(|point| point[at]).collect::<Vec<_>>();
            let colour = colour % super::plot::COLOURS;
            serde_json::json!({ "name": name, "colour": colour, "dashed": false, "x": all(0), "y": all(1), "low": all(2), "high": all(3) })
        };
        let series: Vec<_> = lines.iter().enumerate().map(line).collect();
        serde_json::json!({ "title": "", "x": "x", "y": metric, "log": [false, false], "dates": false, "series": series })
    };
    (!panels.is_empty()).then(|| serde_json::json!({ "panels": panels.iter().map(panel).collect::<Vec<_>>() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{csv, markdown, samples};

    #[test]
    fn a_page_is_read_as_it_was_written() {
        let sheet = samples::small_table();
        let page = WrittenPage::read(&markdown::render(&sheet, "table2.png"));
        assert!(page.caption.starts_with("<em>Profile: paper.</em> Correlation"), "{}", page.caption);
        let table = page.table.expect("it has a table");
        assert_eq!(table.heads[..4], ["Sizes", "CONV / Correlation", "", "paper"]);
        assert_eq!(table.rows[0][..4], ["7x7 vs. 9x9", "0.84 ± 0.03", "≈", "0.86 ± 0.026"]);
        assert!(page.rest.contains("Every number rests on n = 100 runs.") && page.rest.contains("lost &amp; replaced"));
        let kinds: Vec<&str> = (0..5).map(|at| table.kind(at).class()).collect();
        assert_eq!(kinds, ["", "", "verdict", "paper", ""]);
    }

    #[test]
    fn html_in_a_page_stays_text() {
        let page =
            WrittenPage::read("# A\n\nA caption.\n\n<script>alert(1)</script>\n\n- It wins: not met. Gain <b>0</b>.\n");
        assert!(!page.rest.contains("<script>") && !page.rest.contains("<b>"), "{}", page.rest);
        assert!(page.rest.contains("<span class=\"chip differs\">not met</span> Gain"), "{}", page.rest);
    }

    #[test]
    fn a_csv_of_curves_has_lines() {
        let text = |sheet| String::from_utf8(csv::render(sheet).expect("it is written")).expect("it is text");
        assert_eq!(lines(&text(&samples::small_table())), None);
        let csv = "row,column,x,metric,value,interval_low,interval_high\nSAZ,score,1,outcome,0.5,0.4,0.6\n\
                   SAZ,score,2,outcome,0.7,,\nSAZ,score,3,outcome,0.8,,\n";
        let found = lines(csv).expect("a line");
        let line = &found["panels"][0]["series"][0];
        assert_eq!(
            (line["name"].as_str(), line["y"][1].as_f64(), line["low"][0].as_f64()),
            (Some("SAZ · score"), Some(0.7), Some(0.4))
        );
    }
}
