//! Guides: named values of custom geometry, calculated by formulas (ECMA-376 part 1, 20.1.9.11).

use std::collections::HashMap;
use std::f64::consts::PI;

use super::{DEGREE, XmlElement};

/// Guides of a shape, at most.
const GUIDES_MAX: usize = 1_000;
/// Half a turn in the unit of angles.
const HALF_TURN: f64 = 180.0 * DEGREE;

/// The values of guides by their names.
pub(super) struct Guides(HashMap<String, f64>);

impl Guides {
    /// The predefined guides of a shape of this size, and those of its custom geometry.
    pub fn of(custom: &XmlElement, width: f64, height: f64) -> Guides {
        let (short, long) = (width.min(height), width.max(height));
        let mut values: HashMap<String, f64> = [
            ("w", width),
            ("h", height),
            ("l", 0.0),
            ("t", 0.0),
            ("r", width),
            ("b", height),
            ("hc", width / 2.0),
            ("vc", height / 2.0),
            ("ss", short),
            ("ls", long),
            ("cd2", HALF_TURN),
            ("cd4", HALF_TURN / 2.0),
            ("cd8", HALF_TURN / 4.0),
            ("3cd4", HALF_TURN * 1.5),
            ("3cd8", HALF_TURN * 0.75),
            ("5cd8", HALF_TURN * 1.25),
            ("7cd8", HALF_TURN * 1.75),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        for divisor in [2, 3, 4, 5, 6, 8, 10, 12, 16, 32] {
            for (name, whole) in [("w", width), ("h", height), ("ss", short)] {
                values.insert(format!("{name}d{divisor}"), whole / f64::from(divisor));
            }
        }
        let mut guides = Guides(values);
        let lists = ["avLst", "gdLst"].into_iter().filter_map(|list| custom.child(list));
        for guide in lists.flat_map(XmlElement::elements).take(GUIDES_MAX) {
            let value = guide.attribute("fmla").and_then(|formula| guides.calculate(formula));
            if let (Some(name), Some(value)) = (guide.attribute("name"), value) {
                guides.0.insert(name.to_owned(), value);
            }
        }
        guides
    }

    /// A number, or the value of a guide.
    pub fn value(&self, text: &str) -> Option<f64> {
        let number = text.trim().parse().ok().or_else(|| self.0.get(text.trim()).copied());
        number.filter(|number: &f64| number.is_finite())
    }

    fn calculate(&self, formula: &str) -> Option<f64> {
        let mut words = formula.split_ascii_whitespace();
        let operator = words.next()?;
        let operands = words.map(|word| self.value(word)).collect::<Option<Vec<f64>>>()?;
        let angle = |units: f64| units / HALF_TURN * PI;
        let units = |angle: f64| angle / PI * HALF_TURN;
        let value = match (operator, &operands[..]) {
            ("val", [x]) => *x,
            ("*/", [x, y, z]) => x * y / z,
            ("+-", [x, y, z]) => x + y - z,
            ("+/", [x, y, z]) => (x + y) / z,
            ("?:", [x, y, z]) => *if *x > 0.0 { y } else { z },
            ("abs", [x]) => x.abs(),
            ("sqrt", [x]) => x.sqrt(),
            ("max", [x, y]) => x.max(*y),
            ("min", [x, y]) => x.min(*y),
            ("mod", [x, y, z]) => (x * x + y * y + z * z).sqrt(),
            ("pin", [least, x, most]) => x.min(*most).max(*least),
            ("sin", [x, y]) => x * angle(*y).sin(),
            ("cos", [x, y]) => x * angle(*y).cos(),
            ("tan", [x, y]) => x * angle(*y).tan(),
            ("at2", [x, y]) => units(y.atan2(*x)),
            ("cat2", [x, y, z]) => x * z.atan2(*y).cos(),
            ("sat2", [x, y, z]) => x * z.atan2(*y).sin(),
            _ => return None,
        };
        value.is_finite().then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_calculate_with_numbers_and_guides() {
        let guides = Guides::of(&XmlElement::default(), 200.0, 100.0);
        for (formula, expected) in [
            ("val 7", 7.0),
            ("*/ w 1 4", 50.0),
            ("+- hc 10 5", 105.0),
            ("+/ w h 3", 100.0),
            ("?: 1 2 3", 2.0),
            ("?: 0 2 3", 3.0),
            ("pin 10 5 20", 10.0),
            ("mod 3 4 0", 5.0),
            ("sin 10 cd4", 10.0),
            ("at2 0 1", 5_400_000.0),
            ("max ss ls", 200.0),
            ("abs -3", 3.0),
        ] {
            let value = guides.calculate(formula).unwrap_or_else(|| panic!("{formula} has a value"));
            assert!((value - expected).abs() < 1e-6, "{formula}: {value}");
        }
        for formula in ["", "*/ 1 2", "*/ 1 2 0", "sqrt -1", "val unknown", "pow 2 3"] {
            assert_eq!(guides.calculate(formula), None, "{formula}");
        }
    }
}
