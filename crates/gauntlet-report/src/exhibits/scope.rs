//! An exhibit of a plan, with all texts of reports besides its numbers.

use crate::facts::{Fact, Facts};
use gauntlet_exhibits::estimate::few_runs;
use gauntlet_exhibits::sheet::{Point, Table};
use gauntlet_exhibits::{About, Basis, Context, Show};
use gauntlet_plan::manifest::exhibit::Exhibit;

/// The profiles that are smaller than their paper by design; others have settings of their own.
const REDUCED: [&str; 2] = ["smoke", "laptop"];

/// An exhibit together with all inputs of its rendering.
pub struct ExhibitScope<'a> {
    /// The exhibit in the manifest.
    pub exhibit: &'a Exhibit,
    /// The results in the store.
    pub facts: &'a Facts<'a>,
    /// Whether its content comes from the jobs of the profile `paper`, or these and more runs, so that published
    /// numbers may be judged.
    pub comparable: bool,
}

impl ExhibitScope<'_> {
    /// The description of the exhibit by its kind.
    pub(super) fn about(&self) -> About<'_> {
        self.exhibit.show.about()
    }

    /// The input of the exhibit's kind.
    pub(super) fn context(&self) -> Context<'_> {
        Context {
            facts: self.facts.frame(),
            errors: self.exhibit.errors,
            published: self.exhibit.published,
            basis: self.about().basis,
            comparable: self.comparable,
        }
    }

    /// The scale of the measurement, for the caption.
    pub(super) fn scale(&self) -> String {
        let plan = self.facts.plan();
        let artefact = plan.written.paper.as_ref().map(|paper| paper.artefact.as_deref());
        let what = match plan.profile.as_str() {
            "custom" => "with settings of its own (profile custom)".to_owned(),
            profile if REDUCED.contains(&profile) => format!("at reduced scale (profile {profile})"),
            profile => format!("with the settings of profile {profile}, not the paper's"),
        };
        if self.is_empty() {
            return "Nothing has been measured yet.".to_owned();
        }
        if artefact.is_some() && self.about().basis == Basis::Nothing {
            return "Drawn from games that were played here; nothing is measured.".to_owned();
        }
        match (artefact, self.comparable) {
            (None, _) => String::new(),
            (Some(Some(_)), true) => "Measured at the paper's scale.".to_owned(),
            (Some(Some(artefact)), false) => format!("Measured {what}: not comparable with {artefact}."),
            (Some(None), true) => "The paper has no such exhibit.".to_owned(),
            (Some(None), false) => format!("The paper has no such exhibit. Measured {what}."),
        }
    }

    /// Whether there is no result to show.
    fn is_empty(&self) -> bool {
        let facts = self.shown();
        !facts.is_empty() && facts.iter().all(|fact| fact.result.is_none())
    }

    /// The facts of the shown table.
    pub(super) fn shown(&self) -> Vec<Fact<'_>> {
        self.facts.frame().stages(&self.about().tables[0])
    }

    /// The note on rows of means with too few runs for a ranking, if there are several rows.
    pub(super) fn few_runs(&self, points: &[Point], table: Option<&Table>) -> Option<String> {
        let is_of_means = self.about().basis == Basis::Means;
        let cells = table.filter(|table| is_of_means && table.rows.len() > 1)?.rows.iter().flat_map(|(_, cells)| cells);
        few_runs(cells.filter_map(|&cell| points.get(cell?)))
    }

    /// The heading: the exhibit's own, or else that of the manifest, followed by the subject if the exhibit has a name
    /// of its own and so is one of several.
    pub(super) fn heading(&self) -> String {
        let whole = &self.facts.plan().written.title;
        match (&self.exhibit.title, &self.exhibit.name) {
            (Some(title), _) => title.clone(),
            (None, None) => whole.clone(),
            (None, Some(_)) => format!("{whole}: {}", self.subject()),
        }
    }

    /// The subject: the content, the stages, the axes.
    fn subject(&self) -> String {
        let (about, context) = (self.about(), self.context());
        let mut stages = about.stages();
        stages.dedup();
        let axes: Vec<String> = about.cells.iter().map(|axis| context.axis(axis)).collect();
        let over = match &self.exhibit.show {
            Show::Curves(curves) => format!(" over {}", curves.abscissa().word()),
            _ => String::new(),
        };
        let by = if axes.is_empty() { String::new() } else { format!(" by {}", axes.join(", ")) };
        format!("{} of {}{over}{by}", about.title, stages.join(", "))
    }
}
