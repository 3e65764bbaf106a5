//! The results of formulas that a save contains. Importing it ignores them, since formulas are calculated
//! again; they tell where SocialCalc calculates otherwise.

use quadrille_cell::CellAddress;

use super::{decode, envelope};

/// A formula of a save with the result that SocialCalc has calculated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormulaResult {
    pub cell: CellAddress,
    /// The type of the value, such as `n`, `nd`, `t` or `e#N/A`.
    pub value_type: String,
    pub value: String,
    /// Without `=`, as SocialCalc writes it.
    pub formula: String,
}

/// Returns the formulas of a save with their results, in the order of its lines. What is no save has none.
pub fn formula_results(save: &str) -> Vec<FormulaResult> {
    let parts = envelope::unwrap(save.trim_start_matches('\u{feff}')).unwrap_or_default();
    parts.sheet.lines().filter_map(result).collect()
}

/// Reads `cell:A2:vtf:n:10:A1*2:f:1`.
fn result(line: &str) -> Option<FormulaResult> {
    let mut fields = line.trim_end_matches('\r').strip_prefix("cell:")?.split(':');
    let cell = CellAddress::parse_a1(fields.next()?).ok()?;
    loop {
        let values = match fields.next()? {
            "vtf" => {
                let (value_type, value, formula) = (fields.next()?, fields.next()?, fields.next()?);
                let value_type = value_type.to_owned();
                return Some(FormulaResult {
                    cell,
                    value_type,
                    value: decode(value),
                    formula: decode(formula),
                });
            }
            "b" => 4,
            "vtc" => 3,
            "vt" => 2,
            _ => 1,
        };
        fields.nth(values - 1)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_found_after_other_attributes() {
        let save = "version:1.5\ncell:A1:v:5\ncell:B1:b:1:vtf:2:3:vtf:n:10:A1*2:f:1\n\
                    cell:C1:t:vtf\ncell:D1:vtf:t:a\\cb:\"a\"&\"\\cb\"\nsheet:c:4:r:1\n";
        let found: Vec<_> = formula_results(save)
            .into_iter()
            .map(|result| (result.cell.to_string(), result.value_type, result.value, result.formula))
            .collect();
        let expected = [("B1", "n", "10", "A1*2"), ("D1", "t", "a:b", "\"a\"&\":b\"")];
        let owned = |(a, b, c, d): (&str, &str, &str, &str)| (a.into(), b.into(), c.into(), d.into());
        assert_eq!(found, expected.map(owned));
        assert_eq!(formula_results("no save"), []);
    }
}
