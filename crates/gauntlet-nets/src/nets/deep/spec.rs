//! The choice of a deep network, as in a manifest.

use candle_core::{DType, Device};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::architecture::Architecture;
use super::device::{device, on_device};
use super::external::External;
use super::graph::Saz;
use super::image::{AgzCnn, AzCnn, PolyCnn, PolyTrunk, ResNetV2, WindowCnn};
use super::input::InputKind;
use super::moves::{Gat, Gateau};
use super::onnx::Onnx;
use super::params::{Init, Maker};
use super::{DeepError, Net};
use crate::encoders::Dims;
use gauntlet_games::base::Seed;

/// A deep network and its settings: `{ saz = { hidden = 64 } }`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum DeepSpec {
    /// Graph network; any board size.
    Saz(Saz),
    /// Two convolutions; fixed board size.
    AzCnn(AzCnn),
    /// Two convolutions over every window of fixed size; boards of at least that size.
    WindowCnn(WindowCnn),
    /// Three convolutions and two heads; fixed board size.
    AgzCnn(AgzCnn),
    /// Graph network over moves; any board size.
    Gateau(Gateau),
    /// Graph attention over moves without features of edges; any board size.
    Gat(Gat),
    /// Residual network with two heads; fixed board size.
    ResNetV2(ResNetV2),
    /// Fully convolutional residual network with a pooled value, over the tensors of any game; any board size.
    PolyCnn(PolyCnn),
    /// The same with a U for its trunk, or with pools of the whole board in it; any board size.
    PolyTrunk(PolyTrunk),
    /// The network of an ONNX file; fixed board size.
    Onnx(Onnx),
    /// The network of another program, which computes and trains it; fixed board size.
    External(Box<External>),
}

impl DeepSpec {
    /// The properties of the architecture.
    #[must_use]
    pub fn architecture(&self) -> &dyn Architecture {
        match self {
            DeepSpec::Saz(net) => net,
            DeepSpec::AzCnn(net) => net,
            DeepSpec::WindowCnn(net) => net,
            DeepSpec::AgzCnn(net) => net,
            DeepSpec::Gateau(net) => net,
            DeepSpec::Gat(net) => net,
            DeepSpec::ResNetV2(net) => net,
            DeepSpec::PolyCnn(net) => net,
            DeepSpec::PolyTrunk(net) => net,
            DeepSpec::Onnx(net) => net,
            DeepSpec::External(net) => &**net,
        }
    }

    /// Builds the network for these batches on the device of this process; the weights are a function of the seed.
    ///
    /// # Errors
    /// [`DeepError::Batch`] for unsupported batches, and errors of Candle.
    pub fn build(&self, dims: Dims, init: Init, seed: &Seed) -> Result<Box<dyn Net>, DeepError> {
        on_device(|| self.build_on(dims, init, seed, DType::F32, device()))
    }

    /// The same on any device and in `f32` or `f64`.
    ///
    /// # Errors
    /// As for [`DeepSpec::build`].
    pub fn build_on(
        &self,
        dims: Dims,
        init: Init,
        seed: &Seed,
        dtype: DType,
        device: &Device,
    ) -> Result<Box<dyn Net>, DeepError> {
        let mut rng = seed.child("weights", 0).rng();
        self.architecture().build(dims, Maker::new(dtype, device, init, &mut rng))
    }

    /// The input of the network.
    #[must_use]
    pub fn reads(&self) -> InputKind {
        self.architecture().reads()
    }

    /// Whether the same weights work on boards of every size.
    #[must_use]
    pub fn scales(&self) -> bool {
        self.architecture().scales()
    }

    /// Display name of the architecture with its sizes: `SAZ 3x512`.
    #[must_use]
    pub fn name(&self) -> String {
        self.architecture().name()
    }

    /// Small examples of each kind, for tests.
    #[must_use]
    pub fn examples() -> Vec<DeepSpec> {
        serde_json::from_str(include_str!("examples.json")).expect("the examples are well-formed")
    }
}
