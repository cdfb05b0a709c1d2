//! The keys of the codecs of encryption in the configuration: `[encryption_codecs.NAME]`.
//!
//! ```toml
//! [encryption_codecs.aes_128_gcm_siv]
//! key_hex = "00112233445566778899aabbccddeeff"
//!
//! [encryption_codecs.aes_256_gcm_siv]
//! key_hex = { 1 = "<64 digits>", 2 = { from_env = "COLUMN_KEY" } }
//! current_key_id = 2
//! nonce_hex = "000102030405060708090a0b"
//! ```

use std::collections::BTreeMap;

use entasis_base::{Error, Result, codes};
use entasis_codec::encryption::{self, Cipher, CipherKeys};
use serde::Deserialize;

/// The keys of all codecs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EncryptionCodecs {
    /// The keys of `AES_128_GCM_SIV`.
    pub aes_128_gcm_siv: Option<CodecKeys>,
    /// The keys of `AES_256_GCM_SIV`.
    pub aes_256_gcm_siv: Option<CodecKeys>,
}

/// The keys of one codec.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CodecKeys {
    /// A key as text, or keys by their ids. A single key has the id 0.
    pub key: Option<Keys>,
    /// A key in hexadecimal digits, or keys by their ids.
    pub key_hex: Option<Keys>,
    /// The key with which new data are encrypted; needed if there are several.
    pub current_key_id: Option<u64>,
    /// The nonce as text.
    pub nonce: Option<Secret>,
    /// The nonce in hexadecimal digits.
    pub nonce_hex: Option<Secret>,
}

/// Keys are not shown.
impl std::fmt::Debug for CodecKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodecKeys")
            .field("current_key_id", &self.current_key_id)
            .finish_non_exhaustive()
    }
}

/// One key, or several under their ids.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub enum Keys {
    /// The key with the id 0.
    One(Secret),
    /// Keys by their ids.
    Several(BTreeMap<String, Secret>),
}

/// A text in the configuration, or in a variable of the environment.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub enum Secret {
    /// The text itself.
    Text(String),
    /// The variable that has the text.
    Variable(Variable),
}

/// A variable of the environment.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// Its name.
    pub from_env: String,
}

impl Secret {
    fn bytes(&self, is_hex: bool) -> Result<Vec<u8>> {
        let text = match self {
            Self::Text(text) => text.clone(),
            Self::Variable(Variable { from_env }) => std::env::var(from_env)
                .map_err(|_| bad(format!("The environment has no variable {from_env}")))?,
        };
        if !is_hex {
            return Ok(text.into_bytes());
        }
        let digits: Option<Vec<u8>> =
            text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
        match digits {
            Some(digits) if digits.len().is_multiple_of(2) => {
                Ok(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
            }
            _ => Err(bad("It is not an even number of hexadecimal digits".into())),
        }
    }
}

#[cold]
fn bad(message: String) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message)
}

impl CodecKeys {
    fn keys(&self, cipher: Cipher) -> Result<CipherKeys> {
        let mut all = BTreeMap::new();
        for (keys, is_hex) in [(&self.key, false), (&self.key_hex, true)] {
            let Some(keys) = keys else { continue };
            let several = match keys {
                Keys::One(secret) => vec![(0, secret)],
                Keys::Several(several) => several
                    .iter()
                    .map(|(id, secret)| {
                        let id = id.parse();
                        Ok((id.map_err(|_| bad("Ids of keys are numbers".into()))?, secret))
                    })
                    .collect::<Result<_>>()?,
            };
            for (id, secret) in several {
                if all.insert(id, secret.bytes(is_hex)?).is_some() {
                    return Err(bad(format!("Multiple keys have the same id {id}")));
                }
            }
        }
        if all.is_empty() {
            return Err(bad("There is neither key nor key_hex".into()));
        }
        let nonce = match (&self.nonce, &self.nonce_hex) {
            (Some(nonce), None) => Some(nonce.bytes(false)?),
            (None, Some(nonce)) => Some(nonce.bytes(true)?),
            (None, None) => None,
            (Some(_), Some(_)) => return Err(bad("Give either nonce or nonce_hex".into())),
        };
        CipherKeys::new(cipher, all, self.current_key_id, nonce.as_deref())
    }
}

impl EncryptionCodecs {
    /// Gives the process these keys.
    pub fn install(&self) -> Result<()> {
        let of = [&self.aes_128_gcm_siv, &self.aes_256_gcm_siv];
        for (cipher, keys) in Cipher::ALL.into_iter().zip(of) {
            let Some(keys) = keys else { continue };
            let section = format!("[encryption_codecs.{}]", cipher.name().to_lowercase());
            encryption::install(cipher, keys.keys(cipher).map_err(|e| e.context(section))?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    fn keys(text: &str) -> Result<String> {
        let text = format!("[encryption_codecs.aes_128_gcm_siv]\n{text}");
        let config = Config::parse(&text)?.encryption_codecs;
        let keys = config.aes_128_gcm_siv.unwrap_or_default();
        keys.keys(Cipher::Aes128GcmSiv).map(|keys| format!("{keys:?}"))
    }

    #[test]
    fn one_key_or_several_are_read_and_not_shown() {
        let hex = "00112233445566778899aabbccddeeff";
        let one = keys(&format!("key_hex = '{hex}'")).unwrap();
        assert_eq!(one, "CipherKeys { ids: [0], current: 0, .. }");
        let text = format!(
            "key_hex = {{ 1 = '{hex}', 7 = '{hex}' }}\nkey = {{ 3 = '0123456789abcdef' }}\n\
             current_key_id = 7\nnonce_hex = '000102030405060708090a0b'"
        );
        assert_eq!(keys(&text).unwrap(), "CipherKeys { ids: [1, 3, 7], current: 7, .. }");
        for wrong in [
            "",
            "key_hex = '001'",
            "key_hex = 'zz112233445566778899aabbccddeeff'",
            "key = 'short'",
            "key = '0123456789abcdef'\ncurrent_key_id = 5",
            "key = '0123456789abcdef'\nnonce = 'short'",
            "key = { from_env = 'ENTASIS_NO_SUCH_VARIABLE' }",
            "key = { a = '0123456789abcdef' }",
            "kye = '0123456789abcdef'",
        ] {
            let error = keys(wrong).unwrap_err();
            assert!(!error.message().contains(hex), "{wrong}");
        }
    }
}
