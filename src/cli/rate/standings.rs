//! From counted results to a ranking: both estimators on the same games and with the same zero, and the counts of
//! every player.

use super::settings::{RateSettings, RatingMethod};
use super::watch::Estimation;
use crate::cli::output::{Misuse, visible};
use gauntlet_games::formats::results::GameResults;
use gauntlet_ratings::bradley_terry::{Advantage, BradleyTerry, FitError};
use gauntlet_ratings::compare::EloEstimate;
use gauntlet_ratings::components::{linked, members};
use gauntlet_ratings::wls::{Errors, anchored_wls};
use gauntlet_ratings::{Ladder, MatchTable};
use gauntlet_report::standings::{Estimator, RankedPlayer, Ranking};
use gauntlet_store::frames::Column;

/// Rates all players with these settings. Unless `quiet`, lines report the progress of long computations.
pub fn rank(how: &RateSettings, results: &GameResults, table: &MatchTable, quiet: bool) -> anyhow::Result<Ranking> {
    let anchors = how.anchors(results.players())?;
    let settings = BradleyTerry {
        mean: how.mean,
        advantage: how.advantage,
        prior: how.prior,
        anchors: anchors.clone(),
        ..BradleyTerry::default()
    };
    let fit = settings.fit(table).map_err(refused)?;
    let is_rated = |player| fit.ladder.rating(player).is_some();
    let least_squares = anchored_wls(table, Errors::FixedScale, how.mean, &anchors).centred_on(how.mean, is_rated);

    let methods = match how.method {
        None => vec![Estimator::Likelihood, Estimator::LeastSquares],
        Some(RatingMethod::Bt) => vec![Estimator::Likelihood],
        Some(RatingMethod::Wls) => vec![Estimator::LeastSquares],
    };
    let errors = |estimator: Estimator, ladder: &Ladder| {
        let watch = Estimation::new(quiet, estimator.name(), table.n_players());
        ladder.errors(&|players| watch.advance(players))
    };
    let by_likelihood = errors(Estimator::Likelihood, &fit.ladder);
    let by_squares = errors(Estimator::LeastSquares, &least_squares);
    let estimate = |ladder: &Ladder, errors: &[Option<f64>], player: usize| {
        ladder.rating(player).map(|elo| EloEstimate { elo, error: errors[player] })
    };
    let ranks = if methods[0] == Estimator::Likelihood { &fit.ladder } else { &least_squares };
    let totals = table.totals();
    let standing = |(player, name): (usize, &String)| {
        let (tally, opponents) = totals[player];
        let games = tally.games().max(1) as f64;
        RankedPlayer {
            name: visible(name),
            likelihood: estimate(&fit.ladder, &by_likelihood, player),
            least_squares: estimate(&least_squares, &by_squares, player),
            spare: least_squares.group_of(player).map_or(0, |group| least_squares.groups()[group].df),
            games: tally.games(),
            score: tally.points() / games,
            draw_rate: tally.draws as f64 / games,
            opponents,
            group: ranks.group_of(player).map(|group| group + 1),
            is_anchor: anchors.iter().any(|anchor| anchor.0 == player),
        }
    };
    let mut standings: Vec<RankedPlayer> = results.players().iter().enumerate().map(standing).collect();
    let elo = |standing: &RankedPlayer| standing.rating(methods[0]).map_or(f64::NEG_INFINITY, |rating| rating.elo);
    // Players without a group are last.
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
        advantage: fit
            .advantage
            .filter(|_| how.advantage == Advantage::Fitted && how.method != Some(RatingMethod::Wls)),
        idle: idle(how, fit.advantage.is_some(), [&fit.ladder, &least_squares]),
    })
}

/// Remarks on settings that change nothing, and on zeros that differ.
fn idle(how: &RateSettings, coloured: bool, [likelihood, least_squares]: [&Ladder; 2]) -> Vec<String> {
    let mut remarks = Vec::new();
    let shows = |method| how.method.is_none_or(|shown| shown == method);
    let is_given = how.advantage != Advantage::Fixed(0.0);
    if shows(RatingMethod::Wls) && (how.prior > 0.0 || is_given) {
        remarks.push("weighted least squares use neither --prior nor --advantage".to_owned());
    }
    if shows(RatingMethod::Bt) && is_given && !coloured {
        remarks.push("no rated game says who moved first, so --advantage changes nothing".to_owned());
    }
    if how.method.is_none() && likelihood.groups().len() > least_squares.groups().len() {
        let groups = likelihood.groups().len();
        remarks.push(format!(
            "Elo has a zero of its own in each of {groups} groups, and WLS one for all players that games link: the two \
             columns differ by that, too"
        ));
    }
    remarks
}

/// The error of a fit, with a hint.
fn refused(error: FitError) -> anyhow::Error {
    let hint = match error {
        FitError::Unbounded | FitError::Inseparable => "give --advantage as a number, or virtual draws: --prior 2",
        FitError::NotConverged => "give anchors nearer to one another, or virtual draws: --prior 2",
        _ => "see `gauntlet rate --help` for what --prior, --advantage and --anchor take",
    };
    Misuse::new(error.to_string(), hint)
}

/// One row for each player, for spreadsheets.
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
