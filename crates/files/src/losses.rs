//! What a written file leaves out of a workbook, or has in another form: by kind, sheet, range and name.

use quadrille_workbook::Workbook;

use crate::file_format::FileFormat;
use crate::images::Images;
use crate::socialcalc;
use crate::write::selected_sheet;
use crate::write_options::WriteOptions;
use collected::Losses;
#[cfg(feature = "xlsx")]
pub(crate) use items::described_name;
pub use loss::{Loss, LossKind, LossPlace};

mod collected;
mod formulas;
mod items;
mod loss;
#[cfg(feature = "xlsx")]
mod of_ods;
#[cfg(feature = "xlsx")]
mod of_xlsx;
mod one_sheet;

/// What a file of the format leaves out of the workbook, or changes: contents of the workbook first, then
/// sheet by sheet. The formulas must have been calculated. `images` are those that the file would have.
///
/// Complexity: O(n) for n items and runs of formulas and formats; for formats with one sheet, also its
/// cells with numbers.
pub fn losses(workbook: &Workbook, format: FileFormat, options: &WriteOptions, images: &Images) -> Vec<Loss> {
    let mut found = Losses::default();
    let sheet = selected_sheet(workbook, options.sheet);
    match format {
        FileFormat::SocialCalc => {
            for text in socialcalc::losses(workbook, sheet) {
                found.add(LossKind::Other, None, &[], &text);
            }
        }
        #[cfg(feature = "xlsx")]
        FileFormat::Xlsx => of_xlsx::find(workbook, images, &mut found),
        #[cfg(feature = "xlsx")]
        FileFormat::Ods | FileFormat::Fods => of_ods::find(workbook, images, &mut found),
        #[cfg(not(feature = "xlsx"))]
        FileFormat::Xlsx | FileFormat::Ods | FileFormat::Fods => {}
        // These are not written.
        FileFormat::Xls | FileFormat::Xlsb => {}
        FileFormat::Json => items::find_stored_images(workbook, &mut found),
        FileFormat::Csv | FileFormat::Tsv | FileFormat::CsvJson | FileFormat::Html | FileFormat::Markdown => {
            one_sheet::find(workbook, sheet, format, options, &mut found);
        }
    }
    #[cfg(not(feature = "xlsx"))]
    let _ = images;
    found.finish()
}

/// The losses as warnings for programs and the command line. Formats with one sheet and only the displayed
/// texts have none: whoever asks for rows expects rows.
pub fn warnings(
    workbook: &Workbook,
    format: FileFormat,
    options: &WriteOptions,
    images: &Images,
) -> Vec<String> {
    match format {
        FileFormat::Csv | FileFormat::Tsv | FileFormat::CsvJson | FileFormat::Html | FileFormat::Markdown => {
            Vec::new()
        }
        _ => losses(workbook, format, options, images).iter().map(Loss::text).collect(),
    }
}
