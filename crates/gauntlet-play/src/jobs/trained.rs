//! Trained weights as inputs of a job, whose players may take them from several trainings.
//!
//! Checkpoints are not parsed here: this type maps players to bytes.

/// The trained weights of a job, each for one of its players or for all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrainedWeights {
    weights: Vec<(Option<String>, Vec<u8>)>,
}

impl TrainedWeights {
    /// The bytes of a player's checkpoint: its own, or else the common one. Players are identified by their
    /// names in a tournament and by their roles, `agent` and `opponent`, elsewhere.
    #[must_use]
    pub fn of(&self, player: &str) -> Option<&[u8]> {
        let owned_by = |wanted: Option<&str>| self.weights.iter().find(|(owner, _)| owner.as_deref() == wanted);
        owned_by(Some(player)).or_else(|| owned_by(None)).map(|(_, bytes)| &**bytes)
    }
}

impl FromIterator<(Option<String>, Vec<u8>)> for TrainedWeights {
    /// Checkpoints with the player that each is for; `None` stands for all players.
    fn from_iter<I: IntoIterator<Item = (Option<String>, Vec<u8>)>>(weights: I) -> TrainedWeights {
        TrainedWeights { weights: weights.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_takes_its_own_before_those_for_all() {
        let trained: TrainedWeights = [(None, vec![1]), (Some("b".to_owned()), vec![2])].into_iter().collect();
        assert_eq!((trained.of("a"), trained.of("b")), (Some(&[1][..]), Some(&[2][..])));
        let own: TrainedWeights = [(Some("b".to_owned()), vec![2])].into_iter().collect();
        assert_eq!((own.of("a"), TrainedWeights::default().of("a")), (None, None));
    }
}
