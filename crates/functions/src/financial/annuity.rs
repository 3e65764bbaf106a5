//! Annuities: PMT, IPMT, PPMT, PV, FV, NPER, RATE and related functions. Payments are negative,
//! receipts positive.
//!
//! Described in ECMA-376 part 1, 18.17.7, Excel's help and OpenFormula 6.12. The equation of the
//! time value of money is that of Excel's help for PV.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{ValueResult, number_or};
use crate::coerce::{integer, number};
use crate::context::CallContext;
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "PMT",
        "rate, periods, present_value, [future_value], [at_start]",
        "The payment each period.",
        payment,
    )
    .examples(&[
        ("=ROUND(PMT(0.08/12,10,10000),2)", "-1037.03"),
        ("=PMT(0,10,1000)", "-100"),
        ("=PMT(0.1,0,1)", "#NUM!"),
    ]),
    Function::scalar(
        "IPMT",
        "rate, period, periods, present_value, [future_value], [at_start]",
        "The interest in one payment.",
        interest_payment,
    )
    .examples(&[("=ROUND(IPMT(0.1/12,1,36,8000),2)", "-66.67")]),
    Function::scalar(
        "PPMT",
        "rate, period, periods, present_value, [future_value], [at_start]",
        "The repayment in one payment.",
        principal_payment,
    )
    .examples(&[("=ROUND(PPMT(0.1/12,1,24,2000),2)", "-75.62")]),
    Function::scalar(
        "CUMIPMT",
        "rate, periods, present_value, first, last, at_start",
        "The interest in several payments.",
        cumulative_interest,
    )
    .examples(&[("=ROUND(CUMIPMT(0.09/12,360,125000,13,24,0),2)", "-11135.23")]),
    Function::scalar(
        "CUMPRINC",
        "rate, periods, present_value, first, last, at_start",
        "The repayment in several payments.",
        cumulative_principal,
    )
    .examples(&[("=ROUND(CUMPRINC(0.09/12,360,125000,13,24,0),2)", "-934.11")]),
    Function::scalar(
        "PV",
        "rate, periods, payment, [future_value], [at_start]",
        "What a series of payments is worth now.",
        present_value,
    )
    .examples(&[("=ROUND(PV(0.08/12,240,500),2)", "-59777.15")]),
    Function::scalar(
        "FV",
        "rate, periods, payment, [present_value], [at_start]",
        "What a series of payments is worth in the end.",
        future_value,
    )
    .examples(&[("=ROUND(FV(0.06/12,10,-200,-500,1),2)", "2581.4"), ("=FV(0,10,-100)", "1000")]),
    Function::scalar(
        "NPER",
        "rate, payment, present_value, [future_value], [at_start]",
        "How many periods it takes.",
        periods,
    )
    .examples(&[("=ROUND(NPER(0.12/12,-100,-1000,10000,1),4)", "59.6739"), ("=NPER(0,-100,1000)", "10")]),
    Function::scalar(
        "RATE",
        "periods, payment, present_value, [future_value], [at_start], [guess]",
        "The interest rate each period.",
        rate,
    )
    .examples(&[("=ROUND(RATE(48,-200,8000),6)", "0.007701")]),
    Function::scalar(
        "EFFECT",
        "nominal_rate, periods",
        "The yearly rate that a nominal one amounts to.",
        effective_rate,
    )
    .examples(&[("=ROUND(EFFECT(0.0525,4),7)", "0.0535427")]),
    Function::scalar(
        "NOMINAL",
        "effective_rate, periods",
        "The nominal rate of an effective yearly one.",
        nominal_rate,
    )
    .examples(&[("=ROUND(NOMINAL(0.053543,4),6)", "0.0525")]),
    Function::scalar(
        "RRI",
        "periods, present_value, future_value",
        "The rate at which one value grows to another.",
        growth_rate,
    )
    .examples(&[("=ROUND(RRI(96,10000,11000),7)", "0.0009933")]),
    Function::scalar(
        "PDURATION",
        "rate, present_value, future_value",
        "How many periods one value takes to grow to another.",
        growth_periods,
    )
    .examples(&[("=ROUND(PDURATION(0.025,2000,2200),4)", "3.8599")]),
    Function::scalar(
        "ISPMT",
        "rate, period, periods, present_value",
        "The interest of a loan with equal repayments.",
        even_principal_interest,
    )
    .examples(&[("=ISPMT(0.1,1,4,4000)", "-300")]),
];

