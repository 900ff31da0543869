//! The index of all reports in a directory: the content of each, with links to its page and its table of runs. Like a
//! page it loads no external resources, and external texts are escaped by the template engine.

use minijinja::{Value, context};

use super::error::ReportError;
use super::page::{PaperInfo, fill, split_title, style};
use super::page_table::tally;
use super::profile::meaning;
use super::script::scripts;
use super::sheet::Sheet;
use super::write::stem;

/// One report: a paper or manifest at a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedReport {
    /// The directory of the paper or manifest.
    pub family: String,
    /// The directory of the profile below it.
    pub profile: String,
    /// Its subject.
    pub paper: PaperInfo,
    /// Its exhibits in the order of its page, each with its progress.
    pub exhibits: Vec<(Sheet, String)>,
    /// Whether it has a table of runs.
    pub has_runs: bool,
}

/// Renders the index as HTML.
///
/// # Errors
/// If the template fails, which would be a bug in it.
pub fn render(reports: &[ListedReport], generated: &str) -> Result<String, ReportError> {
    let values = context! {
        title => "Reports",
        style => Value::from_safe_string(style()),
        scripts => scripts(false),
        reports => reports.iter().map(entry).collect::<Vec<_>>(),
        generated,
    };
    fill(include_str!("index.html"), values, ["index", ""])
}

fn entry(entry: &ListedReport) -> Value {
    let place = format!("{}/{}", entry.family, entry.profile);
    context! {
        id => place.replace('/', "-"),
        family => &entry.family,
        profile => &entry.profile,
        title => &entry.paper.title,
        authors => &entry.paper.authors,
        meaning => meaning(&entry.profile),
        link => format!("{place}/index.html"),
        runs => format!("{place}/runs.csv"),
        has_runs => entry.has_runs,
        exhibits => entry.exhibits.iter().map(|(sheet, state)| exhibit(&place, sheet, state)).collect::<Vec<_>>(),
    }
}

fn exhibit(place: &str, sheet: &Sheet, state: &str) -> Value {
    let (id, (label, heading)) = (stem(&sheet.artefact), split_title(&sheet.title));
    context! { link => format!("{place}/index.html#{id}"), id, label, heading, state, tally => tally(sheet) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn every_exhibit_is_linked_and_outside_text_is_escaped() {
        let paper = PaperInfo { title: "<script>alert(1)</script>".into(), ..PaperInfo::default() };
        let (family, profile) = ("schaul2009".to_owned(), "paper".to_owned());
        let exhibits = vec![(samples::small_table(), "complete".to_owned())];
        let html = render(&[ListedReport { family, profile, paper, exhibits, has_runs: true }], "made")
            .expect("it renders")
            .replace("&#x2f;", "/");
        for link in ["schaul2009/paper/index.html\"", "schaul2009/paper/index.html#table2", "schaul2009/paper/runs.csv"]
        {
            assert!(html.contains(link), "{link}");
        }
        assert!(!html.contains("<script>alert") && html.contains("&lt;script&gt;") && html.contains("light-dark("));
    }
}
