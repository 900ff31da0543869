//! An ONNX file: its messages, checked as far as they can be without a game.

use std::collections::{BTreeMap, HashSet};

use prost::Message as _;

use super::OnnxError;
use super::messages::{GraphProto, ModelProto, ValueInfoProto, data_type};
use super::node::Node;
use super::tensor::Tensor;

/// Maximum size of a file in bytes.
pub(super) const MOST_BYTES: usize = 256 << 20;

/// Maximum number of nodes.
const MOST_NODES: usize = 20_000;

/// The oldest and the newest version of the operators that are supported.
const OPSETS: [i64; 2] = [9, 23];

/// A file.
#[derive(Debug, Clone)]
pub struct OnnxModel {
    graph: GraphProto,
    /// The version of the operators.
    pub opset: i64,
    /// The program that wrote it, for display.
    pub producer: String,
}

/// A named input or output and the sizes of its axes; `None` for sizes that the file leaves open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// The sizes, if the file has them.
    pub shape: Option<Vec<Option<usize>>>,
}

impl OnnxModel {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// If it is not a complete file of a supported version, or exceeds a limit.
    pub fn read(bytes: &[u8]) -> Result<OnnxModel, OnnxError> {
        limit(bytes.len(), MOST_BYTES, "the size of the file in bytes")?;
        if bytes.starts_with(b"version https://git-lfs") {
            return Err(OnnxError::contract("it is a pointer of Git LFS, not the file: run `git lfs pull`"));
        }
        let model = ModelProto::decode(bytes).map_err(|error| OnnxError::Format(error.to_string()))?;
        let graph = model.graph.ok_or_else(|| OnnxError::Format("it has no graph".to_owned()))?;
        let sets = model.opset_import.iter().filter(|set| matches!(&*set.domain, "" | "ai.onnx"));
        let sets: Vec<i64> = sets.map(|set| set.version).collect();
        let Some(&opset) = sets.first() else {
            return Err(OnnxError::Format("it names no version of the operators".to_owned()));
        };
        if let Some(other) = sets.iter().find(|version| **version != opset) {
            return Err(OnnxError::contract(format!(
                "it names two versions of the ONNX operators, {opset} and {other}: export it with one `opset_version`"
            )));
        }
        let [least, most] = OPSETS;
        if !(least..=most).contains(&opset) {
            return Err(OnnxError::Opset { version: opset, least, most });
        }
        limit(graph.node.len(), MOST_NODES, "the number of nodes")?;
        if !graph.sparse_initializer.is_empty() {
            return Err(OnnxError::contract("sparse constants are not supported"));
        }
        let mut names = HashSet::new();
        if let Some(twice) = graph.initializer.iter().find(|proto| !names.insert(&*proto.name)) {
            return Err(OnnxError::contract(format!("it has two constants with the name `{}`", twice.name)));
        }
        let producer = format!("{} {}", model.producer_name, model.producer_version).trim().to_owned();
        Ok(OnnxModel { graph, opset, producer })
    }

    /// The nodes, in their order.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.graph.node.iter().map(|node| Node::new(node, self.opset))
    }

    /// The named constants.
    ///
    /// # Errors
    /// Those of [`Tensor::read`], and if a constant that a node reads has NaN.
    pub(super) fn constants(&self) -> impl Iterator<Item = Result<(&str, Tensor), OnnxError>> {
        let read: HashSet<&String> = self.graph.node.iter().flat_map(|node| &node.input).collect();
        self.graph.initializer.iter().map(move |proto| {
            let (name, tensor) = (&*proto.name, Tensor::read(proto)?);
            match tensor.has_nan() && read.contains(&proto.name) {
                true => Err(OnnxError::contract(format!(
                    "the constant `{name}` has NaN, which is no number: its weights may have diverged in training"
                ))),
                false => Ok((name, tensor)),
            }
        })
    }

    /// The inputs that are not constants.
    #[must_use]
    pub fn inputs(&self) -> Vec<Port> {
        let constants: HashSet<&str> = self.graph.initializer.iter().map(|proto| &*proto.name).collect();
        self.graph.input.iter().filter(|info| !constants.contains(&*info.name)).map(port).collect()
    }

    /// Whether the numbers of an input are single precision.
    pub(super) fn is_single(&self, name: &str) -> bool {
        let tensor = self
            .graph
            .input
            .iter()
            .find(|info| info.name == name)
            .and_then(|info| info.r#type.as_ref()?.tensor_type.as_ref());
        tensor.is_none_or(|tensor| tensor.elem_type == data_type::FLOAT)
    }

    /// The operators, each with the number of its nodes.
    #[must_use]
    pub fn operators(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        self.nodes().for_each(|node| *counts.entry(node.operator()).or_default() += 1);
        counts
    }

    /// The outputs.
    #[must_use]
    pub fn outputs(&self) -> Vec<Port> {
        self.graph.output.iter().map(port).collect()
    }
}

fn limit(given: usize, most: usize, what: &str) -> Result<(), OnnxError> {
    if given <= most { Ok(()) } else { Err(OnnxError::Limit { what: what.to_owned(), most: most as u64 }) }
}

fn port(info: &ValueInfoProto) -> Port {
    let shape = info.r#type.as_ref().and_then(|of| of.tensor_type.as_ref()?.shape.as_ref());
    let size = |size: &Option<i64>| size.and_then(|size| usize::try_from(size).ok()).filter(|&size| size > 0);
    let shape = shape.map(|shape| shape.dim.iter().map(|dim| size(&dim.dim_value)).collect());
    Port { name: info.name.clone(), shape }
}

impl std::fmt::Display for Port {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let size = |size: &Option<usize>| size.map_or_else(|| "?".to_owned(), |size| size.to_string());
        match &self.shape {
            Some(shape) => write!(f, "`{}` [{}]", self.name, shape.iter().map(size).collect::<Vec<_>>().join(", ")),
            None => write!(f, "`{}`", self.name),
        }
    }
}
