//! Laws of all operations: the fused operation equals the composition, and so do its gradients.

use std::sync::Arc;

use candle_core::{DType, Device, Result, Tensor, Var};

use super::*;
use crate::encoders::{Graph, Graphs, Topology};
use crate::nets::NumberFormat;
use gauntlet_games::base::Seed;

fn numbers(rows: usize, columns: usize, phase: f64) -> Var {
    let values: Vec<f64> = (0..rows * columns).map(|i| (i as f64 * 1.37 + phase).sin() * 1.3).collect();
    let shape = if rows == 1 { vec![columns] } else { vec![rows, columns] };
    Var::from_tensor(&Tensor::from_vec(values, shape, &Device::Cpu).unwrap()).unwrap()
}

/// Asserts that two functions of the variables agree, and so do the gradients of a weighted sum of their results.
fn agree(variables: &[&Var], fused: impl Fn() -> Result<Tensor>, composed: impl Fn() -> Result<Tensor>) {
    let (one, other) = (fused().unwrap(), composed().unwrap());
    close(&one, &other);
    let weights: Vec<f64> = (0..one.elem_count()).map(|i| (i as f64 * 0.61).cos()).collect();
    let weights = Tensor::from_vec(weights, one.shape(), &Device::Cpu).unwrap();
    let backward = |y: &Tensor| (y * &weights).unwrap().sum_all().unwrap().backward().unwrap();
    let (one, other) = (backward(&one), backward(&other));
    for variable in variables {
        let (one, other) = (one.get(variable).unwrap(), other.get(variable).unwrap());
        assert!(one.abs().unwrap().max_all().unwrap().to_scalar::<f64>().unwrap() > 1e-3);
        close(one, other);
    }
}

fn close(one: &Tensor, other: &Tensor) {
    assert_eq!(one.dims(), other.dims());
    let error = (one - other).unwrap().abs().unwrap().max_all().unwrap().to_scalar::<f64>().unwrap();
    assert!(error < 1e-11, "{error}");
}

#[test]
fn added_biases_have_their_gradients() {
    let (x, b) = (numbers(7, 5, 0.0), numbers(1, 5, 2.0));
    for relu in [false, true] {
        agree(&[&x, &b], || offset(&x, &b, relu), || super::offset::composed(&x, &b, relu));
    }
}

#[test]
fn products_have_their_gradients() {
    let (x, w) = (numbers(7, 5, 0.0), numbers(4, 5, 2.0));
    agree(&[&x, &w], || product(&x, &w, NumberFormat::F32), || super::product::composed(&x, &w));
}

/// With helpers, large operations and their gradients have the same bits as without.
#[test]
fn cores_change_no_bit() {
    let board = Arc::new(Graph::board(&Topology::square(8)));
    let mut graphs = Graphs::new(1);
    (0..40).for_each(|_| graphs.push(&board, [0.0; 64]));
    let adjacency = Adjacency::of(graphs.graphs());
    let kinds = [DType::F32, DType::F64].into_iter();
    for (dtype, (inputs, outputs)) in
        kinds.flat_map(|dtype| [(64, 96), (64, 64), (192, 64), (96, 100)].map(|it| (dtype, it)))
    {
        let cast = |var: Var| Var::from_tensor(&var.to_dtype(dtype).unwrap()).unwrap();
        let x = cast(numbers(40 * 65, inputs, 0.0));
        let [w, g, b] =
            [(outputs, inputs), (1, outputs), (1, outputs)].map(|(rows, columns)| cast(numbers(rows, columns, 2.0)));
        let bits = |cores: usize| {
            gauntlet_games::base::Cores::alone(cores).lend(|| {
                let sums = aggregate(&x, &adjacency, 1.2).unwrap();
                let y = layer_norm_relu(&product(&sums, &w, NumberFormat::F32).unwrap(), &g, &b).unwrap();
                let gradients = (&y * &y).unwrap().sum_all().unwrap().backward().unwrap();
                let all = [&x, &w, &g, &b].map(|var| gradients.get(var).unwrap().clone());
                let list = |tensor: &Tensor| {
                    let numbers = tensor.flatten_all().unwrap().to_dtype(DType::F64).unwrap().to_vec1::<f64>();
                    numbers.unwrap().into_iter().map(f64::to_bits).collect::<Vec<u64>>()
                };
                std::iter::once(&y).chain(&all).map(list).collect::<Vec<_>>()
            })
        };
        let alone = bits(1);
        assert!([2, 3].into_iter().all(|cores| bits(cores) == alone), "{dtype:?} {inputs} {outputs}");
    }
}

