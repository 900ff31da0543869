//! An exhibit of a plan, and all that reports say of it besides its numbers.

use crate::exhibits::estimate::few_runs;
use crate::exhibits::sheet::{Point, Table};
use crate::exhibits::{About, Basis, Context};
use crate::manifest::exhibit::Exhibit;
use crate::reports::facts::{Fact, Facts};

/// The profiles that are smaller than their paper by what they are for; others have settings of their own kind.
const REDUCED: [&str; 2] = ["smoke", "laptop"];

/// An exhibit together with everything that its rendering may look at.
pub struct Scene<'a> {
    /// What the manifest asks for.
    pub exhibit: &'a Exhibit,
    /// What the store holds.
    pub facts: &'a Facts<'a>,
    /// Whether what it shows is made by the jobs of the profile `paper`, or these and more runs, so that published numbers
    /// may be judged.
    pub comparable: bool,
}

impl Scene<'_> {
    /// What the exhibit says about itself.
    pub(super) fn about(&self) -> About<'_> {
        self.exhibit.show.about()
    }

    /// The part of it that its kind is rendered from.
    pub(super) fn context(&self) -> Context<'_> {
        Context {
            facts: self.facts.frame(),
            errors: self.exhibit.errors,
            published: self.exhibit.published,
            basis: self.about().basis,
            comparable: self.comparable,
        }
    }

    /// At which scale this was measured, for the caption.
    pub(super) fn scale(&self) -> String {
        let plan = self.facts.plan();
        let artefact = plan.written.paper.as_ref().map(|paper| paper.artefact.as_deref());
        let what = match plan.profile.as_str() {
            "custom" => "with settings of its own (profile custom)".to_owned(),
            profile if REDUCED.contains(&profile) => format!("at reduced scale (profile {profile})"),
            profile => format!("with the settings of profile {profile}, not the paper's"),
        };
        if self.is_empty() {
            return format!("Nothing has been measured yet (profile {}).", plan.profile);
        }
        if artefact.is_some() && self.about().basis == Basis::Nothing {
            return "Drawn from games that were played here; nothing is measured.".to_owned();
        }
        match (artefact, self.comparable) {
            (None, _) => String::new(),
            (Some(Some(_)), true) => "Measured at the paper's scale.".to_owned(),
            (Some(Some(artefact)), false) => format!("Measured {what}: not comparable with {artefact}."),
            (Some(None), true) => "Our addition: the paper has no such exhibit.".to_owned(),
            (Some(None), false) => format!("Our addition: the paper has no such exhibit. Measured {what}."),
        }
    }

    /// Whether there is not one result to show.
    fn is_empty(&self) -> bool {
        let facts = self.shown();
        !facts.is_empty() && facts.iter().all(|fact| fact.result.is_none())
    }

    /// The facts of the table that is shown.
    pub(super) fn shown(&self) -> Vec<Fact<'_>> {
        self.facts.frame().stages(&self.about().tables[0])
    }

    /// The note on rows of means that rest on too few runs to be put in order, if there are several rows.
    pub(super) fn few_runs(&self, points: &[Point], table: Option<&Table>) -> Option<String> {
        let is_of_means = self.about().basis == Basis::Means;
        let cells = table.filter(|table| is_of_means && table.rows.len() > 1)?.rows.iter().flat_map(|(_, cells)| cells);
        few_runs(cells.filter_map(|&cell| points.get(cell?)))
    }

    /// The heading: the exhibit's own, or else that of the manifest, with what is shown behind it where the exhibit has a
    /// name of its own and so is one of several.
    pub(super) fn heading(&self) -> String {
        let whole = &self.facts.plan().written.title;
        match (&self.exhibit.title, &self.exhibit.name) {
            (Some(title), _) => title.clone(),
            (None, None) => whole.clone(),
            (None, Some(_)) => format!("{whole}: {}", self.subject()),
        }
    }

    /// What is shown, of which stages, along which axes.
    fn subject(&self) -> String {
        let (about, context) = (self.about(), self.context());
        let mut stages = about.stages();
        stages.dedup();
        let axes: Vec<String> = about.cells.iter().map(|axis| context.axis(axis)).collect();
        let over = about.over.map_or(String::new(), |abscissa| format!(" over {abscissa}"));
        let by = if axes.is_empty() { String::new() } else { format!(" by {}", axes.join(", ")) };
        format!("{} of {}{over}{by}", about.title, stages.join(", "))
    }
}
