//! Tables and figures of reports for a paper: LaTeX with its pictures, or a picture alone.

use std::path::Path;

use crate::app::publish::sheets;
use crate::app::{Misuse, Options, Planned, write_named};
use gauntlet_exhibits::typeset::{CaptionLength, Typeset};
use gauntlet_games::base::{count, visible};
use gauntlet_plan::manifest::source::nearest;
use gauntlet_report::plot::{PAGE_WIDTH, PageSize, PictureFormat, typeset};
use gauntlet_report::typeset::{Piece, TypesetError, document, figure, table};
use gauntlet_report::write::stem;
use gauntlet_report::{ReportError, Sheet};

/// Height of a page of LaTeX's class `article` without a caption of four lines, in points.
const PAGE_HEIGHT: f64 = 500.0;
/// The ending of LaTeX.
const LATEX: &str = "tex";
/// The endings of pictures.
const PICTURES: [(&str, PictureFormat); 3] =
    [("pdf", PictureFormat::Pdf), ("svg", PictureFormat::Svg), ("png", PictureFormat::Png)];

/// The artefacts that are wanted, and their appearance.
#[derive(Debug, Default)]
pub struct PaperRequest {
    /// Names of artefacts, with or without that of their paper; none for all.
    pub artefacts: Vec<String>,
    /// The appearance, where the command line says it.
    pub typeset: Typeset,
    /// Whether LaTeX is a whole document.
    pub document: bool,
}

impl PaperRequest {
    /// The appearance of an artefact with these lasting settings. In documents, captions are short, and tables no wider
    /// than the text.
    fn settings(&self, lasting: &Typeset) -> Typeset {
        let asked = self.typeset.over(lasting);
        match self.document {
            false => asked,
            true => Typeset {
                caption: asked.caption.or(Some(CaptionLength::Short)),
                width: asked.width.or(format!("{PAGE_WIDTH}pt").parse().ok()),
                ..asked
            },
        }
    }
}

/// One artefact with its appearance.
struct Artefact {
    sheet: Sheet,
    typeset: Typeset,
}

/// Whether a file with this name is LaTeX or a picture.
#[must_use]
pub fn is_for_paper(file: &Path) -> bool {
    ending(file).is_some_and(|ending| ending == LATEX) || picture_format(file).is_some()
}

fn ending(file: &Path) -> Option<&str> {
    file.extension()?.to_str()
}

fn picture_format(file: &Path) -> Option<PictureFormat> {
    let ending = ending(file)?;
    PICTURES.into_iter().find(|(known, _)| *known == ending).map(|(_, format)| format)
}

/// Writes the artefacts of some reports, and returns messages: the files, and tables that are larger than a page.
///
/// # Errors
/// If a report or an artefact is missing, the settings do not suit it, or a file cannot be written.
pub fn write_paper(
    options: &Options,
    plans: &[Planned],
    request: &PaperRequest,
    file: &Path,
) -> anyhow::Result<Vec<String>> {
    let (artefacts, mut messages) = artefacts(options, plans, request)?;
    messages.extend(match picture_format(file) {
        Some(format) => write_picture(&artefacts, request, format, file)?,
        None => write_latex(&artefacts, request, file)?,
    });
    Ok(messages)
}

/// The wanted artefacts of all reports, in their order, and messages about manifests of a paper that have none.
fn artefacts(
    options: &Options,
    plans: &[Planned],
    request: &PaperRequest,
) -> anyhow::Result<(Vec<Artefact>, Vec<String>)> {
    let (mut all, mut messages) = (Vec::new(), Vec::new());
    for planned in plans {
        let (name, exhibits) = (visible(&planned.name), &planned.plan.written.exhibits);
        let sheets = sheets(options, planned);
        if sheets.is_empty() && plans.len() > 1 {
            messages.push(format!("{name} has no report at profile {}; it is left out", planned.plan.profile));
        } else if sheets.len() < exhibits.len() {
            let what = format!("{name} has no whole report at profile {}", planned.plan.profile);
            let hint =
                format!("`gauntlet run {name}` makes it, or `gauntlet report {name}` from results that are there");
            return Err(Misuse::new(what, hint));
        }
        let settings = |place: usize| Some(request.settings(&exhibits.get(place)?.typeset));
        all.extend(sheets.into_iter().filter_map(|(place, sheet)| Some(Artefact { sheet, typeset: settings(place)? })));
    }
    let is_named = |artefact: &Artefact, name: &String| {
        *name == artefact.sheet.artefact || *name == stem(&artefact.sheet.artefact)
    };
    if let Some(unknown) = request.artefacts.iter().find(|name| !all.iter().any(|artefact| is_named(artefact, name))) {
        return Err(no_artefact(unknown, &all));
    }
    if !request.artefacts.is_empty() {
        all.retain(|artefact| request.artefacts.iter().any(|name| is_named(artefact, name)));
    }
    match all.is_empty() {
        true => Err(Misuse::new("there is no table and no figure", "an `[[exhibit]]` in the manifest makes one")),
        false => Ok((all, messages)),
    }
}

