//! Sheet notation, generators and the fake network, disk and clock of the tests.
