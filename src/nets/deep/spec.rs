//! Which deep network, as a manifest writes it.

use candle_core::{DType, Device};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use super::az_cnn::{AzCnn, Images};
use super::params::{Init, Maker};
use super::saz::Saz;
use super::window_cnn::WindowCnn;
use super::{DeepError, Net};
use crate::base::Seed;
use crate::encoders::Dims;

/// A deep network and its settings: `{ saz = { hidden = 64 } }`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum DeepSpec {
    /// Graph network; any board size.
    Saz(Saz),
    /// Two convolutions; fixed board size.
    AzCnn(AzCnn),
    /// Two convolutions over every window of fixed size; boards of at least that size.
    WindowCnn(WindowCnn),
}

impl DeepSpec {
    /// The network for these batches on the CPU, with weights that are a function of the seed.
    ///
    /// # Errors
    /// [`DeepError::Batch`] for batches that it does not read, and Candle's.
    pub fn build(&self, dims: Dims, init: Init, seed: &Seed) -> Result<Box<dyn Net>, DeepError> {
        self.build_on(dims, init, seed, DType::F32, &Device::Cpu)
    }

    /// The same on any device and in `f32` or `f64`.
    ///
    /// # Errors
    /// As of [`DeepSpec::build`].
    pub fn build_on(
        &self,
        dims: Dims,
        init: Init,
        seed: &Seed,
        dtype: DType,
        device: &Device,
    ) -> Result<Box<dyn Net>, DeepError> {
        let mut rng = seed.child("weights", 0).rng();
        let maker = Maker::new(dtype, device, init, &mut rng);
        Ok(match self {
            DeepSpec::Saz(net) => Box::new(net.build(graphs(dims)?, maker)?),
            DeepSpec::AzCnn(net) => Box::new(net.build(images(dims, "AZ-CNN", 3)?, maker)?),
            DeepSpec::WindowCnn(net) => {
                Box::new(net.build(images(dims, "window CNN", net.window.get().max(3))?, maker)?)
            }
        })
    }

    /// Whether the same weights play on boards of every size.
    #[must_use]
    pub fn scales(&self) -> bool {
        !matches!(self, DeepSpec::AzCnn(_))
    }

    /// The architecture and its sizes, for people: `SAZ 3x512`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            DeepSpec::Saz(net) => net.name(),
            DeepSpec::AzCnn(net) => net.name(),
            DeepSpec::WindowCnn(net) => net.name(),
        }
    }

    /// Small ones of each kind, for tests.
    #[must_use]
    pub fn examples() -> Vec<DeepSpec> {
        let parse = |text| serde_json::from_str(text).expect("the examples are well-formed");
        [
            r#"{"saz":{"hidden":8}}"#,
            r#"{"saz":{"hidden":20,"layers":2,"epsilon":0.3,"pool":"sites"}}"#,
            r#"{"az-cnn":{"channels":6,"wide":12,"narrow":10}}"#,
            r#"{"window-cnn":{"window":4,"cnn":{"channels":4,"wide":8,"narrow":6}}}"#,
        ]
        .map(parse)
        .into()
    }
}

fn graphs(dims: Dims) -> Result<usize, DeepError> {
    match dims {
        Dims::Graphs { features: 1 } => Ok(1),
        given => Err(DeepError::Batch { net: "SAZ", wanted: "graphs with one number a node".to_owned(), given }),
    }
}

fn images(given: Dims, net: &'static str, least: usize) -> Result<Images, DeepError> {
    match given {
        Dims::Planes { channels, rows, columns, actions }
            if rows.min(columns) >= least && (rows * columns..=rows * columns + 1).contains(&actions) =>
        {
            Ok(Images { channels, rows, columns, actions })
        }
        _ => {
            let wanted = format!("images of at least {least} rows and columns, an action a site and perhaps a pass");
            Err(DeepError::Batch { net, wanted, given })
        }
    }
}

/// Reads a share from 0 to below 1.
pub(super) fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let share = f64::deserialize(deserializer)?;
    match (0.0..=0.99).contains(&share) {
        true => Ok(share),
        false => Err(D::Error::custom(format!("share {share} is outside 0 to 0.99"))),
    }
}

/// Reads a number that can be computed with.
pub(super) fn finite<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
    let number = f32::deserialize(deserializer)?;
    if number.is_finite() { Ok(number) } else { Err(D::Error::custom(format!("{number} is not finite"))) }
}
