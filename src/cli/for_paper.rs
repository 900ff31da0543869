//! The options of `gauntlet export` for LaTeX and figures of a paper.

use std::path::Path;

use clap::Args;

use super::Flags;
use super::limits::whole;
use super::output::{Misuse, note, visible};
use super::report::named_plans;
use crate::app::{PaperRequest, is_for_paper, require_own, write_paper};
use gauntlet_exhibits::typeset::{CaptionLength, FontSize, Typeset, Width};

/// The heading of these options in the help.
const HEADING: &str = "Tables and figures for a paper";

/// The appearance of tables and figures; the manifest's `typeset` has the same settings.
#[derive(Debug, Args)]
pub struct ForPaper {
    /// Only this table or figure (repeatable)
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    artefact: Vec<String>,
    /// Only these columns of tables, in this order: headings, or their parts before or after ` / ` (repeatable)
    #[arg(long, value_name = "A,B", help_heading = HEADING)]
    columns: Vec<String>,
    /// Most digits after the decimal point in tables
    #[arg(long, value_name = "N", value_parser = whole(0..=9_u32), help_heading = HEADING)]
    digits: Option<u32>,
    /// The caption: `full`, or the title alone (`short`), with all sentences below [default: full, in a document short]
    #[arg(long, value_name = "full|short", help_heading = HEADING)]
    caption: Option<CaptionLength>,
    /// Write each table as a plain `tabular`, without float, caption and notes
    #[arg(long, help_heading = HEADING, conflicts_with = "caption")]
    bare: bool,
    /// Width of the paper's column, as 85mm, 3.3in or 241pt: wider tables are broken into blocks of columns [default:
    /// figures of 345pt]
    #[arg(long, value_name = "LENGTH", help_heading = HEADING)]
    width: Option<Width>,
    /// Size of letters, as 8pt [default: figures 9pt]
    #[arg(long, value_name = "LENGTH", help_heading = HEADING)]
    font_size: Option<FontSize>,
    /// Write a whole document with every table and figure, which LaTeX compiles
    #[arg(long, help_heading = HEADING)]
    document: bool,
}

impl ForPaper {
    /// Writes the artefacts of a manifest or a paper if the name of the file asks for them, and returns whether it does.
    ///
    /// # Errors
    /// If they cannot be written, or options are for another kind of file.
    pub fn run(&self, flags: &Flags, manifest: &str, file: &Path) -> anyhow::Result<bool> {
        if !is_for_paper(file) {
            return if self.is_empty() { Ok(false) } else { Err(misplaced(file)) };
        }
        let store = flags.options.look()?;
        let plans = named_plans(flags, &store, &[manifest.to_owned()])?;
        require_own(&flags.options, &plans)?;
        let messages = write_paper(&flags.options, &plans, &self.request(), file)?;
        messages.iter().for_each(|message| note(flags.quiet, message));
        Ok(true)
    }

    fn request(&self) -> PaperRequest {
        let typeset = Typeset {
            columns: self.columns.clone(),
            digits: self.digits,
            caption: self.caption,
            bare: self.bare,
            width: self.width,
            font_size: self.font_size,
        };
        PaperRequest { artefacts: self.artefact.clone(), typeset, document: self.document }
    }

    fn is_empty(&self) -> bool {
        let request = self.request();
        request.typeset == Typeset::default() && request.artefacts.is_empty() && !request.document
    }
}

fn misplaced(file: &Path) -> anyhow::Error {
    let what = format!("{} is neither LaTeX nor a picture", visible(&file.to_string_lossy()));
    Misuse::new(what, "--artefact, --columns, --width and the like are for .tex, .pdf, .svg and .png")
}