fn names(artefacts: &[Artefact]) -> Vec<String> {
    artefacts.iter().map(|artefact| stem(&artefact.sheet.artefact)).collect()
}

fn no_artefact(unknown: &str, all: &[Artefact]) -> anyhow::Error {
    let names = names(all);
    let hint = match nearest(unknown, &names.iter().map(String::as_str).collect::<Vec<&str>>()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", names.join(", ")),
    };
    Misuse::new(format!("there is no artefact `{}`", visible(unknown)), hint)
}

/// Writes the picture of the only artefact.
fn write_picture(
    artefacts: &[Artefact],
    request: &PaperRequest,
    format: PictureFormat,
    file: &Path,
) -> anyhow::Result<Vec<String>> {
    if request.document || request.typeset.is_of_tables() {
        let what = format!("{} is a picture", visible(&file.to_string_lossy()));
        let hint = "--columns, --digits, --caption, --bare and --document are for .tex";
        return Err(Misuse::new(what, hint));
    }
    let [artefact] = artefacts else {
        let what = format!("there are {} artefacts, and a picture shows one", artefacts.len());
        return Err(Misuse::new(what, format!("choose one by --artefact: {}", names(artefacts).join(", "))));
    };
    write_named(file, &picture(artefact, format)?)?;
    Ok(vec![format!("the figure of {} written to {}", artefact.sheet.artefact, visible(&file.to_string_lossy()))])
}

fn picture(artefact: &Artefact, format: PictureFormat) -> anyhow::Result<Vec<u8>> {
    typeset(&artefact.sheet, PageSize::of(&artefact.typeset), format).map_err(|error: ReportError| match error.hint() {
        Some(hint) => Misuse::new(error.to_string(), hint),
        None => error.into(),
    })
}

/// LaTeX in the making.
#[derive(Default)]
struct Latex {
    pieces: Vec<String>,
    /// Figures by the names of their files.
    pictures: Vec<(String, Vec<u8>)>,
    /// Tables that are larger than a page.
    notes: Vec<String>,
}

impl Latex {
    /// Adds a table, or a figure that has none; with `figures` also the figure of a table. Names of files begin with `own`.
    fn add(&mut self, artefact: &Artefact, own: &str, figures: bool) -> anyhow::Result<()> {
        let Artefact { sheet, typeset: settings } = artefact;
        let refused = |error: TypesetError| Misuse::new(visible(&error.to_string()), visible(&error.hint()));
        let table = table(sheet, settings).map_err(refused)?;
        let has_table = table.is_some();
        self.notes.extend(table.as_ref().and_then(|table| too_large(artefact, table)));
        self.pieces.extend(table.map(|table| table.text));
        if figures || !has_table {
            let name = format!("{own}-{}.pdf", stem(&sheet.artefact));
            self.pieces.push(figure(sheet, settings, &name, has_table));
            self.pictures.push((name, picture(artefact, PictureFormat::Pdf)?));
        }
        Ok(())
    }

    /// The words for the files of the figures.
    fn beside(&self) -> String {
        match self.pictures.as_slice() {
            [] => String::new(),
            [(name, _)] => format!(", and its figure to {name} beside it"),
            [(first, _), ..] => {
                format!(", and {} to {first} and so on beside it", count(self.pictures.len(), "figure"))
            }
        }
    }
}

/// Writes the tables, and figures without a table; in a document, the figures of all.
fn write_latex(artefacts: &[Artefact], request: &PaperRequest, file: &Path) -> anyhow::Result<Vec<String>> {
    let own = file.file_stem().map(|own| stem(&own.to_string_lossy())).unwrap_or_default();
    let mut latex = Latex::default();
    artefacts.iter().try_for_each(|artefact| latex.add(artefact, &own, request.document))?;
    let widths = artefacts.iter().filter_map(|artefact| artefact.typeset.width).map(|width| width.points());
    let text = match request.document {
        true => document(&latex.pieces, widths.reduce(f64::max).unwrap_or(PAGE_WIDTH)),
        false => latex.pieces.join("\n"),
    };
    for (name, bytes) in &latex.pictures {
        write_named(&file.with_file_name(name), bytes)?;
    }
    write_named(file, text.as_bytes())?;
    let (what, name) = (count(artefacts.len(), "artefact"), visible(&file.to_string_lossy()));
    let written = format!("{what} written to {name}{}", latex.beside());
    Ok(std::iter::once(written).chain(latex.notes).collect())
}

/// The way to a smaller table, if it is larger than a page.
fn too_large(artefact: &Artefact, table: &Piece) -> Option<String> {
    let Piece { width, height, .. } = table;
    let is_wide = artefact.typeset.width.is_none() && *width > PAGE_WIDTH;
    let (size, way) = match (is_wide, *height > PAGE_HEIGHT) {
        (true, _) => (format!("{width:.0}pt wide"), "--width 345pt breaks it into blocks of columns, "),
        (false, true) => (format!("{height:.0}pt high, more than a page"), ""),
        (false, false) => return None,
    };
    let name = &artefact.sheet.artefact;
    Some(format!("the table of {name} is about {size}: {way}--columns chooses some, --font-size makes it smaller"))
}
