//! The kernels of `edges.cu` and `rows.cu` on the CPU: the same operations in the same order, number by number.
//!
//! Sums of `f64` are in `f64`, all others in `f32`.

use candle_core::{DType, WithDType};

use super::lists::Direction;

/// `own x + sum over the edges into each row of weight x[source]`, `[results][width]`; without weights, all are 1.
pub fn sum_rows<T: WithDType, A: WithDType>(
    direction: Direction<'_>,
    weights: Option<&[T]>,
    x: &[T],
    (own, width): (f64, usize),
) -> Vec<T> {
    let Direction { starts, edges, rows, sources, copies } = direction;
    let own = A::from_f64(own);
    let mut out = Vec::with_capacity(copies * direction.results() * width);
    for copy in 0..copies {
        let of_copy = &x[copy * sources * width..];
        for ends in starts.windows(2) {
            let into = &edges[ends[0] as usize..ends[1] as usize];
            for column in 0..width {
                let mut sum = A::zero();
                if own != A::zero() {
                    sum = own * wide(x[out.len()]);
                }
                for &edge in into {
                    let term = wide::<T, A>(of_copy[rows[edge as usize] as usize * width + column]);
                    let weight = |weights: &[T]| wide::<T, A>(weights[copy * edges.len() + edge as usize]);
                    sum += weights.map_or(term, |weights| weight(weights) * term);
                }
                out.push(narrow(sum));
            }
        }
    }
    out
}

/// The rows at the two ends of each edge, by two directions of the same edges.
fn ends<'a>([from, to]: [Direction<'a>; 2]) -> impl Iterator<Item = [usize; 2]> + 'a {
    let of_copy = move |copy: usize| {
        let place = move |(&one, &other): (&u32, &u32)| {
            [copy * from.sources + one as usize, copy * to.sources + other as usize]
        };
        from.rows.iter().zip(to.rows).map(place)
    };
    (0..from.copies).flat_map(of_copy)
}

