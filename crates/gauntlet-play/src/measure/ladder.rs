//! Ratings of published match results, by every estimator that a paper's figures are compared with.
//!
//! No games are played: the results come from a file of the data directory. One such job serves all figures
//! of the file. The AlphaGateau paper (section 5 and appendix A) rates by weighted least squares and compares with
//! BayesElo; the calibrated maximum likelihood beside them is this project's own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MeasureError;
use crate::arena::results_of;
use crate::jobs::{Files, Given, Inputs, Job, JobError, check_inputs, result};
use gauntlet_games::base::Sink;
use gauntlet_games::formats::results::{GameResults, outcome_of, rankings};
use gauntlet_ratings::bradley_terry::{BradleyTerry, Draws, logistic_scale};
use gauntlet_ratings::wls::{Errors, wls};
use gauntlet_ratings::{Ladder, MatchTable, Tally};

/// Rates the results of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LadderJob {
    /// The file in the data directory: results of every two players, as in AlphaGateau's `rankings.json`.
    pub results: String,
}

impl Job for LadderJob {
    fn slug(&self) -> String {
        format!("ladder {}", self.results)
    }

    fn check(&self) -> Result<(), String> {
        check_inputs(&self.inputs())
    }

    fn run(&self, given: &Given<'_>, _sink: &mut dyn Sink) -> Result<Files, JobError> {
        Ok(vec![result(&rate_results(self, given.inputs)?)?])
    }

    fn inputs(&self) -> Vec<&str> {
        vec![&self.results]
    }
}

/// A rated file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatedLadder {
    /// Every player, in the order of names.
    pub players: Vec<Rated>,
    /// Pairs of players that met.
    pub pairs: u64,
    /// Games.
    pub games: u64,
    /// Drawn games.
    pub draws: u64,
    /// Groups of players without games between them.
    pub groups: usize,
    /// Degrees of freedom of the least squares.
    pub df: usize,
}

/// One player. Ratings come with one standard error each, against the mean of all players (1000).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rated {
    /// The name in the file.
    pub name: String,
    /// Games played.
    pub games: u64,
    /// Opponents met.
    pub opponents: u64,
    /// The paper's estimator: weighted least squares, errors scaled by residuals.
    pub wls: Option<[f64; 2]>,
    /// Maximum likelihood with sandwich errors.
    pub ml: Option<[f64; 2]>,
    /// BayesElo's estimate with its default prior and draw model, without colours.
    pub bayeselo: Option<f64>,
    /// The rating stored by the authors, truncated to a whole number, and its error.
    pub stored: Option<[f64; 2]>,
}

/// BayesElo's own defaults: `prior 2`, `drawelo 97.3` (its `advantage 32.8` needs colours).
const BAYESELO: (f64, f64) = (2.0, 97.3);
/// The paper's mean rating.
const MEAN: f64 = 1000.0;

/// Rates the results in the job's file.
///
/// # Errors
/// If the file is missing or has another format.
pub fn rate_results(job: &LadderJob, inputs: &Inputs) -> Result<RatedLadder, MeasureError> {
    let bad = |what: String| MeasureError::Input { file: job.results.clone(), what };
    let bytes = inputs.get(&job.results).ok_or_else(|| bad("it is not in the data directory".to_owned()))?;
    let file = rankings(bytes).map_err(bad)?;
    let mut results = GameResults::default();
    for (a, b, counts) in &file.results {
        let (a, b) = (results.player(a), results.player(b));
        results.add_counts(a, b, *counts);
    }
    let table = match_table(&results);
    let least_squares = wls(&table, Errors::ResidualScaled, MEAN);
    let failed = |error: gauntlet_ratings::bradley_terry::FitError| bad(error.to_string());
    let likeliest = BradleyTerry { mean: MEAN, ..BradleyTerry::default() }.fit(&table).map_err(failed)?.ladder;
    let bayeselo = bayeselo(&table).map_err(failed)?;

    let rating = |ladder: &Ladder, player: usize| Some([ladder.rating(player)?, ladder.error(player)?]);
    let totals = table.totals();
    let rated = results.players().iter().enumerate().map(|(player, name)| Rated {
        name: name.clone(),
        games: totals[player].0.games(),
        opponents: totals[player].1,
        wls: rating(&least_squares, player),
        ml: rating(&likeliest, player),
        bayeselo: bayeselo.rating(player),
        stored: file.stored.get(name).map(|&(elo, error)| [elo, error]),
    });
    let mut players: Vec<Rated> = rated.collect();
    players.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(RatedLadder {
        players,
        pairs: table.meetings().count() as u64,
        games: table.meetings().map(|meeting| meeting.total().games()).sum(),
        draws: table.meetings().map(|meeting| meeting.total().draws).sum(),
        groups: least_squares.groups().len(),
        df: least_squares.groups().iter().map(|group| group.df).sum(),
    })
}

