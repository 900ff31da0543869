//! Inference of convolution networks: patches and matrix macs on flat buffers, with batch norms folded in.
//!
//! A [`ConvLayer`] serves any network of 3 x 3 convolutions.

use super::DeepError;
use super::architecture::Images;
use super::az_cnn::AzCnnNet;
use super::dense::{Dense, padded};
use super::image_inference::{Core, ImageInference};
use super::ops::Window;
use crate::encoders::LANES;
use crate::nets::kernels::{Matrix, Rows, Vector};

/// Approximate number of patches that are multiplied together.
const PATCHES: usize = 128;

/// A convolution with its patches.
#[derive(Clone)]
pub struct ConvLayer {
    window: Window,
    sites: Vec<Option<usize>>,
    patches: usize,
    image: usize,
    matrix: Matrix,
    rows: Rows,
    /// An image with its border, `[row][column][channel]`; the border is constant.
    bordered: Vec<f32>,
    relu: bool,
}

impl ConvLayer {
    /// A layer that reads images `[channel][site]`.
    pub fn first(dense: &Dense, window: Window) -> ConvLayer {
        ConvLayer::new(dense.pack_whole(), window, dense.weights.len() / dense.bias.len())
    }

    /// The same, but outputs that fit into one register use only one: for networks of few channels.
    pub fn first_tight(dense: &Dense, window: Window) -> ConvLayer {
        let matrix = Matrix::tight(&dense.weights, &dense.bias);
        ConvLayer::new(matrix, window, dense.weights.len() / dense.bias.len())
    }

    /// A layer that reads rows of `channels` numbers, one for each site.
    pub fn inner(dense: &Dense, window: Window, channels: usize) -> ConvLayer {
        ConvLayer::new(dense.pack(channels), window, window.side * window.side * padded(channels))
    }

    fn new(matrix: Matrix, window: Window, inputs: usize) -> ConvLayer {
        let (patches, image) = (window.down() * window.across(), window.rows * window.columns);
        let (sites, rows) = (window.sites().collect(), Rows::new(inputs.div_ceil(LANES)));
        ConvLayer { window, sites, patches, image, matrix, rows, bordered: Vec::new(), relu: true }
    }

    /// The layer without a ReLU after it.
    #[must_use]
    pub fn without_relu(self) -> ConvLayer {
        ConvLayer { relu: false, ..self }
    }

    /// A buffer for this layer's outputs.
    pub fn outputs(&self) -> Rows {
        Rows::new(self.matrix.slots())
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
                        None => spot.fill(crate::nets::kernels::AlignedLanes::ZERO),
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

/// AZ-CNN with its weights bound for inference.
pub type CnnInference = ImageInference<CnnCore>;

/// Weights and buffers.
#[derive(Clone)]
pub struct CnnCore {
    images: Images,
    convolutions: [ConvLayer; 2],
    /// Wide, narrow, both heads: the value is the logit after the last action's.
    full: [Matrix; 3],
    maps: [Rows; 2],
    flat: Rows,
    units: [Rows; 3],
}

impl CnnInference {
    /// Binds the current weights.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn new(net: &AzCnnNet) -> Result<CnnInference, DeepError> {
        Ok(ImageInference::bind("AZ-CNN", CnnCore::new(net)?, 2 * net.macs()))
    }
}

impl CnnCore {
    fn new(net: &AzCnnNet) -> Result<CnnCore, DeepError> {
        let channels = net.config.channels.get();
        let [first, second] = &net.convolutions;
        let [one, two] = AzCnnNet::windows(net.images);
        let convolutions = [
            ConvLayer::first(&Dense::normed(&first.linear, &first.norm)?, one),
            ConvLayer::inner(&Dense::normed(&second.linear, &second.norm)?, two, channels),
        ];
        let [wide, narrow] = &net.full;
        let mut heads = Dense::new(&net.policy)?;
        let value = Dense::new(&net.value)?;
        heads.weights.extend(value.weights);
        heads.bias.extend(value.bias);
        let full = [
            Dense::normed(&wide.linear, &wide.norm)?.pack(channels),
            Dense::normed(&narrow.linear, &narrow.norm)?.pack_whole(),
            heads.pack_whole(),
        ];
        let flat = Rows::new(two.down() * two.across() * padded(channels) / LANES);
        let maps = convolutions.each_ref().map(ConvLayer::outputs);
        let units = full.each_ref().map(|matrix| Rows::new(matrix.slots()));
        Ok(CnnCore { images: net.images, convolutions, full, maps, flat, units })
    }
}

impl Core for CnnCore {
    fn images(&self) -> Images {
        self.images
    }

    #[inline(always)]
    fn answer<V: Vector>(&mut self, images: &[f32], logits: &mut [f32], values: &mut [f32]) {
        let CnnCore { images: of, convolutions: [first, second], full, maps: [a, b], flat, units, .. } = self;
        let count = values.len();
        flat.reserve(count);
        let together = (PATCHES / second.patches).max(1);
        let size = of.channels * of.rows * of.columns;
        for (group, images) in images.chunks(together * size).enumerate() {
            let boards = images.len() / size;
            first.read::<V>(images, of.channels, a);
            second.follow::<V>(a, boards, b);
            for board in 0..boards {
                let into = flat.row_mut(group * together + board);
                let slots = into.len() / second.patches;
                for (patch, into) in into.chunks_exact_mut(slots).enumerate() {
                    into.copy_from_slice(b.row(board * second.patches + patch));
                }
            }
        }
        let [wide, narrow, heads] = units;
        [&mut *wide, narrow, heads].into_iter().for_each(|rows| rows.reserve(count));
        full[0].multiply::<V>((flat, 0), count, (wide, 0), true);
        full[1].multiply::<V>((wide, 0), count, (narrow, 0), true);
        full[2].multiply::<V>((narrow, 0), count, (heads, 0), false);
        for (board, (logits, value)) in logits.chunks_exact_mut(of.actions).zip(values).enumerate() {
            let numbers = heads.numbers(board);
            logits.copy_from_slice(&numbers[..of.actions]);
            *value = numbers[of.actions].tanh();
        }
    }
}
