//! Settings of a sheet that only matter on paper.

use quadrille_workbook::{Field, Item};

/// Fields of the settings of a sheet that only matter on paper.
const PAGE_FIELDS: [Field; 26] = [
    Field::Paper,
    Field::Orientation,
    Field::MarginTop,
    Field::MarginRight,
    Field::MarginBottom,
    Field::MarginLeft,
    Field::MarginHeader,
    Field::MarginFooter,
    Field::Scale,
    Field::FitToWidth,
    Field::FitToHeight,
    Field::HeaderLeft,
    Field::HeaderCenter,
    Field::HeaderRight,
    Field::FooterLeft,
    Field::FooterCenter,
    Field::FooterRight,
    Field::PrintGridlines,
    Field::PrintHeadings,
    Field::CenterHorizontally,
    Field::DifferentFirst,
    Field::DifferentOddEven,
    Field::FirstHeader,
    Field::FirstFooter,
    Field::EvenHeader,
    Field::EvenFooter,
];

/// Whether settings of a sheet have an effect on paper.
pub(crate) fn has_page_setup(settings: &Item) -> bool {
    settings.fields.contains_key(&Field::CenterVertically)
        || PAGE_FIELDS.iter().any(|field| settings.fields.contains_key(field))
}
