//! Exports of PyTorch against ONNX Runtime, and files that are refused.

use std::path::PathBuf;

use prost::Message as _;
use safetensors::SafeTensors;

use super::contract::{OnnxOutput, OnnxOutputs};
use super::file::OnnxModel;
use super::inference::OnnxInference;
use super::messages::{
    AttributeProto, DimensionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, StringStringEntryProto,
    TensorProto, TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};
use crate::encoders::{Batch, Dims};
use crate::nets::NumberFormat;
use crate::nets::deep::input::Images;
use crate::nets::deep::{Answers, Inference as _};
use crate::nets::kernels::Path;

/// A file with its positions and the answers of ONNX Runtime (`tests/peers/onnx_exports.py`).
pub(super) struct Export {
    name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) dims: Dims,
    positions: Vec<f32>,
    logits: Vec<f32>,
    /// One number a position: three logits are converted in double precision.
    values: Vec<f64>,
}

pub(super) fn exports() -> Vec<Export> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/onnx");
    let mut names: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|end| end == "onnx"));
    names.sort();
    names.into_iter().map(export).collect()
}

fn export(path: PathBuf) -> Export {
    let check = std::fs::read(path.with_extension("check.safetensors")).unwrap();
    let tensors = SafeTensors::deserialize(&check).unwrap();
    let read = |name: &str| {
        let view = tensors.tensor(name).unwrap();
        let numbers: Vec<f32> = view.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        (view.shape().to_vec(), numbers)
    };
    let ((shape, positions), (_, logits), (_, values)) = (read("input"), read("logits"), read("value"));
    let [channels, rows, columns] = if shape.len() == 2 { [2, 5, 5] } else { [shape[1], shape[2], shape[3]] };
    let actions = logits.len() / shape[0];
    let expectation = |numbers: &[f32]| match *numbers {
        [value] => f64::from(value),
        [win, draw, loss] => {
            let [win, draw, loss] = [win, draw, loss].map(|logit| f64::from(logit).exp());
            (win - loss) / (win + draw + loss)
        }
        _ => panic!("a value has one number or three"),
    };
    let values = values.chunks_exact(values.len() / shape[0]).map(expectation).collect();
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    Export {
        name,
        bytes: std::fs::read(path).unwrap(),
        dims: Dims::Planes { channels, rows, columns, actions },
        positions,
        logits,
        values,
    }
}

fn images(dims: Dims) -> Images {
    Images::of(dims).unwrap()
}

/// A batch of some positions.
fn batch(dims: Dims, positions: &[f32]) -> Batch {
    let mut batch = Batch::new(dims);
    let Batch::Planes(planes) = &mut batch else { panic!("images") };
    let Images { channels, rows, columns, .. } = images(dims);
    for position in positions.chunks_exact(channels * rows * columns) {
        planes.push(position);
    }
    batch
}

fn infer(inference: &mut OnnxInference, dims: Dims, positions: &[f32]) -> Answers {
    let mut answers = Answers::default();
    inference.infer(&batch(dims, positions), &mut answers).unwrap();
    answers
}

#[test]
fn exports_answer_as_onnx_runtime() {
    let mut worst = Vec::new();
    for export in exports() {
        let outputs = OnnxOutputs::default();
        let mut inference = OnnxInference::new(&export.bytes, export.dims, &outputs, NumberFormat::F32)
            .unwrap_or_else(|error| panic!("{}: {error}", export.name));
        let answers = infer(&mut inference, export.dims, &export.positions);
        let logits =
            answers.policy_logits.iter().zip(&export.logits).map(|(ours, theirs)| f64::from((ours - theirs).abs()));
        let values = answers.values.iter().zip(&export.values).map(|(&ours, theirs)| (f64::from(ours) - theirs).abs());
        assert_eq!((answers.policy_logits.len(), answers.values.len()), (export.logits.len(), export.values.len()));
        let apart = logits.chain(values).fold(0.0, f64::max);
        assert!(
            export.values.iter().all(|value| value.is_finite())
                && export.logits.iter().any(|&logit| logit.abs() > 0.05)
        );
        worst.push((export.name, apart));
    }
    assert!(worst.len() >= 20 && worst.iter().all(|(_, apart)| *apart < 1e-5), "{worst:#?}");
}

