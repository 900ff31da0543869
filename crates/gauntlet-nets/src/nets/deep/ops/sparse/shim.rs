//! The kernels of `sparse.cu`, compiled as C++ and compared with their twins.
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

use super::{Edges, twin};
use gauntlet_games::base::{Rng, Seed};

/// The program, compiled once; `None` without a compiler.
fn shim() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(compile).as_deref()
}

fn compile() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/nets/deep/ops/sparse");
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
    let name = format!("{kernel}_{}", T::ENDING);
    let mut child = Command::new(program).arg(&name).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let width = T::DTYPE.size_in_bytes();
    let mut input = size(arguments.len() + 1);
    arguments.iter().for_each(|argument| input.extend([size(argument.len()), argument.clone()].concat()));
    input.extend(size(count * width));
    child.stdin.take().unwrap().write_all(&input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stdout.len() == count * width, "{name}");
    output.stdout.chunks_exact(width).map(T::read).collect()
}

fn random<T: Number>(count: usize, rng: &mut Rng) -> Vec<T> {
    (0..count).map(|_| T::from_f64(rng.random_range(-2.0..2.0))).collect()
}

/// Random edges; the last target has none.
fn edges([sources, targets]: [usize; 2], count: usize, rng: &mut Rng) -> Edges {
    let mut ends = |rows: usize| (0..count).map(|_| rng.random_range(0..rows as u32)).collect::<Vec<_>>();
    let (from, to) = (ends(sources), ends(targets - 1));
    Edges::new(from, to, [sources, targets])
}

fn bits<T: Number>(numbers: &[T]) -> Vec<Vec<u8>> {
    numbers.iter().map(|number| number.bytes()).collect()
}

fn sums_and_dots_have_the_bits_of_the_twin<T: Number>(program: &Path) {
    let rng = &mut Seed::new(3).rng();
    for ([sources, targets], count, width) in [([1, 2], 1, 1), ([7, 5], 40, 3), ([65, 65], 400, 32), ([40, 9], 0, 2)] {
        let edges = edges([sources, targets], count, rng);
        let (weights, x, y) = (random::<T>(count, rng), random(sources * width, rng), random(targets * width, rng));
        for turned in [false, true] {
            let (direction, rows) = (edges.direction(turned), if turned { &y } else { &x });
            let lists = [direction.starts, direction.edges, direction.rows].map(indices);
            let results = edges.results(turned);
            let own = if sources == targets { 1.5 } else { 0.0 };
            let (sizes, len) = ([size(results), size(width)], results * width);
            let plain = [&lists[..], &[numbers(rows), numbers::<f32>(&[own])], &sizes].concat();
            let expected = twin::sum_rows::<T, f32>(direction, None, rows, (f64::from(own), width));
            assert_eq!(bits(&run::<T>(program, "sum_rows", &plain, len)), bits(&expected));
            let weighted = [&lists[..], &[numbers(&weights), numbers(rows)], &sizes].concat();
            let expected = twin::sum_rows::<T, f32>(direction, Some(&weights), rows, (0.0, width));
            assert_eq!(bits(&run::<T>(program, "weighted_sum_rows", &weighted, len)), bits(&expected));
        }
        let ends = [false, true].map(|turned| edges.direction(turned).rows);
        let arguments = [indices(ends[0]), indices(ends[1]), numbers(&x), numbers(&y), size(count), size(width)];
        let expected = twin::dot_rows::<T, f32>(ends, [&x, &y], width);
        assert_eq!(bits(&run::<T>(program, "dot_rows", &arguments, count)), bits(&expected));
    }
}

fn softmax_agrees_with_the_twin<T: Number>(program: &Path, within: f64) {
    let rng = &mut Seed::new(4).rng();
    for ([sources, targets], count) in [([1, 2], 1), ([9, 4], 30), ([65, 40], 700)] {
        let edges = edges([sources, targets], count, rng);
        let (direction, x, dy) = (edges.direction(false), random::<T>(count, rng), random::<T>(count, rng));
        let lists = [direction.starts, direction.edges].map(indices);
        let arguments = [&lists[..], &[numbers(&x), size(targets)]].concat();
        let (ours, y) =
            (run::<T>(program, "edge_softmax", &arguments, count), twin::edge_softmax::<T, f32>(direction, &x));
        assert!(ours.iter().zip(&y).all(|(a, b)| (a.to_f64() - b.to_f64()).abs() <= within * b.to_f64()));
        let arguments = [&lists[..], &[numbers(&y), numbers(&dy), size(targets)]].concat();
        let expected = twin::edge_softmax_back::<T, f32>(direction, &y, &dy);
        assert_eq!(bits(&run::<T>(program, "edge_softmax_back", &arguments, count)), bits(&expected));
    }
}

#[test]
fn the_kernels_of_gpus_compute_as_their_twins() {
    let Some(program) = shim() else { return };
    sums_and_dots_have_the_bits_of_the_twin::<f32>(program);
    sums_and_dots_have_the_bits_of_the_twin::<bf16>(program);
    softmax_agrees_with_the_twin::<f32>(program, 1e-6);
    softmax_agrees_with_the_twin::<bf16>(program, 1e-2);
    let _ = std::fs::remove_file(program);
}
