//! The kernels, compiled as C++ and compared with their twins.
//!
//! Sums have the same bits. Exponentials are those of the C library here and of Rust's there, so a softmax agrees
//! within rounding. Without a C++ compiler the tests say that they are skipped.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use candle_core::WithDType;
use half::bf16;
use rand::RngExt as _;

use super::lists::Direction;
use super::{Edges, twin};
use gauntlet_games::base::{Rng, Seed};

/// The program, compiled once; `None` without a compiler.
fn shim() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(compile).as_deref()
}

fn compile() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/nets/deep/ops/gpu");
    let program = std::env::temp_dir().join(format!("gauntlet-kernels-{}", std::process::id()));
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let mut command = Command::new(&compiler);
    command
        .args(["-std=c++17", "-O2", "-ffp-contract=off", "-x", "c++", "-o"])
        .arg(&program)
        .arg(here.join("shim.cpp"));
    match command.output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(program)
        }
        Err(error) => {
            eprintln!("skipped: there is no C++ compiler `{compiler}` ({error})");
            None
        }
    }
}

/// An argument of a kernel as bytes.
fn bytes<T: Copy>(numbers: &[T], of: impl Fn(T) -> Vec<u8>) -> Vec<u8> {
    numbers.iter().flat_map(|&number| of(number)).collect()
}

fn indices(numbers: &[u32]) -> Vec<u8> {
    bytes(numbers, |number| number.to_le_bytes().to_vec())
}

fn size(count: usize) -> Vec<u8> {
    (count as u64).to_le_bytes().to_vec()
}

/// A number type of the kernels.
trait Number: WithDType {
    const ENDING: &'static str;
    fn bytes(self) -> Vec<u8>;
    fn read(bytes: &[u8]) -> Self;
}

impl Number for f32 {
    const ENDING: &'static str = "f32";
    fn bytes(self) -> Vec<u8> {
        self.to_le_bytes().to_vec()
    }
    fn read(bytes: &[u8]) -> f32 {
        f32::from_le_bytes(bytes.try_into().unwrap())
    }
}

impl Number for bf16 {
    const ENDING: &'static str = "bf16";
    fn bytes(self) -> Vec<u8> {
        self.to_le_bytes().to_vec()
    }
    fn read(bytes: &[u8]) -> bf16 {
        bf16::from_le_bytes(bytes.try_into().unwrap())
    }
}

fn numbers<T: Number>(numbers: &[T]) -> Vec<u8> {
    bytes(numbers, T::bytes)
}

/// Runs a kernel with these arguments and returns its result of `count` numbers.
fn run<T: Number>(program: &Path, kernel: &str, arguments: &[Vec<u8>], count: usize) -> Vec<T> {
    let width = T::DTYPE.size_in_bytes();
    let bytes = shim_bytes(program, &format!("{kernel}_{}", T::ENDING), arguments, count * width);
    bytes.chunks_exact(width).map(T::read).collect()
}

/// Runs a kernel and returns its result of `length` bytes.
fn shim_bytes(program: &Path, name: &str, arguments: &[Vec<u8>], length: usize) -> Vec<u8> {
    let mut child = Command::new(program).arg(name).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = size(arguments.len() + 1);
    arguments.iter().for_each(|argument| input.extend([size(argument.len()), argument.clone()].concat()));
    input.extend(size(length));
    child.stdin.take().unwrap().write_all(&input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stdout.len() == length, "{name}");
    output.stdout
}

fn random<T: Number>(count: usize, rng: &mut Rng) -> Vec<T> {
    (0..count).map(|_| T::from_f64(rng.random_range(-2.0..2.0))).collect()
}

/// Random edges of some copies of a graph; the last target has none.
fn edges([sources, targets]: [usize; 2], count: usize, rng: &mut Rng) -> Edges {
    let mut ends = |rows: usize| (0..count).map(|_| rng.random_range(0..rows as u32)).collect::<Vec<_>>();
    let (from, to) = (ends(sources), ends(targets - 1));
    Edges::new(from, to, [sources, targets]).times(COPIES)
}

const COPIES: usize = 3;

/// The sizes of one copy, as a kernel reads them.
fn one(direction: Direction<'_>) -> [Vec<u8>; 3] {
    [direction.results(), direction.edges.len(), direction.sources].map(size)
}

