//! Inference of convolutions by patches and a matrix product, for any padding and as a network's first layer.

use crate::encoders::LANES;
use crate::nets::NumberFormat;
use crate::nets::deep::dense::Dense;
use crate::nets::deep::ops::Window;
use crate::nets::kernels::{AlignedLanes, FormatMatrix, Rows, Vector};

/// A convolution with its patches.
#[derive(Clone)]
pub struct ConvLayer {
    window: Window,
    sites: Vec<Option<usize>>,
    patches: usize,
    image: usize,
    matrix: FormatMatrix,
    rows: Rows,
    /// An image with its border, `[row][column][channel]`; the border is constant.
    bordered: Vec<f32>,
    relu: bool,
}

impl ConvLayer {
    /// A layer that reads images `[channel][site]`, with a ReLU after it if `relu`.
    pub fn first(dense: &Dense, window: Window, relu: bool) -> ConvLayer {
        let inputs = dense.weights.len() / dense.bias.len();
        ConvLayer::new(FormatMatrix::tight(NumberFormat::F32, &dense.weights, &dense.bias), window, inputs, relu)
    }

    /// A layer that reads rows of `slots` slots, one for each site, for which `matrix` is packed.
    pub fn inner(matrix: FormatMatrix, window: Window, slots: usize, relu: bool) -> ConvLayer {
        ConvLayer::new(matrix, window, window.side * window.side * slots * LANES, relu)
    }

    fn new(matrix: FormatMatrix, window: Window, inputs: usize, relu: bool) -> ConvLayer {
        let (patches, image) = (window.down() * window.across(), window.rows * window.columns);
        let (sites, rows) = (window.sites().collect(), Rows::new(inputs.div_ceil(LANES)));
        ConvLayer { window, sites, patches, image, matrix, rows, bordered: Vec::new(), relu }
    }

    /// Slots of its outputs.
    pub fn slots(&self) -> usize {
        self.matrix.slots()
    }

    /// Whether the output has the size of the image.
    pub fn is_same(&self) -> bool {
        self.patches == self.image
    }

    /// Whether a ReLU follows.
    pub fn has_relu(&self) -> bool {
        self.relu
    }

    /// Patches of an image.
    pub fn patches(&self) -> usize {
        self.patches
    }

    /// Reads images `[image][channel][site]` and writes `[image * site]` rows.
    #[inline(always)]
    pub fn read<V: Vector>(&mut self, images: &[f32], channels: usize, into: &mut Rows) {
        let count = images.len() / (channels * self.image);
        self.rows.reserve(count * self.patches);
        for (image, numbers) in images.chunks_exact(channels * self.image).enumerate() {
            self.fill(numbers, channels);
            self.cut(image * self.patches, channels);
        }
        self.finish::<V>(count, into);
    }

    /// Copies an image `[channel][site]` inside the border.
    fn fill(&mut self, numbers: &[f32], channels: usize) {
        let Window { rows, columns, padding, .. } = self.window;
        let across = columns + 2 * padding;
        self.bordered.resize((rows + 2 * padding) * across * channels, 0.0);
        for (channel, plane) in numbers.chunks_exact(self.image).enumerate() {
            for (row, line) in plane.chunks_exact(columns).enumerate() {
                let start = ((row + padding) * across + padding) * channels + channel;
                let into = self.bordered[start..].iter_mut().step_by(channels);
                into.zip(line).for_each(|(into, &number)| *into = number);
            }
        }
    }

    /// Writes the patches of the bordered image as rows from `first` on.
    fn cut(&mut self, first: usize, channels: usize) {
        let (across, side) = (self.window.columns + 2 * self.window.padding, self.window.side * channels);
        for patch in 0..self.patches {
            let (top, left) = (patch / self.window.across(), patch % self.window.across());
            let into = self.rows.numbers_mut(first + patch);
            for (row, into) in into[..self.window.side * side].chunks_exact_mut(side).enumerate() {
                into.copy_from_slice(&self.bordered[((top + row) * across + left) * channels..][..side]);
            }
        }
    }

    /// Reads the rows of `count` images, one a site.
    #[inline(always)]
    pub fn follow<V: Vector>(&mut self, from: &Rows, count: usize, into: &mut Rows) {
        let width = self.sites.len() / self.patches;
        self.rows.reserve(count * self.patches);
        for image in 0..count {
            for (patch, sites) in self.sites.chunks_exact(width).enumerate() {
                let row = self.rows.row_mut(image * self.patches + patch);
                let slots = row.len() / width;
                for (spot, site) in row.chunks_exact_mut(slots).zip(sites) {
                    match site {
                        Some(site) => spot.copy_from_slice(&from.row(image * self.image + site)[..slots]),
                        None => spot.fill(AlignedLanes::ZERO),
                    }
                }
            }
        }
        self.finish::<V>(count, into);
    }

    #[inline(always)]
    fn finish<V: Vector>(&mut self, count: usize, into: &mut Rows) {
        into.reserve(count * self.patches);
        self.matrix.multiply::<V>((&self.rows, 0), count * self.patches, (into, 0), self.relu);
    }
}
