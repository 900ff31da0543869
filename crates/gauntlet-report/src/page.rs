//! One self-contained page for a paper at a profile: every artefact with its picture, its table beside the published
//! one, its manifest and the environment. It reads and prints without scripts; with its own it can be touched. It loads
//! no external resources; external texts are escaped by the template engine.

use super::error::ReportError;
use super::grid::Grid;
use super::page_table::{table, tally};
use super::profile::{meaning, stated};
use super::same_jobs::ON_THIS_PAGE;
use super::script::{json, scripts};
use super::sheet::{Criterion, Mark, Sheet};
use super::write::stem;
use super::{csv, latex, lines, plot};
use gauntlet_games::base::visible_lines;
use minijinja::{Environment, Value, context};
use serde::{Deserialize, Serialize};

/// Tables with more rows than this are folded.
pub(super) const LONG: usize = 24;

/// The longest text that a page keeps for the clipboard, in bytes.
pub(super) const LONGEST_SOURCE: usize = 1 << 17;

/// The style of pages, with the colours of pictures.
pub(super) fn style() -> String {
    [include_str!("page.css"), &plot::style()].concat()
}

/// The content of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The paper.
    pub paper: PaperInfo,
    /// Name of the profile (`paper`, `laptop`, `smoke`, `custom`).
    pub profile: String,
    /// The program that made the page, and its input: one line of text.
    pub generated: String,
    /// Commit, dirty flag, CPU, versions: names and values, in order.
    pub environment: Vec<(String, String)>,
    /// Training times by the clock: the training, and its time. They are beside the environment, since they are no
    /// results.
    pub hours: Vec<(String, String)>,
    /// The artefacts in the order of the paper.
    pub sections: Vec<Section>,
    /// Why the page is partial, if jobs are missing: the page then says so.
    pub partial: Option<Partial>,
}

/// Why a page is partial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    /// A sentence: the number of finished jobs, with the time.
    pub state: String,
    /// The seconds after which a browser should reload the page, if it should.
    pub refreshed: Option<u64>,
    /// The jobs under way, as a part of the page; may be empty. Not escaped.
    pub under_way: String,
}

/// The information on a page about its paper.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PaperInfo {
    /// Key of the paper (`schaul2009`).
    pub key: String,
    /// Its title.
    pub title: String,
    /// Its authors, as cited; may be empty.
    pub authors: String,
    /// Where and when it was published; may be empty.
    pub venue: String,
}

/// One artefact.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its numbers and texts.
    pub sheet: Sheet,
    /// Its picture from [`super::plot::svg`], equal to the file beside the page; not escaped.
    pub svg: String,
    /// Its picture for a telephone, from [`super::plot::narrow_svg`]; not escaped either.
    pub narrow: String,
    /// The manifest it was made from, as written.
    pub manifest: String,
    /// Its progress (`complete, 5 jobs, 150,000 games`); may be empty.
    pub state: String,
}

/// Renders the page as HTML.
///
/// # Errors
/// If the template fails, which would be a bug in it.
pub fn render(page: &Page) -> Result<String, ReportError> {
    fill(include_str!("page.html"), values(page), [&page.paper.key, &page.profile])
}

/// Fills a template. All pages have the same head and end, with `title`, `style`, `scripts`, and whether the page is
/// `refreshed`. An error names the paper and the profile.
pub(super) fn fill(template: &str, values: Value, [paper, profile]: [&str; 2]) -> Result<String, ReportError> {
    let filled = || -> Result<String, minijinja::Error> {
        let mut engine = Environment::new();
        // Escaping follows from the names' ending.
        engine.add_template("head.html", include_str!("head.html"))?;
        engine.add_template("foot.html", include_str!("foot.html"))?;
        engine.template_from_named_str("page.html", template)?.render(values)
    };
    let failed = |source| ReportError::Page { paper: paper.to_owned(), profile: profile.to_owned(), source };
    // External text may contain characters that reverse the direction of text.
    filled().map(|text| visible_lines(&text)).map_err(failed)
}

fn values(page: &Page) -> Value {
    let has_lines = page.sections.iter().any(|section| lines::of_chart(&section.sheet.chart).is_some());
    let fact = |(name, value): &(String, String)| Value::from(vec![name.clone(), value.clone()]);
    let facts = |facts: &[(String, String)]| facts.iter().map(fact).collect::<Vec<_>>();
    let named = |_| format!("{} ({})", page.paper.title, page.profile);
    let title = stated(&page.profile).map_or_else(|| page.paper.title.clone(), named);
    context! {
        title,
        style => Value::from_safe_string(style()),
        scripts => scripts(has_lines),
        paper => context! {
            title => &page.paper.title,
            authors => &page.paper.authors,
            venue => &page.paper.venue,
        },
        stated => stated(&page.profile),
        meaning => meaning(&page.profile),
        generated => &page.generated,
        environment => facts(&page.environment),
        hours => facts(&page.hours),
        sections => page.sections.iter().map(section).collect::<Vec<_>>(),
        partial => page.partial.as_ref().map(|partial| &partial.state),
        refreshed => page.partial.as_ref().and_then(|partial| partial.refreshed),
        under_way => page.partial.as_ref().map(|partial| Value::from_safe_string(partial.under_way.clone())),
    }
}

