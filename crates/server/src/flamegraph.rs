//! `/flamegraph?query_id=...&type=CPU|Real|Memory`: where a statement spent its time, as a picture.
//! With `&against=...` the difference of two.

use entasis_base::{Error, Result, codes};
use entasis_engine::{ProfileKind, Session};

use crate::request::Parameters;

/// The page may only draw, and may load nothing.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src \
                                 'unsafe-inline'; img-src data:; base-uri 'none'; form-action \
                                 'none'; frame-ancestors 'none'";

/// The page for the parameters of the URL.
pub(crate) fn answer(session: &mut Session, parameters: &Parameters) -> Result<String> {
    let query_id = parameters.last("query_id").filter(|id| !id.is_empty()).ok_or_else(|| {
        let message = "Which statement? Ask /flamegraph?query_id=...&type=CPU (or Real, Memory)";
        Error::new(codes::BAD_ARGUMENTS, message)
    })?;
    let kind = ProfileKind::parse(parameters.last("type").unwrap_or("CPU"))?;
    let against = parameters.last("against").filter(|id| !id.is_empty());
    session.flamegraph(query_id, against, kind)
}