/// Batches of 1, 7 and 64 positions, on all sets of instructions, and after other batches.
#[test]
fn an_export_answers_with_the_same_bits_in_every_batch_and_on_every_processor() {
    for export in exports() {
        let lowered =
            OnnxModel::read(&export.bytes).unwrap().lower(images(export.dims), &OnnxOutputs::default()).unwrap();
        let size = export.positions.len() / export.values.len();
        let many: Vec<f32> = export.positions.iter().copied().cycle().take(64 * size).collect();
        let bits = |answers: Answers| -> (Vec<u32>, Vec<u32>) {
            (
                answers.policy_logits.iter().map(|logit| logit.to_bits()).collect(),
                answers.values.iter().map(|value| value.to_bits()).collect(),
            )
        };
        let expected =
            bits(infer(&mut OnnxInference::on(Path::Portable, &lowered, NumberFormat::F32), export.dims, &many));
        for path in Path::available() {
            let mut inference = OnnxInference::on(path, &lowered, NumberFormat::F32);
            for count in [64, 7, 1] {
                let (mut logits, mut values) = (Vec::new(), Vec::new());
                for part in many.chunks(count * size) {
                    let (own, value) = bits(infer(&mut inference, export.dims, part));
                    logits.extend(own);
                    values.extend(value);
                }
                assert!((logits, values) == expected, "{} {path:?} {count}", export.name);
            }
        }
    }
}

/// Fewer bits change a network of sixteen channels a little, and those of few channels not at all.
#[test]
fn an_export_is_computed_in_fewer_bits() {
    let all = exports();
    let export = all.iter().find(|export| export.name == "attention-17").unwrap();
    let of = |numbers| {
        let mut inference = OnnxInference::new(&export.bytes, export.dims, &OnnxOutputs::default(), numbers).unwrap();
        infer(&mut inference, export.dims, &export.positions)
    };
    let exact = of(NumberFormat::F32);
    for numbers in [NumberFormat::Bf16, NumberFormat::Int8] {
        let rounded = of(numbers);
        let apart =
            rounded.policy_logits.iter().zip(&exact.policy_logits).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart > 0.0 && apart < 0.05, "{numbers:?}: {apart}");
    }
}

/// The images of hand-made files: one plane of 2 x 2, with four slots.
pub(super) const DIMS: Dims = Dims::Planes { channels: 1, rows: 2, columns: 2, actions: 4 };

