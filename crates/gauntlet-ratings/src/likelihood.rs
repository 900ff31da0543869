//! The likelihood of a table of results, by the ratings of all players and the advantage of moving first.
//!
//! [`ascent`](super::ascent) maximises it, [`existence`](super::existence) tests whether a maximum exists, and
//! [`sandwich`](super::sandwich) computes the errors.

use super::components::{linked_by_anchors, members, win_linked};
use super::covariance::{Block, Comparisons};
use super::draw_model::{Counts, Draws};
use super::elo::ELO_PER_LOGIT;
use super::group_covariance::DENSE;
use super::likelihood_settings::{Advantage, BradleyTerry};
use super::match_table::{MatchTable, Meeting, Tally};

/// Sign of the advantage for `a`, by colour class of [`Meeting::by_colour`].
pub(super) const SIGNS: [f64; 3] = [1.0, -1.0, 0.0];

/// A meeting between comparable players, prior included.
pub(super) struct ComparableMeeting<'a> {
    pub(super) meeting: &'a Meeting,
    /// By colour, as in [`SIGNS`].
    pub(super) counts: [Counts; 3],
    /// The prior's draws by colour.
    pub(super) prior: [f64; 3],
}

/// Log-likelihood, its slope, and minus its second derivatives.
pub(super) struct Hill {
    pub(super) height: f64,
    pub(super) slope: Vec<f64>,
    /// The scale of each slope, see [`Terms::pull`](super::draw_model::Terms::pull).
    pub(super) pull: Vec<f64>,
    pub(super) bend: Comparisons,
}

/// The likelihood of a table, and the state of its maximisation.
pub(super) struct Problem<'a> {
    pub(super) draws: Draws,
    pub(super) groups: Vec<Vec<usize>>,
    pub(super) comparable_meetings: Vec<ComparableMeeting<'a>>,
    pub(super) n_players: usize,
    /// Free parameters: ratings, then the advantage.
    pub(super) free: Vec<usize>,
    /// Ratings in logits, then the advantage in logits. The zero of anchored players is their mean, so that a far one
    /// costs no digits.
    pub(super) at: Vec<f64>,
    /// Given ratings in Elo.
    pub(super) anchors: Vec<(usize, f64)>,
    /// Whether the colours of any game are known.
    pub(super) coloured: bool,
    /// Whether the curvature has sparse factors, as far as known.
    pub(super) is_sparse: bool,
}

impl<'a> Problem<'a> {
    pub(super) fn new(settings: &BradleyTerry, table: &'a MatchTable) -> Problem<'a> {
        let n_players = table.n_players();
        let anchors: Vec<usize> = settings.anchors.iter().map(|anchor| anchor.0).collect();
        let with_prior = settings.prior > 0.0;
        let group_of = if with_prior { linked_by_anchors(table, &anchors) } else { win_linked(table, &anchors) };
        let comparable_meetings: Vec<ComparableMeeting> = comparable_meetings(table, settings, &group_of);
        let coloured = comparable_meetings
            .iter()
            .any(|comparable| comparable.meeting.by_colour()[..2].iter().any(|tally| tally.games() > 0));

        let is_rated = |group: &Vec<usize>| group.len() > 1 || anchors.contains(&group[0]);
        let groups = members(&group_of).into_iter().filter(is_rated).collect::<Vec<_>>();
        let mut free: Vec<usize> = groups.iter().flatten().copied().filter(|p| !anchors.contains(p)).collect();
        let mut at = vec![0.0; n_players + 1];
        let zero = mean_of_anchors(&settings.anchors);
        settings.anchors.iter().for_each(|&(player, rating)| at[player] = (rating - zero) / ELO_PER_LOGIT);
        match settings.advantage {
            Advantage::Fixed(elo) => at[n_players] = elo / ELO_PER_LOGIT,
            Advantage::Fitted if coloured => free.push(n_players),
            Advantage::Fitted => (),
        }
        let anchors = settings.anchors.clone();
        // For a long chain, conjugate gradients need as many iterations as the chain has links, and factors need
        // none.
        let is_sparse = free.len() > DENSE;
        let draws = settings.draws;
        Problem { draws, groups, comparable_meetings, n_players, free, at, anchors, coloured, is_sparse }
    }

    /// The free parameters without the first player of each group without anchors: only differences matter.
    pub(super) fn moving(&self) -> Vec<usize> {
        let mut moves = vec![false; self.n_players + 1];
        self.free.iter().for_each(|&k| moves[k] = true);
        let loose = self.groups.iter().filter(|group| group.iter().all(|&player| moves[player]));
        let still: Vec<usize> = loose.map(|group| group[0]).collect();
        still.into_iter().for_each(|k| moves[k] = false);
        self.free.iter().copied().filter(|&k| moves[k]).collect()
    }

    /// The likelihood and its derivatives at a point.
    pub(super) fn hill(&self, at: &[f64]) -> Hill {
        let n = self.n_players;
        let (mut height, mut slope, mut pull) = (0.0, vec![0.0; n + 1], vec![0.0; n + 1]);
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
                [a, b].into_iter().for_each(|player| pull[player] += terms.pull);
                pull[n] += sign.abs() * terms.pull;
                let bend = terms.bend;
                let here = [[bend, sign * bend], [sign * bend, sign * sign * bend]];
                block.iter_mut().flatten().zip(here.iter().flatten()).for_each(|(sum, term)| *sum += term);
            }
            blocks.push((a, b, block));
        }
        Hill { height, slope, pull, bend: Comparisons { n_players: n, blocks } }
    }
}

/// The mean of given ratings, in Elo; 0 without any.
pub(super) fn mean_of_anchors(anchors: &[(usize, f64)]) -> f64 {
    anchors.iter().map(|anchor| anchor.1).sum::<f64>() / anchors.len().max(1) as f64
}

fn comparable_meetings<'a>(
    table: &'a MatchTable,
    settings: &BradleyTerry,
    group_of: &[usize],
) -> Vec<ComparableMeeting<'a>> {
    let mut games = vec![0.0; table.n_players()];
    for meeting in table.meetings() {
        let count = meeting.total().games() as f64;
        games[meeting.a] += count;
        games[meeting.b] += count;
    }
    let counts = |tally: Tally| [tally.wins as f64, tally.draws as f64, tally.losses as f64];
    let has_no_advantage = settings.advantage == Advantage::Fixed(0.0);
    let comparable = |meeting: &'a Meeting| {
        let mut counts = meeting.by_colour().map(counts);
        let share = meeting.total().games() as f64 * (1.0 / games[meeting.a] + 1.0 / games[meeting.b]);
        let prior = settings.prior / 4.0 * share;
        // The advantage says nothing about games without known colours. Without an advantage, both are the same prior.
        let is_split = has_no_advantage || counts[..2].iter().flatten().any(|count| *count > 0.0);
        let prior = if is_split { [prior, prior, 0.0] } else { [0.0, 0.0, 2.0 * prior] };
        counts.iter_mut().zip(prior).for_each(|(counts, prior)| counts[1] += prior);
        ComparableMeeting { meeting, counts, prior }
    };
    table.meetings().filter(|meeting| group_of[meeting.a] == group_of[meeting.b]).map(comparable).collect()
}
