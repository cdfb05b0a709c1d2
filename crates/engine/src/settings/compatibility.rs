//! Defaults of former versions (`compatibility`): what settings were before a version changed them.

use entasis_base::{Error, Result, codes};
use entasis_types::Value;

use super::Settings;
use super::table::{self, Effect};

/// Lines of name, version and the default before that version, by name and then by version.
const CHANGES: &str = include_str!("compatibility.tsv");

/// Year and number of a version.
type Version = (u32, u32);

fn version(text: &str) -> Option<Version> {
    let mut parts = text.split('.').map(|part| part.parse::<u32>().ok());
    let version = (parts.next()??, parts.next()??);
    parts.all(|part| part.is_some()).then_some(version)
}

/// The defaults as of a version, by place, where they differ from today's; none for an empty text.
/// Fails if a setting that Entasis refuses would have another default.
fn defaults(text: &str) -> Result<Vec<(usize, Value)>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = version(text).ok_or_else(|| {
        let message = format!("Version string must be in form '23.8', not '{text}'");
        Error::new(codes::BAD_ARGUMENTS, message)
    })?;
    let (mut found, mut refused): (Vec<(usize, Value)>, Vec<String>) = (Vec::new(), Vec::new());
    for line in CHANGES.lines() {
        let mut columns = line.split('\t');
        let (Some(name), Some(since), Some(before)) =
            (columns.next(), columns.next().and_then(version), columns.next())
        else {
            continue;
        };
        let Some((known, place)) = table::find(name).filter(|_| since > wanted) else { continue };
        if matches!(known.effect, Effect::None | Effect::Obsolete)
            || found.iter().any(|(at, _)| *at == place)
        {
            continue;
        }
        let Ok(value) = known.kind.parse(before) else { continue };
        match known.check(&value) {
            Ok(()) => found.push((place, value)),
            Err(_) => refused.push(format!("{name} = {before}")),
        }
    }
    if refused.is_empty() {
        return Ok(found);
    }
    refused.dedup();
    Err(Error::new(
        codes::NOT_IMPLEMENTED,
        format!(
            "compatibility = '{text}' would need settings that Entasis refuses: {}. Set those \
             that matter one by one",
            refused.join(", ")
        ),
    ))
}

impl Settings {
    /// Takes the defaults of the version that `compatibility` names.
    pub(super) fn take_defaults(&mut self, value: &Value) -> Result<()> {
        let text = String::from_utf8_lossy(value.as_bytes().unwrap_or_default()).into_owned();
        self.compatible = std::sync::Arc::new(defaults(&text)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_has_the_default_before_the_first_later_change() {
        let of = |text: &str, name: &str| {
            let place = table::find(name).unwrap().1;
            defaults(text).unwrap().into_iter().find(|(at, _)| *at == place).map(|(_, v)| v)
        };
        assert_eq!(of("26.9", "network_compression_method"), None);
        assert_eq!(of("26.8", "network_compression_method"), Some(Value::from("LZ4")));
        assert!(defaults("").unwrap().is_empty());
        assert_eq!(defaults("x").unwrap_err().code(), codes::BAD_ARGUMENTS);
        let refused = defaults("24.1").unwrap_err();
        assert_eq!(refused.code(), codes::NOT_IMPLEMENTED);
        assert!(refused.message().contains("allow_special_bool_values_inside_variant = 1"));
    }

    #[test]
    fn what_is_set_stays() {
        let mut settings = Settings::default();
        settings.set_text("optimize_on_insert", "1").unwrap();
        settings.set_text("compatibility", "26.8").unwrap();
        let method = |settings: &Settings| settings.by_name("network_compression_method");
        assert_eq!(method(&settings), Some(Value::from("LZ4")));
        settings.set_text("network_compression_method", "ZSTD").unwrap();
        assert_eq!(method(&settings), Some(Value::from("ZSTD")));
        settings.reset("compatibility").unwrap();
        settings.reset("network_compression_method").unwrap();
        assert_eq!(settings.by_name("compatibility"), Some(Value::from("")));
    }
}
