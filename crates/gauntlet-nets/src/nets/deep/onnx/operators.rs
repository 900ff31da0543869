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
        let float = |name: &str, default: f32| node.float(name).unwrap_or(default);
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
            "Relu" => self.map(node, Function::Relu),
            "LeakyRelu" => self.map(node, Function::LeakyRelu(float("alpha", 0.01))),
            "Elu" => self.map(node, Function::Elu([float("alpha", 1.0), 1.0])),
            "Selu" => self.map(node, Function::Elu([float("alpha", 1.673_263_2), float("gamma", 1.050_701)])),
            "Sigmoid" => self.map(node, Function::Sigmoid),
            "Tanh" => self.map(node, Function::Tanh),
            "Gelu" if node.word("approximate") == Some("tanh") => self.map(node, Function::TanhGelu),
            "Gelu" => self.map(node, Function::Gelu),
            "Softplus" => self.map(node, Function::Softplus),
            "Mish" => self.map(node, Function::Mish),
            "HardSigmoid" => self.map(node, Function::HardSigmoid([float("alpha", 0.2), float("beta", 0.5)])),
            "HardSwish" => self.map(node, Function::HardSwish),
            "Clip" => self.clip(node),
            "Erf" => self.map(node, Function::Erf),
            "Exp" => self.map(node, Function::Exp),
            "Log" => self.map(node, Function::Log),
            "Sqrt" => self.map(node, Function::Sqrt),
            "Abs" => self.map(node, Function::Abs),
            "Neg" => self.map(node, Function::Negative),
            "Reciprocal" => self.map(node, Function::Reciprocal),
            "Floor" => self.map(node, Function::Floor),
            "Ceil" => self.map(node, Function::Ceil),
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
            "Identity" | "Dropout" => self.argument(node, 0),
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
