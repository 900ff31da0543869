//! Random streams. Every stream of a run is derived from the run's seed; there is no global generator.

use rand::SeedableRng;

/// The generator of every random stream.
pub type Rng = rand_xoshiro::Xoshiro256PlusPlus;

/// The root of a tree of independent random streams.
///
/// Children are derived by hashing, so that a stream depends only on its labels and not on the order of creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The root of a run, from the seed in the manifest.
    #[must_use]
    pub fn new(number: u64) -> Seed {
        Seed(blake3::derive_key("gauntlet seed v1", &number.to_le_bytes()))
    }

    /// The child stream `label`, `index`.
    #[must_use]
    pub fn child(&self, label: &str, index: u64) -> Seed {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(&(label.len() as u64).to_le_bytes());
        hasher.update(label.as_bytes());
        hasher.update(&index.to_le_bytes());
        Seed(*hasher.finalize().as_bytes())
    }

    /// The seed as 64 hexadecimal digits, for other programs.
    #[must_use]
    pub fn to_hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// The seed with these 64 hexadecimal digits; `None` for other text.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Seed> {
        blake3::Hash::from_hex(text).ok().map(|hash| Seed(*hash.as_bytes()))
    }

    /// The generator of this stream, at its start.
    #[must_use]
    #[inline]
    pub fn rng(&self) -> Rng {
        Rng::from_seed(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng as _;

    #[test]
    fn children_differ_by_label_and_index() {
        let root = Seed::new(1);
        let streams = [
            root,
            root.child("a", 0),
            root.child("a", 1),
            root.child("b", 0),
            root.child("a", 0).child("a", 0),
            Seed::new(2),
        ];
        let firsts: std::collections::HashSet<u64> = streams.iter().map(|s| s.rng().next_u64()).collect();
        assert_eq!(firsts.len(), streams.len());
    }

    #[test]
    fn a_seed_is_read_back_from_its_digits() {
        let seed = Seed::new(3).child("first", 1);
        assert_eq!((seed.to_hex().len(), Seed::from_hex(&seed.to_hex())), (64, Some(seed)));
        assert!(["", "07", "zz"].iter().all(|text| Seed::from_hex(text).is_none()));
    }

    #[test]
    fn a_stream_is_a_function_of_its_labels() {
        assert_eq!(Seed::new(7).child("game", 3).rng().next_u64(), Seed::new(7).child("game", 3).rng().next_u64());
    }
}
