//! Files of other jobs as inputs of a job: trained weights for its players, the games of a tournament's meetings, and the
//! solutions of positions.
//!
//! Files are not parsed here: this type maps owners to bytes.

/// A file of another job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFile {
    /// The player that receives the weights, the meeting, or the solutions; `None` for all players.
    pub owner: Option<String>,
    /// Its name in the directory of the job.
    pub file: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The files of other jobs that a job reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpstreamFiles {
    files: Vec<ReadFile>,
}

impl UpstreamFiles {
    /// The bytes of a player's checkpoint: its own, or else the common one. Players are identified by their
    /// names in a tournament and by their roles, `agent` and `opponent`, elsewhere.
    #[must_use]
    pub fn of(&self, player: &str) -> Option<&[u8]> {
        let owned_by = |wanted: Option<&str>| self.files.iter().find(|file| file.owner.as_deref() == wanted);
        owned_by(Some(player)).or_else(|| owned_by(None)).map(|file| &*file.bytes)
    }

    /// A file of a job by its name: a meeting, or the solutions.
    #[must_use]
    pub fn of_job(&self, name: &str, file: &str) -> Option<&[u8]> {
        let found = self.files.iter().find(|one| one.owner.as_deref() == Some(name) && one.file == file);
        found.map(|found| &*found.bytes)
    }
}

impl FromIterator<ReadFile> for UpstreamFiles {
    fn from_iter<I: IntoIterator<Item = ReadFile>>(files: I) -> UpstreamFiles {
        UpstreamFiles { files: files.into_iter().collect() }
    }
}

impl FromIterator<(Option<String>, Vec<u8>)> for UpstreamFiles {
    /// Checkpoints with the player that each is for; `None` stands for all players.
    fn from_iter<I: IntoIterator<Item = (Option<String>, Vec<u8>)>>(weights: I) -> UpstreamFiles {
        let file = |(owner, bytes)| ReadFile { owner, file: super::WEIGHTS.to_owned(), bytes };
        weights.into_iter().map(file).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_takes_its_own_before_those_for_all() {
        let trained: UpstreamFiles = [(None, vec![1]), (Some("b".to_owned()), vec![2])].into_iter().collect();
        assert_eq!((trained.of("a"), trained.of("b")), (Some(&[1][..]), Some(&[2][..])));
        let own: UpstreamFiles = [(Some("b".to_owned()), vec![2])].into_iter().collect();
        assert_eq!((own.of("a"), UpstreamFiles::default().of("a")), (None, None));
    }
}
