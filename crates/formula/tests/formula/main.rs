//! Formulas as people write them, and properties of all formulas.

mod corpus;
mod generate;
mod limits;
mod notation;
mod properties;
mod rewriting;
mod scoping;
