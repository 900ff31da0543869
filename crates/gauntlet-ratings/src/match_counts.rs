//! Counts of the outcomes of a match.

/// Results of a match, from the worst to the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchCounts {
    /// Single games: losses, draws, wins.
    Trinomial([u64; 3]),
    /// Pairs of games by points: 0, 1/2, 1, 3/2, 2.
    Pentanomial([u64; 5]),
}

impl MatchCounts {
    /// The counts, from the worst outcome to the best.
    pub(super) fn counts(&self) -> &[u64] {
        match self {
            MatchCounts::Trinomial(counts) => counts,
            MatchCounts::Pentanomial(counts) => counts,
        }
    }

    /// Units: games, or pairs of games.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.counts().iter().sum()
    }

    /// Games of a unit.
    #[must_use]
    pub fn games_per_unit(&self) -> u64 {
        if matches!(self, MatchCounts::Trinomial(_)) { 1 } else { 2 }
    }

    /// Number of different outcomes that occurred.
    pub(super) fn outcomes(&self) -> usize {
        self.counts().iter().filter(|count| **count > 0).count()
    }
}
