//! `gauntlet gallery`: the index of all pictures in a directory of finished reports, from its own files.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;

use super::output::{self, Misuse, count, note, visible};
use super::{Exit, Flags, Terminal};
use crate::app::{FinishedArtefact, finished, natural, redraw, shared_runs};
use gauntlet_games::base::files::{LARGEST_DATA, read_unlinked};
use gauntlet_report::gallery::{GalleryPicture, html, in_readme, reports};
use gauntlet_report::gallery_report::{self, GalleryArtefact};
use gauntlet_report::markdown::escape;
use gauntlet_report::page::PaperInfo;
use gauntlet_report::recorded::{self, RecordedSheet};
use gauntlet_report::same_jobs::repeated;
use gauntlet_report::write;

/// The endings of the files of an artefact, in the order of the links.
const ENDINGS: [&str; 5] = ["md", "csv", "tex", "png", "svg"];

/// Write the pages of a gallery: its index with all pictures and their verdicts, a page for each report, and the block of
/// its README.md. With --add, finished reports are added first; with --redraw, its pictures are drawn again first
#[derive(Debug, Args)]
pub struct Gallery {
    /// Add the artefacts of a report, <reports>/<paper>/<profile>: pages with their provenance, CSV and PNG, and the
    /// runs of each manifest (repeatable)
    #[arg(long, value_name = "REPORT")]
    add: Vec<PathBuf>,

    /// Add results even if the commit of their page does not hold the manifest as it was planned, or if the tree of the
    /// program was changed. The page states the reason
    #[arg(long, value_name = "REASON", requires = "add", value_parser = reason)]
    changed_tree: Option<String>,

    /// Draw the pictures again in today's style, and judge the criteria again by today's rules: from the CSV of the
    /// gallery alone, without results and without a run
    #[arg(long)]
    redraw: bool,

    /// The gallery: <paper>/<profile>/<artefact>.png with its page, <artefact>.md
    #[arg(value_name = "DIR", default_value = "reports/gallery")]
    directory: PathBuf,
}

impl Gallery {
    /// Writes both files.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let reason = self.changed_tree.as_deref();
        self.add.iter().try_for_each(|report| add(flags, &self.directory, report, reason))?;
        let mut pictures = pictures(&self.directory)?;
        if pictures.is_empty() {
            let what =
                format!("there is no <paper>/<profile>/<artefact>.png with a page in {}", self.directory.display());
            return Err(Misuse::new(what, "name the directory of a gallery, which holds finished reports"));
        }
        if self.redraw {
            redraw(&flags.options, &self.directory, &pictures, &|line| note(flags.quiet, line))?;
            pictures = self::pictures(&self.directory)?;
        }
        let (page, readme) = (self.directory.join(INDEX), self.directory.join("README.md"));
        let papers = papers(&self.directory, &pictures)?;
        output::write(&self.directory, &page, html(&pictures, &papers)?.as_bytes(), output::FILE)?;
        write_reports(&self.directory, &pictures, &papers)?;
        let words = text(&self.directory, &readme)?.unwrap_or_else(|| "# Gallery\n".to_owned());
        output::write(&self.directory, &readme, in_readme(&words, &pictures).as_bytes(), output::FILE)?;
        note(flags.quiet, &format!("{} in {}", count(pictures.len(), "picture"), page.display()));
        Ok(Exit::Done)
    }
}

/// The name of the page of the gallery, and of each report.
const INDEX: &str = "index.html";
/// The file with the title and the authors of a paper, in the directory of its family.
const PAPER: &str = "paper.json";

/// The text of a file of a gallery, if it exists. It is published: a link could lead to any file of this machine.
fn text(gallery: &Path, path: &Path) -> anyhow::Result<Option<String>> {
    match read_unlinked(gallery, path, LARGEST_DATA) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let way = "a gallery shows copies: put a regular file in its place, or remove it";
            Err(Misuse::new(format!("cannot read {}: {error}", path.display()), way))
        }
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
    }
}

/// The papers of a gallery, by family; a family without a file has none.
fn papers(gallery: &Path, pictures: &[GalleryPicture]) -> anyhow::Result<BTreeMap<String, PaperInfo>> {
    let mut papers = BTreeMap::new();
    for family in pictures.iter().map(|picture| &picture.family).collect::<BTreeSet<_>>() {
        let text = text(gallery, &gallery.join(family).join(PAPER))?;
        let paper = text.and_then(|text| serde_json::from_str(&text).ok());
        papers.extend(paper.map(|paper| (family.clone(), paper)));
    }
    Ok(papers)
}

