//! Elo ratings by maximum likelihood: Bradley and Terry's model, with calibrated errors. The default estimator.
//!
//! A player's expected score is logistic in the rating difference (Bradley, Terry, Biometrika 39 (1952)). The errors
//! come from a sandwich covariance whose unit is the pair of games where pairs are known and the single game
//! otherwise, so that draws and paired openings narrow them as they should (White, Econometrica 50 (1982)).
//!
//! The maximum exists only for players linked by wins and draws in both directions; others go to separate groups, as
//! the likelihood itself would have it: a player who won every game is infinitely far above. A [`prior`] of virtual
//! draws keeps everybody finite who played at all.
//!
//! [`prior`]: BradleyTerry::prior

use super::compare::{ELO_PER_LOGIT, Estimate};
use super::components::{linked_by_anchors, members, win_linked};
use super::covariance::{Block, Comparisons, SHARED};
use super::draw_model::Counts;
pub use super::draw_model::{Draws, Width};
use super::ladder::Ladder;
use super::match_table::{MatchTable, Meeting, Tally};
use super::sandwich;

/// How to rate.
#[derive(Debug, Clone, PartialEq)]
pub struct BradleyTerry {
    /// Mean rating of every group without anchors. Default 1000.
    pub mean: f64,
    /// What a draw is worth. Default: half a win.
    pub draws: Draws,
    /// Advantage of moving first. Default: none. Matters only for games with known colours.
    pub advantage: Advantage,
    /// Virtual draws per player, spread over its opponents as BayesElo does (its default is 2). Default 0.
    pub prior: f64,
    /// Players with given ratings.
    pub anchors: Vec<(usize, f64)>,
    /// What errors are measured by. Default: the sandwich.
    pub errors: Errors,
}

/// Elo added to the player who moves first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Advantage {
    /// Given; 0 for none.
    Fixed(f64),
    /// Estimated, if the data carry colours.
    Fitted,
}

/// What a standard error is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// How much the results of pairs and games vary in fact.
    Sandwich,
    /// How much they would vary if the model held and games were independent.
    Fisher,
}

impl Default for BradleyTerry {
    fn default() -> BradleyTerry {
        BradleyTerry {
            mean: 1000.0,
            draws: Draws::HalfWin,
            advantage: Advantage::Fixed(0.0),
            prior: 0.0,
            anchors: Vec::new(),
            errors: Errors::Sandwich,
        }
    }
}

/// Ratings and the parameters that all games share.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The ratings.
    pub ladder: Ladder,
    /// Advantage of moving first; `None` where no colours are known.
    pub advantage: Option<Estimate>,
    /// Half width of the band of draws; `None` with draws as half wins.
    pub draw_elo: Option<Estimate>,
}

/// Why no ratings came out.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum FitError {
    /// An advantage or draw width that the results push to infinity (the first player always won; all games drawn).
    #[error("the likelihood has no maximum: the results push the first-player advantage or the draw width to infinity")]
    Unbounded,
    /// An anchor that is no player of the table, stands twice, or has no finite rating.
    #[error("the anchor of player {0} is not usable: unknown player, named twice, or not a number")]
    BadAnchor(usize),
    /// A fixed draw width or prior that is no positive number.
    #[error("{0} is neither a draw width nor a prior; both must be finite and positive")]
    BadSetting(f64),
}

/// The factor that brings ratings of the Rao-Kupper model to the logistic scale near equal strength.
///
/// As BayesElo prints them: with `x = 10^(-draw_elo / 400)`, `4 x / (1 + x)^2`. Use with [`Ladder::scaled`].
#[must_use]
pub fn logistic_scale(draw_elo: f64) -> f64 {
    let x = (-draw_elo / ELO_PER_LOGIT).exp();
    4.0 * x / (1.0 + x).powi(2)
}

impl BradleyTerry {
    /// Rates every group of comparable players.
    ///
    /// # Errors
    /// [`FitError`], for settings that make no sense and for shared parameters without a finite estimate.
    pub fn fit(&self, table: &MatchTable) -> Result<Fit, FitError> {
        self.check(table)?;
        let mut problem = Problem::new(self, table);
        problem.maximise()?;
        Ok(problem.fit(self))
    }

