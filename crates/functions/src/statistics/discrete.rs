//! Discrete distributions: binomial, negative binomial, Poisson, hypergeometric. Described in
//! ECMA-376 part 1, 18.17.7, Excel's help and OpenFormula 6.18.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{ValueResult, number_or, numbers};
use crate::coerce::boolean;
use crate::context::CallContext;
use crate::function::Function;
use crate::mathematics::special::{beta_tails, binomial_density, gamma_tails, poisson_density};

use super::probability::check_probability;
use super::student_t::or_num_error;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("BINOM.DIST", "successes, trials, chance, cumulative", BINOMIAL, binomial)
        .excel_only()
        .examples(&[
            ("=ROUND(BINOM.DIST(6,10,0.5,FALSE),7)", "0.2050781"),
            ("=ROUND(BINOM.DIST(6,10,0.5,TRUE),6)", "0.828125"),
            ("=BINOM.DIST(11,10,0.5,TRUE)", "#NUM!"),
        ]),
    Function::scalar("BINOMDIST", "successes, trials, chance, cumulative", BINOMIAL, binomial)
        .examples(&[("=ROUND(BINOMDIST(6,10,0.5,FALSE),7)", "0.2050781")]),
    Function::scalar(
        "BINOM.DIST.RANGE",
        "trials, chance, successes, [successes_max]",
        "The chance of a number of successes, or of one between two.",
        binomial_range,
    )
    .excel_only()
    .examples(&[
        ("=ROUND(BINOM.DIST.RANGE(60,0.75,48),6)", "0.083975"),
        ("=ROUND(BINOM.DIST.RANGE(60,0.75,45,50),6)", "0.52363"),
    ]),
    Function::scalar("BINOM.INV", "trials, chance, probability", BINOMIAL_INVERSE, binomial_inverse)
        .excel_only()
        .examples(&[("=BINOM.INV(6,0.5,0.75)", "4")]),
    Function::scalar("CRITBINOM", "trials, chance, probability", BINOMIAL_INVERSE, binomial_inverse)
        .examples(&[("=CRITBINOM(6,0.5,0.75)", "4")]),
    Function::scalar(
        "NEGBINOM.DIST",
        "failures, successes, chance, cumulative",
        "The chance of so many failures before so many successes, or of at most so many.",
        |_, arguments| negative_binomial(numbers(arguments)?, boolean(&arguments[3])?),
    )
    .excel_only()
    .examples(&[
        ("=ROUND(NEGBINOM.DIST(10,5,0.25,TRUE),7)", "0.3135141"),
        ("=ROUND(NEGBINOM.DIST(10,5,0.25,FALSE),7)", "0.0550487"),
    ]),
    Function::scalar(
        "NEGBINOMDIST",
        "failures, successes, chance",
        "The chance of so many failures before so many successes.",
        |_, arguments| negative_binomial(numbers(arguments)?, false),
    )
    .examples(&[("=ROUND(NEGBINOMDIST(10,5,0.25),7)", "0.0550487")]),
    Function::scalar("POISSON.DIST", "count, mean, cumulative", POISSON, poisson).excel_only().examples(&[
        ("=ROUND(POISSON.DIST(2,5,TRUE),6)", "0.124652"),
        ("=ROUND(POISSON.DIST(2,5,FALSE),6)", "0.084224"),
    ]),
    Function::scalar("POISSON", "count, mean, cumulative", POISSON, poisson)
        .examples(&[("=ROUND(POISSON(2,5,TRUE),6)", "0.124652"), ("=POISSON(-1,5,TRUE)", "#NUM!")]),
    Function::scalar(
        "HYPGEOM.DIST",
        "successes, draws, population_successes, population, cumulative",
        "The chance of so many successes in draws without putting back, or of at most so many.",
        |context, arguments| hypergeometric(context, numbers(arguments)?, boolean(&arguments[4])?),
    )
    .excel_only()
    .examples(&[
        ("=ROUND(HYPGEOM.DIST(1,4,8,20,TRUE),4)", "0.4654"),
        ("=ROUND(HYPGEOM.DIST(1,4,8,20,FALSE),4)", "0.3633"),
    ]),
    Function::scalar(
        "HYPGEOMDIST",
        "successes, draws, population_successes, population",
        "The chance of so many successes in draws without putting back.",
        |context, arguments| hypergeometric(context, numbers(arguments)?, false),
    )
    .examples(&[("=ROUND(HYPGEOMDIST(1,4,8,20),4)", "0.3633")]),
];

const BINOMIAL: &str = "The chance of so many successes in independent trials, or of at most so many.";
const BINOMIAL_INVERSE: &str =
    "The smallest number of successes whose cumulative probability reaches a probability.";
