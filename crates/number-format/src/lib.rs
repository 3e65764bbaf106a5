//! Number formats, and the reading of typed numbers, dates and percentages.