/// For any number of remaining rows: a matrix library has special algorithms for few rows.
#[test]
fn cores_change_no_bit_of_any_number_of_rows() {
    for (rows, outputs) in
        (1024..=1040).chain([1535, 1536, 1537, 1545]).flat_map(|rows| [32, 33, 65].map(|to| (rows, to)))
    {
        let cast = |var: Var| Var::from_tensor(&var.to_dtype(DType::F32).unwrap()).unwrap();
        let [x, w] = [numbers(rows, 40, 0.0), numbers(outputs, 40, 2.0)].map(cast);
        let bits = |cores: usize| {
            gauntlet_games::base::Cores::alone(cores).lend(|| {
                let y = product(&x, &w, NumberFormat::F32).unwrap();
                let gradients = (&y * &y).unwrap().sum_all().unwrap().backward().unwrap();
                [&y, gradients.get(&x).unwrap(), gradients.get(&w).unwrap()]
                    .map(|tensor| tensor.flatten_all().unwrap().to_vec1::<f32>().unwrap())
                    .map(|numbers| numbers.into_iter().map(f32::to_bits).collect::<Vec<u32>>())
            })
        };
        assert!(bits(1) == bits(2), "{rows} rows, {outputs} outputs");
    }
}

#[test]
fn layer_norms_equal_their_composition() {
    let (g, b) = (numbers(1, 5, 2.0), numbers(1, 5, 4.0));
    // Fewer rows than are summed side by side, and more.
    for x in [numbers(7, 5, 0.0), numbers(21, 5, 0.0)] {
        agree(&[&x, &g, &b], || layer_norm_relu(&x, &g, &b), || super::layer_norm::composed(&x, &g, &b));
    }
}

#[test]
fn batch_norms() {
    let (x, g, b) = (numbers(9, 5, 0.0), numbers(1, 5, 2.0), numbers(1, 5, 4.0));
    for probability in [0.0, 0.4] {
        let dropout = || Dropout::draw(45, probability, &mut Seed::new(3).rng());
        let fused = || batch_norm(&x, [&g, &b], &moments(&x)?, true, dropout());
        agree(&[&x, &g, &b], fused, || super::batch_norm::composed(&x, [&g, &b], true, dropout().as_ref()));
    }
    let fused = || batch_norm(&x, [&g, &b], &moments(&x)?, false, None);
    agree(&[&x, &g, &b], fused, || super::batch_norm::composed(&x, [&g, &b], false, None));
}

#[test]
fn sums_over_neighbours() {
    let board = Arc::new(Graph::board(&Topology::square(3)));
    let mut graphs = Graphs::new(1);
    graphs.push(&board, [0.0; 9]);
    graphs.push(&Arc::new(board.subgraph(&[1, 2, 4], false)), [0.0; 3]);
    let (x, adjacency) = (numbers(13, 4, 0.0), Adjacency::of(graphs.graphs()));
    agree(&[&x], || aggregate(&x, &adjacency, 1.2), || super::aggregate::composed(&x, &adjacency, 1.2));
}

/// A product of the patches with the weights equals Candle's own convolution, for one group of images or several.
#[test]
fn convolutions() {
    let images = 30;
    let (x, weight) = (numbers(images * 4 * 5, 3, 0.0), numbers(6, 9 * 3, 1.0));
    for padding in [0, 1] {
        let window = Window { rows: 4, columns: 5, side: 3, padding };
        let fused = || convolution(&x, &weight, window, NumberFormat::F32);
        agree(&[&x, &weight], fused, || super::convolution::composed(&x, &weight, window));
        let candle = || {
            let images = x.reshape((images, 4, 5, 3))?.permute((0, 3, 1, 2))?;
            let kernel = weight.reshape((6, 3, 3, 3))?.permute((0, 3, 1, 2))?;
            let out = images.contiguous()?.conv2d(&kernel.contiguous()?, padding, 1, 1, 1)?;
            out.permute((0, 2, 3, 1))?.reshape(((), 6))
        };
        agree(&[&x, &weight], fused, candle);
    }
}

#[test]
fn dropout_keeps_the_mean() {
    let dropout = Dropout::draw(100_000, 0.3, &mut Seed::new(1).rng()).unwrap();
    let ones = Tensor::ones(100_000, DType::F64, &Device::Cpu).unwrap();
    let mean = dropout.tensor(&ones).unwrap().mean_all().unwrap().to_scalar::<f64>().unwrap();
    assert!((mean - 1.0).abs() < 0.01, "{mean}");
    assert!(Dropout::draw(10, 0.0, &mut Seed::new(1).rng()).is_none());
}
