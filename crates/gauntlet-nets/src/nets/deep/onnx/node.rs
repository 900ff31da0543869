//! A node of a graph with its settings, and errors that name it.

use super::OnnxError;
use super::messages::{AttributeProto, NodeProto};
use super::tensor::Tensor;

/// A node of a graph.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    proto: &'a NodeProto,
    /// The version of the operators.
    pub opset: i64,
}

impl<'a> Node<'a> {
    /// A node of a graph with this version of the operators.
    pub fn new(proto: &'a NodeProto, opset: i64) -> Node<'a> {
        Node { proto, opset }
    }

    /// The operator.
    pub fn operator(&self) -> &'a str {
        &self.proto.op_type
    }

    /// Whether the operator is one of ONNX itself.
    pub fn is_standard(&self) -> bool {
        matches!(&*self.proto.domain, "" | "ai.onnx")
    }

    /// The names of its arguments; empty for one that is left out.
    pub fn inputs(&self) -> &'a [String] {
        &self.proto.input
    }

    /// The number of its arguments, up to the last one that is not left out.
    pub fn arguments(&self) -> usize {
        self.inputs().iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1)
    }

    /// The names of its results.
    pub fn outputs(&self) -> &'a [String] {
        &self.proto.output
    }

    /// An error that names the node.
    pub fn refused(&self, reason: impl Into<String>) -> OnnxError {
        let NodeProto { name, op_type, output, .. } = self.proto;
        let name = if name.is_empty() { output.first().unwrap_or(name) } else { name };
        OnnxError::Node { node: name.clone(), operator: op_type.clone(), reason: reason.into() }
    }

    fn attribute(&self, name: &str) -> Option<&'a AttributeProto> {
        self.proto.attribute.iter().find(|attribute| attribute.name == name)
    }

    /// A whole number.
    pub fn int(&self, name: &str) -> Option<i64> {
        self.attribute(name).map(|attribute| attribute.i)
    }

    /// A number.
    pub fn float(&self, name: &str) -> Option<f32> {
        self.attribute(name).map(|attribute| attribute.f)
    }

    /// A list of whole numbers.
    pub fn ints(&self, name: &str) -> Option<&'a [i64]> {
        self.attribute(name).map(|attribute| &attribute.ints[..])
    }

    /// A list of numbers.
    pub fn floats(&self, name: &str) -> Option<&'a [f32]> {
        self.attribute(name).map(|attribute| &attribute.floats[..])
    }

    /// A word.
    pub fn word(&self, name: &str) -> Option<&'a str> {
        self.attribute(name).and_then(|attribute| std::str::from_utf8(&attribute.s).ok())
    }

    /// A constant.
    ///
    /// # Errors
    /// Those of [`Tensor::read`].
    pub fn tensor(&self, name: &str) -> Result<Option<Tensor>, OnnxError> {
        self.attribute(name).and_then(|attribute| attribute.t.as_ref()).map(Tensor::read).transpose()
    }

    /// Whether it holds graphs: it is a loop or a branch.
    pub fn has_graphs(&self) -> bool {
        self.proto.attribute.iter().any(|attribute| attribute.g.is_some() || !attribute.graphs.is_empty())
    }

    /// The sizes of a list of two by a rule for each of the rows and columns, or a default.
    ///
    /// # Errors
    /// If there are not `count` of them, or one is outside 0 to 4096.
    pub fn sizes(&self, name: &str, count: usize, default: usize) -> Result<Vec<usize>, OnnxError> {
        let Some(ints) = self.ints(name) else { return Ok(vec![default; count]) };
        let size = |&size: &i64| usize::try_from(size).ok().filter(|&size| size <= 4096);
        let sizes: Option<Vec<usize>> = ints.iter().map(size).collect();
        let refused = || self.refused(format!("`{name}` is {ints:?}, not {count} sizes from 0 to 4096"));
        sizes.filter(|sizes| sizes.len() == count).ok_or_else(refused)
    }
}
