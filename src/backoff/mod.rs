//! When to try again: the policies.