fn as_bytes<T: Number>(numbers: &[T]) -> Vec<Vec<u8>> {
    numbers.iter().map(|number| number.bytes()).collect()
}

fn sums_and_dots_have_the_bits_of_the_twin<T: Number>(program: &Path) {
    let rng = &mut Seed::new(3).rng();
    for ([sources, targets], count, width) in [([1, 2], 1, 1), ([7, 5], 40, 3), ([65, 65], 400, 32), ([40, 9], 0, 2)] {
        let edges = edges([sources, targets], count, rng);
        let all = edges.len();
        let (weights, e) = (random::<T>(all, rng), random(all * width, rng));
        let [x, y] = [sources, targets].map(|rows| random::<T>(COPIES * rows * width, rng));
        for turned in [false, true] {
            let (direction, rows) = (edges.direction(turned), if turned { &y } else { &x });
            let lists = [direction.starts, direction.edges, direction.rows].map(indices);
            let results = edges.results(turned);
            let own = if sources == targets { 1.5 } else { 0.0 };
            let (sizes, len) = ([&[size(results), size(width)][..], &one(direction)].concat(), results * width);
            let plain = [&lists[..], &[numbers(rows), numbers::<f32>(&[own])], &sizes].concat();
            let expected = twin::sum_rows::<T, f32>(direction, None, rows, (f64::from(own), width));
            assert!(as_bytes(&run::<T>(program, "sum_rows", &plain, len)) == as_bytes(&expected));
            let weighted = [&lists[..], &[numbers(&weights), numbers(rows)], &sizes].concat();
            let expected = twin::sum_rows::<T, f32>(direction, Some(&weights), rows, (0.0, width));
            assert!(as_bytes(&run::<T>(program, "weighted_sum_rows", &weighted, len)) == as_bytes(&expected));
        }
        let ends = [false, true].map(|turned| edges.direction(turned));
        let lists = ends.map(|direction| indices(direction.rows));
        let sizes = [all, width, count, sources, targets].map(size);
        let dots = [&lists[..], &[numbers(&x), numbers(&y)], &sizes].concat();
        let expected = twin::dot_rows::<T, f32>(ends, [&x, &y], width);
        assert!(as_bytes(&run::<T>(program, "dot_rows", &dots, all)) == as_bytes(&expected));
        let joined = [&lists[..], &[numbers(&e), numbers(&x), numbers(&y)], &sizes].concat();
        let expected = twin::join_rows::<T, f32>(ends, [&e, &x, &y], width);
        assert!(as_bytes(&run::<T>(program, "join_rows", &joined, all * width)) == as_bytes(&expected));
    }
}

fn softmax_agrees_with_the_twin<T: Number>(program: &Path, within: f64) {
    let rng = &mut Seed::new(4).rng();
    for ([sources, targets], count) in [([1, 2], 1), ([9, 4], 30), ([65, 40], 700)] {
        let edges = edges([sources, targets], count, rng);
        let (direction, all) = (edges.direction(false), edges.len());
        let (x, dy) = (random::<T>(all, rng), random::<T>(all, rng));
        let lists = [direction.starts, direction.edges].map(indices);
        let sizes = [COPIES * targets, targets, count].map(size);
        let arguments = [&lists[..], &[numbers(&x)], &sizes].concat();
        let (ours, y) =
            (run::<T>(program, "edge_softmax", &arguments, all), twin::edge_softmax::<T, f32>(direction, &x));
        assert!(ours.iter().zip(&y).all(|(a, b)| (a.to_f64() - b.to_f64()).abs() <= within * b.to_f64()));
        let arguments = [&lists[..], &[numbers(&y), numbers(&dy)], &sizes].concat();
        let expected = twin::edge_softmax_back::<T, f32>(direction, &y, &dy);
        assert!(as_bytes(&run::<T>(program, "edge_softmax_back", &arguments, all)) == as_bytes(&expected));
    }
}

