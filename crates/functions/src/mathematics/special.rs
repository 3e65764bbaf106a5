//! The special functions that distributions are made of, and how a distribution is turned round.
//!
//! Series that have not settled after [`STEPS_MAX`] terms give `None`; callers answer `#NUM!`.

/// Enough for parameters up to some millions; a bound, so that no argument keeps a calculation busy.
const STEPS_MAX: usize = 10_000;
const PRECISION: f64 = 1e-16;
/// Stands for zero in the denominators of continued fractions.
const TINY: f64 = 1e-300;

/// A probability and the rest up to one, each with all its digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tails {
    pub lower: f64,
    pub upper: f64,
}

impl Tails {
    fn from_lower(lower: f64) -> Tails {
        Tails { lower, upper: 1.0 - lower }
    }

    fn from_upper(upper: f64) -> Tails {
        Tails { lower: 1.0 - upper, upper }
    }
}

/// The normal distribution with mean 0 and deviation 1.
pub(crate) fn normal_tails(z: f64) -> Tails {
    let z = z * std::f64::consts::FRAC_1_SQRT_2;
    Tails { lower: 0.5 * libm::erfc(-z), upper: 0.5 * libm::erfc(z) }
}

pub(crate) fn normal_density(z: f64) -> f64 {
    libm::exp(-0.5 * z * z) / (2.0 * std::f64::consts::PI).sqrt()
}

/// Where the standard normal distribution reaches a probability between 0 and 1.
pub(crate) fn normal_inverse(probability: f64) -> f64 {
    if probability == 0.5 {
        return 0.0;
    }
    if probability > 0.5 {
        return -normal_inverse(1.0 - probability);
    }
    // Below -40 the probability is smaller than any double.
    halved(-40.0, 0.0, |z| Some(normal_tails(z).lower < probability)).unwrap_or(f64::NAN)
}

/// The regularised incomplete gamma function P(a, x), and Q(a, x); a > 0, x ≥ 0.
pub(crate) fn gamma_tails(a: f64, x: f64) -> Option<Tails> {
    if x <= 0.0 {
        return Some(Tails::from_lower(0.0));
    }
    let scale = a * poisson_density(a, x);
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for step in 1..=STEPS_MAX {
            term *= x / (a + step as f64);
            sum += term;
            if term.abs() <= sum.abs() * PRECISION {
                return Some(Tails::from_lower((sum * scale).min(1.0)));
            }
        }
        return None;
    }
    // The continued fraction of Q, by Lentz's method.
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for step in 1..=STEPS_MAX {
        let step = step as f64;
        let factor = -step * (step - a);
        b += 2.0;
        d = 1.0 / not_zero(factor * d + b);
        c = not_zero(b + factor / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() <= 4.0 * f64::EPSILON {
            return Some(Tails::from_upper((fraction * scale).min(1.0)));
        }
    }
    None
}

/// The regularised incomplete beta function at x, with its complement; 0 ≤ x ≤ 1, a > 0, b > 0.
pub(crate) fn beta_tails(x: f64, a: f64, b: f64) -> Option<Tails> {
    beta_tails_with_rest(x, 1.0 - x, a, b)
}

/// As [`beta_tails`], for an x whose distance to one is known better than by subtracting.
pub(crate) fn beta_tails_with_rest(x: f64, rest: f64, a: f64, b: f64) -> Option<Tails> {
    if x <= 0.0 {
        return Some(Tails::from_lower(0.0));
    }
    if rest <= 0.0 {
        return Some(Tails::from_upper(0.0));
    }
    let scale = a * b / (a + b) * binomial_density_with_rest(a, a + b, x, rest);
    if x < (a + 1.0) / (a + b + 2.0) {
        Some(Tails::from_lower((scale * beta_fraction(x, a, b)? / a).min(1.0)))
    } else {
        Some(Tails::from_upper((scale * beta_fraction(rest, b, a)? / b).min(1.0)))
    }
}

pub(crate) fn ln_beta(a: f64, b: f64) -> f64 {
    libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b)
}

