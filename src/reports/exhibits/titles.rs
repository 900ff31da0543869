//! Headings of exhibits whose manifest gives them none.

use super::Scene;
use crate::manifest::exhibit::Show;

impl Scene<'_> {
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
        let show = &self.exhibit.show;
        let mut stages = show.stages();
        stages.dedup();
        let axes: Vec<String> = show.cells().into_iter().map(|axis| self.axis(axis)).collect();
        let over = match show {
            Show::Curves(curves) => format!(" over {}", curves.abscissa().word()),
            _ => String::new(),
        };
        let by = if axes.is_empty() { String::new() } else { format!(" by {}", axes.join(", ")) };
        format!("{} of {}{over}{by}", kind(show), stages.join(", "))
    }
}

/// What an exhibit shows, in a few words.
fn kind(show: &Show) -> &'static str {
    match show {
        Show::Correlations(_) => "correlations between the results",
        Show::Percentiles(_) => "distribution of the results",
        Show::Curves(_) => "learning curves",
        Show::Scatter(_) => "results of single runs",
        Show::Means(_) => "mean results",
        Show::Ratings(_) | Show::EloTable(_) => "ratings",
        Show::Crosstable(_) => "crosstable",
        Show::EloCurves(_) => "ratings along the trainings",
        Show::EloDifferences(_) => "differences of ratings",
        Show::RunningTimes(_) => "running times",
        Show::WinMatrix(_) => "win and lose rates",
        Show::ScoreMatrix(_) => "scores",
        Show::Boards(_) => "games",
        Show::Positions(_) => "positions",
        Show::Numbers(_) => "numbers",
        Show::Embeddings(_) => "embeddings",
        Show::Progress(_) => "progress",
    }
}