/// For each edge the inner product of its source's row in `x` and its target's in `y`.
pub fn dot_rows<T: WithDType, A: WithDType>(of: [Direction<'_>; 2], [x, y]: [&[T]; 2], width: usize) -> Vec<T> {
    let dot = |[from, to]: [usize; 2]| {
        let mut sum = A::zero();
        let pairs = x[from * width..][..width].iter().zip(&y[to * width..][..width]);
        pairs.for_each(|(&x, &y)| sum += wide::<T, A>(x) * wide::<T, A>(y));
        narrow(sum)
    };
    ends(of).map(dot).collect()
}

/// For each edge its row of `e`, the source's row of `u` and the target's of `v`, added.
pub fn join_rows<T: WithDType, A: WithDType>(of: [Direction<'_>; 2], [e, u, v]: [&[T]; 3], width: usize) -> Vec<T> {
    let mut out = Vec::with_capacity(e.len());
    for (e, [from, to]) in e.chunks_exact(width).zip(ends(of)) {
        let terms = e.iter().zip(&u[from * width..][..width]).zip(&v[to * width..][..width]);
        out.extend(terms.map(|((&e, &u), &v)| -> T { narrow(wide::<T, A>(e) + wide::<T, A>(u) + wide::<T, A>(v)) }));
    }
    out
}

/// The softmax of one number an edge over the edges into the same target.
pub fn edge_softmax<T: WithDType, A: WithDType>(direction: Direction<'_>, x: &[T]) -> Vec<T> {
    let mut out = vec![T::zero(); x.len()];
    for into in lists(direction) {
        let Some(&first) = into.first() else { continue };
        let x = |edge: usize| wide::<T, A>(x[edge]);
        let greatest = into.iter().map(|&edge| x(edge)).fold(x(first), |a, b| if b > a { b } else { a });
        let power = |edge: usize| exp(x(edge) - greatest);
        let mut sum = A::zero();
        into.iter().for_each(|&edge| sum += power(edge));
        into.iter().for_each(|&edge| out[edge] = narrow(power(edge) / sum));
    }
    out
}

/// The gradient of [`edge_softmax`], from its result and the gradient of that: `y (dy - sum of y dy)`.
pub fn edge_softmax_back<T: WithDType, A: WithDType>(direction: Direction<'_>, y: &[T], dy: &[T]) -> Vec<T> {
    let mut out = vec![T::zero(); y.len()];
    for into in lists(direction) {
        let mut sum = A::zero();
        into.iter().for_each(|&edge| sum += wide::<T, A>(y[edge]) * wide::<T, A>(dy[edge]));
        into.iter().for_each(|&edge| out[edge] = narrow(wide::<T, A>(y[edge]) * (wide::<T, A>(dy[edge]) - sum)));
    }
    out
}

/// The edges into each target of all copies.
fn lists(direction: Direction<'_>) -> impl Iterator<Item = Vec<usize>> + '_ {
    let Direction { starts, edges, copies, .. } = direction;
    let list = move |copy: usize, ends: &[u32]| {
        let own = &edges[ends[0] as usize..ends[1] as usize];
        own.iter().map(|&edge| copy * edges.len() + edge as usize).collect()
    };
    (0..copies).flat_map(move |copy| starts.windows(2).map(move |ends| list(copy, ends)))
}

/// `x scale + shift` by column, with a ReLU if `relu`.
pub fn scale_rows<T: WithDType, A: WithDType>(x: &[T], [scale, shift]: [&[T]; 2], relu: bool) -> Vec<T> {
    let (scale, shift) = (scale.iter().map(|&x| wide(x)).collect(), shift.iter().map(|&x| wide(x)).collect());
    scaled::<T, A>(x, scale, shift, relu)
}

/// Batch norm by running moments: `(x - mean) / sqrt(variance + epsilon) gain + bias`, with a ReLU if `relu`.
pub fn norm_rows<T: WithDType, A: WithDType>(
    x: &[T],
    [gain, bias, mean, variance]: [&[T]; 4],
    epsilon: f64,
    relu: bool,
) -> Vec<T> {
    let factor =
        |(&gain, &variance): (&T, &T)| wide::<T, A>(gain) / root(wide::<T, A>(variance) + A::from_f64(epsilon));
    let scale: Vec<A> = gain.iter().zip(variance).map(factor).collect();
    let offset = |((&bias, &mean), &scale): ((&T, &T), &A)| wide::<T, A>(bias) - wide::<T, A>(mean) * scale;
    let shift = bias.iter().zip(mean).zip(&scale).map(offset).collect();
    scaled::<T, A>(x, scale, shift, relu)
}

fn scaled<T: WithDType, A: WithDType>(x: &[T], scale: Vec<A>, shift: Vec<A>, relu: bool) -> Vec<T> {
    let row = |row: &[T]| -> Vec<T> {
        let numbers = row.iter().zip(&scale).zip(&shift);
        let sum = numbers.map(|((&x, &scale), &shift)| wide::<T, A>(x) * scale + shift);
        sum.map(|y| narrow(if relu { rectified(y) } else { y })).collect()
    };
    x.chunks_exact(scale.len()).flat_map(row).collect()
}

/// Sums of the columns of `x`, or of the products of the numbers of `x` and `y`, over parts of this many rows.
pub fn column_sums<T: WithDType, A: WithDType>(x: &[T], y: Option<&[T]>, width: usize, of_part: usize) -> Vec<T> {
    let mut out = Vec::new();
    for (part, rows) in x.chunks(of_part * width).enumerate() {
        let before = part * of_part * width;
        let term = |at: usize| {
            let x = wide::<T, A>(rows[at]);
            y.map_or(x, |y| x * wide(y[before + at]))
        };
        for column in 0..width {
            let mut sum = A::zero();
            (column..rows.len()).step_by(width).for_each(|at| sum += term(at));
            out.push(narrow(sum));
        }
    }
    out
}

/// The gradient of a ReLU with the result `y`.
pub fn passed<T: WithDType>(y: &[T], dy: &[T]) -> Vec<T> {
    y.iter().zip(dy).map(|(&y, &dy)| if y > T::zero() { dy } else { T::zero() }).collect()
}

/// Layer norm and ReLU of each row.
pub fn layer_norm_rows<T: WithDType, A: WithDType>(x: &[T], [gain, bias]: [&[T]; 2], epsilon: f64) -> Vec<T> {
    let count = A::from_f64(gain.len() as f64);
    let row = |row: &[T]| -> Vec<T> {
        let (mut sum, mut squares) = (A::zero(), A::zero());
        row.iter().for_each(|&x| sum += wide(x));
        let mean = sum / count;
        row.iter().for_each(|&x| squares += (wide::<T, A>(x) - mean) * (wide::<T, A>(x) - mean));
        let deviation = root(squares / count + A::from_f64(epsilon));
        let numbers = row.iter().zip(gain).zip(bias);
        let normal = |x: T| (wide::<T, A>(x) - mean) / deviation;
        numbers
            .map(|((&x, &gain), &bias)| narrow(rectified(normal(x) * wide::<T, A>(gain) + wide::<T, A>(bias))))
            .collect()
    };
    x.chunks_exact(gain.len()).flat_map(row).collect()
}

/// The inner product of each row with a weight, plus a bias.
pub fn head_rows<T: WithDType, A: WithDType>(x: &[T], weight: &[T], bias: T) -> Vec<T> {
    let head = |row: &[T]| {
        let mut sum = A::zero();
        row.iter().zip(weight).for_each(|(&x, &weight)| sum += wide::<T, A>(x) * wide::<T, A>(weight));
        narrow(sum + wide::<T, A>(bias))
    };
    x.chunks_exact(weight.len()).map(head).collect()
}

/// The features of nodes: bits, packed in four words a row, and the numbers of their position, which has `nodes` rows.
pub fn unpack_rows<T: WithDType>(words: &[u32], scalars: &[T], [bits, count, nodes]: [usize; 3]) -> Vec<T> {
    let row = |(row, words): (usize, &[u32])| -> Vec<T> {
        let bit = |bit: usize| T::from_f64(f64::from(words[bit / 32] >> (bit % 32) & 1));
        (0..bits).map(bit).chain(scalars[row / nodes * count..][..count].iter().copied()).collect()
    };
    words.chunks_exact(4).enumerate().flat_map(row).collect()
}

fn wide<T: WithDType, A: WithDType>(number: T) -> A {
    A::from_f64(number.to_f64())
}

fn narrow<T: WithDType, A: WithDType>(number: A) -> T {
    let number = number.to_f64();
    // The crate `half` rounds an `f64` by its upper 32 bits alone, which misjudges ties.
    T::from_f64(match T::DTYPE {
        DType::BF16 => f64::from(half::bf16::from_f32(number as f32)),
        DType::F16 => f64::from(half::f16::from_f32(number as f32)),
        _ => number,
    })
}

fn rectified<A: WithDType>(x: A) -> A {
    if x > A::zero() { x } else { A::zero() }
}

/// The square root in the precision of the number.
fn root<A: WithDType>(x: A) -> A {
    // Rounded twice, the root of an f32 by way of f64 is the correctly rounded one.
    A::from_f64(x.to_f64().sqrt())
}

/// The exponential in the precision of the number.
fn exp<A: WithDType>(x: A) -> A {
    match A::DTYPE {
        DType::F64 => A::from_f64(x.to_f64().exp()),
        _ => A::from_f64(f64::from((x.to_f64() as f32).exp())),
    }
}