fn beta_fraction(x: f64, a: f64, b: f64) -> Option<f64> {
    let mut c = 1.0;
    let mut d = 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..=STEPS_MAX {
        let m = step as f64;
        for factor in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / not_zero(1.0 + factor * d);
            c = not_zero(1.0 + factor / c);
            fraction *= d * c;
        }
        if (d * c - 1.0).abs() <= 4.0 * f64::EPSILON {
            return Some(fraction);
        }
    }
    None
}

fn not_zero(number: f64) -> f64 {
    if number.abs() < TINY { TINY } else { number }
}

/// The probability of so many events where `mean` are expected (Poisson), by Loader's saddle point expansion: it keeps
/// the digits that powers and factorials of large numbers lose.
pub(crate) fn poisson_density(count: f64, mean: f64) -> f64 {
    if mean == 0.0 {
        return f64::from(u8::from(count == 0.0));
    }
    if count == 0.0 {
        return libm::exp(-mean);
    }
    libm::exp(-stirling_error(count) - deviance(count, mean)) / (2.0 * std::f64::consts::PI * count).sqrt()
}

/// The probability of `count` successes in `trials`, likewise.
pub(crate) fn binomial_density(count: f64, trials: f64, chance: f64) -> f64 {
    if trials == 0.0 {
        return 1.0;
    }
    if count == 0.0 {
        return libm::exp(trials * libm::log1p(-chance));
    }
    if count == trials {
        return libm::pow(chance, trials);
    }
    binomial_density_with_rest(count, trials, chance, 1.0 - chance)
}

/// Neither count nor trials need be whole; the count lies between 0 and the trials, both excluded.
fn binomial_density_with_rest(count: f64, trials: f64, chance: f64, rest: f64) -> f64 {
    if chance <= 0.0 || rest <= 0.0 {
        return 0.0;
    }
    let exponent = stirling_error(trials)
        - stirling_error(count)
        - stirling_error(trials - count)
        - deviance(count, trials * chance)
        - deviance(trials - count, trials * rest);
    let spread = 2.0 * std::f64::consts::PI * count * (trials - count) / trials;
    libm::exp(exponent) / spread.sqrt()
}

/// ln n! less Stirling's formula.
fn stirling_error(n: f64) -> f64 {
    if n < 16.0 {
        return libm::lgamma(n + 1.0) - (n + 0.5) * libm::log(n) + n
            - 0.5 * libm::log(2.0 * std::f64::consts::PI);
    }
    let square = n * n;
    (1.0 / 12.0
        - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / 1188.0 / square) / square) / square) / square)
        / n
}

/// x ln(x / mean) + mean - x without loss when both are close.
fn deviance(x: f64, mean: f64) -> f64 {
    let difference = x - mean;
    if difference.abs() >= 0.1 * (x + mean) {
        return x * libm::log(x / mean) - difference;
    }
    let ratio = difference / (x + mean);
    let mut sum = difference * ratio;
    let mut term = 2.0 * x * ratio;
    let square = ratio * ratio;
    for step in 1..1_000 {
        term *= square;
        let next = sum + term / f64::from(2 * step + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// Where a rising function reaches a value, between `low` and `high`, which may be infinite.
pub(crate) fn inverse(
    target: f64,
    low: f64,
    high: f64,
    function: impl Fn(f64) -> Option<f64>,
) -> Option<f64> {
    let (mut low, mut high) = (low, high);
    if high.is_infinite() {
        high = if low.is_finite() { low.abs().max(1.0) } else { 1.0 };
        while function(high)? < target {
            low = high;
            high *= 2.0;
            if high.is_infinite() {
                return None;
            }
        }
    }
    if low.is_infinite() {
        low = -1.0;
        while function(low)? > target {
            high = low;
            low *= 2.0;
            if low.is_infinite() {
                return None;
            }
        }
    }
    halved(low, high, |x| Some(function(x)? < target))
}

/// The place between `low` and `high` where `is_below` turns false, to the last bit.
fn halved(low: f64, high: f64, is_below: impl Fn(f64) -> Option<bool>) -> Option<f64> {
    // Halving passes all doubles from 1 to the smallest in some 1,100 steps; results that small do not matter.
    const HALVINGS_MAX: usize = 300;
    let (mut low, mut high) = (low, high);
    for _ in 0..HALVINGS_MAX {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if is_below(middle)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}