/// Writes the page of each report.
fn write_reports(
    gallery: &Path,
    pictures: &[GalleryPicture],
    papers: &BTreeMap<String, PaperInfo>,
) -> anyhow::Result<()> {
    for report in reports(pictures) {
        let GalleryPicture { family, profile, .. } = &report[0];
        let directory = gallery.join(family).join(profile);
        let text = |stem: &str, ending: &str| {
            anyhow::Ok(text(gallery, &directory.join(format!("{stem}.{ending}")))?.unwrap_or_default())
        };
        let artefact = |picture: &GalleryPicture| {
            let [markdown, csv] = [text(&picture.stem, "md")?, text(&picture.stem, "csv")?];
            anyhow::Ok(GalleryArtefact { picture: picture.clone(), markdown, csv })
        };
        let artefacts = report.iter().map(artefact).collect::<anyhow::Result<Vec<GalleryArtefact>>>()?;
        let unknown = || PaperInfo { key: family.clone(), title: family.clone(), ..PaperInfo::default() };
        let paper = papers.get(family).cloned().unwrap_or_else(unknown);
        let others = reports(pictures).map(|other| &other[0]).filter(|other| other.family == *family);
        let others: Vec<&str> = others.map(|other| other.profile.as_str()).filter(|other| other != profile).collect();
        let page = gallery_report::render(&artefacts, &paper, &others)?;
        output::write(gallery, &directory.join(INDEX), page.as_bytes(), output::FILE)?;
    }
    Ok(())
}

/// The endings of the files that are copied unchanged.
const TAKEN: [&str; 2] = ["csv", "png"];
/// The directory of the runs of each manifest.
const RUNS: &str = "runs";
/// The largest table of runs that is added, in bytes.
const LARGEST_RUNS: usize = 1 << 20;

/// Adds the artefacts of a report, below the names of its two last directories.
fn add(flags: &Flags, gallery: &Path, report: &Path, reason: Option<&str>) -> anyhow::Result<()> {
    let (finished, unknown) = finished(report, &mut Terminal::new(flags));
    let names = [report.parent().and_then(Path::file_name), report.file_name()];
    let ([Some(family), Some(profile)], false) = (names, finished.is_empty()) else {
        let what = format!("there is no artefact of today's program in {}", report.display());
        let way =
            "name a report, <reports>/<paper>/<profile>, that `gauntlet run` or `gauntlet report` has just written";
        return Err(Misuse::new(what, way));
    };
    for stem in &unknown {
        note(
            flags.quiet,
            &format!("{stem} was rendered by another version and is left out: `gauntlet report` renders it"),
        );
    }
    require_commits(&finished, reason)?;
    let to = gallery.join(family).join(profile);
    let paper = gallery.join(family).join(PAPER);
    if let Some(first) = finished.first().filter(|_| !paper.is_file()) {
        let text = serde_json::to_string_pretty(&first.paper)? + "\n";
        output::write(gallery, &paper, text.as_bytes(), output::FILE)?;
    }
    let manifests: BTreeSet<&str> = finished.iter().map(|artefact| artefact.manifest.as_str()).collect();
    let mut runs = BTreeMap::new();
    for manifest in manifests {
        runs.insert(manifest, add_runs(gallery, report, manifest, &to)?);
    }
    for FinishedArtefact { stem, page, manifest, doubts, .. } in &finished {
        let page = format!("{} {}{}\n", page.trim_end(), runs[manifest.as_str()], stated(doubts, reason));
        output::write(gallery, &to.join(format!("{stem}.md")), page.as_bytes(), output::FILE)?;
        for ending in TAKEN {
            let name = format!("{stem}.{ending}");
            let from = report.join(&name);
            let bytes = read_unlinked(report, &from, LARGEST_DATA).map_err(|error| {
                Misuse::new(
                    format!("cannot read {}: {error}", from.display()),
                    "render the report again: gauntlet report",
                )
            })?;
            output::write(gallery, &to.join(name), &bytes, output::FILE)?;
        }
    }
    note(flags.quiet, &format!("{} taken over into {}", count(finished.len(), "artefact"), to.display()));
    Ok(())
}

/// A reason that a page can state.
fn reason(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("state the reason in words".to_owned()),
        text => Ok(visible(text)),
    }
}

/// Requires a reason for results whose commit cannot be named.
fn require_commits(finished: &[FinishedArtefact], reason: Option<&str>) -> anyhow::Result<()> {
    let doubted: BTreeMap<&str, &Vec<String>> = finished
        .iter()
        .filter(|artefact| !artefact.doubts.is_empty())
        .map(|artefact| (artefact.manifest.as_str(), &artefact.doubts))
        .collect();
    if doubted.is_empty() || reason.is_some() {
        return Ok(());
    }
    let lines = doubted.iter().map(|(manifest, doubts)| format!("{manifest}: {}", doubts.join("; ")));
    let what = format!("no commit can be named for these results: {}", lines.collect::<Vec<_>>().join(". "));
    let way = "run them with a program that is built from a commit with the manifest, or state the reason: \
               --changed-tree \"...\"";
    Err(Misuse::new(what, way))
}

