//! How fast a query may and must read (`max_execution_speed`, `min_execution_speed` and their
//! like). A query without such settings has no limits of speed and is never looked at.

use std::time::Duration;

use entasis_base::{Error, Result, codes};

/// Limits of the speed of reading; 0 means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpeedLimits {
    /// Fewest rows per second.
    pub min_rows: u64,
    /// Fewest bytes per second.
    pub min_bytes: u64,
    /// Most rows per second.
    pub max_rows: u64,
    /// Most bytes per second.
    pub max_bytes: u64,
    /// Most seconds that reading may take in total, as its speed so far lets expect.
    pub max_estimated_seconds: f64,
    /// Seconds after which the speed is looked at for the first time.
    pub after_seconds: f64,
}

impl SpeedLimits {
    /// Whether there is no limit.
    pub fn is_none(&self) -> bool {
        Self { after_seconds: 0.0, ..*self } == Self::default()
    }

    /// Judges the speed of a query that has read these rows and bytes within `elapsed`, of so many
    /// rows in `total` (0: unknown). Fails if it is too slow, and answers how long it has to wait
    /// if it is too fast.
    pub fn check(&self, elapsed: Duration, rows: u64, bytes: u64, total: u64) -> Result<Duration> {
        let seconds = elapsed.as_secs_f64();
        if seconds <= self.after_seconds || seconds == 0.0 {
            return Ok(Duration::ZERO);
        }
        let least = [(rows, self.min_rows, "rows"), (bytes, self.min_bytes, "bytes")];
        for (done, min, unit) in least {
            let speed = done as f64 / seconds;
            if min > 0 && speed < min as f64 {
                return Err(too_slow(&format!(
                    "Query is executing too slow: {speed:.3} {unit}/sec., minimum: {min}"
                )));
            }
        }
        if self.max_estimated_seconds > 0.0 && total > 0 && rows > 0 {
            let estimated = seconds * (total as f64 / rows as f64);
            if estimated > self.max_estimated_seconds {
                return Err(too_slow(&format!(
                    "Estimated query execution time ({estimated} seconds) is too long. Maximum: \
                     {}. Estimated rows to process: {total}",
                    self.max_estimated_seconds
                )));
            }
        }
        let most = [(rows, self.max_rows), (bytes, self.max_bytes)];
        let needed = most.into_iter().filter(|(_, max)| *max > 0);
        let needed = needed.map(|(done, max)| done as f64 / max as f64).fold(0.0, f64::max);
        Ok(Duration::from_secs_f64((needed - seconds).clamp(0.0, LONGEST_WAIT)))
    }
}

/// Seconds of the longest wait after one chunk: a speed of one row per second is no deadlock.
const LONGEST_WAIT: f64 = 86_400.0;

#[cold]
fn too_slow(message: &str) -> Error {
    let remedy = "Narrow the query down, or lower the limit of speed";
    Error::new(codes::TOO_SLOW, format!("{message}. {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn slow_queries_fail_after_a_while() {
        let limits = SpeedLimits { min_rows: 10, after_seconds: 2.0, ..SpeedLimits::default() };
        assert!(limits.check(SECOND, 1, 1, 0).is_ok());
        assert!(limits.check(3 * SECOND, 30, 1, 0).is_ok());
        let error = limits.check(3 * SECOND, 29, 1, 0).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), codes::TOO_SLOW);
        let limits = SpeedLimits { min_bytes: 10, ..SpeedLimits::default() };
        assert!(limits.check(3 * SECOND, 0, 29, 0).is_err());
    }

    #[test]
    fn what_will_take_too_long_fails() {
        let limits = SpeedLimits { max_estimated_seconds: 10.0, ..SpeedLimits::default() };
        assert!(limits.check(SECOND, 10, 0, 100).is_ok());
        assert!(limits.check(SECOND, 10, 0, 101).is_err());
        assert!(limits.check(SECOND, 10, 0, 0).is_ok());
    }

    #[test]
    fn fast_queries_wait() {
        let limits = SpeedLimits { max_rows: 100, max_bytes: 1000, ..SpeedLimits::default() };
        assert_eq!(limits.check(SECOND, 100, 1000, 0).unwrap(), Duration::ZERO);
        assert_eq!(limits.check(SECOND, 200, 1000, 0).unwrap(), SECOND);
        assert_eq!(limits.check(SECOND, 200, 4000, 0).unwrap(), 3 * SECOND);
        assert!(SpeedLimits::default().is_none() && !limits.is_none());
    }
}
