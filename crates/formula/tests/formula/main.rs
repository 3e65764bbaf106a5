//! Formulas as people write them, and properties of all formulas.

mod corpus;
mod editing;
mod generate;
mod limits;
mod notation;
mod properties;
mod rewriting;
mod scoping;
