//! The likelihood of a table of results, and the climb to its maximum.
//!
//! Newton's method on the ratings of all players at once, together with the advantage of moving first. The steps are
//! sparse (conjugate gradients over the meetings); only the errors need dense matrices, see
//! [`sandwich`](super::sandwich).

use super::bradley_terry::{Advantage, BradleyTerry, Draws, FitError};
use super::components::{linked_by_anchors, members, win_linked};
use super::covariance::{Block, Comparisons};
use super::draw_model::Counts;
use super::elo::ELO_PER_LOGIT;
use super::group_covariance::DENSE;
use super::match_table::{MatchTable, Meeting, Tally};
use super::sparse::Factor;

/// How far `a` is helped by moving first, by colour class of [`Meeting::by_colour`].
pub(super) const SIGNS: [f64; 3] = [1.0, -1.0, 0.0];

/// A meeting between comparable players, prior included.
pub(super) struct ComparableMeeting<'a> {
    pub(super) meeting: &'a Meeting,
    /// By colour, as in [`SIGNS`].
    pub(super) counts: [Counts; 3],
}

/// Log-likelihood, its slope, and minus its second derivatives.
pub(super) struct Hill {
    height: f64,
    slope: Vec<f64>,
    pub(super) bend: Comparisons,
}

/// The likelihood of a table, and where its maximum is sought.
pub(super) struct Problem<'a> {
    pub(super) draws: Draws,
    pub(super) groups: Vec<Vec<usize>>,
    pub(super) comparable_meetings: Vec<ComparableMeeting<'a>>,
    pub(super) n_players: usize,
    /// Parameters that may move: ratings, then the advantage.
    pub(super) free: Vec<usize>,
    /// Ratings in logits against the mean, then the advantage in logits.
    pub(super) at: Vec<f64>,
    /// Whether any game's colours are known.
    pub(super) coloured: bool,
}

