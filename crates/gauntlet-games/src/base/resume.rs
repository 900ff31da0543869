//! The state from which an interrupted job continues: a head that every checkpoint replaces, and constant segments.

use std::sync::Arc;

/// The first bytes of a serialised [`ResumePoint`].
const MAGIC: &[u8; 18] = b"gauntlet state v1\n";

/// Constant bytes identified by their hash: checkpoints refer to them, and a store writes them once.
#[derive(Debug, PartialEq, Eq)]
pub struct Segment {
    bytes: Vec<u8>,
    hash: blake3::Hash,
}

impl Segment {
    /// A segment with these bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Arc<Segment> {
        let hash = blake3::hash(&bytes);
        Arc::new(Segment { bytes, hash })
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Their BLAKE3 hash.
    #[must_use]
    pub fn hash(&self) -> &[u8; 32] {
        self.hash.as_bytes()
    }

    /// The bytes, as a mutable vector.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// The complete state for continuing a job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResumePoint {
    /// The part that changes with every checkpoint.
    pub head: Vec<u8>,
    /// The constant parts, in an order that the job defines.
    pub segments: Vec<Arc<Segment>>,
}

impl ResumePoint {
    /// Serialises it as one file: the head, then every segment, each after its length.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let parts = || std::iter::once(&*self.head).chain(self.segments.iter().map(|segment| segment.bytes()));
        let mut bytes = Vec::with_capacity(MAGIC.len() + parts().map(|part| 8 + part.len()).sum::<usize>());
        bytes.extend_from_slice(MAGIC);
        for part in parts() {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part);
        }
        bytes
    }

    /// Reads the output of [`ResumePoint::to_bytes`]; `None` if it is incomplete.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<ResumePoint> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut next = || -> Option<Option<Vec<u8>>> {
            let Some((length, behind)) = rest.split_first_chunk::<8>() else { return rest.is_empty().then_some(None) };
            let (part, behind) = behind.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
            rest = behind;
            Some(Some(part.to_vec()))
        };
        let mut point = ResumePoint { head: next()??, segments: Vec::new() };
        while let Some(part) = next()? {
            point.segments.push(Segment::new(part));
        }
        Some(point)
    }
}

impl From<Vec<u8>> for ResumePoint {
    /// A head without segments.
    fn from(head: Vec<u8>) -> ResumePoint {
        ResumePoint { head, segments: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_holds_all_of_it() {
        let of = |segments: &[&[u8]]| ResumePoint {
            head: b"head".to_vec(),
            segments: segments.iter().map(|bytes| Segment::new(bytes.to_vec())).collect(),
        };
        for point in [of(&[]), of(&[b"one"]), of(&[b"", b"other", b""])] {
            let bytes = point.to_bytes();
            assert_eq!(ResumePoint::from_bytes(&bytes), Some(point));
            let ends = (0..bytes.len()).filter(|&end| ResumePoint::from_bytes(&bytes[..end]).is_some());
            // A file may also end where a segment ends; the reader knows the number of segments.
            assert!(ends.count() <= 3);
        }
        assert_eq!(ResumePoint::from_bytes(b"{}"), None);
    }
}
