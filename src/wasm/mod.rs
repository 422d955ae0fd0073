//! spike
#![allow(missing_docs)]
use crate::number::MAX_SAFE_MS;
pub mod backoff;
pub mod breaker;
pub mod classify;
#[inline(never)]
fn count(value: f64) -> bool { value as i64 as f64 == value && (0.0..=MAX_SAFE_MS).contains(&value) }
#[inline(never)]
fn time(value: f64) -> bool { value.abs() <= MAX_SAFE_MS }
#[inline(never)]
fn span(value: f64) -> bool { (0.0..=2.0 * MAX_SAFE_MS).contains(&value) }
