//! Special functions of probability distributions: incomplete gamma and beta functions, densities,
//! and the inversion of distributions.
//!
//! Incomplete gamma: power series and continued fraction (Abramowitz and Stegun, 6.5.29 and
//! 6.5.31); incomplete beta: continued fraction 26.5.8. Continued fractions are evaluated by the
//! modified Lentz method (Press et al., *Numerical Recipes*, 5.2, 6.2 and 6.4). Densities: C.
//! Loader, *Fast and Accurate Computation of Binomial Probabilities*, 2000.
//!
//! Functions return `None` when a series does not converge within [`STEPS_MAX`] terms; callers
//! return `#NUM!`.

/// Maximum number of terms. It suffices for parameters of some millions and bounds the time of a
/// call.
const STEPS_MAX: usize = 10_000;
const PRECISION: f64 = 1e-16;
/// Replacement for zero in denominators of continued fractions.
const TINY: f64 = 1e-300;

/// A probability and its complement, each with full relative precision.
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

/// The standard normal distribution.
pub(crate) fn normal_tails(z: f64) -> Tails {
    let z = z * std::f64::consts::FRAC_1_SQRT_2;
    Tails { lower: 0.5 * libm::erfc(-z), upper: 0.5 * libm::erfc(z) }
}

pub(crate) fn normal_density(z: f64) -> f64 {
    libm::exp(-0.5 * z * z) / (2.0 * std::f64::consts::PI).sqrt()
}

/// Returns the quantile of the standard normal distribution for a probability between 0 and 1, by
/// bisection.
pub(crate) fn normal_inverse(probability: f64) -> f64 {
    if probability == 0.5 {
        return 0.0;
    }
    if probability > 0.5 {
        return -normal_inverse(1.0 - probability);
    }
    // Below -40 the probability is smaller than the smallest double.
    bisect(-40.0, 0.0, |z| Some(normal_tails(z).lower < probability)).unwrap_or(f64::NAN)
}

/// The regularized incomplete gamma functions P(a, x) and Q(a, x) for a > 0, x ≥ 0.
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
    // The continued fraction of Q by the modified Lentz method.
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for step in 1..=STEPS_MAX {
        let step = step as f64;
        let factor = -step * (step - a);
        b += 2.0;
        d = 1.0 / nonzero(factor * d + b);
        c = nonzero(b + factor / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() <= 4.0 * f64::EPSILON {
            return Some(Tails::from_upper((fraction * scale).min(1.0)));
        }
    }
    None
}

/// The regularized incomplete beta function at x and its complement, for 0 ≤ x ≤ 1, a > 0, b > 0.
pub(crate) fn beta_tails(x: f64, a: f64, b: f64) -> Option<Tails> {
    beta_tails_with_rest(x, 1.0 - x, a, b)
}

/// As [`beta_tails`], with 1 - x as an argument of its own to avoid cancellation.
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
    let mut d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..=STEPS_MAX {
        let m = step as f64;
        for factor in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / nonzero(1.0 + factor * d);
            c = nonzero(1.0 + factor / c);
            fraction *= d * c;
        }
        if (d * c - 1.0).abs() <= 4.0 * f64::EPSILON {
            return Some(fraction);
        }
    }
    None
}

fn nonzero(number: f64) -> f64 {
    if number.abs() < TINY { TINY } else { number }
}

/// The Poisson probability of `count` events with the given mean, by Loader's saddle-point
/// expansion, which avoids the cancellation of large powers and factorials.
pub(crate) fn poisson_density(count: f64, mean: f64) -> f64 {
    if mean == 0.0 {
        return f64::from(u8::from(count == 0.0));
    }
    if count == 0.0 {
        return libm::exp(-mean);
    }
    libm::exp(-stirling_error(count) - deviance(count, mean)) / (2.0 * std::f64::consts::PI * count).sqrt()
}

/// The binomial probability of `count` successes in `trials`, by Loader's saddle-point expansion.
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

/// As [`binomial_density`] for 0 < count < trials, which need not be integers.
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

/// Returns the error of Stirling's formula for ln n!.
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

/// Returns x ln(x / mean) + mean - x without cancellation when both are close.
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

/// Returns where an increasing function reaches `target` between `low` and `high`, which can be
/// infinite.
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
    bisect(low, high, |x| Some(function(x)? < target))
}

/// Returns the point between `low` and `high` at which `is_below` becomes false, by bisection to
/// the last bit.
fn bisect(low: f64, high: f64, is_below: impl Fn(f64) -> Option<bool>) -> Option<f64> {
    // Reaching the smallest doubles would take some 1,100 steps; this bound suffices for 1e-90.
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
