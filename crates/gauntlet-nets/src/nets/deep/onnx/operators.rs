//! The supported operators.

use super::OnnxError;
use super::functions::{Function, Pairwise};
use super::layer::Reduction;
use super::lowering::Lowering;
use super::node::Node;
use super::value::Value;

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
        let found = match node.operator() {
            "Split" => self.split(node)?,
            _ => vec![self.one(node)?],
        };
        for (name, value) in node.outputs().iter().zip(found) {
            if !name.is_empty() && !self.set(name, value) {
                return Err(node.refused(format!("`{name}` is computed twice")));
            }
        }
        Ok(())
    }

    /// The first result of a node.
    fn one(&mut self, node: &Node<'_>) -> Result<Value, OnnxError> {
        if let Some(function) = function(node) {
            return self.map(node, function);
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
            "Pow" => self.power(node),
            "Clip" => self.clip(node),
            "Softmax" => self.softmax(node, false),
            "LogSoftmax" => self.softmax(node, true),
            "ReduceSum" => self.reduce(node, Reduction::Sum),
            "ReduceMean" => self.reduce(node, Reduction::Mean),
            "ReduceMax" => self.reduce(node, Reduction::Max),
            "ReduceMin" => self.reduce(node, Reduction::Min),
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
            "Slice" => self.slice(node),
            "Gather" => self.gather(node),
            "Pad" => self.pad(node),
            "Concat" => self.concat(node),
            "Identity" => self.argument(node, 0),
            "Dropout" => self.dropout(node),
            "Cast" => self.cast(node),
            "Shape" => self.shape(node),
            "Constant" => self.literal(node),
            "ConstantOfShape" => self.filled(node),
            "Range" => self.range(node),
            "Where" => self.choose(node),
            "Equal" => self.compared(node, |x, y| x == y),
            "Less" => self.compared(node, |x, y| x < y),
            "Greater" => self.compared(node, |x, y| x > y),
            "And" => self.compared(node, |x, y| x != 0.0 && y != 0.0),
            "Or" => self.compared(node, |x, y| x != 0.0 || y != 0.0),
            "Not" => self.compared(node, |x, _| x == 0.0),
            "If" | "Loop" | "Scan" => Err(node.refused("loops and branches are not supported")),
            _ => Err(node.refused("this operator is not supported")),
        }
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
