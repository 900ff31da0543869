//! Convolutions of any window as products of patches.

use super::layer::{NOTHING, WindowSites};
use crate::encoders::LANES;
use crate::nets::NumberFormat;
use crate::nets::deep::dense::Dense;
use crate::nets::kernels::{FormatMatrix, Rows, Vector};

/// A convolution with its patches.
#[derive(Clone)]
pub struct Patches {
    field: WindowSites,
    channels: usize,
    matrix: FormatMatrix,
    /// The patches, without gaps: `[tap][channel]`.
    patches: Rows,
}

impl Patches {
    /// Binds weights `[output][tap][channel]`.
    pub fn new(numbers: NumberFormat, dense: &Dense, field: &WindowSites, channels: usize) -> Patches {
        let matrix = FormatMatrix::tight(numbers, &dense.weights, &dense.bias);
        let patches = Rows::new((field.taps() * channels).div_ceil(LANES));
        Patches { field: field.clone(), channels, matrix, patches }
    }

    /// Slots of its outputs.
    pub fn slots(&self) -> usize {
        self.matrix.slots()
    }

    /// Outputs of an image.
    pub fn outputs(&self) -> usize {
        self.field.outputs
    }

    /// Reads the rows of some images, one a site, and writes theirs.
    #[inline(always)]
    pub fn follow<V: Vector>(&mut self, from: &Rows, images: usize, into: &mut Rows, relu: bool) {
        let Patches { field, channels, matrix, patches } = self;
        let count = images * field.outputs;
        patches.reserve(count);
        for image in 0..images {
            for (output, sites) in field.sites.chunks_exact(field.taps()).enumerate() {
                let patch = patches.numbers_mut(image * field.outputs + output);
                for (part, &site) in patch.chunks_exact_mut(*channels).zip(sites) {
                    match site {
                        NOTHING => part.fill(0.0),
                        site => part.copy_from_slice(&from.numbers(image * field.area() + site as usize)[..*channels]),
                    }
                }
            }
        }
        matrix.multiply::<V>((patches, 0), count, (into, 0), relu);
    }
}