impl<'a> Problem<'a> {
    pub(super) fn new(settings: &BradleyTerry, table: &'a MatchTable) -> Problem<'a> {
        let n_players = table.n_players();
        let anchors: Vec<usize> = settings.anchors.iter().map(|anchor| anchor.0).collect();
        let with_prior = settings.prior > 0.0;
        let group_of = if with_prior { linked_by_anchors(table, &anchors) } else { win_linked(table, &anchors) };
        let comparable_meetings: Vec<ComparableMeeting> = comparable_meetings(table, settings.prior, &group_of);
        let coloured = comparable_meetings
            .iter()
            .any(|comparable| comparable.meeting.by_colour()[..2].iter().any(|tally| tally.games() > 0));

        let groups = members(&group_of).into_iter().filter(|group| group.len() > 1).collect::<Vec<_>>();
        let mut free: Vec<usize> = groups.iter().flatten().copied().filter(|p| !anchors.contains(p)).collect();
        let mut at = vec![0.0; n_players + 1];
        settings.anchors.iter().for_each(|&(player, rating)| at[player] = (rating - settings.mean) / ELO_PER_LOGIT);
        match settings.advantage {
            Advantage::Fixed(elo) => at[n_players] = elo / ELO_PER_LOGIT,
            Advantage::Fitted if coloured => free.push(n_players),
            Advantage::Fitted => (),
        }
        Problem { draws: settings.draws, groups, comparable_meetings, n_players, free, at, coloured }
    }

    /// Newton's method; the likelihood is concave.
    pub(super) fn maximise(&mut self) -> Result<(), FitError> {
        let moving = self.moving();
        // A long chain takes conjugate gradients as many iterations as it has links, and factors none.
        let mut is_sparse = moving.len() > DENSE;
        let mut hill = self.hill(&self.at);
        for _ in 0..MAX_STEPS {
            let factor = if is_sparse { Factor::new(&hill.bend, &moving) } else { None };
            is_sparse = factor.is_some();
            let step = factor.map_or_else(|| hill.bend.solve(&moving, &hill.slope), |factor| factor.solve(&hill.slope));
            if step.iter().all(|part| part.abs() < CLOSE) {
                self.at.iter_mut().zip(&step).for_each(|(here, part)| *here += part);
                return Ok(());
            }
            (self.at, hill) = self.climb(&hill, &step);
            if self.at[self.n_players].abs() > FAR {
                break;
            }
        }
        Err(FitError::Unbounded)
    }

    /// The full step, or as many halves of it as it takes not to lose height.
    fn climb(&self, hill: &Hill, step: &[f64]) -> (Vec<f64>, Hill) {
        let mut fraction = 1.0;
        loop {
            let at: Vec<f64> = self.at.iter().zip(step).map(|(here, part)| here + fraction * part).collect();
            let next = self.hill(&at);
            let higher = next.height >= hill.height - ROUNDING * hill.height.abs();
            if higher || fraction < CLOSE {
                return (at, next);
            }
            fraction *= 0.5;
        }
    }

    /// The free parameters without the first player of each group that no anchor holds: only differences matter.
    pub(super) fn moving(&self) -> Vec<usize> {
        let loose = self.groups.iter().filter(|group| group.iter().all(|player| self.free.contains(player)));
        let still: Vec<usize> = loose.map(|group| group[0]).collect();
        self.free.iter().copied().filter(|k| !still.contains(k)).collect()
    }

    /// The likelihood around a point.
    pub(super) fn hill(&self, at: &[f64]) -> Hill {
        let n = self.n_players;
        let (mut height, mut slope) = (0.0, vec![0.0; n + 1]);
        let mut blocks = Vec::with_capacity(self.comparable_meetings.len());
        for comparable in &self.comparable_meetings {
            let (a, b) = (comparable.meeting.a, comparable.meeting.b);
            let mut block: Block = Block::default();
            for (&counts, sign) in comparable.counts.iter().zip(SIGNS).filter(|(counts, _)| **counts != [0.0; 3]) {
                let terms = self.draws.terms(counts, at[a] - at[b] + sign * at[n]);
                height += terms.log_likelihood;
                slope[a] += terms.slope;
                slope[b] -= terms.slope;
                slope[n] += sign * terms.slope;
                let bend = terms.bend;
                let here = [[bend, sign * bend], [sign * bend, sign * sign * bend]];
                block.iter_mut().flatten().zip(here.iter().flatten()).for_each(|(sum, term)| *sum += term);
            }
            blocks.push((a, b, block));
        }
        Hill { height, slope, bend: Comparisons { n_players: n, blocks } }
    }
}

const MAX_STEPS: usize = 200;
/// A step, in logits, that no longer matters (under 1e-6 Elo).
const CLOSE: f64 = 1e-9;
/// An advantage beyond this, in logits, is on its way to infinity.
const FAR: f64 = 15.0;
/// Relative rounding error of a log-likelihood.
const ROUNDING: f64 = 1e-12;

fn comparable_meetings<'a>(table: &'a MatchTable, prior: f64, group_of: &[usize]) -> Vec<ComparableMeeting<'a>> {
    let mut games = vec![0.0; table.n_players()];
    for meeting in table.meetings() {
        let count = meeting.total().games() as f64;
        games[meeting.a] += count;
        games[meeting.b] += count;
    }
    let counts = |tally: Tally| [tally.wins as f64, tally.draws as f64, tally.losses as f64];
    let comparable = |meeting: &'a Meeting| {
        let mut counts = meeting.by_colour().map(counts);
        let share = meeting.total().games() as f64 * (1.0 / games[meeting.a] + 1.0 / games[meeting.b]);
        counts[..2].iter_mut().for_each(|counts| counts[1] += prior / 4.0 * share);
        ComparableMeeting { meeting, counts }
    };
    table.meetings().filter(|meeting| group_of[meeting.a] == group_of[meeting.b]).map(comparable).collect()
}
