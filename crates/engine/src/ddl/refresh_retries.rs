//! When a refresh that failed is tried again: after a pause that doubles with each failure.

use std::time::Duration;

use entasis_sql::ast::{ExprKind, Literal, Refresh};

/// How many refreshes follow one that failed, and the least and the longest pause in milliseconds:
/// the settings of a view, and their defaults.
const SETTINGS: [(&str, i64); 3] = [
    ("refresh_retries", 2),
    ("refresh_retry_initial_backoff_ms", 100),
    ("refresh_retry_max_backoff_ms", 60_000),
];

/// The pause after this many failures in a row; `None` if there are none, or if the view waits for
/// its next regular time.
pub(super) fn pause(refresh: &Refresh, failures: u64) -> Option<Duration> {
    let [retries, least, most] = SETTINGS.map(|(name, default)| value(refresh, name, default));
    if failures == 0 || retries >= 0 && failures > retries as u64 {
        return None;
    }
    let doubled = (least.max(1) as u64).saturating_mul(1 << (failures - 1).min(40));
    Some(Duration::from_millis(doubled.min(most.max(1) as u64)))
}

fn value(refresh: &Refresh, name: &str, default: i64) -> i64 {
    let given = refresh.settings.iter().rev().find(|setting| setting.name.as_str() == name);
    match given.and_then(|setting| setting.value.as_ref()).map(|expr| &expr.kind) {
        Some(ExprKind::Literal(Literal::UInt(number))) => i64::try_from(*number).unwrap_or(default),
        Some(ExprKind::Literal(Literal::Int(number))) => *number,
        _ => default,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_sql::ast::{Expr, SettingChange};

    #[test]
    fn pauses_double_until_the_retries_are_used_up() {
        let set = |name: &str, value: Literal| SettingChange {
            name: name.to_owned(),
            value: Some(Expr::new(ExprKind::Literal(value), entasis_base::Position::default())),
        };
        let mut refresh = Refresh::default();
        let ms = |refresh: &Refresh, failures| pause(refresh, failures).map(|p| p.as_millis());
        let pauses = |refresh: &Refresh| [0, 1, 2, 3, 4].map(|failures| ms(refresh, failures));
        assert_eq!(pauses(&refresh), [None, Some(100), Some(200), None, None]);
        refresh.settings = vec![
            set("refresh_retries", Literal::Int(-1)),
            set("refresh_retry_initial_backoff_ms", Literal::UInt(10)),
            set("refresh_retry_max_backoff_ms", Literal::UInt(25)),
        ];
        assert_eq!(pauses(&refresh), [None, Some(10), Some(20), Some(25), Some(25)]);
        refresh.settings = vec![set("refresh_retries", Literal::UInt(0))];
        assert_eq!(ms(&refresh, 1), None);
    }
}
