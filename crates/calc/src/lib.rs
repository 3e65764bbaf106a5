//! Dependency graph, dirty sets and evaluation.