fn section(section: &Section) -> Value {
    let sheet = &section.sheet;
    let stem = stem(&sheet.artefact);
    let (label, heading) = split_title(&sheet.title);
    let grid = Grid::new(sheet);
    context! {
        id => &stem,
        label,
        heading,
        files => ["csv", "md", "tex", "png", "svg", "pdf"].map(|kind| Value::from(vec![format!("{stem}.{kind}"), kind.to_uppercase()])).to_vec(),
        artefact => &sheet.artefact,
        state => &section.state,
        caption => &sheet.caption,
        notes => sheet.notes.clone(),
        criteria => sheet.criteria.iter().map(criterion).collect::<Vec<_>>(),
        is_board => is_board(sheet),
        lines => lines::of_chart(&sheet.chart).as_ref().map(json),
        sources => sources(sheet),
        svg => Value::from_safe_string(section.svg.clone()),
        narrow => Value::from_safe_string(section.narrow.clone()),
        manifest => &section.manifest,
        tally => tally(sheet),
        is_long => grid.as_ref().is_some_and(|grid| grid.rows.len() > LONG),
        grid => grid.as_ref().map(table),
    }
}

/// Whether a picture shows boards, which keep their colours in the dark.
fn is_board(sheet: &Sheet) -> bool {
    let mut series = sheet.chart.panels.iter().flat_map(|panel| &panel.series);
    !sheet.chart.diagrams.is_empty() || series.any(|series| matches!(series.mark, Mark::Stone { .. }))
}

/// The texts of the CSV and the LaTeX beside the page, for the clipboard, without long ones.
fn sources(sheet: &Sheet) -> Vec<Value> {
    let csv = csv::render(sheet).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    let mut beside = sheet.clone();
    beside.notes.retain(|note| !note.starts_with(ON_THIS_PAGE));
    let latex = latex::render(&beside, &stem(&sheet.artefact));
    let sources = [("CSV", csv), ("LaTeX", latex)].into_iter();
    let short = sources.filter(|(_, text)| !text.is_empty() && text.len() <= LONGEST_SOURCE);
    short.map(|(kind, text)| Value::from(vec![kind.to_owned(), text])).collect()
}

fn criterion(criterion: &Criterion) -> Value {
    let class = match criterion.gain.value {
        None => "apart",
        Some(_) if criterion.met => "agrees",
        Some(_) if criterion.is_undecided() => "apart",
        Some(_) => "differs",
    };
    context! {
        claim => &criterion.claim,
        place => &criterion.gain.column,
        class,
        word => criterion.word(),
        numbers => criterion.numbers(),
        precedence => criterion.precedence(),
    }
}

