//! A gallery: a directory of finished reports with a picture, a page and a CSV for each artefact, without their
//! sheets. Its index shows all pictures with their verdicts, as one HTML file that opens without a server, and as a
//! block of Markdown for the gallery's README. Both are made from the gallery's own files alone; so are the pages of its
//! reports ([`super::gallery_report`]).

use std::collections::BTreeMap;

use minijinja::{Value, context};

use super::error::ReportError;
use super::exhibits::verdicts::BY_CHANCE;
use super::page::{PaperInfo, fill, split_title};
use super::page_table::class;
use super::profile::meaning;
use super::script::scripts;
use super::sheet::Agreement;

/// The marks around the block in a README.
pub const MARKS: [&str; 2] = ["<!-- all pictures -->", "<!-- end of all pictures -->"];
/// Pictures in a row of the README.
const IN_A_ROW: usize = 3;

/// The start of the line of a page that names its profile.
const STATED: &str = "*Profile: ";

/// One artefact of a gallery.
#[derive(Debug, Clone, PartialEq)]
pub struct GalleryPicture {
    /// The directory of its paper or manifest.
    pub family: String,
    /// The directory of its profile below it.
    pub profile: String,
    /// The profile that its page names: `custom` where the command line changed settings.
    pub stated: String,
    /// The name of its files, without an ending.
    pub stem: String,
    /// The endings of the existing files.
    pub endings: Vec<String>,
    /// Its heading.
    pub title: String,
    /// Whether it shows boards: only their pages have no table.
    pub is_board: bool,
    /// The number of its numbers with each verdict, without verdicts that do not occur.
    pub verdicts: Vec<(Agreement, usize)>,
    /// The number of its success criteria, and of those that are met.
    pub criteria: (usize, usize),
    /// The number of its criteria that nothing decides: not enough runs, or an interval over an end of a margin.
    pub undecided: usize,
    /// Those of its criteria that rest on the same jobs as one of an earlier artefact: their number, and of those that are
    /// met, and the names of these artefacts.
    pub repeats: (usize, usize, Vec<String>),
    /// The expected number of its differences from published numbers by chance alone.
    pub by_chance: f64,
}

impl GalleryPicture {
    /// The artefact of a page that this program wrote ([`super::markdown`]).
    #[must_use]
    pub fn new([family, profile, stem]: [&str; 3], endings: Vec<String>, page: &str) -> GalleryPicture {
        let stated =
            page.lines().find_map(|line| line.strip_prefix(STATED)?.split_once('.')).map_or(profile, |(own, _)| own);
        let title = page.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(stem);
        let cells = || page.lines().filter(|line| line.starts_with("| ")).flat_map(|line| line.split(" | "));
        let count = |verdict: Agreement| cells().filter(|cell| cell.trim() == verdict.mark()).count();
        let counted = Agreement::ALL.map(|verdict| (verdict, count(verdict)));
        let judged = |word: &str| {
            let verdict = format!(": {word}. ");
            page.lines().filter(|line| line.starts_with("- ") && line.contains(&verdict)).count()
        };
        let [met, unmet, undecided] = ["met", "not met", "undecided"].map(judged);
        let counts = page.lines().filter_map(|line| line.split_once(" differ: about ")?.0.rsplit_once(" of "));
        let compared: f64 = counts.filter_map(|(_, number)| number.parse::<f64>().ok()).sum();
        GalleryPicture {
            family: family.to_owned(),
            profile: profile.to_owned(),
            stated: plain(stated),
            stem: stem.to_owned(),
            endings,
            title: plain(title),
            is_board: !page.lines().any(|line| line.starts_with("| :-")),
            verdicts: counted.into_iter().filter(|(_, count)| *count > 0).collect(),
            criteria: (met + unmet + undecided, met),
            undecided,
            repeats: (0, 0, Vec::new()),
            by_chance: BY_CHANCE * compared,
        }
    }

