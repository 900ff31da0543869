//! The tensors of a network as its file holds them: names, shapes and layouts.
//!
//! Names and shapes come from the code that draws the weights, layouts from the layers that read them.

use candle_core::{DType, Device};

use super::layers::{Layer, Network, Op, Places};
use super::params::{Init, Maker};
use super::{DeepError, DeepSpec};
use crate::encoders::Dims;
use gauntlet_games::base::Seed;

/// A tensor of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTensor {
    /// Its name: `gin0.in.weight`.
    pub name: String,
    /// Its shape; the last index is the fastest.
    pub shape: Vec<usize>,
    /// Whether gradients change it.
    pub trained: bool,
    /// Its layer and its indices.
    pub about: String,
}

/// The tensors of a network for these batches, in its order.
///
/// # Errors
/// [`DeepError::Batch`] for unsupported batches, and errors of Candle.
pub fn listed_tensors(spec: &DeepSpec, dims: Dims) -> Result<Vec<ListedTensor>, DeepError> {
    let (architecture, mut rng, mut listed) = (spec.architecture(), Seed::new(0).rng(), Vec::new());
    let network = architecture.network(dims).filter(|_| spec.reads().check(dims).is_ok());
    let refused = || DeepError::Batch { net: architecture.title(), wanted: spec.reads().wanted(), given: dims };
    let network = network.ok_or_else(refused)?;
    for (number, weights) in network.weights.iter().enumerate() {
        let mut maker = Maker::new(DType::F32, &Device::Cpu, Init::default(), &mut rng);
        weights.make(&mut maker)?;
        let layer = network.layers.iter().find(|layer| weights_of(layer.op) == Some(number));
        listed.extend(maker.done().into_iter().map(|param| ListedTensor {
            about: layer.map_or_else(String::new, |layer| about(&network, layer, &param.name)),
            shape: param.var.dims().to_vec(),
            trained: param.trained,
            name: param.name,
        }));
    }
    Ok(listed)
}

/// The number of the weights that an operation reads.
fn weights_of(op: Op) -> Option<usize> {
    match op {
        Op::Linear { weights, .. }
        | Op::Convolution { weights, .. }
        | Op::BatchNorm { weights, .. }
        | Op::LayerNorm { weights }
        | Op::FrozenNorm { weights } => Some(weights),
        _ => None,
    }
}

/// The meaning of a layer's tensor with this name.
fn about(network: &Network, layer: &Layer, name: &str) -> String {
    let part = name.rsplit('.').next().unwrap_or(name);
    match (layer.op, part) {
        (Op::Linear { relu, .. }, "weight") => {
            let (places, inputs) = (kind(layer.places), inputs(network, layer));
            format!("{places}: [out, {inputs}]{}", then_relu(relu))
        }
        (Op::Convolution { padding, relu, .. }, "weight") => {
            format!("3 x 3 convolution, padding {padding}: [out, (row, column, in)]{}", then_relu(relu))
        }
        (Op::Linear { .. } | Op::Convolution { .. }, _) => "its biases: [out]".to_owned(),
        (Op::LayerNorm { .. }, "gain") => "factors of a layer norm: [feature], then ReLU".to_owned(),
        (Op::FrozenNorm { .. }, "gain") => "factors of a frozen batch norm: [feature], then ReLU".to_owned(),
        (Op::BatchNorm { relu, .. }, "gain") => format!("factors of a batch norm: [feature]{}", then_relu(relu)),
        (_, "mean") => "its running means".to_owned(),
        (_, "variance") => "its running variances".to_owned(),
        _ => "its offsets".to_owned(),
    }
}

fn then_relu(relu: bool) -> &'static str {
    if relu { ", then ReLU" } else { "" }
}

/// The kind of a linear layer, by the rows that it reads.
fn kind(places: Places) -> &'static str {
    match places {
        Places::Grid { .. } => "1 x 1 convolution",
        Places::Board => "full layer",
        Places::Nodes => "layer on each node",
        Places::Sites => "layer on each site",
        Places::Edges => "layer on each edge",
    }
}

