//! Functions of one and of two numbers, with the same bits on every machine.
//!
//! They use only operations that IEEE 754 rounds correctly, in double precision, and no library of the system: sums
//! and products in a fixed order. The result, rounded to single precision, is within one unit in the last place.

/// A function of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Function {
    /// The greater of a number and 0.
    Relu,
    /// The number, with this slope below 0.
    LeakyRelu(f32),
    /// The number, and `alpha (exp(x) - 1)` below 0, all times a factor.
    Elu([f32; 2]),
    /// `1 / (1 + exp(-x))`.
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
    /// The number times the normal distribution's probability of a smaller one.
    Gelu,
    /// The approximation of [`Function::Gelu`] by a hyperbolic tangent.
    TanhGelu,
    /// `log(1 + exp(x))`.
    Softplus,
    /// The number times the hyperbolic tangent of its softplus.
    Mish,
    /// A line between 0 and 1: slope and offset.
    HardSigmoid([f32; 2]),
    /// The number times a line between 0 and 1 with slope 1/6 and offset 1/2.
    HardSwish,
    /// The nearest number between two.
    Clip([f32; 2]),
    /// The error function.
    Erf,
    /// The exponential function.
    Exp,
    /// The natural logarithm.
    Log,
    /// The square root.
    Sqrt,
    /// The reciprocal of the square root.
    ReciprocalSqrt,
    /// The absolute value.
    Abs,
    /// The negative.
    Negative,
    /// The reciprocal.
    Reciprocal,
    /// A whole power.
    Power(i32),
    /// The nearest whole number below.
    Floor,
    /// The nearest whole number above.
    Ceil,
}

impl Function {
    /// The function of a number.
    pub fn of(self, x: f32) -> f32 {
        let wide = f64::from(x);
        match self {
            Function::Relu => x.max(0.0),
            Function::LeakyRelu(slope) => {
                if x < 0.0 {
                    x * slope
                } else {
                    x
                }
            }
            Function::Elu([alpha, factor]) if x < 0.0 => {
                (f64::from(factor) * f64::from(alpha) * (exp(wide) - 1.0)) as f32
            }
            Function::Elu([_, factor]) => factor * x,
            Function::Sigmoid => sigmoid(wide) as f32,
            Function::Tanh => tanh(wide) as f32,
            Function::Gelu => (0.5 * wide * (1.0 + erf(wide * std::f64::consts::FRAC_1_SQRT_2))) as f32,
            Function::TanhGelu => {
                let inner = (2.0 / std::f64::consts::PI).sqrt() * (wide + 0.044_715 * wide * wide * wide);
                (0.5 * wide * (1.0 + tanh(inner))) as f32
            }
            Function::Softplus => softplus(wide) as f32,
            Function::Mish => (wide * tanh(softplus(wide))) as f32,
            Function::HardSigmoid([slope, offset]) => (slope * x + offset).clamp(0.0, 1.0),
            Function::HardSwish => x * (x / 6.0 + 0.5).clamp(0.0, 1.0),
            Function::Clip([least, most]) => x.max(least).min(most),
            Function::Erf => erf(wide) as f32,
            Function::Exp => exp(wide) as f32,
            Function::Log => log(wide) as f32,
            Function::Sqrt => x.sqrt(),
            Function::ReciprocalSqrt => (1.0 / wide.sqrt()) as f32,
            Function::Abs => x.abs(),
            Function::Negative => -x,
            Function::Reciprocal => 1.0 / x,
            Function::Power(power) => whole_power(wide, power) as f32,
            Function::Floor => x.floor(),
            Function::Ceil => x.ceil(),
        }
    }
}

/// A function of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairwise {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The product.
    Mul,
    /// The quotient.
    Div,
    /// The greater.
    Max,
    /// The smaller.
    Min,
}

impl Pairwise {
    /// The function of two numbers.
    #[inline(always)]
    pub fn of(self, x: f32, y: f32) -> f32 {
        match self {
            Pairwise::Add => x + y,
            Pairwise::Sub => x - y,
            Pairwise::Mul => x * y,
            Pairwise::Div => x / y,
            Pairwise::Max => x.max(y),
            Pairwise::Min => x.min(y),
        }
    }

    /// The function of two whole numbers; quotients are cut off.
    pub fn of_whole(self, x: i64, y: i64) -> Option<i64> {
        match self {
            Pairwise::Add => x.checked_add(y),
            Pairwise::Sub => x.checked_sub(y),
            Pairwise::Mul => x.checked_mul(y),
            Pairwise::Div => x.checked_div(y),
            Pairwise::Max => Some(x.max(y)),
            Pairwise::Min => Some(x.min(y)),
        }
    }
}

/// The upper bits of log 2, whose products with small whole numbers are exact, and the others.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// The exponential function: `2^k exp(r)` with `r` within half of log 2, by the series of exp.
pub fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 709.0 {
        return f64::INFINITY;
    }
    if x < -700.0 {
        return 0.0;
    }
    let k = (x * std::f64::consts::LOG2_E + if x < 0.0 { -0.5 } else { 0.5 }).trunc();
    let r = (x - k * LN_2[0]) - k * LN_2[1];
    let mut sum = 1.0;
    for n in (1..14).rev() {
        sum = sum * r / f64::from(n) + 1.0;
    }
    sum * f64::from_bits(((k as i64 + 1023) as u64) << 52)
}

