//! The supported operators.

use super::OnnxError;
use super::functions::{Function, Pairwise};
use super::layer::Reduction;
use super::lowering::Lowering;
use super::node::Node;
use super::value::OnnxValue;

impl Lowering {
    /// Converts a node and names its results.
    ///
    /// # Errors
    /// If the operator is not supported, or not with these settings and arguments.
    pub fn convert(&mut self, node: &Node<'_>) -> Result<(), OnnxError> {
        if node.has_graphs() {
            return Err(node.refused("loops and branches are not supported"));
        }
        if !node.is_standard() {
            return Err(node.refused("it is not an operator of ONNX itself"));
        }
        let (given, most) = (node.arguments(), most_arguments(node));
        if given > most {
            return Err(node.refused(format!("it has {given} arguments, and the operator has at most {most}")));
        }
        if self.keeps_bound(node)? {
            return Ok(());
        }
        let found = match node.operator() {
            "Split" => self.split(node)?,
            _ => vec![self.one(node)?],
        };
        let others = node.outputs().iter().skip(found.len());
        if let Some(name) = others.into_iter().find(|name| !name.is_empty() && self.is_read(name)) {
            return Err(node.refused(format!("its output `{name}` is read, and only its first output is supported")));
        }
        for (name, value) in node.outputs().iter().zip(found) {
            if !name.is_empty() && !self.set(name, value) {
                return Err(node.refused(format!("`{name}` is computed twice")));
            }
        }
        Ok(())
    }

    /// The first result of a node.
    fn one(&mut self, node: &Node<'_>) -> Result<OnnxValue, OnnxError> {
        if let Some(function) = function(node) {
            return self.map(node, function);
        }
        if let Some(is_true) = comparison(node) {
            return self.compared(node, is_true);
        }
        match node.operator() {
            "Conv" => self.convolution(node),
            "ConvTranspose" => self.transposed_convolution(node),
            "Gemm" => self.gemm(node),
            "MatMul" => self.matmul(node),
            "BatchNormalization" => self.batch_norm(node),
            "LayerNormalization" => self.layer_norm(node),
            "InstanceNormalization" => self.instance_norm(node),
            "Add" => self.pair(node, Pairwise::Add),
            "Sub" => self.pair(node, Pairwise::Sub),
            "Mul" => self.pair(node, Pairwise::Mul),
            "Div" => self.pair(node, Pairwise::Div),
            "Max" if node.inputs().len() == 2 => self.pair(node, Pairwise::Max),
            "Min" if node.inputs().len() == 2 => self.pair(node, Pairwise::Min),
            "Mod" => self.remainder(node),
            "Pow" => self.power(node),
            "Clip" => self.clip(node),
            "Softmax" => self.softmax(node, false),
            "LogSoftmax" => self.softmax(node, true),
            "ReduceSum" => self.reduce(node, Reduction::Sum),
            "ReduceMean" => self.reduce(node, Reduction::Mean),
            "ReduceMax" => self.reduce(node, Reduction::Max),
            "ReduceMin" => self.reduce(node, Reduction::Min),
            "ReduceProd" => self.reduce(node, Reduction::Product),
            "GlobalAveragePool" => self.pool_all(node, Reduction::Mean),
            "GlobalMaxPool" => self.pool_all(node, Reduction::Max),
            "MaxPool" => self.pool(node, true),
            "AveragePool" => self.pool(node, false),
            "Reshape" => self.reshape(node),
            "Flatten" => self.flatten(node),
            "Squeeze" => self.squeeze(node),
            "Unsqueeze" => self.unsqueeze(node),
            "Transpose" => self.transpose(node),
            "Expand" => self.expand(node),
            "Tile" => self.tile(node),
            "Slice" => self.slice(node),
            "Gather" => self.gather(node),
            "Pad" => self.pad(node),
            "Concat" => self.concat(node),
            "Identity" => self.argument(node, 0),
            "Dropout" => self.dropout(node),
            "Cast" => self.cast(node),
            "Shape" => self.shape(node),
            "Size" => self.size(node),
            "Constant" => self.literal(node),
            "ConstantOfShape" => self.filled(node),
            "Range" => self.range(node),
            "Where" => self.choose(node),
            "If" | "Loop" | "Scan" => Err(node.refused("loops and branches are not supported")),
            _ => Err(node.refused("this operator is not supported")),
        }
    }
}