/// The sentence of a page on results whose commit cannot be named.
fn stated(doubts: &[String], reason: Option<&str>) -> String {
    match reason.filter(|_| !doubts.is_empty()) {
        Some(reason) => {
            let doubts = escape(&doubts.join("; "));
            format!(" The commit does not show how they were made: {doubts}. Reason: {}", escape(reason))
        }
        None => String::new(),
    }
}

/// Adds the runs of a manifest, and returns a sentence with a link to them.
fn add_runs(gallery: &Path, report: &Path, manifest: &str, to: &Path) -> anyhow::Result<String> {
    let name = format!("{RUNS}/{}.csv", write::stem(manifest));
    match shared_runs(report, manifest)? {
        Some(table) if table.len() <= LARGEST_RUNS => {
            output::write(gallery, &to.join(&name), &table, output::FILE)?;
            Ok(format!("[Every run]({name})."))
        }
        _ => Ok("Its runs are too many for this gallery; the same command writes them, in `runs.csv`.".to_owned()),
    }
}

/// The artefacts that have a picture and a page, report by report, each in natural order.
fn pictures(gallery: &Path) -> anyhow::Result<Vec<GalleryPicture>> {
    let below = |directory: &Path| names(directory).into_iter().filter(|name| directory.join(name).is_dir()).collect();
    let families: Vec<String> = below(gallery);
    let mut found = Vec::new();
    for family in families {
        let mut profiles: Vec<String> = below(&gallery.join(&family));
        profiles.sort_by_key(|profile| rank(profile));
        for profile in profiles {
            found.extend(of_report(gallery, &family, &profile)?);
        }
    }
    mark_repeats(gallery, &mut found)?;
    Ok(found)
}

/// Marks criteria that rest on the same jobs as one of an earlier picture of the family.
fn mark_repeats(gallery: &Path, pictures: &mut [GalleryPicture]) -> anyhow::Result<()> {
    for family in pictures.chunk_by_mut(|one, other| one.family == other.family) {
        let sheet = |picture: &GalleryPicture| {
            let GalleryPicture { family, profile, stem, .. } = picture;
            let nothing = || RecordedSheet { points: Vec::new(), criteria: Vec::new() };
            let table = text(gallery, &gallery.join(family).join(profile).join(format!("{stem}.csv")))?;
            anyhow::Ok(table.as_deref().and_then(recorded::read).unwrap_or_else(nothing))
        };
        let sheets = family.iter().map(sheet).collect::<anyhow::Result<Vec<RecordedSheet>>>()?;
        let stems: Vec<String> = family.iter().map(|picture| picture.stem.clone()).collect();
        let known: Vec<(&str, &RecordedSheet)> = stems.iter().map(String::as_str).zip(&sheets).collect();
        for ((picture, found), sheet) in family.iter_mut().zip(repeated(&known)).zip(&sheets) {
            let met = found.iter().filter(|(at, _)| sheet.criteria[*at].0 == "met").count();
            let of: BTreeSet<String> = found.iter().map(|(_, stem)| (*stem).to_owned()).collect();
            picture.repeats = (found.len(), met, of.into_iter().collect());
        }
    }
    Ok(())
}

/// The place of a profile: the scale of papers first, reduced scales last.
fn rank(profile: &str) -> u8 {
    match profile {
        "paper" => 0,
        "laptop" | "smoke" => 2,
        _ => 1,
    }
}

fn of_report(gallery: &Path, family: &str, profile: &str) -> anyhow::Result<Vec<GalleryPicture>> {
    let directory = &gallery.join(family).join(profile);
    let mut endings: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in names(directory) {
        if let Some((stem, ending)) = name.rsplit_once('.').filter(|(_, ending)| ENDINGS.contains(ending)) {
            endings.entry(stem.to_owned()).or_default().push(ending.to_owned());
        }
    }
    let mut pictures = Vec::new();
    for (stem, mut known) in endings.into_iter().filter(|(_, known)| known.iter().any(|ending| ending == "png")) {
        known.sort_by_key(|ending| ENDINGS.iter().position(|one| one == ending));
        let page = text(gallery, &directory.join(format!("{stem}.md")))?;
        pictures.extend(page.map(|page| GalleryPicture::new([family, profile, &stem], known, &page)));
    }
    pictures.sort_by_cached_key(|picture| natural(&picture.stem));
    Ok(pictures)
}

/// The names in a directory, in natural order.
fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_by_cached_key(|name| natural(name));
    names
}
