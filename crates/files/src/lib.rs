//! Reading and writing xlsx, csv, tsv, json, html and markdown.