fn bayeselo(table: &MatchTable) -> Result<Ladder, gauntlet_ratings::bradley_terry::FitError> {
    let (prior, width) = BAYESELO;
    let draws = Draws::RaoKupper(width);
    // Only the ratings are used; the error settings do not matter.
    let settings = BradleyTerry { mean: MEAN, prior, draws, ..BradleyTerry::default() };
    Ok(settings.fit(table)?.ladder.scaled(logistic_scale(width)))
}

/// The input table of the estimators, with all data of the files on colours and pairs.
#[must_use]
pub fn match_table(results: &GameResults) -> MatchTable {
    const CHECKED: &str = "readers refuse players against themselves, and indices come from the same list";
    let mut table = MatchTable::new(results.players().len());
    for (&[a, b], &[wins, draws, losses]) in &results.uncoloured {
        table.add(a, b, Tally::new(wins, draws, losses)).expect(CHECKED);
    }
    for (&[a, b], &[wins, draws, losses]) in &results.coloured {
        table.add_coloured(a, b, Tally::new(wins, draws, losses)).expect(CHECKED);
    }
    for (&([a, b], outcomes), &count) in &results.pairs {
        table.add_pairs(a, b, results_of(outcomes.map(outcome_of)), count).expect(CHECKED);
    }
    for (&[a, b], counts) in &results.unordered_pairs {
        for (outcomes, count) in counts.by_outcomes() {
            let [one, other] = results_of(outcomes);
            // Each of the two games was the first one equally often, as far as is known.
            table.add_pairs(a, b, [one, other], count.div_ceil(2)).expect(CHECKED);
            table.add_pairs(a, b, [other, one], count / 2).expect(CHECKED);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_file_is_rated_by_all_three() {
        let text = r#"{"results": {"a": {"b": [20, 20, 20], "c": [40, 10, 10]}, "b": {"c": [30, 20, 10]}},
            "elo": {"a": 1050}, "std": {"a": 9.5}}"#;
        let job = LadderJob { results: "r.json".to_owned() };
        let inputs = Inputs::from([("r.json".to_owned(), text.as_bytes().to_vec())]);
        let ladder = rate_results(&job, &inputs).expect("it is fine");
        assert_eq!((ladder.pairs, ladder.games, ladder.draws, ladder.groups, ladder.df), (3, 180, 50, 1, 1));
        let a = &ladder.players[0];
        assert_eq!((a.name.as_str(), a.games, a.opponents, a.stored), ("a", 120, 2, Some([1050.0, 9.5])));
        let picks: [fn(&Rated) -> f64; 3] =
            [|p| p.wls.expect("rated")[0], |p| p.ml.expect("rated")[0], |p| p.bayeselo.expect("rated")];
        for pick in picks {
            let ratings: Vec<f64> = ladder.players.iter().map(pick).collect();
            assert!((ratings.iter().sum::<f64>() / 3.0 - 1000.0).abs() < 1e-6, "{ratings:?}");
            assert!(ratings[0] > ratings[1] && ratings[1] > ratings[2], "{ratings:?}");
        }
        let error = rate_results(&LadderJob { results: "other".to_owned() }, &inputs).expect_err("it is not there");
        assert_eq!(error.to_string(), "other: it is not in the data directory");
    }
}
