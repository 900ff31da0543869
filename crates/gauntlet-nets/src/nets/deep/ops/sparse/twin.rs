//! The kernels of `sparse.cu` on the CPU: the same operations in the same order, number by number.
//!
//! Sums of `f64` are in `f64`, all others in `f32`.

use candle_core::WithDType;

use super::lists::Direction;

/// `own x + sum over the edges into each row of weight x[source]`, `[results][width]`; without weights, all are 1.
pub fn sum_rows<T: WithDType, A: WithDType>(
    direction: Direction<'_>,
    weights: Option<&[T]>,
    x: &[T],
    (own, width): (f64, usize),
) -> Vec<T> {
    let Direction { starts, edges, rows } = direction;
    let (own, wide) = (A::from_f64(own), |number: T| A::from_f64(number.to_f64()));
    let mut out = Vec::with_capacity((starts.len() - 1) * width);
    for (result, ends) in starts.windows(2).enumerate() {
        let into = &edges[ends[0] as usize..ends[1] as usize];
        for column in 0..width {
            let mut sum = A::zero();
            if own != A::zero() {
                sum = own * wide(x[result * width + column]);
            }
            for &edge in into {
                let term = wide(x[rows[edge as usize] as usize * width + column]);
                sum += weights.map_or(term, |weights| wide(weights[edge as usize]) * term);
            }
            out.push(T::from_f64(sum.to_f64()));
        }
    }
    out
}

/// For each edge the inner product of its source's row in `x` and its target's in `y`.
pub fn dot_rows<T: WithDType, A: WithDType>([from, to]: [&[u32]; 2], [x, y]: [&[T]; 2], width: usize) -> Vec<T> {
    let wide = |number: T| A::from_f64(number.to_f64());
    let dot = |(&from, &to): (&u32, &u32)| {
        let (x, y) = (&x[from as usize * width..][..width], &y[to as usize * width..][..width]);
        let mut sum = A::zero();
        x.iter().zip(y).for_each(|(&x, &y)| sum += wide(x) * wide(y));
        T::from_f64(sum.to_f64())
    };
    from.iter().zip(to).map(dot).collect()
}

/// The softmax of one number an edge over the edges into the same target.
pub fn edge_softmax<T: WithDType, A: WithDType>(direction: Direction<'_>, x: &[T]) -> Vec<T> {
    let wide = |edge: u32| A::from_f64(x[edge as usize].to_f64());
    let mut out = vec![T::zero(); x.len()];
    for ends in direction.starts.windows(2) {
        let into = &direction.edges[ends[0] as usize..ends[1] as usize];
        let Some(&first) = into.first() else { continue };
        let greatest = into.iter().map(|&edge| wide(edge)).fold(wide(first), |a, b| if b > a { b } else { a });
        let power = |edge: u32| exp(wide(edge) - greatest);
        let mut sum = A::zero();
        into.iter().for_each(|&edge| sum += power(edge));
        into.iter().for_each(|&edge| out[edge as usize] = T::from_f64((power(edge) / sum).to_f64()));
    }
    out
}

/// The gradient of [`edge_softmax`], from its result and the gradient of that: `y (dy - sum of y dy)`.
pub fn edge_softmax_back<T: WithDType, A: WithDType>(direction: Direction<'_>, y: &[T], dy: &[T]) -> Vec<T> {
    let wide = |number: T| A::from_f64(number.to_f64());
    let mut out = vec![T::zero(); y.len()];
    for ends in direction.starts.windows(2) {
        let into = &direction.edges[ends[0] as usize..ends[1] as usize];
        let mut sum = A::zero();
        into.iter().for_each(|&edge| sum += wide(y[edge as usize]) * wide(dy[edge as usize]));
        for &edge in into {
            let edge = edge as usize;
            out[edge] = T::from_f64((wide(y[edge]) * (wide(dy[edge]) - sum)).to_f64());
        }
    }
    out
}

/// The exponential in the precision of the number.
fn exp<A: WithDType>(x: A) -> A {
    match A::DTYPE {
        candle_core::DType::F64 => A::from_f64(x.to_f64().exp()),
        _ => A::from_f64(f64::from((x.to_f64() as f32).exp())),
    }
}