pub(super) fn port(name: &str, sizes: &[i64]) -> ValueInfoProto {
    let dim =
        sizes.iter().map(|&size| DimensionProto { dim_value: (size > 0).then_some(size), dim_param: None }).collect();
    let tensor = TensorTypeProto { elem_type: 1, shape: Some(TensorShapeProto { dim }) };
    ValueInfoProto { name: name.to_owned(), r#type: Some(TypeProto { tensor_type: Some(tensor) }) }
}

pub(super) fn node(operator: &str, inputs: &[&str], output: &str) -> NodeProto {
    let input = inputs.iter().map(|name| (*name).to_owned()).collect();
    NodeProto {
        input,
        output: vec![output.to_owned()],
        name: format!("{output}-node"),
        op_type: operator.to_owned(),
        ..NodeProto::default()
    }
}

pub(super) fn with(node: NodeProto, name: &str, set: impl FnOnce(&mut AttributeProto)) -> NodeProto {
    let mut attribute = AttributeProto { name: name.to_owned(), ..AttributeProto::default() };
    set(&mut attribute);
    NodeProto { attribute: [node.attribute, vec![attribute]].concat(), ..node }
}

pub(super) fn floats(name: &str, dims: &[i64], float_data: &[f32]) -> TensorProto {
    TensorProto {
        name: name.to_owned(),
        dims: dims.to_vec(),
        data_type: 1,
        float_data: float_data.to_vec(),
        ..TensorProto::default()
    }
}

pub(super) fn ints(name: &str, int64_data: &[i64]) -> TensorProto {
    TensorProto {
        name: name.to_owned(),
        dims: vec![int64_data.len() as i64],
        data_type: 7,
        int64_data: int64_data.to_vec(),
        ..TensorProto::default()
    }
}

/// A file whose logits are computed by some nodes from `x`, and whose value is the mean of all sites.
pub(super) fn model(nodes: Vec<NodeProto>, constants: Vec<TensorProto>) -> ModelProto {
    let mean = with(node("ReduceMean", &["x"], "value"), "axes", |axes| axes.ints = vec![1, 2, 3]);
    let graph = GraphProto {
        node: [nodes, vec![mean]].concat(),
        initializer: constants,
        input: vec![port("x", &[0, 1, 2, 2])],
        output: vec![port("logits", &[]), port("value", &[])],
        ..GraphProto::default()
    };
    let opset_import = vec![OperatorSetIdProto { domain: String::new(), version: 17 }];
    ModelProto { ir_version: 8, graph: Some(graph), opset_import, ..ModelProto::default() }
}

pub(super) fn read(model: &ModelProto) -> Result<OnnxInference, String> {
    OnnxInference::new(&model.encode_to_vec(), DIMS, &OnnxOutputs::default(), NumberFormat::F32)
        .map_err(|error| error.to_string())
}

/// The logits for the numbers 1 to 4.
pub(super) fn logits(nodes: Vec<NodeProto>, constants: Vec<TensorProto>) -> Vec<f32> {
    let answers = infer(&mut read(&model(nodes, constants)).unwrap(), DIMS, &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(answers.values, [1.0], "2.5 is more than the largest value");
    answers.policy_logits
}

pub(super) fn axis(node: NodeProto, axis: i64) -> NodeProto {
    with(node, "axis", |attribute| attribute.i = axis)
}

/// Results by hand.
#[test]
fn operators_compute_as_defined() {
    let turned = with(node("Transpose", &["x"], "logits"), "perm", |perm| perm.ints = vec![0, 1, 3, 2]);
    assert_eq!(logits(vec![turned], vec![]), [1.0, 3.0, 2.0, 4.0]);
    let slice = node("Slice", &["x", "starts", "ends", "axes", "steps"], "back");
    let lists = || vec![ints("starts", &[-1]), ints("ends", &[i64::MIN]), ints("axes", &[3]), ints("steps", &[-1])];
    assert_eq!(logits(vec![slice.clone(), node("Relu", &["back"], "logits")], lists()), [2.0, 1.0, 4.0, 3.0]);
    // A value and its mirror image: places differ, so one moves.
    assert_eq!(logits(vec![slice, node("Sub", &["x", "back"], "logits")], lists()), [-1.0, 1.0, -1.0, 1.0]);
    let column = vec![floats("c", &[2, 1], &[10.0, 20.0])];
    assert_eq!(logits(vec![node("Add", &["x", "c"], "logits")], column.clone()), [11.0, 12.0, 23.0, 24.0]);
    assert_eq!(logits(vec![node("Div", &["c", "x"], "logits")], column.clone()), [10.0, 5.0, 20.0 / 3.0, 5.0]);
    assert_eq!(logits(vec![node("Sub", &["c", "x"], "logits")], column), [9.0, 8.0, 17.0, 16.0]);
    // [[1, 2], [3, 4]] times itself.
    assert_eq!(logits(vec![node("MatMul", &["x", "x"], "logits")], vec![]), [7.0, 10.0, 15.0, 22.0]);
    let matrix = vec![floats("w", &[2, 2], &[0.0, 1.0, 1.0, 1.0])];
    assert_eq!(logits(vec![node("MatMul", &["x", "w"], "logits")], matrix.clone()), [2.0, 3.0, 4.0, 7.0]);
    assert_eq!(logits(vec![node("MatMul", &["w", "x"], "logits")], matrix), [3.0, 4.0, 4.0, 6.0]);
    let shares = logits(vec![axis(node("Softmax", &["x"], "logits"), 2)], vec![]);
    // exp(1) / (exp(1) + exp(3)) = 0.119203.
    assert!(shares.iter().zip([0.119_203, 0.119_203, 0.880_797, 0.880_797]).all(|(a, b)| (a - b).abs() < 1e-6));
    let norm = vec![node("LayerNormalization", &["x", "g", "b"], "logits")];
    // Rows of mean 1.5 and 3.5 and variance 1/4: -1 and 1, times 2, plus 1; the variance has 1e-5 more.
    let found = logits(norm, vec![floats("g", &[2], &[2.0, 2.0]), floats("b", &[2], &[1.0, 1.0])]);
    assert!(found.iter().zip([-1.0, 3.0, -1.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-4), "{found:?}");
    let pool = with(
        with(node("MaxPool", &["x"], "logits"), "kernel_shape", |kernel| kernel.ints = vec![2, 2]),
        "pads",
        |pads| pads.ints = vec![0, 0, 1, 1],
    );
    assert_eq!(logits(vec![pool], vec![]), [4.0; 4]);
    let joined = axis(node("Concat", &["x", "x"], "both"), 3);
    let picked = axis(node("Gather", &["both", "i"], "logits"), 3);
    assert_eq!(logits(vec![joined, picked], vec![ints("i", &[3, 0])]), [2.0, 1.0, 4.0, 3.0]);
    // A convolution that adds the site on the right, with a stride over an image that is padded.
    let pads = with(node("Conv", &["x", "w"], "logits"), "pads", |pads| pads.ints = vec![0, 0, 0, 1]);
    assert_eq!(logits(vec![pads], vec![floats("w", &[1, 1, 1, 2], &[1.0, 10.0])]), [21.0, 2.0, 43.0, 4.0]);
}

/// Two movements to rows of equal length, one after the other, each read by a product on all units.
#[test]
fn rows_that_wait_for_all_units_are_not_shared() {
    let constants = vec![
        floats("w", &[4, 4], &[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        ints("flat", &[1, 4]),
    ];
    let flat = |from: &str, to: &str| node("Reshape", &[from, "flat"], to);
    let turned = with(node("Transpose", &["x"], "t"), "perm", |perm| perm.ints = vec![0, 1, 3, 2]);
    let one = [flat("x", "a"), node("MatMul", &["a", "w"], "one")];
    let other = [turned, flat("t", "b"), node("MatMul", &["b", "w"], "other")];
    let nodes = one.into_iter().chain(other).chain([node("Sub", &["one", "other"], "logits")]).collect();
    assert_eq!(logits(nodes, constants), [0.0, -1.0, 1.0, 0.0]);
}

/// A ReLU and a factor become part of a product only if nothing else reads it.
#[test]
fn a_product_that_is_read_twice_stays_as_it_is() {
    let weights = || vec![floats("w", &[2, 2], &[-1.0, 0.0, 0.0, 1.0]), floats("c", &[1], &[3.0])];
    let product = || node("MatMul", &["x", "w"], "p");
    assert_eq!(
        logits(vec![product(), node("Relu", &["p"], "r"), node("Add", &["p", "r"], "logits")], weights()),
        [-1.0, 4.0, -3.0, 8.0]
    );
    assert_eq!(
        logits(vec![product(), node("Mul", &["p", "c"], "m"), node("Add", &["p", "m"], "logits")], weights()),
        [-4.0, 8.0, -12.0, 16.0]
    );
    assert_eq!(
        logits(vec![product(), node("Mul", &["p", "c"], "m"), node("Relu", &["m"], "logits")], weights()),
        [0.0, 6.0, 0.0, 12.0]
    );
}

#[track_caller]
pub(super) fn refused(model: &ModelProto, reason: &str) {
    let error = read(model).err().expect("it is refused");
    assert!(error.contains(reason), "{error}");
}

#[test]
fn nodes_that_no_output_needs_may_have_any_operator() {
    let unread = node("TopK", &["x"], "other");
    assert_eq!(
        logits(vec![node("Identity", &["x"], "logits"), unread], vec![]),
        logits(vec![node("Identity", &["x"], "logits")], vec![])
    );
}

#[test]
fn a_number_as_a_truth_is_0_or_1() {
    let cast = |from: &str, to: &str, kind: i64| with(node("Cast", &[from], to), "to", |to| to.i = kind);
    let nodes = vec![cast("c", "b", 9), cast("b", "f", 1), node("Mul", &["x", "f"], "logits")];
    let half = logits(nodes.clone(), vec![floats("c", &[1], &[0.5])]);
    assert_eq!(half, logits(nodes, vec![floats("c", &[1], &[-3.0])]));
    assert_eq!(half, logits(vec![node("Identity", &["x"], "logits")], vec![]));
}

/// Each position has its own answers. With a number of positions that the file names, they are computed with zeros.
#[test]
fn files_that_mix_the_positions_of_a_batch_are_refused() {
    let mean = |from: &str, to: &str| {
        let mean = with(node("ReduceMean", &[from], to), "axes", |axes| axes.ints = vec![0]);
        with(mean, "keepdims", |keeps| keeps.i = 0)
    };
    let kept = |operator: &str| with(node(operator, &["x"], "m"), "axes", |axes| axes.ints = vec![-4]);
    let less = || node("Sub", &["x", "m"], "logits");
    for nodes in [
        vec![kept("ReduceMean"), less()],
        vec![kept("ReduceMax"), less()],
        vec![axis(node("Softmax", &["x"], "logits"), 0)],
        vec![node("ReduceMin", &["x"], "m"), less()],
    ] {
        refused(&model(nodes.clone(), vec![]), "depend on the others of the batch");
        let of_batch = |size: i64| {
            let mut fixed = model(nodes.clone(), vec![]);
            fixed.graph.as_mut().unwrap().input = vec![port("x", &[size, 1, 2, 2])];
            fixed
        };
        read(&of_batch(1)).unwrap();
        for size in [2, 3, 5, 8] {
            refused(&of_batch(size), "depend on the others of the batch");
        }
    }
    // A sound network, and one whose weights differ by the place in the batch.
    let fixed = |nodes: Vec<NodeProto>, constants: Vec<TensorProto>| {
        let mut fixed = model(nodes, constants);
        fixed.graph.as_mut().unwrap().input = vec![port("x", &[3, 1, 2, 2])];
        fixed
    };
    read(&fixed(vec![node("Identity", &["x"], "logits")], vec![])).unwrap();
    let by_place = fixed(vec![node("Add", &["x", "c"], "logits")], vec![floats("c", &[3, 1, 1, 1], &[0.0, 0.5, 0.0])]);
    refused(&by_place, "depend on the others of the batch");
    // The mean of two values of the same position, along an axis of its own.
    let stacked = vec![
        node("Unsqueeze", &["x", "zero"], "u"),
        node("Add", &["u", "u"], "v"),
        axis(node("Concat", &["u", "v"], "c"), 0),
        mean("c", "logits"),
    ];
    assert_eq!(logits(stacked, vec![ints("zero", &[0])]), [1.5, 3.0, 4.5, 6.0]);
    let trains = TensorProto { data_type: 9, int64_data: vec![], int32_data: vec![1], ..ints("trains", &[1]) };
    let dropout = node("Dropout", &["x", "", "trains"], "logits");
    refused(&model(vec![dropout], vec![trains]), "export the network after `model.eval()`");
}

#[test]
fn files_that_cannot_be_played_are_refused_with_the_reason() {
    let good = || model(vec![node("Identity", &["x"], "logits")], vec![]);
    read(&good()).unwrap();
    let edited = |edit: fn(&mut ModelProto, &mut GraphProto)| {
        let (mut model, mut graph) = (good(), good().graph.unwrap());
        edit(&mut model, &mut graph);
        ModelProto { graph: Some(graph), ..model }
    };
    refused(&ModelProto { graph: None, ..good() }, "it has no graph");
    refused(&edited(|model, _| model.opset_import.clear()), "no version of the operators");
    refused(
        &edited(|model, _| model.opset_import[0].version = 8),
        "version 8 of the ONNX operators, and versions 9 to 23",
    );
    refused(&edited(|model, _| model.opset_import[0].version = 99), "`opset_version=23`");
    refused(
        &edited(|_, graph| graph.node[0].op_type = "NonZero".to_owned()),
        "node `logits-node` (NonZero): this operator is not supported",
    );
    refused(&edited(|_, graph| graph.node[0].domain = "com.microsoft".to_owned()), "not an operator of ONNX itself");
    refused(&edited(|_, graph| graph.node[0].op_type = "If".to_owned()), "loops and branches");
    refused(
        &edited(|_, graph| graph.node[0] = with(graph.node[0].clone(), "body", |attribute| attribute.g = Some(vec![]))),
        "loops and branches",
    );
    refused(
        &edited(|_, graph| graph.node[0].input = vec!["logits".to_owned()]),
        "nothing before it computes `logits`: the graph has a cycle",
    );
    refused(&edited(|_, graph| graph.node[1].output = vec!["logits".to_owned()]), "`logits` is computed twice");
    refused(&edited(|_, graph| graph.node.truncate(1)), "nothing computes its output `value`");
    refused(
        &edited(|_, graph| graph.node[0].op_type = "ReduceMean".to_owned()),
        "its output `logits` for the logits has 1 numbers for 1 position(s), not 4 each",
    );
    refused(
        &edited(|_, graph| graph.node[1].op_type = "Identity".to_owned()),
        "its output `value` for the value has 4 numbers",
    );
    refused(
        &edited(|_, graph| graph.input[0] = port("x", &[0, 3, 2, 2])),
        "its input is `x` [?, 3, 2, 2], and the positions of the game are [positions, 1, 2, 2]",
    );
    refused(&edited(|_, graph| graph.input.push(port("y", &[0]))), "it has 2 inputs");
    refused(&edited(|_, graph| graph.input[0] = port("x", &[5000, 1, 2, 2])), "exceeds the limit of 1024");
    refused(
        &edited(|_, graph| graph.output.truncate(1)),
        "no output at position 1 for the value; its outputs are `logits` []",
    );
    refused(&edited(|_, graph| graph.sparse_initializer.push(vec![])), "sparse constants");
}

#[test]
fn constants_are_checked_before_they_are_used() {
    let with_constant = |constant: TensorProto| {
        model(vec![node("Add", &["x", "c"], "logits")], vec![TensorProto { name: "c".to_owned(), ..constant }])
    };
    refused(&with_constant(floats("c", &[1 << 40, 1 << 40], &[])), "exceeds the limit of 16777216");
    refused(&with_constant(floats("c", &[0, i64::MAX], &[])), "exceeds the limit");
    refused(&with_constant(floats("c", &[-1], &[1.0])), "a negative size");
    refused(&with_constant(floats("c", &[3], &[1.0])), "has 1 numbers, not the 3 of its shape [3]");
    refused(&with_constant(floats("c", &[3], &[1.0; 3])), "the shapes [1, 1, 2, 2] and [3] do not fit");
    refused(&with_constant(ints("c", &[1])), "whole numbers");
    refused(&with_constant(TensorProto { data_type: 8, ..floats("c", &[1], &[1.0]) }), "the unsupported type 8");
    let entry = StringStringEntryProto { key: "location".to_owned(), value: "../other.data".to_owned() };
    let outside = TensorProto { data_location: 1, external_data: vec![entry], ..floats("c", &[1], &[]) };
    refused(
        &with_constant(outside),
        "the numbers of `c` are in another file, `../other.data`: export with `external_data=False`",
    );
    // A small file that asks for much memory.
    let filled = model(
        vec![node("ConstantOfShape", &["s"], "c"), node("Add", &["x", "c"], "logits")],
        vec![ints("s", &[1 << 20, 1 << 20])],
    );
    refused(&filled, "exceeds the limit");
    let grown = (0..18).map(|at| node("Concat", &[&format!("v{at}"), &format!("v{at}")], &format!("v{}", at + 1)));
    let grown: Vec<NodeProto> =
        [node("Identity", &["x"], "v0")].into_iter().chain(grown.map(|node| axis(node, 0))).collect();
    refused(
        &model([grown, vec![node("Identity", &["v18"], "logits")]].concat(), vec![]),
        "the logits has 1048576 numbers",
    );
}

#[test]
fn bytes_that_are_no_complete_file_are_refused() {
    let whole =
        model(vec![node("Add", &["x", "c"], "logits")], vec![floats("c", &[2, 1], &[1.0, 2.0])]).encode_to_vec();
    let read = |bytes: &[u8]| OnnxInference::new(bytes, DIMS, &OnnxOutputs::default(), NumberFormat::F32);
    read(&whole).unwrap();
    for end in 0..whole.len() {
        assert!(read(&whole[..end]).is_err(), "{end} of {} bytes", whole.len());
    }
    for at in 0..whole.len() {
        // Any other byte: an error or another network, and no panic.
        for byte in [0, 1, 0x7f, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            let _ = read(&bytes);
        }
    }
    assert!(read(b"PK\x03\x04 a zip file").is_err() && read(&[0xff; 64]).is_err());
    let pointer = read(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n").err().unwrap().to_string();
    assert!(pointer.contains("git lfs pull"), "{pointer}");
}

#[test]
fn outputs_are_named_or_counted() {
    let mut swapped = model(vec![node("Identity", &["x"], "logits")], vec![]);
    swapped.graph.as_mut().unwrap().output.reverse();
    let bytes = swapped.encode_to_vec();
    let read = |outputs: &OnnxOutputs| {
        OnnxInference::new(&bytes, DIMS, outputs, NumberFormat::F32).map_err(|error| error.to_string())
    };
    assert!(read(&OnnxOutputs::default()).err().unwrap().contains("name other outputs with `logits` and `value`"));
    read(&OnnxOutputs { logits: OnnxOutput::Position(1), value: OnnxOutput::Position(0) }).unwrap();
    let named = |name: &str| OnnxOutputs { logits: OnnxOutput::Name(name.to_owned()), value: OnnxOutput::Position(0) };
    read(&named("logits")).unwrap();
    assert!(
        read(&named("policy"))
            .err()
            .unwrap()
            .contains("no output called `policy` for the logits; its outputs are `value` [], `logits` []")
    );
}
