//! A report of a gallery as one HTML file, from the gallery's own files: pages in Markdown, CSV and PNG.

use minijinja::{Value, context};

use super::error::ReportError;
use super::gallery::{GalleryPicture, chips, report_meaning, style};
use super::gallery_markdown::{WrittenPage, lines};
use super::page::{LONG, LONGEST_SOURCE, PaperInfo, fill, split_title};
use super::script::{json, scripts};

/// An artefact with the texts of its files.
#[derive(Debug, Clone, PartialEq)]
pub struct GalleryArtefact {
    /// What its page says.
    pub picture: GalleryPicture,
    /// Its page, in Markdown.
    pub markdown: String,
    /// Its CSV; empty without one.
    pub csv: String,
}

/// The page of a report; `others` are the other profiles of its paper.
///
/// # Errors
/// If the template fails, which would be a bug in it.
pub fn render(artefacts: &[GalleryArtefact], paper: &PaperInfo, others: &[&str]) -> Result<String, ReportError> {
    let profile = artefacts.first().map_or("", |first| first.picture.profile.as_str());
    let lines: Vec<Option<serde_json::Value>> = artefacts.iter().map(|artefact| lines(&artefact.csv)).collect();
    let sections: Vec<Value> = artefacts.iter().zip(&lines).map(|(one, lines)| section(one, lines.as_ref())).collect();
    let values = context! {
        title => format!("{} ({profile})", paper.title),
        style => style(),
        scripts => scripts(lines.iter().any(Option::is_some)),
        paper => context! { title => &paper.title, authors => &paper.authors, venue => &paper.venue },
        profile,
        meaning => report_meaning(artefacts.iter().map(|artefact| &artefact.picture)),
        others => others.iter().map(|other| (*other).to_owned()).collect::<Vec<_>>(),
        sections,
    };
    fill(include_str!("gallery_report.html"), values, [&paper.key, profile])
}

fn section(artefact: &GalleryArtefact, lines: Option<&serde_json::Value>) -> Value {
    let GalleryArtefact { picture, markdown, csv } = artefact;
    let page = WrittenPage::read(markdown);
    let (label, heading) = split_title(&picture.title);
    let file = |ending: &String| Value::from(vec![format!("{}.{ending}", picture.stem), ending.to_uppercase()]);
    context! {
        id => &picture.stem,
        is_board => picture.is_board,
        label,
        heading,
        chips => chips(picture),
        caption => Value::from_safe_string(page.caption),
        is_long => page.table.as_ref().is_some_and(|table| table.rows.len() > LONG),
        table => page.table.map(|table| table.value()),
        rest => Value::from_safe_string(page.rest),
        lines => lines.map(json),
        csv => Some(csv).filter(|csv| csv.len() <= LONGEST_SOURCE),
        files => picture.endings.iter().filter(|ending| *ending != "md").map(file).collect::<Vec<_>>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{csv, markdown, samples};

    #[test]
    fn a_report_shows_tables_and_verdicts_of_its_files() {
        let sheet = samples::small_table();
        let markdown = markdown::render(&sheet, "table2.png");
        let endings = ["md", "csv", "png"].map(str::to_owned).to_vec();
        let picture = GalleryPicture::new(["paper", "laptop", "table2"], endings, &markdown);
        let csv = String::from_utf8(csv::render(&sheet).unwrap()).unwrap();
        let paper = PaperInfo { title: "A <paper>".into(), ..PaperInfo::default() };
        let html = render(&[GalleryArtefact { picture, markdown, csv }], &paper, &["paper"]).unwrap();
        let html = html.replace("&#x2f;", "/");
        for wanted in [
            "A &lt;paper&gt;",
            "src=\"table2.png\"",
            "data-head=\"CONV / Correlation\">0.84 ± 0.03</td>",
            "data-head=\"paper\">0.86 ± 0.026</td>",
            "≠ differs</span>",
            "href=\"../paper/index.html\"",
            "href=\"table2.csv\"",
            "data-kind=\"CSV\" hidden>artefact,row,",
        ] {
            assert!(html.contains(wanted), "{wanted} in {html}");
        }
        assert!(!html.contains(".md\""));
    }
}
