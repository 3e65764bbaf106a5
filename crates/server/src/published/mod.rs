//! Published pages: a part of a workbook as a small HTML page for anybody with its link
//! (docs/decisions/0047-published-pages-are-drawn-once.md).
//!
//! `part.rs` finds the sheets and cells of a publication; [`Drawing`] is one of its sheets as HTML,
//! drawn once for all readers, with the data of its charts (`charts.rs`). [`PublishedPages`] has the pages that are read now: it draws them again
//! when their workbook changes, and gives each reader the cells that differ. Start reading at
//! `drawing.rs`.

mod cell_html;
mod cell_style;
mod chart_texts;
mod charts;
mod compressed;
mod drawing;
mod page;
mod pages;
mod part;
mod relayed;
mod sparkline;
mod texts;

pub use compressed::{Part, gzip};
pub use drawing::Drawing;
pub use page::{PageOptions, missing_page, published_page};
pub use pages::{PageKey, PublishedPages};
pub use part::{define_range, part_formula};