    fn check(&self, table: &MatchTable) -> Result<(), FitError> {
        let mut seen = vec![false; table.n_players()];
        for &(player, rating) in &self.anchors {
            let twice = seen.get_mut(player).is_none_or(|seen| std::mem::replace(seen, true));
            if twice || !rating.is_finite() {
                return Err(FitError::BadAnchor(player));
            }
        }
        let width = if let Draws::RaoKupper(Width::Fixed(width)) = self.draws { width } else { 1.0 };
        match [width, self.prior + 1.0].into_iter().find(|&setting| !(setting > 0.0 && setting.is_finite())) {
            Some(setting) => Err(FitError::BadSetting(setting)),
            None if self.prior < 0.0 => Err(FitError::BadSetting(self.prior)),
            None => Ok(()),
        }
    }
}

/// How far `a` is helped by moving first, by colour class of [`Meeting::by_colour`].
pub(super) const SIGNS: [f64; 3] = [1.0, -1.0, 0.0];

/// A meeting between comparable players, prior included.
pub(super) struct Bout<'a> {
    pub(super) meeting: &'a Meeting,
    /// By colour, as in [`SIGNS`].
    pub(super) counts: [Counts; 3],
}

/// Log-likelihood, its slope, and minus its second derivatives.
struct Hill {
    height: f64,
    slope: Vec<f64>,
    bend: Comparisons,
}

/// The likelihood of a table, and where its maximum is sought.
pub(super) struct Problem<'a> {
    pub(super) draws: Draws,
    pub(super) groups: Vec<Vec<usize>>,
    pub(super) bouts: Vec<Bout<'a>>,
    pub(super) n_players: usize,
    /// Parameters that may move: ratings, then advantage and draw width.
    pub(super) free: Vec<usize>,
    /// Ratings in logits against the mean, then advantage and draw width in logits.
    pub(super) at: Vec<f64>,
    coloured: bool,
}

