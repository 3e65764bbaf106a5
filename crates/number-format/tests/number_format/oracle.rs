//! Compares formatted numbers with those of another implementation; see `oracle/README.md`.

use quadrille_cell::Value;
use quadrille_number_format::NumberFormat;

#[test]
fn formatted_numbers_match_the_oracle() {
    let mut wrong = Vec::new();
    let table = include_str!("oracle/numfmt.tsv");
    for line in table.lines().filter(|line| !line.is_empty()) {
        let mut fields = line.split('\t');
        let (Some(code), Some(number), Some(expected)) = (fields.next(), fields.next(), fields.next()) else {
            panic!("expected three fields: {line}")
        };
        let number: f64 = number.parse().expect("the second field is a number");
        let format = NumberFormat::parse(code);
        let formatted = format.format(&Value::number(number)).text;
        if formatted != expected || !format.is_valid() {
            wrong.push(format!("{code:?} of {number}: {formatted:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