/// `Table 1. Correlations ...` is a label and a heading.
pub(super) fn split_title(title: &str) -> (&str, &str) {
    let opens_and_closes = |label: &str| label.matches('(').count() == label.matches(')').count();
    match title.split_once(". ") {
        // Splits at "Figure 4(c). Correlation", but not at "Scores (Eq. 4)".
        Some((label, heading)) if label.len() <= 24 && opens_and_closes(label) => (label, heading),
        _ => ("", title),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{plot, samples};

    fn page(sheets: Vec<Sheet>) -> Page {
        let manifest = "schema = 1\nname = \"table1\"\n\n[profile.paper]\nnetworks = 100 # as published\n";
        let section = |sheet: Sheet| Section {
            svg: plot::svg(&sheet).expect("it paints"),
            narrow: plot::narrow_svg(&sheet).expect("it paints"),
            sheet,
            manifest: manifest.into(),
            state: "complete · 5 jobs · 150,000 games".into(),
        };
        Page {
            paper: PaperInfo {
                key: "schaul2009".into(),
                title: "Scalable Neural Networks for Board Games".into(),
                authors: "Tom Schaul and Jürgen Schmidhuber".into(),
                venue: "ICANN 2009".into(),
            },
            profile: "paper".into(),
            generated: "Made by gauntlet 0.1.0 from 42 stored jobs.".into(),
            environment: [("commit", "d2d0ad1 (clean)"), ("CPU", "two cores, AVX-512"), ("rustc", "1.95.0")]
                .map(|(name, value)| (name.into(), value.into()))
                .to_vec(),
            hours: vec![("table1: train, SAZ".into(), "0.071 h a training, 0.355 h in all (5 timed)".into())],
            sections: sheets.into_iter().map(section).collect(),
            partial: None,
        }
    }

    #[test]
    fn a_partial_page_says_so_and_is_loaded_again_while_jobs_run() {
        let mut page = page(vec![samples::small_table()]);
        let whole = render(&page).expect("it renders");
        assert!(!whole.contains("Partial") && !whole.contains("http-equiv=\"refresh\""));
        assert!(whole.contains("default-src &#x27;none&#x27;") || whole.contains("default-src 'none'"));
        for refreshed in [Some(5), None] {
            page.partial =
                Some(Partial { state: "5 of 12 jobs at 12:00".into(), refreshed, under_way: "<p>now</p>".into() });
            let html = render(&page).expect("it renders");
            assert!(html.contains("<strong>Partial.</strong> 5 of 12 jobs at 12:00"));
            assert_eq!(html.contains("http-equiv=\"refresh\" content=\"5\""), refreshed.is_some());
        }
    }

    #[test]
    fn a_page_has_a_section_and_a_picture_for_every_sheet() {
        let sheets = vec![
            samples::correlations(),
            samples::proportions(),
            samples::small_table(),
            samples::percentiles(),
            samples::curves(),
            samples::scatter(),
        ];
        let html = render(&page(sheets.clone())).expect("it renders");
        for sheet in &sheets {
            let stem = stem(&sheet.artefact);
            assert!(html.contains(&format!("id=\"{stem}\"")) && html.contains(&format!("href=\"#{stem}\"")), "{stem}");
        }
        // One for wide screens, and one for telephones.
        let pictures = 2 * sheets.len();
        assert_eq!((html.matches("<svg ").count(), html.matches("</svg>").count()), (pictures, pictures));
    }

    #[test]
    fn outside_text_is_escaped_and_nothing_is_loaded() {
        let evil = "<script>alert(1)</script> & \"quotes\" </title>";
        let mut sheet = samples::small_table();
        sheet.title = evil.into();
        sheet.caption = evil.into();
        sheet.notes = vec![evil.into()];
        let table = sheet.table.as_mut().expect("it has a table");
        table.corner = evil.into();
        table.columns[0] = format!("{evil} / {evil}");
        table.rows[0].0 = evil.into();
        sheet.chart.panels[0].title = evil.into();
        sheet.chart.panels[0].series[1].name = evil.into();
        let mut page = page(vec![sheet]);
        page.paper.title = evil.into();
        page.environment[0].1 = evil.into();
        page.hours[0].0 = evil.into();
        page.sections[0].manifest = evil.into();
        page.sections[0].state = evil.into();
        page.generated = evil.into();
        page.profile = evil.into();
        let html = render(&page).expect("it renders");
        assert!(!html.contains("<script>alert") && html.contains("&lt;script&gt;"));
        assert_eq!(html.matches("<script").count(), 1, "the script of pages, as no chart has lines");
        let outside = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!outside.contains("http:") && !outside.contains("https:") && !outside.contains("url("));
    }

    #[test]
    fn a_page_shows_both_numbers_and_the_verdict_in_words() {
        let html = render(&page(vec![samples::small_table()])).expect("it renders");
        for text in [
            "<html lang=\"en\">",
            "role=\"img\"",
            "scope=\"row\" data-head=\"Sizes\">7x7 vs. 9x9<",
            "0.84 ± 0.03",
            "0.86 ± 0.026",
            "≠ differs",
            "○ not comparable",
            "href=\"table2.csv\"",
            "light-dark(",
            "script-src 'sha256-",
            "networks = 100",
            "AVX-512",
            "Time of trainings",
            "0.355 h in all",
        ] {
            assert!(html.contains(text), "{text} is missing");
        }
    }

    #[test]
    fn every_table_row_is_as_wide_as_its_head() {
        for sheet in [samples::small_table(), samples::correlations(), samples::proportions()] {
            let html = render(&page(vec![sheet])).expect("it renders");
            let table = &html[html.find("<table class=\"numbers").expect("a table")..];
            let body = &table[table.find("<tbody>").expect("a body")..table.find("</tbody>").expect("its end")];
            let last_head = table[..table.find("</thead>").expect("a head")].rsplit("<tr>").next().expect("a row");
            let cells = |row: &str| row.matches("<td").count() + row.matches("<th").count();
            // The corner spans all rows of the head.
            body.split("<tr>").skip(1).for_each(|row| assert_eq!(cells(row), cells(last_head) + 1));
        }
    }
}
