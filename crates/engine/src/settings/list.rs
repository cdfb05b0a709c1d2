//! The settings that work: a constant and a description for each. The constant is the place of the
//! setting's value.
//!
//! Types and defaults are those of the reference (`query.tsv`), unless a row states its own.

/// A setting that works.
#[derive(Clone, Copy, Debug)]
pub struct SettingDef {
    /// Name of the setting.
    pub name: &'static str,
    /// Type of a setting that the reference does not have; empty for all others.
    pub(in crate::settings) own_type: &'static str,
    /// Default value if it differs from the reference's; empty if it is the same.
    pub(in crate::settings) own_default: &'static str,
    /// What the setting does: one or two sentences for `system.settings`.
    pub description: &'static str,
}

/// A list of settings, whose values lie behind those of the settings in `$before`.
macro_rules! settings {
    (after $before:expr; $(
        $constant:ident, $name:literal $(($($kind:ident)? = $default:literal))?,
        $description:literal;
    )*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($constant),* }
        $(
            #[doc = $description]
            pub const $constant: crate::settings::Setting =
                crate::settings::Setting($before.len() + Index::$constant as usize);
        )*
        /// The settings of this list, in the order of their constants.
        pub(super) const LIST: &[super::SettingDef] = &[$(super::SettingDef {
            name: $name,
            own_type: concat!($($(stringify!($kind))?)?),
            own_default: concat!($($default)?),
            description: $description,
        }),*];
    };
}

mod queries;
mod session;

use queries::LIST as QUERIES;
pub use queries::*;
use session::LIST as SESSION;
pub use session::*;

/// All settings that work, in the order of their constants.
pub const SETTINGS: &[SettingDef] = &joined::<{ QUERIES.len() + SESSION.len() }>();

const fn joined<const N: usize>() -> [SettingDef; N] {
    let mut all = [QUERIES[0]; N];
    let mut at = 1;
    while at < N {
        let behind = at.checked_sub(QUERIES.len());
        all[at] = match behind {
            Some(at) => SESSION[at],
            None => QUERIES[at],
        };
        at += 1;
    }
    all
}