/// Equal payments at the end or, if `at_start` is 1, at the start of each period.
struct Annuity {
    rate: f64,
    periods: f64,
    at_start: f64,
}

impl Annuity {
    fn new(
        rate: f64,
        periods: f64,
        arguments: &[Value],
        at_start_index: usize,
    ) -> Result<Annuity, ErrorValue> {
        let at_start = f64::from(u8::from(number_or(arguments, at_start_index, 0.0)? != 0.0));
        Ok(Annuity { rate, periods, at_start })
    }

    /// Returns the future value of 1 after all periods.
    fn growth(&self) -> f64 {
        libm::pow(1.0 + self.rate, self.periods)
    }

    /// Returns the future value of payments of 1.
    fn payments_future_value(&self) -> f64 {
        if self.rate == 0.0 {
            return self.periods;
        }
        // expm1 of a logarithm avoids the cancellation of `growth - 1` for small rates.
        let gained = libm::expm1(self.periods * libm::log1p(self.rate));
        let gained = if gained.is_nan() { self.growth() - 1.0 } else { gained };
        (1.0 + self.rate * self.at_start) * gained / self.rate
    }

    fn payment(&self, present: f64, future: f64) -> f64 {
        -(present * self.growth() + future) / self.payments_future_value()
    }

    fn future(&self, payment: f64, present: f64) -> f64 {
        -(present * self.growth() + payment * self.payments_future_value())
    }

    /// Returns the interest in the payment of a period, counted from one.
    fn interest(&self, period: f64, payment: f64, present: f64, future: f64) -> f64 {
        if period == 1.0 && self.at_start == 1.0 {
            return 0.0;
        }
        let paid = period - 1.0 - self.at_start;
        let left = self.periods - paid;
        let balance = if self.rate == 0.0 || self.rate <= -1.0 {
            Annuity { periods: paid, ..*self }.future(payment, present)
        } else {
            // The balance is the present value of the remaining payments. Computed from the start
            // it would be the difference of two unbounded terms, which loses all digits.
            let discounted = -libm::expm1(-left * libm::log1p(self.rate));
            future * (1.0 - discounted) + payment * (1.0 + self.rate * self.at_start) * discounted / self.rate
        };
        (balance - payment * self.at_start) * self.rate
    }
}

fn payment(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let annuity = Annuity::new(number(&arguments[0])?, number(&arguments[1])?, arguments, 4)?;
    if annuity.periods == 0.0 || annuity.rate <= -1.0 {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number(annuity.payment(number(&arguments[2])?, number_or(arguments, 3, 0.0)?)))
}

/// Returns payment and interest of one period.
fn payment_parts(arguments: &[Value]) -> Result<(f64, f64), ErrorValue> {
    let annuity = Annuity::new(number(&arguments[0])?, number(&arguments[2])?, arguments, 5)?;
    let period = number(&arguments[1])?;
    // Fractional periods are allowed within the last period.
    if !(1.0..annuity.periods + 1.0).contains(&period) {
        return Err(ErrorValue::Number);
    }
    let present = number(&arguments[3])?;
    let future = number_or(arguments, 4, 0.0)?;
    let payment = annuity.payment(present, future);
    Ok((payment, annuity.interest(period, payment, present, future)))
}

fn interest_payment(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(payment_parts(arguments)?.1))
}

fn principal_payment(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (payment, interest) = payment_parts(arguments)?;
    Ok(Value::number(payment - interest))
}

