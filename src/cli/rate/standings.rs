//! From counted results to a ranking: both estimators, and what is counted of every player.

use super::settings::{RateSettings, RatingMethod};
use crate::cli::output::{Misuse, visible};
use crate::formats::results::GameResults;
use crate::ratings::bradley_terry::{Advantage, BradleyTerry};
use crate::ratings::compare::EloEstimate;
use crate::ratings::components::{linked, members};
use crate::ratings::wls::{Errors, wls};
use crate::ratings::{Ladder, MatchTable};
use crate::reports::standings::{Estimator, RankedPlayer, Ranking};
use crate::store::frames::Column;

/// Rates all players as the command line asks.
pub fn rank(how: &RateSettings, results: &GameResults, table: &MatchTable) -> anyhow::Result<Ranking> {
    let anchors = how.anchors(results.players())?;
    let settings = BradleyTerry {
        mean: how.mean,
        advantage: how.advantage,
        prior: how.prior,
        anchors: anchors.clone(),
        ..BradleyTerry::default()
    };
    let hint = "see `gauntlet rate --help` for what --prior, --advantage and --anchor take";
    let fit = settings.fit(table).map_err(|error| Misuse::new(error.to_string(), hint))?;
    let least_squares = wls(table, Errors::ResidualScaled, how.mean);
    let offsets = offsets(&least_squares, &anchors);

    let methods = match how.method {
        None => vec![Estimator::Likelihood, Estimator::LeastSquares],
        Some(RatingMethod::Bt) => vec![Estimator::Likelihood],
        Some(RatingMethod::Wls) => vec![Estimator::LeastSquares],
    };
    let ranks = if methods[0] == Estimator::Likelihood { &fit.ladder } else { &least_squares };
    let totals = table.totals();
    let standing = |(player, name): (usize, &String)| {
        let (tally, opponents) = totals[player];
        let games = tally.games().max(1) as f64;
        let least = least_squares.estimate(player);
        let offset = least_squares.group_of(player).map_or(0.0, |group| offsets[group]);
        RankedPlayer {
            name: visible(name),
            likelihood: fit.ladder.estimate(player),
            least_squares: least.map(|least| EloEstimate { elo: least.elo + offset, ..least }),
            spare: least_squares.group_of(player).map_or(0, |group| least_squares.groups()[group].df),
            games: tally.games(),
            score: tally.points() / games,
            draw_rate: tally.draws as f64 / games,
            opponents,
            group: ranks.group_of(player).map(|group| group + 1),
        }
    };
    let mut standings: Vec<RankedPlayer> = results.players().iter().enumerate().map(standing).collect();
    let elo = |standing: &RankedPlayer| standing.rating(methods[0]).map_or(f64::NEG_INFINITY, |rating| rating.elo);
    // Who has no group stands last.
    let group = |standing: &RankedPlayer| standing.group.unwrap_or(usize::MAX);
    standings.sort_by(|a, b| group(a).cmp(&group(b)).then(elo(b).total_cmp(&elo(a))).then(b.score.total_cmp(&a.score)));
    Ok(Ranking {
        standings,
        methods,
        level: how.level,
        mean: how.mean,
        anchored: !anchors.is_empty(),
        groups: ranks.groups().len(),
        components: members(&linked(table)).len(),
        advantage: fit.advantage.filter(|_| how.advantage == Advantage::Fitted),
    })
}

/// What every group of least squares is moved by, so that its anchors are right on average: the paper's method knows
/// no anchors.
fn offsets(ladder: &Ladder, anchors: &[(usize, f64)]) -> Vec<f64> {
    let offset = |group| {
        let own = anchors.iter().filter(|(player, _)| ladder.group_of(*player) == Some(group));
        let gaps: Vec<f64> = own.filter_map(|(player, elo)| Some(elo - ladder.rating(*player)?)).collect();
        crate::ratings::intervals::mean(&gaps).unwrap_or(0.0)
    };
    (0..ladder.groups().len()).map(offset).collect()
}

/// One row a player, for spreadsheets.
pub fn columns(ranking: &Ranking) -> Vec<Column> {
    let all = &ranking.standings;
    let whole = |count: u64| i64::try_from(count).ok();
    let mut columns = vec![Column::strings("player", all.iter().map(|standing| standing.name.clone()))];
    for &method in &ranking.methods {
        let name = |what: &str| format!("{}_{what}", method.key());
        let error = |standing: &RankedPlayer| standing.rating(method)?.error;
        let interval = |standing: &RankedPlayer| standing.interval(method, ranking.level);
        columns.extend([
            Column::floats(&name("elo"), all.iter().map(|standing| standing.rating(method).map(|r| r.elo))),
            Column::floats(&name("error"), all.iter().map(error)),
            Column::floats(&name("low"), all.iter().map(|standing| interval(standing).map(|i| i.low))),
            Column::floats(&name("high"), all.iter().map(|standing| interval(standing).map(|i| i.high))),
        ]);
    }
    columns.extend([
        Column::integers("games", all.iter().map(|standing| whole(standing.games))),
        Column::floats("score", all.iter().map(|standing| Some(standing.score))),
        Column::floats("draw_rate", all.iter().map(|standing| Some(standing.draw_rate))),
        Column::integers("opponents", all.iter().map(|standing| whole(standing.opponents))),
        Column::integers("group", all.iter().map(|standing| standing.group.and_then(|group| whole(group as u64)))),
    ]);
    columns
}
