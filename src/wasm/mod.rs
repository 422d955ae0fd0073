//! The boundary to JavaScript: every decision of the core with numbers in and numbers out.
//!
//! Not part of the crate's API. The programs in `js/boundary` export these functions; the facade in `js/` calls them.
//! A state arrives as numbers that may be anything; a function that takes one checks every field first and answers with
//! `invalid` and the index of the first wrong one. Numbers come back through a buffer of fixed size.

pub mod backoff;
pub mod breaker;
pub mod budget;
pub mod classify;
pub mod pipeline;
pub mod workers;

use crate::number::{MAX_SAFE_MS, finite_time};

/// The time that a clock's reading stands for.
pub fn time(now: f64) -> f64 {
    finite_time(now)
}

/// The answer for a state whose field number `index` is wrong.
#[inline]
const fn invalid(index: i32) -> i32 {
    -1 - index
}

/// As `stored::COUNT`, in fewer instructions.
#[inline]
fn is_count(value: f64) -> bool {
    value as i64 as f64 == value && (0.0..=MAX_SAFE_MS).contains(&value)
}

/// A count that [`is_count`]: signed conversions are one instruction, unsigned ones a dozen.
#[inline]
fn count(value: f64) -> u64 {
    value as i64 as u64
}

#[inline]
fn number(count: u64) -> f64 {
    count as i64 as f64
}
