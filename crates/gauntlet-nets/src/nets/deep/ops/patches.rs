//! Patches of images as rows, so that a convolution is a matrix product. The products are computed elsewhere.

use std::cell::RefCell;

use candle_core::{DType, Result, Tensor, WithDType};

use super::gpu::{Edges, sum_rows};

/// The shape of patches: `side x side` around or within images of `rows x columns` sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Rows of an image.
    pub rows: usize,
    /// Columns of an image.
    pub columns: usize,
    /// Rows and columns of a patch.
    pub side: usize,
    /// Rows and columns of zeros around an image.
    pub padding: usize,
}

impl Window {
    /// Rows of patches.
    #[must_use]
    pub fn down(&self) -> usize {
        (self.rows + 2 * self.padding + 1).saturating_sub(self.side)
    }

    /// Columns of patches.
    #[must_use]
    pub fn across(&self) -> usize {
        (self.columns + 2 * self.padding + 1).saturating_sub(self.side)
    }

    /// The site of each number of each patch, `[patch][side * side]`; `None` for padding.
    pub fn sites(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let Window { rows, columns, side, padding } = *self;
        let patches = (0..self.down()).flat_map(move |top| (0..self.across()).map(move |left| (top, left)));
        let spots = move |(top, left)| (0..side).flat_map(move |r| (0..side).map(move |c| (top + r, left + c)));
        patches.flat_map(spots).map(move |(row, column)| {
            let (row, column) = (row.checked_sub(padding)?, column.checked_sub(padding)?);
            (row < rows && column < columns).then_some(row * columns + column)
        })
    }
}

/// The patches of every image, row by row: `x [B * sites, C]` to `[B * patches, side * side * C]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub(super) fn patches(x: &Tensor, window: Window) -> Result<Tensor> {
    let (rows, width) = x.dims2()?;
    let images = rows / (window.rows * window.columns);
    let picked = sum_rows(x, &picks(window, images), 0.0)?;
    picked.reshape((images * window.down() * window.across(), window.side * window.side * width))
}

thread_local! {
    /// The last edges of patches: all convolutions of a network, and all batches of a size, have the same.
    static LAST: RefCell<Option<((Window, usize), Edges)>> = const { RefCell::new(None) };
}

/// An edge to each row of patches from its site; padding has none, and so is 0.
fn picks(window: Window, images: usize) -> Edges {
    LAST.with_borrow_mut(|last| match last {
        Some((of, edges)) if *of == (window, images) => edges.clone(),
        _ => last.insert(((window, images), new_picks(window, images))).1.clone(),
    })
}

fn new_picks(window: Window, images: usize) -> Edges {
    let (size, sites) = (window.rows * window.columns, window.sites().collect::<Vec<_>>());
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for image in 0..images {
        for (at, site) in sites.iter().enumerate() {
            if let Some(site) = site {
                from.push((image * size + site) as u32);
                to.push((image * sites.len() + at) as u32);
            }
        }
    }
    Edges::new(from, to, [images * size, images * sites.len()])
}

/// The patches of images with these numbers of sites and of numbers a site, in sequence.
pub(super) fn cut<T: WithDType>(
    sites: &[Option<usize>],
    images: &[T],
    (size, width): (usize, usize),
    out: &mut Vec<T>,
) {
    out.clear();
    out.reserve(images.len() / size * sites.len());
    for image in images.chunks_exact(size * width) {
        for site in sites {
            match site {
                Some(site) => out.extend_from_slice(&image[site * width..(site + 1) * width]),
                None => out.resize(out.len() + width, T::zero()),
            }
        }
    }
}

/// Adds the numbers of patches to the sites that they were cut from.
pub(super) fn paste<T: WithDType>(
    sites: &[Option<usize>],
    patches: &[T],
    (size, width): (usize, usize),
    images: &mut [T],
) {
    for (image, patches) in images.chunks_exact_mut(size * width).zip(patches.chunks_exact(sites.len() * width)) {
        for (site, patch) in sites.iter().zip(patches.chunks_exact(width)) {
            let Some(site) = site else { continue };
            image[site * width..(site + 1) * width].iter_mut().zip(patch).for_each(|(sum, &d)| *sum += d);
        }
    }
}

/// Images `[B, C, sites]` as rows `[B * sites, C]`.
///
/// # Errors
/// Errors of Candle.
pub fn rows_of(values: &[f32], channels: usize, sites: usize, like: (DType, &candle_core::Device)) -> Result<Tensor> {
    let mut rows = Vec::with_capacity(values.len());
    for image in values.chunks_exact(channels * sites) {
        rows.extend((0..sites).flat_map(|site| (0..channels).map(move |channel| image[channel * sites + site])));
    }
    Tensor::from_vec(rows, (values.len() / channels, channels), like.1)?.to_dtype(like.0)
}