/// Returns the sums of interest and of principal over several periods.
fn cumulative(context: &mut CallContext, arguments: &[Value]) -> Result<(f64, f64), ErrorValue> {
    let annuity = Annuity::new(number(&arguments[0])?, number(&arguments[1])?, arguments, 5)?;
    let present = number(&arguments[2])?;
    // Only whole periods count; payments are due at their end (0) or start (1).
    let (first, last) = (number(&arguments[3])?.ceil() as i64, integer(&arguments[4])?);
    if !matches!(number_or(arguments, 5, 0.0)?, 0.0 | 1.0) {
        return Err(ErrorValue::Number);
    }
    if annuity.rate <= 0.0 || present <= 0.0 || first < 1 || last < first || last as f64 > annuity.periods {
        return Err(ErrorValue::Number);
    }
    context.budget.charge((last - first) as u64)?;
    let payment = annuity.payment(present, 0.0);
    let (mut interest, mut principal) = (0.0, 0.0);
    for period in first..=last {
        let part = annuity.interest(period as f64, payment, present, 0.0);
        interest += part;
        principal += payment - part;
    }
    Ok((interest, principal))
}

fn cumulative_interest(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(cumulative(context, arguments)?.0))
}

fn cumulative_principal(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(Value::number(cumulative(context, arguments)?.1))
}

fn present_value(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let annuity = Annuity::new(number(&arguments[0])?, number(&arguments[1])?, arguments, 4)?;
    let (payment, future) = (number(&arguments[2])?, number_or(arguments, 3, 0.0)?);
    if annuity.rate == -1.0 {
        return Err(ErrorValue::DivideByZero);
    }
    Ok(Value::number(-(future + payment * annuity.payments_future_value()) / annuity.growth()))
}

fn future_value(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let annuity = Annuity::new(number(&arguments[0])?, number(&arguments[1])?, arguments, 4)?;
    if annuity.rate == -1.0 && annuity.periods < 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    Ok(Value::number(annuity.future(number(&arguments[2])?, number_or(arguments, 3, 0.0)?)))
}

fn periods(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (rate, payment, present) = (number(&arguments[0])?, number(&arguments[1])?, number(&arguments[2])?);
    let future = number_or(arguments, 3, 0.0)?;
    let at_start = f64::from(u8::from(number_or(arguments, 4, 0.0)? != 0.0));
    if rate == 0.0 {
        return if payment == 0.0 {
            Err(ErrorValue::Number)
        } else {
            Ok(Value::number(-(present + future) / payment))
        };
    }
    let per_period = payment * (1.0 + rate * at_start) / rate;
    Ok(Value::number(libm::log((per_period - future) / (per_period + present)) / libm::log1p(rate)))
}

fn rate(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (periods, payment, present) =
        (number(&arguments[0])?, number(&arguments[1])?, number(&arguments[2])?);
    let (future, guess) = (number_or(arguments, 3, 0.0)?, number_or(arguments, 5, 0.1)?);
    let at_start = f64::from(u8::from(number_or(arguments, 4, 0.0)? != 0.0));
    if periods <= 0.0 {
        return Err(ErrorValue::Number);
    }
    let rest = |rate: f64| -Annuity { rate, periods, at_start }.future(payment, present) + future;
    super::cashflow::root(guess, rest).map(Value::number)
}

fn effective_rate(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (rate, periods) = (number(&arguments[0])?, number(&arguments[1])?.trunc());
    if rate <= 0.0 || periods < 1.0 {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number(libm::pow(1.0 + rate / periods, periods) - 1.0))
}

fn nominal_rate(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (rate, periods) = (number(&arguments[0])?, number(&arguments[1])?.trunc());
    if rate <= 0.0 || periods < 1.0 {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number((libm::pow(1.0 + rate, 1.0 / periods) - 1.0) * periods))
}

fn growth_rate(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (periods, present, future) = (number(&arguments[0])?, number(&arguments[1])?, number(&arguments[2])?);
    if periods <= 0.0 || present == 0.0 {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number(libm::pow(future / present, 1.0 / periods) - 1.0))
}

fn growth_periods(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (rate, present, future) = (number(&arguments[0])?, number(&arguments[1])?, number(&arguments[2])?);
    if rate <= 0.0 || present <= 0.0 || future <= 0.0 {
        return Err(ErrorValue::Number);
    }
    Ok(Value::number((libm::log(future) - libm::log(present)) / libm::log1p(rate)))
}

fn even_principal_interest(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (rate, period) = (number(&arguments[0])?, number(&arguments[1])?);
    let (periods, present) = (number(&arguments[2])?, number(&arguments[3])?);
    if periods == 0.0 {
        return Err(ErrorValue::DivideByZero);
    }
    Ok(Value::number(-present * rate * (1.0 - period / periods)))
}