    /// The number of its numbers with a verdict.
    fn having(&self, verdict: Agreement) -> usize {
        self.verdicts.iter().filter(|(own, _)| *own == verdict).map(|(_, count)| count).sum()
    }

    /// The path of its file with an ending, from the gallery.
    fn file(&self, ending: &str) -> String {
        format!("{}/{}/{}.{ending}", self.family, self.profile, self.stem)
    }

    /// Its verdicts as texts: `≈ 21`, `≠ 6`, `4 of 6 criteria met`.
    fn words(&self) -> Vec<(&'static str, String)> {
        let word = |(verdict, count): &(Agreement, usize)| (class(*verdict), format!("{} {count}", verdict.mark()));
        let ((all, met), undecided) = (self.criteria, self.undecided);
        let colour = match all - met - undecided {
            0 if undecided == 0 => "agrees",
            0 => "apart",
            _ => "differs",
        };
        let open = if undecided > 0 { format!(", {undecided} undecided") } else { String::new() };
        let criteria = (all > 0).then(|| (colour, format!("{met} of {all} criteria met{open}")));
        let (repeated, _, of) = &self.repeats;
        let repeats =
            (*repeated > 0).then(|| ("apart", format!("{repeated} of them by the same jobs as {}", of.join(", "))));
        self.verdicts.iter().map(word).chain(criteria).chain(repeats).collect()
    }
}

/// A title without the escapes of Markdown.
fn plain(title: &str) -> String {
    title.replace('\\', "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// The column heads of the summary table.
const HEADS: [&str; 7] =
    ["report", "artefacts", "numbers compared", "agree", "differ", "would differ by chance", "criteria met"];

/// The row of a report below [`HEADS`].
fn summary(pictures: &[GalleryPicture]) -> [String; HEADS.len()] {
    let all = |verdict| pictures.iter().map(|picture| picture.having(verdict)).sum::<usize>();
    let (agree, differ) = (all(Agreement::Agrees), all(Agreement::Differs));
    let by_chance: f64 = pictures.iter().map(|picture| picture.by_chance).sum();
    let criteria = pictures
        .iter()
        .map(|GalleryPicture { criteria, repeats, .. }| (criteria.0 - repeats.0, criteria.1 - repeats.1));
    let (asked, met) = criteria.fold((0, 0), |(asked, met), (own, own_met)| (asked + own, met + own_met));
    let some = |count: usize| if agree + differ == 0 { String::new() } else { count.to_string() };
    [
        format!("{}, {}", pictures[0].family, pictures[0].profile),
        pictures.len().to_string(),
        some(agree + differ),
        some(agree),
        some(differ),
        if by_chance > 0.0 { format!("{by_chance:.1}") } else { String::new() },
        if asked > 0 { format!("{met} of {asked}") } else { String::new() },
    ]
}

/// The style of the pages of a gallery.
pub(super) fn style() -> Value {
    Value::from_safe_string([&super::page::style(), include_str!("gallery.css")].concat())
}

/// The gallery as HTML, with the papers of its families by the names of their directories.
///
/// # Errors
/// If the template fails, which would be a bug in it.
pub fn html(pictures: &[GalleryPicture], papers: &BTreeMap<String, PaperInfo>) -> Result<String, ReportError> {
    let meanings: Vec<Value> =
        Agreement::ALL.map(|verdict| context! { mark => verdict.mark(), meaning => verdict.meaning() }).into();
    let summaries =
        reports(pictures).map(|report| context! { link => link(report), cells => summary(report).to_vec() });
    let families = pictures.chunk_by(|one, other| one.family == other.family).map(|family| {
        let id = &family[0].family;
        let paper = papers.get(id).cloned().unwrap_or_else(|| PaperInfo { title: id.clone(), ..PaperInfo::default() });
        let reports = reports(family).map(report).collect::<Vec<_>>();
        context! { id, title => paper.title, authors => paper.authors, venue => paper.venue, reports }
    });
    let values = context! {
        title => "Gallery of reproduced tables and figures",
        style => style(),
        scripts => scripts(false),
        families => families.collect::<Vec<_>>(),
        meanings,
        heads => HEADS.to_vec(),
        summaries => summaries.collect::<Vec<_>>(),
    };
    fill(include_str!("gallery.html"), values, ["gallery", ""])
}

/// The pictures of each report; they are neighbours in the list.
pub fn reports(pictures: &[GalleryPicture]) -> impl Iterator<Item = &[GalleryPicture]> {
    pictures.chunk_by(|one, other| (&one.family, &one.profile) == (&other.family, &other.profile))
}

/// The path of the page of a report, from the gallery.
fn link(pictures: &[GalleryPicture]) -> String {
    let GalleryPicture { family, profile, .. } = &pictures[0];
    format!("{family}/{profile}/index.html")
}

fn report(pictures: &[GalleryPicture]) -> Value {
    let profile = &pictures[0].profile;
    let link = link(pictures);
    let shown: Vec<Value> = pictures.iter().map(|own| picture(own, &link)).collect();
    context! { profile, meaning => report_meaning(pictures), link, pictures => shown }
}

/// The meaning of the profile of a report. A report may be in a directory whose name is that of no profile.
pub(super) fn report_meaning<'a>(pictures: impl IntoIterator<Item = &'a GalleryPicture>) -> &'static str {
    let pictures: Vec<&GalleryPicture> = pictures.into_iter().collect();
    let own = pictures.iter().find(|picture| picture.stated == picture.profile).or(pictures.first());
    meaning(own.map_or("", |picture| &picture.stated))
}