/// Widths that are read four numbers at a time, and others; numbers of rows that fill the threads of a column, and others.
fn maps_have_the_bits_of_the_twin<T: Number>(program: &Path) {
    const EPSILON: f32 = 1e-5;
    let rng = &mut Seed::new(5).rng();
    for (rows, width) in [(1, 1), (16, 8), (33, 5), (70, 128)] {
        let x = random::<T>(rows * width, rng);
        let [gain, bias, mean] = [(); 3].map(|()| random::<T>(width, rng));
        let variance: Vec<T> = (0..width).map(|_| T::from_f64(rng.random_range(0.0..2.0))).collect();
        let (sizes, epsilon) = ([size(rows), size(width)], numbers::<f32>(&[EPSILON]));
        let [xs, gains, biases] = [&x, &gain, &bias].map(|list| numbers(list));
        let map = |kernel: &str, arguments: &[Vec<u8>], count: usize, expected: &[T]| {
            let all = [std::slice::from_ref(&xs), arguments, &sizes].concat();
            assert!(
                as_bytes(&run::<T>(program, kernel, &all, count)) == as_bytes(expected),
                "{kernel} {rows} x {width}"
            );
        };
        for relu in [false, true] {
            let flag = indices(&[u32::from(relu)]);
            let expected = twin::scale_rows::<T, f32>(&x, [&gain, &bias], relu);
            map("scale_rows", &[gains.clone(), biases.clone(), flag.clone()], x.len(), &expected);
            let expected = twin::norm_rows::<T, f32>(&x, [&gain, &bias, &mean, &variance], f64::from(EPSILON), relu);
            let moments = [numbers(&mean), numbers(&variance), epsilon.clone(), flag];
            map("norm_rows", &[&[gains.clone(), biases.clone()], &moments[..]].concat(), x.len(), &expected);
        }
        let expected = twin::layer_norm_rows::<T, f32>(&x, [&gain, &bias], f64::from(EPSILON));
        let arguments = [&[xs.clone(), epsilon][..], &sizes].concat();
        let moments = shim_bytes(program, &format!("row_moments_{}", T::ENDING), &arguments, 8 * rows);
        map("layer_norm_rows", &[moments, gains.clone(), biases.clone()], x.len(), &expected);
        let (y, part) = (random::<T>(x.len(), rng), 16);
        let parts = rows.div_ceil(part) * width;
        let sizes = [size(rows), size(width), size(part)];
        let sums = run::<T>(program, "column_sums", &[std::slice::from_ref(&xs), &sizes[..]].concat(), parts);
        assert!(as_bytes(&sums) == as_bytes(&twin::column_sums::<T, f32>(&x, None, width, part)));
        let dots = run::<T>(program, "column_dots", &[&[xs.clone(), numbers(&y)][..], &sizes].concat(), parts);
        assert!(as_bytes(&dots) == as_bytes(&twin::column_sums::<T, f32>(&x, Some(&y), width, part)));
        let passed = run::<T>(program, "passed", &[xs.clone(), numbers(&y), size(x.len())], x.len());
        assert!(as_bytes(&passed) == as_bytes(&twin::passed(&x, &y)));
        let expected = twin::head_rows::<T, f32>(&x, &gain, bias[0]);
        map("head_rows", &[gains.clone(), biases.clone()], rows, &expected);
    }
}

fn features_are_unpacked<T: Number>(program: &Path) {
    let rng = &mut Seed::new(6).rng();
    let (positions, nodes, bits, scalars) = (3, 5, 70, 2);
    let rows = positions * nodes;
    let words: Vec<u32> = (0..4 * rows).map(|_| rng.random()).collect();
    let of_position = random::<T>(positions * scalars, rng);
    let sizes = [rows, bits, bits + scalars, nodes].map(size);
    let arguments = [&[indices(&words), numbers(&of_position)][..], &sizes].concat();
    let unpacked = run::<T>(program, "unpack_rows", &arguments, rows * (bits + scalars));
    let expected = twin::unpack_rows(&words, &of_position, [bits, scalars, nodes]);
    assert!(as_bytes(&unpacked) == as_bytes(&expected));
}

#[test]
fn the_kernels_of_gpus_compute_as_their_twins() {
    let Some(program) = shim() else { return };
    sums_and_dots_have_the_bits_of_the_twin::<f32>(program);
    sums_and_dots_have_the_bits_of_the_twin::<bf16>(program);
    maps_have_the_bits_of_the_twin::<f32>(program);
    maps_have_the_bits_of_the_twin::<bf16>(program);
    features_are_unpacked::<f32>(program);
    features_are_unpacked::<bf16>(program);
    softmax_agrees_with_the_twin::<f32>(program, 1e-6);
    softmax_agrees_with_the_twin::<bf16>(program, 1e-2);
    let _ = std::fs::remove_file(program);
}
