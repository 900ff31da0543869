//! The basis of the numbers of an exhibit.

/// The basis of the numbers of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Means over runs, which a reader orders by size.
    Means,
    /// Other statistics of results.
    Results,
    /// Counts, which have no errors.
    Counts,
    /// The data that the paper published: its numbers are computed again, and chance has no part in it.
    PublishedData,
    /// Nothing is measured.
    Nothing,
}