fn picture(picture: &GalleryPicture, report: &str) -> Value {
    let (label, heading) = split_title(&picture.title);
    context! {
        label,
        heading,
        png => picture.file("png"),
        is_board => picture.is_board,
        link => format!("{report}#{}", picture.stem),
        chips => chips(picture),
    }
}

/// The verdicts of an artefact.
pub(super) fn chips(picture: &GalleryPicture) -> Vec<Value> {
    picture.words().into_iter().map(|(class, text)| context! { class, text }).collect()
}

/// The README with the block of all pictures: in place of the existing block, or at its end.
#[must_use]
pub fn in_readme(readme: &str, pictures: &[GalleryPicture]) -> String {
    let [begin, end] = MARKS;
    let block = format!("{begin}\n{}{end}\n", markdown(pictures));
    match readme.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1))) {
        Some((before, after)) => format!("{before}{block}{}", after.strip_prefix('\n').unwrap_or(after)),
        None => format!("{}\n\n{block}", readme.trim_end()),
    }
}

/// A heading for each report, and a table of its pictures.
fn markdown(pictures: &[GalleryPicture]) -> String {
    let mut text = String::from("## All pictures\n\n");
    let marks = Agreement::ALL.map(|verdict| format!("{} {}", verdict.mark(), verdict.meaning()));
    text += &format!("Numbers beside published ones: {}.\n\n", marks.join("; "));
    text += &format!("| {} |\n| :-- |{}\n", HEADS.join(" | "), " --: |".repeat(HEADS.len() - 1));
    for report in reports(pictures) {
        text += &format!("| {} |\n", summary(report).join(" | "));
    }
    text += "\n";
    for report in reports(pictures) {
        text += &format!("### {}, {}\n\n", report[0].family, report[0].profile);
        text += &format!("|{}\n|{}\n", "  |".repeat(IN_A_ROW), " :-- |".repeat(IN_A_ROW));
        for row in report.chunks(IN_A_ROW) {
            let cells = row.iter().map(cell).chain(std::iter::repeat(String::new())).take(IN_A_ROW);
            text += &format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
        }
        text += "\n";
    }
    text
}

