//! Tensors as lists: those of a network from the code that draws them, others as their file has them.

use serde::Serialize;

use super::super::output::{table, visible};
use gauntlet_nets::encoders::Dims;
use gauntlet_nets::nets::deep::{DeepSpec, ListedTensor, listed_tensors};
use gauntlet_nets::nets::{self, NetSpec, StoredTensor};

/// A tensor of a network or of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tensor {
    /// Its name.
    #[serde(rename = "tensor")]
    pub name: String,
    /// Its type of numbers.
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Whether a training changes it by gradients or evolution; `None` if the network is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trained: Option<bool>,
    /// Its layer and its indices; empty if the network is unknown.
    pub about: String,
    /// The parts of a flat vector, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<TensorPart>,
}

/// A part of a flat vector.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TensorPart {
    /// Its name in the equations.
    #[serde(rename = "part")]
    pub name: &'static str,
    /// Its first place in the vector, from 0.
    pub begin: usize,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its meaning and its indices.
    pub about: String,
}

/// The one tensor of a flat network on a board of this many sites.
pub fn flat(net: &NetSpec, sites: usize) -> Tensor {
    let mut end = 0;
    let part = |part: nets::Part| {
        let begin = end;
        end += part.count();
        TensorPart { name: part.name, begin, shape: part.shape, about: part.about }
    };
    let parts = net.weight_parts(sites).into_iter().map(part).collect();
    Tensor {
        name: "weights".to_owned(),
        dtype: "F64".to_owned(),
        shape: vec![net.weight_count(sites)],
        trained: Some(true),
        about: "all weights: these parts, one after the other".to_owned(),
        parts,
    }
}

/// The tensors of a deep network for batches of these dimensions.
///
/// # Errors
/// If it reads no such batches.
pub fn deep(net: &DeepSpec, dims: Dims) -> anyhow::Result<Vec<Tensor>> {
    let tensor = |one: ListedTensor| {
        let (name, shape, trained, about) = (one.name, one.shape, Some(one.trained), one.about);
        Tensor { name, dtype: "F32".to_owned(), shape, trained, about, parts: Vec::new() }
    };
    Ok(listed_tensors(net, dims)?.into_iter().map(tensor).collect())
}

/// A tensor of an unknown network.
pub fn stored(StoredTensor { name, dtype, shape }: StoredTensor) -> Tensor {
    Tensor { name, dtype, shape, trained: None, about: String::new(), parts: Vec::new() }
}

/// A table of tensors, each followed by its parts.
pub fn listed(tensors: &[Tensor]) -> String {
    let part =
        |part: &TensorPart| vec![format!("  {}", part.name), String::new(), shape(&part.shape), part.about.clone()];
    let rows = tensors.iter().flat_map(|one| {
        let own = vec![visible(&one.name), one.dtype.clone(), shape(&one.shape), one.about.clone()];
        std::iter::once(own).chain(one.parts.iter().map(part))
    });
    table(&["tensor", "type", "shape", "meaning"], rows)
}

/// A shape as text: `8 x 18`.
fn shape(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}

#[cfg(test)]
mod tests {
    use super::super::network::Network;
    use super::*;
    use gauntlet_games::base::Seed;
    use gauntlet_nets::nets::deep::{DeepCheckpoint, Init};
    use gauntlet_nets::nets::{Checkpoint, ListedFile};
    use gauntlet_play::players::GuidedAgent;

    /// The bytes of a file with the weights of a network.
    fn file(network: Network) -> Vec<u8> {
        let (game, origin) = (network.board().unwrap(), "a test".to_owned());
        match network {
            Network::Flat(net) => {
                let (sites, board) = (game.topology().sites(), game.topology().rows());
                let weights = vec![0.5; net.weight_count(sites)];
                Checkpoint { net, weights, board, origin }.to_bytes().unwrap()
            }
            Network::Deep(spec) => {
                let dims = GuidedAgent::trained(spec.clone()).encoding().extent(&*game).dims;
                let net = spec.build(dims, Init::default(), &Seed::new(1)).unwrap();
                DeepCheckpoint::of(spec, &*net, &origin).unwrap().to_bytes().unwrap()
            }
        }
    }

    /// Every example of both registries, not only the one of its kind that the page shows.
    #[test]
    fn every_network_writes_the_tensors_that_are_listed() {
        let flat = NetSpec::examples().into_iter().map(Network::Flat);
        for network in flat.chain(DeepSpec::examples().into_iter().map(Network::Deep)) {
            let listed = network.tensors(&*network.board().unwrap()).unwrap();
            let listed: Vec<_> = listed.iter().map(|one| (&*one.name, &*one.dtype, &*one.shape)).collect();
            let bytes = file(network.clone());
            let file = ListedFile::list(&bytes).unwrap();
            let written: Vec<_> = file.tensors.iter().map(|one| (&*one.name, &*one.dtype, &*one.shape)).collect();
            assert_eq!(listed, written, "{}", network.title());
        }
    }

    /// The keys of the metadata of real files are those that the page explains.
    #[test]
    fn the_metadata_of_files_are_explained() {
        use super::super::weights::METADATA;
        for network in Network::examples() {
            let bytes = nets::with_checksum(&file(network.clone())).unwrap();
            let metadata = ListedFile::list(&bytes).unwrap().metadata;
            let facts: serde_json::Value = serde_json::from_str(&metadata["gauntlet"]).unwrap();
            let keys = facts.as_object().unwrap().keys().map(|key| format!("gauntlet.{key}"));
            let found: Vec<String> = keys.chain(metadata.keys().filter(|key| *key != "gauntlet").cloned()).collect();
            let is_of = |player: &str| player == "both" || player == network.player();
            let known = METADATA.iter().filter(|(key, player, _)| is_of(player) && *key != "gauntlet.purpose");
            let mut known: Vec<&str> = known.map(|(key, ..)| *key).collect();
            let mut found: Vec<&str> = found.iter().map(String::as_str).collect();
            known.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, known, "{}", network.title());
        }
    }

    #[test]
    fn a_flat_vector_has_parts_without_gaps() {
        let net: NetSpec = serde_json::from_str(r#"{"mdrnn":{"units":3}}"#).unwrap();
        let tensor = flat(&net, 36);
        let parts: Vec<_> = tensor.parts.iter().map(|part| (part.name, part.begin, &*part.shape)).collect();
        let expected: [(&str, usize, &[usize]); 4] =
            [("W_in", 0, &[3, 2]), ("W_hidden", 6, &[3, 3]), ("w_border", 15, &[3]), ("w_out", 18, &[3])];
        assert_eq!((parts.as_slice(), &*tensor.shape), (&expected[..], &[21][..]));
        let text = listed(&[tensor]);
        assert!(text.contains("\nweights     F64   21     all weights") && text.contains("\n  W_hidden"), "{text}");
    }
}
