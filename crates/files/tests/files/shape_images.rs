//! Images of shapes and controls, which the tests of `.xlsx` files examine in the same way.

use std::collections::BTreeMap;

use quadrille_files::{FileFormat, Imported, displayed_type, is_shape};
use quadrille_workbook::{Field, ItemKind, Workbook};

use crate::notation::import;

/// Reads a file, which must be readable.
pub fn read_xlsx(file: &[u8]) -> Imported {
    import(FileFormat::Xlsx, file).expect("readable")
}

/// Cell, offset, size and description of each shape of the first sheet.
pub fn places(workbook: &Workbook) -> Vec<String> {
    let items = workbook.sheets()[0].items().of_kind(ItemKind::Image).map(|(_, item)| {
        assert_eq!(item.boolean(Field::Shape), Some(true));
        let number = |field: Field| item.number(field).unwrap_or(0.0);
        let text = item.text(Field::AltText).map_or("", |text| text).replace('\n', " / ");
        format!(
            "{}+{},{} {}×{} {text}",
            item.anchors[0].first(),
            number(Field::OffsetX),
            number(Field::OffsetY),
            number(Field::Width),
            number(Field::Height)
        )
    });
    items.collect()
}

/// The images of the shapes, by their descriptions.
pub fn drawn(imported: &Imported) -> BTreeMap<String, String> {
    let items = imported.workbook.sheets()[0].items().of_kind(ItemKind::Image);
    let images = items.map(|(_, item)| {
        let bytes = &imported.images[&**item.text(Field::Source).expect("a source")];
        assert!(is_shape(bytes) && displayed_type(bytes) == Some("image/svg+xml"));
        let description = item.text(Field::AltText).map_or(String::new(), |text| text.to_string());
        (description, String::from_utf8(bytes.to_vec()).expect("text"))
    });
    images.collect()
}