const POISSON: &str = "The chance of so many events where some are expected, or of at most so many.";

/// Returns the probability of at most `count` successes.
fn binomial_up_to(count: f64, trials: f64, chance: f64) -> Option<f64> {
    if count < 0.0 {
        return Some(0.0);
    }
    if count >= trials {
        return Some(1.0);
    }
    Some(beta_tails(chance, count + 1.0, trials - count)?.upper)
}

fn are_trials(trials: f64, chance: f64) -> bool {
    (0.0..=1e15).contains(&trials) && (0.0..=1.0).contains(&chance)
}

fn binomial(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [count, trials, chance] = numbers(arguments)?;
    let is_cumulative = boolean(&arguments[3])?;
    let (count, trials) = (count.trunc(), trials.trunc());
    if !are_trials(trials, chance) || !(0.0..=trials).contains(&count) {
        return Err(ErrorValue::Number);
    }
    if is_cumulative {
        or_num_error(binomial_up_to(count, trials, chance))
    } else {
        Ok(Value::number(binomial_density(count, trials, chance)))
    }
}

fn binomial_range(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [trials, chance, first] = numbers(arguments)?;
    let (trials, first) = (trials.trunc(), first.trunc());
    let last = number_or(arguments, 3, first)?.trunc();
    if !are_trials(trials, chance) || !(0.0..=trials).contains(&first) || !(first..=trials).contains(&last) {
        return Err(ErrorValue::Number);
    }
    if first == last {
        return Ok(Value::number(binomial_density(first, trials, chance)));
    }
    let up_to = |count: f64| binomial_up_to(count, trials, chance);
    or_num_error(up_to(last).and_then(|upper| Some(upper - up_to(first - 1.0)?)))
}

fn binomial_inverse(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [trials, chance, probability] = numbers(arguments)?;
    let trials = trials.trunc();
    if !are_trials(trials, chance) || chance == 0.0 || chance == 1.0 {
        return Err(ErrorValue::Number);
    }
    let probability = check_probability(probability)?;
    let (mut below, mut reached) = (-1.0, trials);
    while reached - below > 1.0 {
        let middle = ((below + reached) / 2.0).floor();
        if binomial_up_to(middle, trials, chance).ok_or(ErrorValue::Number)? >= probability {
            reached = middle;
        } else {
            below = middle;
        }
    }
    Ok(Value::number(reached))
}

fn negative_binomial([failures, successes, chance]: [f64; 3], is_cumulative: bool) -> ValueResult {
    let (failures, successes) = (failures.trunc(), successes.trunc());
    // Excel rejects the probabilities 0 and 1.
    if chance <= 0.0
        || chance >= 1.0
        || failures < 0.0
        || successes < 1.0
        || !are_trials(failures + successes, chance)
    {
        return Err(ErrorValue::Number);
    }
    if is_cumulative {
        return or_num_error(beta_tails(chance, successes, failures + 1.0).map(|tails| tails.lower));
    }
    let trials = failures + successes;
    // The last trial is a success.
    Ok(Value::number(successes / trials * binomial_density(successes, trials, chance)))
}

fn poisson(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [count, mean] = numbers(arguments)?;
    let is_cumulative = boolean(&arguments[2])?;
    if count < 0.0 || mean < 0.0 {
        return Err(ErrorValue::Number);
    }
    let count = count.trunc();
    if is_cumulative {
        or_num_error(gamma_tails(count + 1.0, mean).map(|tails| tails.upper))
    } else {
        Ok(Value::number(poisson_density(count, mean)))
    }
}

fn hypergeometric(context: &mut CallContext, arguments: [f64; 4], is_cumulative: bool) -> ValueResult {
    let [count, draws, marked, population] = arguments.map(f64::trunc);
    let fewest = (draws + marked - population).max(0.0);
    if population <= 0.0
        || population > 1e15
        || !(0.0..=population).contains(&draws)
        || !(0.0..=population).contains(&marked)
        || !(fewest..=draws.min(marked)).contains(&count)
    {
        return Err(ErrorValue::Number);
    }
    // The quotient of three binomial densities does not depend on their common chance; this one
    // avoids underflow (Loader, 2000).
    let chance = draws / population;
    let density = |count: f64| {
        binomial_density(count, marked, chance) * binomial_density(draws - count, population - marked, chance)
            / binomial_density(draws, population, chance)
    };
    if !is_cumulative {
        return Ok(Value::number(density(count)));
    }
    context.budget.charge((count - fewest) as u64)?;
    let mut sum = 0.0;
    let mut current = fewest;
    while current <= count {
        sum += density(current);
        current += 1.0;
    }
    Ok(Value::number(sum.min(1.0)))
}
