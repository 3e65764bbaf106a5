//! Integration tests of the formula language: examples and properties.

mod corpus;
mod editing;
mod function_names;
mod generate;
mod limits;
mod notation;
mod properties;
mod rewriting;
mod scoping;
