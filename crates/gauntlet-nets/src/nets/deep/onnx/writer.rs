//! A file that is written: its nodes, constants and ports.

use prost::Message as _;

use super::messages::{
    AttributeProto, DimensionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto, attribute_type, data_type,
};

/// The version of the operators: the oldest with layer norms.
const OPSET: i64 = 17;

/// The version of the format that came with these operators.
const IR_VERSION: i64 = 8;

/// The name of the first axis of inputs and outputs, whose size is open.
const POSITIONS: &str = "positions";

/// States the nodes of a file. A node's result is called by the node's name and `.out`, so that it differs from those of
/// constants.
#[derive(Debug, Default)]
pub struct OnnxWriter {
    graph: GraphProto,
}

impl OnnxWriter {
    /// Adds a constant of single precision, row-major.
    pub fn floats(&mut self, name: &str, shape: &[usize], numbers: &[f32]) -> String {
        let raw_data = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.constant(name, shape, data_type::FLOAT, raw_data)
    }

    /// Adds a list of whole numbers.
    pub fn whole(&mut self, name: &str, numbers: &[i64]) -> String {
        let raw_data = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.constant(name, &[numbers.len()], data_type::INT64, raw_data)
    }

    fn constant(&mut self, name: &str, shape: &[usize], data_type: i32, raw_data: Vec<u8>) -> String {
        let dims = shape.iter().map(|&size| size as i64).collect();
        let tensor = TensorProto { name: name.to_owned(), dims, data_type, raw_data, ..TensorProto::default() };
        self.graph.initializer.push(tensor);
        name.to_owned()
    }

    /// Adds a node; returns the name of its result.
    pub fn node(&mut self, operator: &str, name: &str, inputs: &[&str], settings: Vec<AttributeProto>) -> String {
        let result = format!("{name}.out");
        self.graph.node.push(NodeProto {
            input: inputs.iter().map(|&input| input.to_owned()).collect(),
            output: vec![result.clone()],
            name: name.to_owned(),
            op_type: operator.to_owned(),
            attribute: settings,
            ..NodeProto::default()
        });
        result
    }

    /// The input, `[positions, ..shape]`.
    pub fn input(&mut self, name: &str, shape: &[usize]) {
        self.graph.input.push(port(name, shape));
    }

    /// Makes the result of a node an output of this name, `[positions, ..shape]`.
    pub fn output(&mut self, name: &str, result: &str, shape: &[usize]) {
        let read = self.graph.node.iter_mut().flat_map(|node| node.input.iter_mut().chain(&mut node.output));
        read.filter(|own| *own == result).for_each(|own| name.clone_into(own));
        self.graph.output.push(port(name, shape));
    }

    /// The bytes of the file; `title` names the network, and `about` is its text for readers.
    pub fn bytes(mut self, title: &str, about: &str) -> Vec<u8> {
        self.graph.name = title.as_bytes().to_vec();
        let opset = OperatorSetIdProto { domain: String::new(), version: OPSET };
        let model = ModelProto {
            ir_version: IR_VERSION,
            producer_name: "gauntlet".to_owned(),
            producer_version: env!("CARGO_PKG_VERSION").to_owned(),
            doc_string: about.as_bytes().to_vec(),
            graph: Some(self.graph),
            opset_import: vec![opset],
        };
        model.encode_to_vec()
    }
}

fn port(name: &str, shape: &[usize]) -> ValueInfoProto {
    let open = DimensionProto { dim_value: None, dim_param: Some(POSITIONS.to_owned()) };
    let sizes = shape.iter().map(|&size| DimensionProto { dim_value: Some(size as i64), dim_param: None });
    let shape = TensorShapeProto { dim: std::iter::once(open).chain(sizes).collect() };
    let tensor = TensorTypeProto { elem_type: data_type::FLOAT, shape: Some(shape) };
    ValueInfoProto { name: name.to_owned(), r#type: Some(TypeProto { tensor_type: Some(tensor) }) }
}

/// A setting that is a whole number.
pub fn int(name: &str, i: i64) -> AttributeProto {
    AttributeProto { name: name.to_owned(), i, r#type: attribute_type::INT, ..AttributeProto::default() }
}

/// A setting that is a list of whole numbers.
pub fn ints(name: &str, ints: &[i64]) -> AttributeProto {
    let ints = ints.to_vec();
    AttributeProto { name: name.to_owned(), ints, r#type: attribute_type::INTS, ..AttributeProto::default() }
}

/// A setting that is a number.
pub fn float(name: &str, f: f32) -> AttributeProto {
    AttributeProto { name: name.to_owned(), f, r#type: attribute_type::FLOAT, ..AttributeProto::default() }
}