fn cell(picture: &GalleryPicture) -> String {
    let title = super::markdown::escape(&picture.title);
    let alternative = title.replace('"', "&quot;");
    let words: Vec<String> = picture.words().into_iter().map(|(_, text)| text).collect();
    let verdicts = if words.is_empty() { String::new() } else { format!("<br>**{}**", words.join(", ")) };
    let (png, page) = (picture.file("png"), picture.file("md"));
    format!("[<img src=\"{png}\" width=\"270\" alt=\"{alternative}\">]({page})<br>{title}{verdicts}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Table 2. A \\_study\n\n![x](table2.png)\n\n| a | b |  | paper |\n| :-- | --: | :-: | :-- |\n\
        | r | 0.1 | ≈ | 0.2 |\n| s | 0.1 | ≠ | 0.9 |\n| t | 1 | ≈ | 1 |\n\nOurs: ≈ agrees\n\n**Success criteria**:\n\n\
        - It wins (8x8): met. Gain 0.4 \\[0.3, 0.5\\], the 95 % interval over runs, n = 5.\n\
        - It wins (9x9): not met. Gain 0.0 \\[-0.1, 0.1\\], the 95 % interval over runs, n = 5.\n\n\
        - 3 numbers are compared with the paper's, and 1 of 3 differ: about 0.14 would by chance if all were equal.\n";

    fn pictures() -> Vec<GalleryPicture> {
        let endings = ["md", "png"].map(str::to_owned).to_vec();
        ["table2", "table3"].map(|stem| GalleryPicture::new(["paper", "laptop", stem], endings.clone(), PAGE)).into()
    }

    #[test]
    fn a_picture_is_what_its_page_says() {
        let GalleryPicture { title, verdicts, criteria, .. } = &pictures()[0];
        assert_eq!(title, "Table 2. A _study");
        assert_eq!(verdicts, &[(Agreement::Agrees, 2), (Agreement::Differs, 1)]);
        assert_eq!(*criteria, (2, 1));
        assert_eq!(summary(&pictures()).join("|"), "paper, laptop|2|6|4|2|0.3|2 of 4");
    }

    #[test]
    fn a_report_in_a_directory_of_another_name_has_the_profile_of_its_pages() {
        let reported = |profile: &str, pages: &[&str]| {
            let picture = |stated: &&str| {
                let page = format!("# A table\n\n*Profile: {stated}.* A caption.\n");
                GalleryPicture::new(["paper", profile, "table"], Vec::new(), &page)
            };
            report_meaning(&pages.iter().map(picture).collect::<Vec<_>>())
        };
        assert_eq!(reported("hexagons", &["custom", "custom"]), meaning("custom"));
        assert_eq!(reported("laptop", &["custom", "laptop"]), meaning("laptop"));
        assert_eq!(reported("night", &["night"]), meaning("night"));
        let untold = GalleryPicture::new(["paper", "paper", "table"], Vec::new(), "# A table\n");
        assert_eq!(report_meaning([&untold]), meaning("paper"));
    }

    #[test]
    fn every_picture_is_shown_and_linked_with_its_verdicts() {
        let papers =
            BTreeMap::from([("paper".to_owned(), PaperInfo { title: "Of games".into(), ..PaperInfo::default() })]);
        let html = html(&pictures(), &papers).unwrap().replace("&#x2f;", "/");
        for wanted in [
            "src=\"paper/laptop/table3.png\"",
            "href=\"paper/laptop/index.html#table2\"",
            "Of games",
            "≈ 2",
            "1 of 2 criteria met",
        ] {
            assert!(html.contains(wanted), "{wanted} in {html}");
        }
    }

    #[test]
    fn a_readme_keeps_its_words_around_the_block() {
        let first = in_readme("# Ours\n\nWords.\n", &pictures());
        assert!(first.starts_with("# Ours\n\nWords.\n\n<!-- all pictures -->\n"), "{first}");
        assert!(
            first.contains("](paper/laptop/table2.md)<br>Table 2. A \\_study<br>**≈ 2, ≠ 1, 1 of 2 criteria met**")
        );
        let behind = format!("{first}\n## More\n");
        assert_eq!(in_readme(&behind, &pictures()), behind);
        assert_ne!(in_readme(&behind, &pictures()[..1]), behind);
    }
}