/// The comparison, or operation on truth values, of an operator.
fn comparison(node: &Node<'_>) -> Option<fn(f64, f64) -> bool> {
    Some(match node.operator() {
        "Equal" => |x, y| x == y,
        "Less" => |x, y| x < y,
        "Greater" => |x, y| x > y,
        "LessOrEqual" => |x, y| x <= y,
        "GreaterOrEqual" => |x, y| x >= y,
        "And" => |x, y| x != 0.0 && y != 0.0,
        "Or" => |x, y| x != 0.0 || y != 0.0,
        "Xor" => |x, y| (x != 0.0) != (y != 0.0),
        "Not" => |x, _| x == 0.0,
        _ => return None,
    })
}

/// The largest number of arguments of a supported operator.
fn most_arguments(node: &Node<'_>) -> usize {
    match node.operator() {
        "Constant" => 0,
        "Softmax" | "LogSoftmax" | "GlobalAveragePool" | "GlobalMaxPool" | "MaxPool" | "AveragePool" | "Flatten"
        | "Transpose" | "Identity" | "Cast" | "Shape" | "Size" | "ConstantOfShape" | "Not" => 1,
        "MatMul" | "Add" | "Sub" | "Mul" | "Div" | "Mod" | "Pow" | "ReduceSum" | "ReduceMean" | "ReduceMax"
        | "ReduceMin" | "ReduceProd" | "Reshape" | "Squeeze" | "Unsqueeze" | "Expand" | "Tile" | "Gather" | "Split"
        | "Equal" | "Less" | "Greater" | "LessOrEqual" | "GreaterOrEqual" | "And" | "Or" | "Xor" => 2,
        "Conv"
        | "ConvTranspose"
        | "Gemm"
        | "LayerNormalization"
        | "InstanceNormalization"
        | "Clip"
        | "Dropout"
        | "Range"
        | "Where" => 3,
        "Pad" => 4,
        "BatchNormalization" | "Slice" => 5,
        _ if function(node).is_some() => 1,
        _ => usize::MAX,
    }
}

/// The function of an operator on single elements.
fn function(node: &Node<'_>) -> Option<Function> {
    let float = |name: &str, default: f32| node.float(name).unwrap_or(default);
    Some(match node.operator() {
        "Relu" => Function::Relu,
        "LeakyRelu" => Function::LeakyRelu(float("alpha", 0.01)),
        "Elu" => Function::Elu([float("alpha", 1.0), 1.0]),
        "Selu" => Function::Elu([float("alpha", 1.673_263_2), float("gamma", 1.050_701)]),
        "Sigmoid" => Function::Sigmoid,
        "Tanh" => Function::Tanh,
        "Gelu" if node.word("approximate") == Some("tanh") => Function::TanhGelu,
        "Gelu" => Function::Gelu,
        "Softplus" => Function::Softplus,
        "Mish" => Function::Mish,
        "HardSigmoid" => Function::HardSigmoid([float("alpha", 0.2), float("beta", 0.5)]),
        "HardSwish" => Function::HardSwish,
        "Erf" => Function::Erf,
        "Exp" => Function::Exp,
        "Log" => Function::Log,
        "Sqrt" => Function::Sqrt,
        "Abs" => Function::Abs,
        "Neg" => Function::Negative,
        "Reciprocal" => Function::Reciprocal,
        "Floor" => Function::Floor,
        "Ceil" => Function::Ceil,
        _ => return None,
    })
}
