//! Ratings in the text of a paper, by its own estimator and by maximum likelihood (AlphaGateau, section 5).

use schemars::JsonSchema;
use serde::Deserialize;

use super::draft::Draft;
use super::ladder::{beside, compression, ladder, notes, player, point, sideways};
use super::rated_run::{ESTIMATORS, LEAST_SQUARES, LIKELIHOOD};
use super::sheet::Mark;
use super::{About, Basis, Content, Context, Kind, Need};

/// Ratings of single players that the text of a paper names.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EloTable {
    /// The stage, of `measure.ladder` jobs.
    pub stage: String,
    /// The players, top to bottom.
    pub players: Vec<NamedPlayer>,
}

/// One player of a ladder.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NamedPlayer {
    /// Its display name.
    pub label: String,
    /// Its name in the ladder.
    pub player: String,
    /// The rating that the paper prints.
    pub published: Option<f64>,
    /// The half width of the two-sigma band that the paper prints.
    pub two_sigma: Option<f64>,
}

impl Kind for EloTable {
    fn about(&self) -> About<'_> {
        About::of_stage("ratings", Basis::PublishedData, &self.stage, Need::Ladder)
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let ladder = ladder(&facts);
        let mut draft = Draft::of(&facts);
        for NamedPlayer { label, player: name, published, two_sigma } in &self.players {
            let rated = player(&ladder, name);
            if rated.is_none() && !ladder.players.is_empty() {
                draft.notes.push(format!("There is no player {name}."));
            }
            let papers = rated.map(|rated| point((label, ESTIMATORS[LEAST_SQUARES]), rated, rated.wls, &facts));
            let papers = papers.map(|point| beside(context, point, *published, *two_sigma));
            let likelihood = rated.map(|rated| point((label, ESTIMATORS[LIKELIHOOD]), rated, rated.ml, &facts));
            draft.row(label, [papers, likelihood]);
        }
        draft.notes.extend(notes(&ladder));
        let series = [
            ("printed in the paper, 2σ", Mark::Diamond, 1, LEAST_SQUARES),
            ("weighted least squares, residual-scaled 2σ", Mark::Dot, 0, LEAST_SQUARES),
            ("maximum likelihood, 2σ", Mark::Dot, 2, LIKELIHOOD),
        ];
        draft.panels.push(sideways(&draft, "Elo", series));
        let caption = format!("Computed from the games that the authors published. {}", compression(&ladder));
        draft.content("Player", ESTIMATORS, 2, caption)
    }
}