/// The natural logarithm: of the exponent, and of a fraction near 1 by the series of the area tangent.
pub fn log(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x == f64::INFINITY {
        return x;
    }
    // Arguments are single numbers, or sums of them, and so are normal.
    let (bits, half) = (x.to_bits(), std::f64::consts::FRAC_1_SQRT_2);
    let (mut exponent, mut fraction) =
        ((bits >> 52) as i64 - 1022, f64::from_bits((bits & ((1 << 52) - 1)) | (1022 << 52)));
    if fraction < half {
        (exponent, fraction) = (exponent - 1, fraction * 2.0);
    }
    let ratio = (fraction - 1.0) / (fraction + 1.0);
    let (square, mut sum) = (ratio * ratio, 0.0);
    for n in (0..13).rev() {
        sum = sum * square + 1.0 / f64::from(2 * n + 1);
    }
    let exponent = exponent as f64;
    exponent * LN_2[0] + (2.0 * ratio * sum + exponent * LN_2[1])
}

/// The hyperbolic tangent; near 0 by its series.
pub fn tanh(x: f64) -> f64 {
    if x.abs() < 0.05 {
        let square = x * x;
        return x * (1.0 + square * (-1.0 / 3.0 + square * (2.0 / 15.0 + square * (-17.0 / 315.0))));
    }
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

fn softplus(x: f64) -> f64 {
    if x > 40.0 { x } else { log(1.0 + exp(x)) }
}

/// The error function by its series of positive terms, `2 / sqrt(pi) exp(-x^2) sum (2 x^2)^n x / (2 n + 1)!!`; beyond 6
/// it is 1.
fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() > 6.0 {
        return x.signum();
    }
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    while term.abs() > sum.abs() * 1e-17 {
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        (sum, n) = (sum + term, n + 1.0);
    }
    std::f64::consts::FRAC_2_SQRT_PI * exp(-x * x) * sum
}

/// A power by repeated squares.
fn whole_power(x: f64, power: i32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, x, power.unsigned_abs());
    while left > 0 {
        if left % 2 == 1 {
            result *= square;
        }
        (square, left) = (square * square, left / 2);
    }
    if power < 0 { 1.0 / result } else { result }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The system's library is the oracle; it is exact to a unit in the last place of double precision.
    #[test]
    fn functions_are_those_of_the_system() {
        for step in -40_000..40_000 {
            let x = f64::from(step) * 0.002;
            for (ours, theirs) in [(exp(x), x.exp()), (tanh(x), x.tanh()), (log(exp(x)), x)] {
                assert!((ours - theirs).abs() <= 1e-12 * theirs.abs().max(1e-3), "{x}: {ours} {theirs}");
            }
        }
        for (x, expected) in [(1e-30, 1e-30), (1e-3, 1e-3 - 1e-9 / 3.0 + 2e-15 / 15.0), (-30.0, -1.0)] {
            assert!((tanh(x) - expected).abs() <= 1e-14 * f64::abs(expected), "{x}");
        }
        assert!(exp(-800.0) == 0.0 && exp(f64::INFINITY).is_infinite() && exp(f64::NAN).is_nan());
        assert!(log(0.0) == f64::NEG_INFINITY && log(-1.0).is_nan() && log(1.0) == 0.0);
    }

    /// Abramowitz and Stegun 1964, Table 7.1.
    #[test]
    fn the_error_function_has_its_published_values() {
        for (x, published) in [
            (0.0, 0.0),
            (0.02, 0.022_564_574_7),
            (0.5, 0.520_499_877_8),
            (1.0, 0.842_700_792_9),
            (1.5, 0.966_105_146_5),
            (2.0, 0.995_322_265_0),
        ] {
            assert!((erf(x) - published).abs() < 1e-10 && erf(-x) == -erf(x), "{x}: {}", erf(x));
        }
        assert!((erf(5.99) - 1.0).abs() < 1e-14 && erf(7.0) == 1.0);
    }

    /// Values by hand, or of Python's `math`.
    #[test]
    fn each_function_is_the_named_one() {
        for (function, x, expected) in [
            (Function::Relu, -2.0, 0.0),
            (Function::LeakyRelu(0.1), -2.0, -0.2),
            (Function::Elu([2.0, 1.0]), -1.0, -1.264_241_1),
            (Function::Sigmoid, 1.0, 0.731_058_6),
            (Function::Gelu, 1.0, 0.841_344_7),
            (Function::TanhGelu, 1.0, 0.841_192),
            (Function::Softplus, 1.0, 1.313_261_7),
            (Function::Mish, 1.0, 0.865_098_4),
            (Function::HardSigmoid([0.2, 0.5]), 1.0, 0.7),
            (Function::HardSwish, 1.0, 0.666_666_7),
            (Function::Clip([-1.0, 1.0]), 3.0, 1.0),
            (Function::Power(-2), 2.0, 0.25),
            (Function::Power(3), -2.0, -8.0),
        ] {
            assert!((function.of(x) - expected).abs() < 1e-6, "{function:?}: {}", function.of(x));
        }
        assert_eq!((Pairwise::Div.of_whole(-7, 2), Pairwise::Div.of_whole(1, 0)), (Some(-3), None));
    }
}
