//! [`Derived`]: a number format that a formula passes on.

use std::sync::Arc;

use quadrille_number_format::NumberFormatKind;

/// A number format with its kind, which is never [`NumberFormatKind::General`].
#[derive(Clone)]
pub(super) struct Derived {
    pub kind: NumberFormatKind,
    pub code: Arc<str>,
}

impl Derived {
    /// The format of a cell; `None` if the code is General or invalid.
    pub fn of(code: &Arc<str>) -> Option<Derived> {
        let kind = NumberFormatKind::of(code);
        (kind != NumberFormatKind::General).then(|| Derived { kind, code: code.clone() })
    }

    /// A format that is not taken from a cell.
    pub fn new(kind: NumberFormatKind, code: &str) -> Derived {
        Derived { kind, code: code.into() }
    }

    /// A day.
    pub fn date() -> Derived {
        Derived::new(NumberFormatKind::Date, "yyyy-mm-dd")
    }

    /// A day with a time.
    pub fn date_and_time() -> Derived {
        Derived::new(NumberFormatKind::DateAndTime, "yyyy-mm-dd hh:mm")
    }

    /// A time of day.
    pub fn time() -> Derived {
        Derived::new(NumberFormatKind::Time, "hh:mm:ss")
    }

    /// A percentage with two decimals.
    pub fn percent() -> Derived {
        Derived::new(NumberFormatKind::Percent, "0.00%")
    }

    /// Whether the format is that of an amount of money.
    pub fn is_currency(&self) -> bool {
        self.kind == NumberFormatKind::Currency
    }
}
