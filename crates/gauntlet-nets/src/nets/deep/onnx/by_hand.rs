//! Small files: constants that are no numbers, masks, settings that contradict each other, and answers beside a file.

use prost::Message as _;

use super::OnnxError;
use super::file::OnnxModel;
use super::messages::{AttributeProto, NodeProto, OperatorSetIdProto, TensorProto};
use super::settings::Onnx;
use super::tests::{DIMS, axis, floats, ints, logits, model, node, port, refused, with};
use crate::nets::deep::{Saved, write_tensors};

const INFINITE: f32 = f32::INFINITY;

fn list(of: NodeProto, name: &str, ints: &[i64]) -> NodeProto {
    with(of, name, |attribute: &mut AttributeProto| attribute.ints = ints.to_vec())
}

fn number(of: NodeProto, name: &str, number: i64) -> NodeProto {
    with(of, name, |attribute: &mut AttributeProto| attribute.i = number)
}

fn truths(name: &str, dims: &[i64], numbers: &[i32]) -> TensorProto {
    TensorProto {
        data_type: 9,
        dims: dims.to_vec(),
        int64_data: vec![],
        int32_data: numbers.to_vec(),
        ..ints(name, &[])
    }
}

#[test]
fn constants_that_are_no_numbers_are_refused() {
    let add = || vec![node("Add", &["x", "c"], "logits")];
    let nan = "the constant `c` has NaN, which is no number: its weights may have diverged";
    refused(&model(add(), vec![floats("c", &[2], &[1.0, f32::NAN])]), nan);
    super::tests::read(&model(vec![node("Identity", &["x"], "logits")], vec![floats("unread", &[1], &[f32::NAN])]))
        .unwrap();
    let literal = with(node("Constant", &[], "c"), "value_float", |value| value.f = f32::NAN);
    refused(&model([vec![literal], add()].concat(), vec![]), "node `c-node` (Constant): its constant result has NaN");
    let of_zeros = || vec![floats("a", &[1], &[0.0]), floats("b", &[1], &[0.0])];
    refused(&model([vec![node("Div", &["a", "b"], "c")], add()].concat(), of_zeros()), "0 is divided by 0");
    refused(&model([vec![node("Log", &["a"], "c")], add()].concat(), vec![floats("a", &[1], &[-1.0])]), "has NaN");
    let mul = vec![node("Mul", &["x", "c"], "logits")];
    refused(&model(mul, vec![floats("c", &[1], &[INFINITE])]), "its constant is the factor inf");
    let div = vec![node("Div", &["x", "c"], "logits")];
    refused(&model(div, vec![floats("c", &[1], &[0.0])]), "its constant is the factor inf: it divides by 0");
    // As offsets they are a mask.
    let masked = logits(
        vec![node("Add", &["x", "c"], "m"), node("Softmax", &["m"], "logits")],
        vec![floats("c", &[2], &[-INFINITE, 0.0])],
    );
    assert_eq!(masked, [0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn weights_that_are_not_finite_are_refused() {
    let weights = || vec![floats("w", &[2, 2], &[1.0, INFINITE, 0.0, 0.0])];
    let reason = "its weights `w` have the number inf: they may have diverged";
    refused(&model(vec![node("MatMul", &["x", "w"], "logits")], weights()), reason);
    refused(&model(vec![node("MatMul", &["w", "x"], "logits")], weights()), reason);
    refused(&model(vec![node("Conv", &["x", "w"], "logits")], vec![floats("w", &[1, 1, 1, 1], &[-INFINITE])]), "`w`");
    let norm = vec![node("LayerNormalization", &["x", "w"], "logits")];
    refused(&model(norm, vec![floats("w", &[2], &[INFINITE, 0.0])]), reason);
    let flat = || node("Flatten", &["x"], "f");
    let gemm = vec![flat(), with(node("Gemm", &["f", "w"], "logits"), "alpha", |alpha| alpha.f = INFINITE)];
    refused(&model(gemm, vec![floats("w", &[4, 4], &[1.0; 16])]), "`alpha` is inf");
    let batch_norm = |mean: f32, variance: f32| {
        let lists = [("g", 1.0), ("b", 0.0), ("m", mean), ("v", variance)];
        let lists = lists.map(|(name, number)| floats(name, &[1], &[number])).to_vec();
        model(vec![node("BatchNormalization", &["x", "g", "b", "m", "v"], "logits")], lists)
    };
    super::tests::read(&batch_norm(1.0, 0.0)).unwrap();
    refused(&batch_norm(1.0, -2.0), "channel 0 has the mean 1 and the variance -2, and so no finite factor");
    refused(&batch_norm(INFINITE, 1.0), "its weights `m` have the number inf");
    let large = vec![node("MatMul", &["x", "w"], "p"), node("Mul", &["p", "c"], "logits")];
    let constants = vec![floats("w", &[2, 2], &[1e30; 4]), floats("c", &[1], &[1e30])];
    refused(&model(large, constants), "the weights before it are too large for single precision");
}

#[test]
fn constants_are_computed_on_the_way() {
    // The shape [1, 1, 2, 2] to [1, 4]: its size is 4, the greatest of its sizes is 2, 7 mod -3 is -2.
    let nodes = vec![
        node("Shape", &["x"], "s"),
        number(list(node("ReduceProd", &["s"], "p"), "axes", &[0]), "keepdims", 1),
        node("ReduceMax", &["s"], "g"),
        node("ReduceSum", &["s"], "t"),
        node("Size", &["x"], "n"),
        node("Mod", &["seven", "three"], "r"),
        node("Add", &["r", "t"], "four"),
        node("Concat", &["one", "p"], "shape"),
        node("Reshape", &["x", "shape"], "y"),
        node("GreaterOrEqual", &["p", "n"], "yes"),
        node("LessOrEqual", &["p", "g"], "no"),
        node("Xor", &["yes", "no"], "both"),
        node("Where", &["both", "four", "g"], "w"),
        node("Range", &["zero", "w", "step"], "all"),
        axis(node("Gather", &["y", "all"], "logits"), 1),
    ];
    let constants = [("seven", 7), ("three", -3), ("one", 1)].map(|(name, number)| ints(name, &[number])).to_vec();
    let scalars =
        [("zero", 0), ("step", 1)].map(|(name, number)| TensorProto { dims: vec![], ..ints(name, &[number]) });
    assert_eq!(logits(nodes, [constants, scalars.to_vec()].concat()), [1.0, 2.0, 3.0, 4.0]);
    let tiled = vec![node("Tile", &["x", "twice"], "t"), node("Slice", &["t", "from", "to", "axes"], "logits")];
    let lists = vec![ints("twice", &[1, 1, 1, 2]), ints("from", &[1]), ints("to", &[3]), ints("axes", &[3])];
    assert_eq!(logits(tiled, lists), [2.0, 1.0, 4.0, 3.0]);
    let product = list(node("ReduceProd", &["x"], "p"), "axes", &[3]);
    assert_eq!(logits(vec![product, node("Sub", &["x", "p"], "logits")], vec![]), [-1.0, 0.0, -9.0, -8.0]);
}

#[test]
fn masks_choose_between_values() {
    let mask = || truths("c", &[2, 1], &[1, 0]);
    let chosen = |x: &str, y: &str, constants: Vec<TensorProto>| {
        let nodes = vec![node("Neg", &["x"], "n"), node("Where", &["c", x, y], "logits")];
        logits(nodes, [constants, vec![mask()]].concat())
    };
    assert_eq!(chosen("x", "n", vec![]), [1.0, 2.0, -3.0, -4.0]);
    assert_eq!(chosen("k", "x", vec![floats("k", &[], &[9.0])]), [9.0, 9.0, 3.0, 4.0]);
    assert_eq!(chosen("x", "k", vec![floats("k", &[2], &[8.0, 9.0])]), [1.0, 2.0, 8.0, 9.0]);
    // Attention: what the mask leaves out gets no share.
    let nodes = vec![node("Where", &["c", "k", "x"], "m"), node("Softmax", &["m"], "logits")];
    let constants = vec![floats("k", &[], &[-INFINITE]), truths("c", &[2, 2], &[1, 0, 0, 1])];
    assert_eq!(logits(nodes, constants), [0.0, 1.0, 1.0, 0.0]);
    let whole = vec![node("Where", &["c", "k", "x"], "logits")];
    refused(&model(whole, vec![ints("k", &[1]), mask()]), "whole numbers take no part");
}

/// The softplus of PyTorch's exporter; no other mask depends on the position.
#[test]
fn the_softplus_of_pytorch_is_one() {
    let nodes = |above: &str, large: &str| {
        vec![
            node("Softplus", &["x"], "s"),
            node("Greater", &[above, "bound"], "mask"),
            node("Where", &["mask", large, "s"], "logits"),
        ]
    };
    let bound = |number: f32| vec![floats("bound", &[], &[number])];
    let plain = logits(vec![node("Softplus", &["x"], "logits")], vec![]);
    assert_eq!(logits(nodes("x", "x"), bound(20.0)), plain);
    let reason = "a mask that depends on the position is only supported in the softplus of PyTorch";
    refused(&model(nodes("x", "s"), bound(20.0)), reason);
    refused(&model(nodes("x", "x"), bound(1.0)), "argument 1 must be a constant, and depends on the position");
    let other = vec![node("Greater", &["x", "bound"], "mask"), node("Neg", &["mask"], "logits")];
    refused(&model(other, bound(20.0)), reason);
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    let weights = || vec![floats("w", &[1, 1, 1, 1], &[1.0])];
    let conv = || node("Conv", &["x", "w"], "logits");
    refused(&model(vec![number(conv(), "group", -1)], weights()), "`group` is -1, and at least 1 is needed");
    refused(&model(vec![number(conv(), "group", 0)], weights()), "`group` is 0");
    let window = "`kernel_shape` is [3, 3], and the window of its weights [1, 1]";
    refused(&model(vec![list(conv(), "kernel_shape", &[3, 3])], weights()), window);
    refused(&model(vec![node("MaxPool", &["x"], "logits")], vec![]), "`kernel_shape` is missing");
    refused(
        &model(vec![node("Relu", &["x", "x"], "logits")], vec![]),
        "it has 2 arguments, and the operator has at most 1",
    );
    let left_out = node("Dropout", &["x", "", ""], "logits");
    super::tests::read(&model(vec![left_out], vec![])).unwrap();
    let transposed = |name: &str, size: i64| {
        model(vec![list(node("ConvTranspose", &["x", "w"], "logits"), name, &[size, size])], weights())
    };
    super::tests::read(&transposed("strides", 1)).unwrap();
    refused(&transposed("strides", 2), "`strides` is [2, 2], and only transposed convolutions of single sites");
    refused(&transposed("pads", 1), "`pads` is [1, 1]");
    let vector = vec![node("MatMul", &["x", "v"], "logits")];
    refused(&model(vector, vec![floats("v", &[2], &[1.0; 2])]), "`v` is a vector, with the shape [2]");
    let mut norm = node("LayerNormalization", &["x", "g"], "y");
    norm.output.push("mean".to_owned());
    let read =
        |name: &str| model(vec![norm.clone(), node("Sub", &["x", name], "logits")], vec![floats("g", &[2], &[1.0; 2])]);
    super::tests::read(&read("y")).unwrap();
    refused(&read("mean"), "its output `mean` is read, and only its first output is supported");
}

#[test]
fn names_and_versions_are_there_once() {
    let good = || model(vec![node("Add", &["x", "c"], "logits")], vec![floats("c", &[1], &[1.0])]);
    let mut twice = good();
    twice.graph.as_mut().unwrap().initializer.push(floats("c", &[1], &[2.0]));
    refused(&twice, "it has two constants with the name `c`");
    let mut versions = good();
    versions.opset_import.push(OperatorSetIdProto { domain: "ai.onnx".to_owned(), version: 13 });
    refused(&versions, "it names two versions of the ONNX operators, 17 and 13");
    versions.opset_import[1].version = 17;
    super::tests::read(&versions).unwrap();
    versions.opset_import[1].domain = "com.microsoft".to_owned();
    super::tests::read(&versions).unwrap();
}

/// The size of an image is a claim of the file.
#[test]
fn a_claimed_image_is_within_the_limits() {
    for sizes in [[2, 30_000, 30_000], [1 << 40, 1 << 40, 2], [1, 1, i64::MAX]] {
        let mut large = model(vec![node("Identity", &["x"], "logits")], vec![]);
        large.graph.as_mut().unwrap().input = vec![port("x", &[&[0], &sizes[..]].concat())];
        let error = OnnxModel::read(&large.encode_to_vec()).unwrap().kernels().unwrap_err();
        assert!(matches!(&error, OnnxError::Limit { most: 16_777_216, .. }), "{error}");
        assert!(error.to_string().contains("the number of elements of its input `x`"), "{error}");
    }
}

#[test]
fn answers_beside_a_file_are_compared_by_their_size() {
    let file: Onnx = serde_json::from_str(r#"{"file":"own.onnx"}"#).unwrap();
    let bytes = model(vec![node("Mul", &["x", "c"], "logits")], vec![floats("c", &[1], &[1e6])]).encode_to_vec();
    let compared = |shape: &[usize], last: f32| {
        let saved = |name: &str, shape: &[usize], values: &[f32]| Saved {
            name: name.to_owned(),
            shape: shape.to_vec(),
            values: values.to_vec(),
        };
        let tensors = [
            saved("input", shape, &[0.1, 0.2, 0.3, 0.4]),
            saved("logits", &[1, 4], &[1e5, 2e5, 3e5, last]),
            saved("value", &[1, 1], &[0.25]),
        ];
        let answers = write_tensors(&tensors, String::new()).unwrap();
        file.compare(&bytes, DIMS, &answers).map_err(|error| error.to_string())
    };
    let apart = compared(&[1, 1, 2, 2], 400_010.0).unwrap();
    assert!((2e-5..3e-5).contains(&apart), "{apart}");
    let error = compared(&[1, 1, 2, 2], 500_000.0).unwrap_err();
    let words = "the answers of own.check.safetensors are refused: `logits` of position 0 is 500000, and the network's own is 4";
    assert!(error.contains(words) && error.contains("differ by up to 2.0e-1"), "{error}");
    let error = compared(&[1, 4], 4e5).unwrap_err();
    assert!(error.contains("`input` has the shape [1, 4], and the network reads [positions, 1, 2, 2]"), "{error}");
    let error = file.compare(&bytes, DIMS, b"no").unwrap_err().to_string();
    assert!(error.contains("own.check.safetensors are refused: no complete safetensors file"), "{error}");
}
