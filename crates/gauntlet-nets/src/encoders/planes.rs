//! Boards of one size as images, independent of the meaning of their numbers.

use super::Dims;

/// Images `[position][channel][row][column]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Planes {
    channels: usize,
    rows: usize,
    columns: usize,
    actions: usize,
    values: Vec<f32>,
}

impl Planes {
    /// An empty batch.
    #[must_use]
    pub fn new(channels: usize, rows: usize, columns: usize, actions: usize) -> Planes {
        Planes { channels, rows, columns, actions, values: Vec::new() }
    }

    /// The dimensions given at creation.
    #[must_use]
    #[inline]
    pub fn dims(&self) -> Dims {
        Dims::Planes { channels: self.channels, rows: self.rows, columns: self.columns, actions: self.actions }
    }

    /// Number of positions.
    #[must_use]
    #[inline]
    pub fn positions(&self) -> usize {
        self.values.len() / self.image()
    }

    /// Numbers a site.
    #[must_use]
    #[inline]
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Rows of a board.
    #[must_use]
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of a board.
    #[must_use]
    #[inline]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Slots of a position.
    #[must_use]
    #[inline]
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// All numbers, `[position][channel][row][column]`.
    #[must_use]
    #[inline]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Empties the batch.
    #[inline]
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Appends one image, `[channel][row][column]`.
    ///
    /// # Panics
    /// If it has another size.
    pub fn push(&mut self, image: &[f32]) {
        assert_eq!(image.len(), self.image(), "an image has one number a channel and site");
        self.values.extend_from_slice(image);
    }

    pub(super) fn append(&mut self, other: &Planes, index: usize, map: Option<&[u32]>) {
        assert_eq!(self.dims(), other.dims(), "batches of different dimensions");
        let (sites, start) = (self.rows * self.columns, self.values.len());
        self.values.extend_from_slice(&other.values[index * self.image()..(index + 1) * self.image()]);
        let Some(map) = map else { return };
        let source = &other.values[index * self.image()..(index + 1) * self.image()];
        for (into, from) in self.values[start..].chunks_exact_mut(sites).zip(source.chunks_exact(sites)) {
            for (value, &site) in from.iter().zip(map) {
                into[site as usize] = *value;
            }
        }
    }

    /// Appends an image of zeros to write to.
    #[inline]
    pub(super) fn blank(&mut self) -> &mut [f32] {
        let start = self.values.len();
        self.values.resize(start + self.image(), 0.0);
        &mut self.values[start..]
    }

    /// Numbers of one image.
    #[inline]
    pub(super) fn image(&self) -> usize {
        self.channels * self.rows * self.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symmetry_moves_every_plane() {
        let mut from = Planes::new(2, 2, 2, 4);
        from.push(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let mut into = Planes::new(2, 2, 2, 4);
        into.append(&from, 0, Some(&[1, 3, 0, 2]));
        assert_eq!(into.values(), [3.0, 1.0, 4.0, 2.0, 7.0, 5.0, 8.0, 6.0]);
    }
}