impl<'a> Problem<'a> {
    pub(super) fn new(settings: &BradleyTerry, table: &'a MatchTable) -> Problem<'a> {
        let n_players = table.n_players();
        let anchors: Vec<usize> = settings.anchors.iter().map(|anchor| anchor.0).collect();
        let with_prior = settings.prior > 0.0;
        let group_of = if with_prior { linked_by_anchors(table, &anchors) } else { win_linked(table, &anchors) };
        let bouts: Vec<Bout> = bouts(table, settings.prior, &group_of);
        let coloured = bouts.iter().any(|bout| bout.meeting.by_colour()[..2].iter().any(|tally| tally.games() > 0));
        let drawn = bouts.iter().any(|bout| bout.counts.iter().any(|counts| counts[1] > 0.0));

        let groups = members(&group_of).into_iter().filter(|group| group.len() > 1).collect::<Vec<_>>();
        let mut free: Vec<usize> = groups.iter().flatten().copied().filter(|p| !anchors.contains(p)).collect();
        let mut at = vec![0.0; n_players + SHARED];
        settings.anchors.iter().for_each(|&(player, rating)| at[player] = (rating - settings.mean) / ELO_PER_LOGIT);
        match settings.advantage {
            Advantage::Fixed(elo) => at[n_players] = elo / ELO_PER_LOGIT,
            Advantage::Fitted if coloured => free.push(n_players),
            Advantage::Fitted => (),
        }
        match settings.draws {
            Draws::RaoKupper(Width::Fixed(elo)) => at[n_players + 1] = elo / ELO_PER_LOGIT,
            // Without a draw the most likely width is zero, at the edge of what is possible.
            Draws::RaoKupper(Width::Fitted) if drawn => {
                at[n_players + 1] = 0.5;
                free.push(n_players + 1);
            }
            _ => (),
        }
        Problem { draws: settings.draws, groups, bouts, n_players, free, at, coloured }
    }

    /// Newton's method; the likelihood is concave.
    fn maximise(&mut self) -> Result<(), FitError> {
        let moving = self.moving();
        let mut hill = self.hill(&self.at);
        for _ in 0..MAX_STEPS {
            let step = hill.bend.solve(&moving, &hill.slope);
            if step.iter().all(|part| part.abs() < CLOSE) {
                self.at.iter_mut().zip(&step).for_each(|(here, part)| *here += part);
                return Ok(());
            }
            (self.at, hill) = self.climb(&hill, &step);
            if self.at[self.n_players..].iter().any(|shared| shared.abs() > FAR) {
                break;
            }
        }
        Err(FitError::Unbounded)
    }

    /// The full step, or as many halves of it as it takes not to lose height.
    fn climb(&self, hill: &Hill, step: &[f64]) -> (Vec<f64>, Hill) {
        let width = self.n_players + 1;
        let mut fraction = 1.0;
        loop {
            let at: Vec<f64> = self.at.iter().zip(step).map(|(here, part)| here + fraction * part).collect();
            let possible = at[width] > 0.0 || !self.free.contains(&width);
            let next = self.hill(&at);
            let higher = next.height >= hill.height - ROUNDING * hill.height.abs();
            if possible && higher || fraction < CLOSE {
                return (at, next);
            }
            fraction *= 0.5;
        }
    }

    /// The free parameters without the first player of each group that no anchor holds: only differences matter.
    fn moving(&self) -> Vec<usize> {
        let loose = self.groups.iter().filter(|group| group.iter().all(|player| self.free.contains(player)));
        let still: Vec<usize> = loose.map(|group| group[0]).collect();
        self.free.iter().copied().filter(|k| !still.contains(k)).collect()
    }

    /// The likelihood around a point.
    fn hill(&self, at: &[f64]) -> Hill {
        let n = self.n_players;
        let (mut height, mut slope) = (0.0, vec![0.0; n + SHARED]);
        let mut blocks = Vec::with_capacity(self.bouts.len());
        for bout in &self.bouts {
            let (a, b) = (bout.meeting.a, bout.meeting.b);
            let mut block: Block = Block::default();
            for (&counts, sign) in bout.counts.iter().zip(SIGNS).filter(|(counts, _)| **counts != [0.0; 3]) {
                let terms = self.draws.terms(counts, at[a] - at[b] + sign * at[n], at[n + 1]);
                height += terms.log_likelihood;
                slope[a] += terms.slope[0];
                slope[b] -= terms.slope[0];
                slope[n] += sign * terms.slope[0];
                slope[n + 1] += terms.slope[1];
                let [xx, xw, ww] = terms.bend;
                let here = [[xx, sign * xx, xw], [sign * xx, sign * sign * xx, sign * xw], [xw, sign * xw, ww]];
                block.iter_mut().flatten().zip(here.iter().flatten()).for_each(|(sum, term)| *sum += term);
            }
            blocks.push((a, b, block));
        }
        Hill { height, slope, bend: Comparisons { n_players: n, blocks } }
    }

    fn fit(&self, settings: &BradleyTerry) -> Fit {
        let bend = self.hill(&self.at).bend;
        let meetings: Vec<&Meeting> = self.bouts.iter().map(|bout| bout.meeting).collect();
        let errors = sandwich::covariance(self, &meetings, &bend, settings.errors);
        let drawn = meetings.iter().any(|meeting| meeting.total().draws > 0);
        let shared = |k: usize| {
            // A width that only the prior knows has no error worth the name.
            let known = k == self.n_players || drawn;
            let place = self.free.iter().position(|&parameter| parameter == k && known);
            let variance = place.and_then(|place| Some(errors.as_ref()?[(place, place)]));
            Estimate { elo: self.at[k] * ELO_PER_LOGIT, error: variance.map(|v| v.sqrt() * ELO_PER_LOGIT) }
        };
        Fit {
            advantage: self.coloured.then(|| shared(self.n_players)),
            draw_elo: (self.draws != Draws::HalfWin).then(|| shared(self.n_players + 1)),
            ladder: sandwich::ladder(self, &meetings, settings.mean, errors.as_ref(), self.n_players),
        }
    }
}

const MAX_STEPS: usize = 200;
/// A step, in logits, that no longer matters (under 1e-6 Elo).
const CLOSE: f64 = 1e-9;
/// Shared parameters beyond this, in logits, are on their way to infinity.
const FAR: f64 = 15.0;
/// Relative rounding error of a log-likelihood.
const ROUNDING: f64 = 1e-12;

fn bouts<'a>(table: &'a MatchTable, prior: f64, group_of: &[usize]) -> Vec<Bout<'a>> {
    let mut games = vec![0.0; table.n_players()];
    for meeting in table.meetings() {
        let count = meeting.total().games() as f64;
        games[meeting.a] += count;
        games[meeting.b] += count;
    }
    let counts = |tally: Tally| [tally.wins as f64, tally.draws as f64, tally.losses as f64];
    let bout = |meeting: &'a Meeting| {
        let mut counts = meeting.by_colour().map(counts);
        let share = meeting.total().games() as f64 * (1.0 / games[meeting.a] + 1.0 / games[meeting.b]);
        counts[..2].iter_mut().for_each(|counts| counts[1] += prior / 4.0 * share);
        Bout { meeting, counts }
    };
    table.meetings().filter(|meeting| group_of[meeting.a] == group_of[meeting.b]).map(bout).collect()
}
