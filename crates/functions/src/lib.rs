//! The function library: pure, over values and range views.
