//! The time zone of a table.
//!
//! Keys and defaults may depend on a time zone: `toDate(t)` of a DateTime whose type names none.
//! Rows are sorted, and distributed over partitions, by keys in the zone of the session that
//! created the table. Every later process must compute the same keys, whatever its own zone is, so
//! the stored definition contains the zone, as the setting `session_timezone`. The reference does
//! not show it, and neither do SHOW CREATE and `system.tables`.
//!
//! Tables that were created before the zone was stored have the zone of the server.

use entasis_base::{Error, Position, Result, codes};
use entasis_sql::ast;
use entasis_types::TimeZone;

const NAME: &str = "session_timezone";

/// Adds the zone to a definition that is about to be stored.
pub(super) fn put(create: &mut ast::CreateTable, zone: TimeZone) {
    let name = ast::ExprKind::Literal(ast::Literal::String(zone.name().into()));
    let value = Some(ast::Expr::new(name, Position::default()));
    create.storage.settings.push(ast::SettingChange { name: NAME.into(), value });
}

/// Takes the zone out of a stored definition; `None` if it contains none.
pub(crate) fn take(create: &mut ast::CreateTable) -> Result<Option<TimeZone>> {
    let settings = &mut create.storage.settings;
    let Some(place) = settings.iter().position(|setting| setting.name == NAME) else {
        return Ok(None);
    };
    match settings.remove(place).value.as_ref().and_then(ast::Expr::as_literal) {
        Some(ast::Literal::String(name)) => TimeZone::get(&String::from_utf8_lossy(name)).map(Some),
        _ => {
            let message = "The time zone in a stored definition is not a name";
            Err(Error::new(codes::CORRUPTED_DATA, message))
        }
    }
}