/// The indices behind an input of a linear layer.
fn inputs(network: &Network, layer: &Layer) -> &'static str {
    let mut from = &network.layers[layer.from[0]];
    while matches!(from.op, Op::Relu | Op::Dropout(_)) {
        from = &network.layers[from.from[0]];
    }
    match from.op {
        Op::Flatten => "(row, column, channel)",
        Op::Beside => "(layer, feature)",
        Op::Pool => "(maximum or mean, feature)",
        _ => "in",
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::{build, dims};
    use super::super::{DeepCheckpoint, InputKind};
    use super::*;
    use crate::nets::ListedFile;

    fn listed(spec: &DeepSpec) -> Vec<ListedTensor> {
        listed_tensors(spec, dims(spec)).unwrap()
    }

    /// The description of a tensor.
    fn of<'a>(listed: &'a [ListedTensor], name: &str) -> &'a str {
        &listed.iter().find(|tensor| tensor.name == name).unwrap().about
    }

    /// Names, shapes and order, of the network and of its file, and the trained tensors.
    #[test]
    fn every_network_writes_what_is_listed() {
        for spec in DeepSpec::examples() {
            let (net, listed) = (build(&spec, DType::F32), listed(&spec));
            let own: Vec<_> = listed.iter().map(|one| (&*one.name, &*one.shape, one.trained)).collect();
            let of_net: Vec<_> =
                net.params().iter().map(|param| (&*param.name, param.var.dims(), param.trained)).collect();
            assert_eq!(own, of_net, "{}", spec.name());
            let bytes = DeepCheckpoint::of(spec.clone(), &*net, "a test").unwrap().to_bytes().unwrap();
            let file = ListedFile::list(&bytes).unwrap();
            let own: Vec<_> = listed.iter().map(|one| (&*one.name, "F32", &*one.shape)).collect();
            let stored: Vec<_> = file.tensors.iter().map(|one| (&*one.name, &*one.dtype, &*one.shape)).collect();
            assert_eq!(own, stored, "{}", spec.name());
            assert!(listed.iter().all(|tensor| tensor.about.len() > 8), "{listed:?}");
        }
    }

    #[test]
    fn layouts_are_those_of_the_layers() {
        let all = DeepSpec::examples();
        let example = |tag: &str| listed(all.iter().find(|spec| format!("{spec:?}").starts_with(tag)).unwrap());
        let agz = example("AgzCnn");
        assert_eq!(of(&agz, "conv0.weight"), "3 x 3 convolution, padding 1: [out, (row, column, in)], then ReLU");
        assert_eq!(of(&agz, "conv0.bias"), "its biases: [out]");
        assert_eq!(of(&agz, "policy.maps.weight"), "1 x 1 convolution: [out, in], then ReLU");
        assert_eq!(of(&agz, "policy.weight"), "full layer: [out, (row, column, channel)]");
        let az = example("AzCnn");
        assert_eq!(of(&az, "conv1.weight"), "3 x 3 convolution, padding 0: [out, (row, column, in)]");
        assert_eq!(of(&az, "conv1.norm.gain"), "factors of a batch norm: [feature], then ReLU");
        assert_eq!(of(&az, "conv1.norm.variance"), "its running variances");
        let saz = example("Saz");
        assert_eq!(of(&saz, "gin0.norm.gain"), "factors of a layer norm: [feature], then ReLU");
        assert_eq!(of(&saz, "gin0.norm.bias"), "its offsets");
        assert_eq!(of(&saz, "wide.weight"), "layer on each node: [out, (layer, feature)]");
        assert_eq!(of(&example("Gateau"), "edges.weight"), "layer on each edge: [out, in]");
        assert_eq!(
            of(&example("PolyCnn"), "value.hidden.weight"),
            "full layer: [out, (maximum or mean, feature)], then ReLU"
        );
    }

    #[test]
    fn other_batches_are_refused() {
        for spec in DeepSpec::examples() {
            let other = match spec.reads() {
                InputKind::Graphs => Dims::Planes { channels: 1, rows: 6, columns: 6, actions: 36 },
                _ => Dims::Graphs { features: 1 },
            };
            assert!(matches!(listed_tensors(&spec, other), Err(DeepError::Batch { .. })), "{}", spec.name());
        }
    }
}
