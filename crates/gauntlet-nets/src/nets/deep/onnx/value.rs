//! The values of a graph, and their axes.

use std::rc::Rc;

use super::OnnxError;
use super::node::Node;
use super::tensor::{Numbers, Tensor};

/// The value of a node, or the reason of a refusal.
pub type Found = Result<OnnxValue, OnnxError>;

/// A value of a graph.
#[derive(Debug, Clone)]
pub enum OnnxValue {
    /// The same for all positions.
    Constant(Rc<Tensor>),
    /// Computed for each position.
    Live(Live),
}

/// A value that is computed for each position: the result of a layer, with a shape of its own.
#[derive(Debug, Clone)]
pub struct Live {
    /// The number of the layer.
    pub layer: usize,
    /// The shape in the graph.
    pub shape: Vec<usize>,
    /// The place of each element in the layer's rows.
    pub index: Rc<[u32]>,
    /// Whether nothing else reads the layer, so that an operation on all of its numbers may become part of it.
    pub is_own: bool,
}

impl OnnxValue {
    /// The shape.
    pub fn shape(&self) -> &[usize] {
        match self {
            OnnxValue::Constant(tensor) => &tensor.shape,
            OnnxValue::Live(live) => &live.shape,
        }
    }

    /// The same elements with another shape of as many.
    pub fn reshaped(self, shape: Vec<usize>) -> OnnxValue {
        match self {
            OnnxValue::Constant(tensor) => {
                OnnxValue::Constant(Rc::new(Tensor { shape, numbers: tensor.numbers.clone() }))
            }
            OnnxValue::Live(live) => OnnxValue::Live(Live { shape, ..live }),
        }
    }

    /// The value, unless it is a constant with NaN.
    ///
    /// # Errors
    /// If it is one: every answer would be NaN, too.
    pub fn without_nan(self, node: &Node<'_>) -> Result<OnnxValue, OnnxError> {
        match &self {
            OnnxValue::Constant(tensor) if tensor.has_nan() => {
                Err(node
                    .refused("its constant result has NaN, which is no number: weights diverged, or 0 is divided by 0"))
            }
            _ => Ok(self),
        }
    }

    /// Numbers of networks as a constant.
    pub fn floats(shape: Vec<usize>, values: Vec<f32>) -> OnnxValue {
        OnnxValue::Constant(Rc::new(Tensor { shape, numbers: Numbers::Floats(values) }))
    }

    /// Whole numbers as a constant.
    pub fn ints(shape: Vec<usize>, values: Vec<i64>) -> OnnxValue {
        OnnxValue::Constant(Rc::new(Tensor { shape, numbers: Numbers::Ints(values) }))
    }
}

/// An axis counted from the front; negative ones count from behind.
///
/// # Errors
/// If there is no such axis.
pub fn axis(node: &Node<'_>, axis: i64, rank: usize) -> Result<usize, OnnxError> {
    let from_front = if axis < 0 { axis + rank as i64 } else { axis };
    let found = usize::try_from(from_front).ok().filter(|&axis| axis < rank);
    found.ok_or_else(|| node.refused(format!("a value with {rank} axes has no axis {axis}")))
}

/// The error for shapes that do not fit.
pub fn unequal(node: &Node<'_>, one: &[usize], other: &[usize]) -> OnnxError {
    node.refused(format!("the shapes {one:?} and {other:?} do not fit"))
}

/// The last axis.
pub fn last(shape: &[usize]) -> Vec<usize> {
    shape.len().checked_sub(1).into_iter().collect()
}

/// The axis that is usual for columns: the channels of images, or the last one.
pub fn usual(shape: &[usize]) -> Vec<usize> {
    if shape.len() == 4 { vec![1] } else { last(shape) }
}
