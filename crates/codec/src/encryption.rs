//! Encryption of blocks with AES-GCM-SIV (RFC 8452), and the keys of the process.
//!
//! Payload of an encrypted block: id of the key (u64, little-endian), nonce (12 bytes), ciphertext,
//! tag (16 bytes). What the header says of the values is authenticated with it. The header itself
//! stays readable, so that blocks are found and their checksums verified without a key.
//!
//! The keys belong to the process, because blocks are decoded in many places that know nothing of a
//! configuration. Invariants: nothing is encrypted without a key; the same key, nonce and content
//! give the same bytes, so that encoding stays deterministic. This mode of AES keeps its promises
//! with a nonce that is used again: it then only shows which blocks are equal.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use aes_gcm_siv::aead::{Aead, KeyInit, Payload};
use aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv, Nonce};
use entasis_base::{Error, Result, codes};

const NONCE_LEN: usize = 12;

/// A way to encrypt blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cipher {
    /// AES-128 in GCM-SIV mode.
    Aes128GcmSiv,
    /// AES-256 in GCM-SIV mode.
    Aes256GcmSiv,
}

impl Cipher {
    /// All ciphers.
    pub const ALL: [Self; 2] = [Self::Aes128GcmSiv, Self::Aes256GcmSiv];

    /// The name of the codec.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aes128GcmSiv => "AES_128_GCM_SIV",
            Self::Aes256GcmSiv => "AES_256_GCM_SIV",
        }
    }

    /// The length of a key in bytes.
    pub fn key_len(self) -> usize {
        match self {
            Self::Aes128GcmSiv => 16,
            Self::Aes256GcmSiv => 32,
        }
    }

    /// The number in the header of a block; 0 means no cipher.
    fn tag(this: Option<Self>) -> u8 {
        match this {
            None => 0,
            Some(Self::Aes128GcmSiv) => 1,
            Some(Self::Aes256GcmSiv) => 2,
        }
    }

    fn from_tag(tag: u8) -> Result<Option<Self>> {
        match tag {
            0 => Ok(None),
            1 => Ok(Some(Self::Aes128GcmSiv)),
            2 => Ok(Some(Self::Aes256GcmSiv)),
            _ => Err(Error::new(
                codes::UNKNOWN_COMPRESSION_METHOD,
                format!("Unknown cipher {tag} in a block"),
            )),
        }
    }

    fn seal(self, key: &[u8], nonce: &[u8; NONCE_LEN], payload: Payload) -> Option<Vec<u8>> {
        let nonce = Nonce::from(*nonce);
        match self {
            Self::Aes128GcmSiv => Aes128GcmSiv::new_from_slice(key).ok()?.encrypt(&nonce, payload),
            Self::Aes256GcmSiv => Aes256GcmSiv::new_from_slice(key).ok()?.encrypt(&nonce, payload),
        }
        .ok()
    }

    fn open(self, key: &[u8], nonce: &[u8; NONCE_LEN], payload: Payload) -> Option<Vec<u8>> {
        let nonce = Nonce::from(*nonce);
        match self {
            Self::Aes128GcmSiv => Aes128GcmSiv::new_from_slice(key).ok()?.decrypt(&nonce, payload),
            Self::Aes256GcmSiv => Aes256GcmSiv::new_from_slice(key).ok()?.decrypt(&nonce, payload),
        }
        .ok()
    }
}

/// The ciphers of a block in the order in which they are applied; most blocks have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ciphers([Option<Cipher>; 2]);

impl Ciphers {
    /// No encryption.
    pub const NONE: Self = Self([None, None]);

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// These ciphers and another one after them. Fails beyond two.
    pub fn and(self, cipher: Cipher) -> Result<Self> {
        match self.0 {
            [None, _] => Ok(Self([Some(cipher), None])),
            [first, None] => Ok(Self([first, Some(cipher)])),
            _ => Err(Error::not_implemented("More than two codecs of encryption of a column")),
        }
    }

    /// The high four bits of a number in the header of a block.
    pub(crate) fn tag(self) -> u8 {
        Cipher::tag(self.0[0]) << 4 | Cipher::tag(self.0[1]) << 6
    }

    /// The ciphers of [`Self::tag`].
    pub(crate) fn from_tag(tag: u8) -> Result<Self> {
        Ok(Self([Cipher::from_tag(tag >> 4 & 3)?, Cipher::from_tag(tag >> 6)?]))
    }

    /// Replaces `out[from..]` by its encrypted form. `header` is authenticated with it.
    pub(crate) fn encrypt(self, header: &[u8], out: &mut Vec<u8>, from: usize) -> Result<()> {
        for cipher in self.0.into_iter().flatten() {
            let keys = keys_of(cipher)?;
            let key = keys.find(cipher, keys.current)?;
            let payload = Payload { msg: &out[from..], aad: header };
            let sealed = cipher.seal(key, &keys.nonce, payload).ok_or_else(|| {
                Error::new(codes::OPENSSL_ERROR, "A block cannot be encrypted: it is too large")
            })?;
            out.truncate(from);
            out.extend_from_slice(&keys.current.to_le_bytes());
            out.extend_from_slice(&keys.nonce);
            out.extend_from_slice(&sealed);
        }
        Ok(())
    }

    /// The content of an encrypted payload.
    pub(crate) fn decrypt(self, header: &[u8], payload: &[u8]) -> Result<Vec<u8>> {
        let mut content = payload.to_vec();
        for cipher in self.0.into_iter().rev().flatten() {
            let (id, rest) = content.split_first_chunk::<8>().ok_or_else(too_short)?;
            let (nonce, sealed) = rest.split_first_chunk::<NONCE_LEN>().ok_or_else(too_short)?;
            let keys = keys_of(cipher)?;
            let id = u64::from_le_bytes(*id);
            let key = keys.find(cipher, id)?;
            let payload = Payload { msg: sealed, aad: header };
            content = cipher.open(key, nonce, payload).ok_or_else(|| {
                let message = format!(
                    "Failed to decrypt data: key {id} of {} is not the one with which they were \
                     encrypted, or they were changed",
                    cipher.name()
                );
                Error::new(codes::OPENSSL_ERROR, message)
            })?;
        }
        Ok(content)
    }
}

#[cold]
fn too_short() -> Error {
    crate::input::corrupted("an encrypted block is too short")
}

/// The keys of a cipher.
#[derive(Clone)]
pub struct CipherKeys {
    keys: BTreeMap<u64, Vec<u8>>,
    current: u64,
    nonce: [u8; NONCE_LEN],
}

/// Keys are not shown.
impl std::fmt::Debug for CipherKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CipherKeys")
            .field("ids", &self.keys.keys())
            .field("current", &self.current)
            .finish_non_exhaustive()
    }
}

impl CipherKeys {
    /// Checks the lengths of keys and nonce. New blocks are encrypted with the key `current`; the
    /// others decrypt what was written before. Without a nonce, it consists of zeros.
    pub fn new(
        cipher: Cipher,
        keys: BTreeMap<u64, Vec<u8>>,
        current: Option<u64>,
        nonce: Option<&[u8]>,
    ) -> Result<Self> {
        let bad = |message: String| Err(Error::new(codes::BAD_ARGUMENTS, message));
        let (name, wanted) = (cipher.name(), cipher.key_len());
        if let Some((id, key)) = keys.iter().find(|(_, key)| key.len() != wanted) {
            let len = key.len();
            return bad(format!(
                "Got an encryption key {id} with unexpected size {len} for codec \
                                {name}, the size should be {wanted}"
            ));
        }
        let current = match current {
            Some(current) => current,
            None if keys.len() == 1 => keys.keys().next().copied().unwrap_or(0),
            None => return bad(format!("There are several keys of {name}: name current_key_id")),
        };
        if !keys.contains_key(&current) {
            return bad(format!("Not found a key with the current id {current} for {name}"));
        }
        let nonce = match nonce {
            None => [0; NONCE_LEN],
            Some(nonce) => match <[u8; NONCE_LEN]>::try_from(nonce) {
                Ok(nonce) => nonce,
                Err(_) => {
                    return bad(format!(
                        "Got a nonce with unexpected size {} for codec {name}, the size should be \
                         {NONCE_LEN}",
                        nonce.len()
                    ));
                }
            },
        };
        Ok(Self { keys, current, nonce })
    }

    fn find(&self, cipher: Cipher, id: u64) -> Result<&[u8]> {
        self.keys.get(&id).map(Vec::as_slice).ok_or_else(|| {
            let (name, section) = (cipher.name(), cipher.name().to_lowercase());
            let message = format!(
                "There is no key {id} of {name}: add it to [encryption_codecs.{section}] in the \
                 server's configuration"
            );
            Error::new(codes::BAD_ARGUMENTS, message)
        })
    }
}

/// The keys of each cipher that the process has.
type AllKeys = BTreeMap<Cipher, Arc<CipherKeys>>;

static KEYS: RwLock<AllKeys> = RwLock::new(BTreeMap::new());

/// Gives the process the keys of a cipher, in place of those that it had.
pub fn install(cipher: Cipher, keys: CipherKeys) {
    let mut all = KEYS.write().unwrap_or_else(PoisonError::into_inner);
    all.insert(cipher, Arc::new(keys));
}

fn keys_of(cipher: Cipher) -> Result<Arc<CipherKeys>> {
    let all = KEYS.read().unwrap_or_else(PoisonError::into_inner);
    all.get(&cipher).cloned().ok_or_else(|| {
        let (name, section) = (cipher.name(), cipher.name().to_lowercase());
        let message = format!(
            "Empty params in CompressionCodecEncrypted configuration: codec {name} needs a key, such \
             as key_hex of [encryption_codecs.{section}] in the server's configuration"
        );
        Error::new(codes::BAD_ARGUMENTS, message)
    })
}

/// Whether an error of a block means that its key is missing or is another one. The block itself
/// may be as it was written.
pub fn is_about_keys(error: &Error) -> bool {
    [codes::BAD_ARGUMENTS, codes::OPENSSL_ERROR].contains(&error.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Example of RFC 8452, appendix C.1: 8 bytes of plaintext without additional data.
    #[test]
    fn the_cipher_is_that_of_the_rfc() {
        let key = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let nonce = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let payload = Payload { msg: &[1, 0, 0, 0, 0, 0, 0, 0], aad: &[] };
        let sealed = Cipher::Aes128GcmSiv.seal(&key, &nonce, payload).unwrap();
        let hex: String = sealed.iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(hex, "b5d839330ac7b786578782fff6013b815b287c22493a364c");
    }

    #[test]
    fn keys_have_the_length_of_the_cipher_and_one_of_them_is_current() {
        let keys = |ids: &[u64], len| ids.iter().map(|id| (*id, vec![7; len])).collect();
        let new = |keys, current, nonce: Option<&[u8]>| {
            CipherKeys::new(Cipher::Aes128GcmSiv, keys, current, nonce).map(|k| k.current)
        };
        assert_eq!(new(keys(&[0], 16), None, None).unwrap(), 0);
        assert_eq!(new(keys(&[3, 4], 16), Some(4), Some(&[1; 12])).unwrap(), 4);
        for (keys, current, nonce) in [
            (keys(&[0], 15), None, None),
            (keys(&[1, 2], 16), None, None),
            (keys(&[1], 16), Some(2), None),
            (keys(&[1], 16), None, Some(&[1u8; 11][..])),
        ] {
            assert_eq!(new(keys, current, nonce).unwrap_err().code(), codes::BAD_ARGUMENTS);
        }
    }

    #[test]
    fn both_ciphers_round_trip_and_notice_changes() {
        for cipher in Cipher::ALL {
            let keys = [(5, vec![9; cipher.key_len()])].into();
            install(cipher, CipherKeys::new(cipher, keys, None, None).unwrap());
        }
        let [first, second] = Cipher::ALL;
        let both = Ciphers::NONE.and(first).unwrap().and(second).unwrap();
        assert!(both.and(first).is_err());
        assert_eq!(Ciphers::from_tag(both.tag()).unwrap(), both);
        assert!(Ciphers::from_tag(0x30).is_err());
        let mut out = b"front secret".to_vec();
        both.encrypt(b"header", &mut out, 6).unwrap();
        assert_eq!(out.len(), 12 + 2 * (8 + NONCE_LEN + 16));
        assert_eq!(both.decrypt(b"header", &out[6..]).unwrap(), b"secret");
        let changed = both.decrypt(b"other", &out[6..]).unwrap_err();
        assert_eq!(changed.code(), codes::OPENSSL_ERROR);
        for at in 6..out.len() {
            let mut bad = out[6..].to_vec();
            bad[at - 6] ^= 1;
            assert!(both.decrypt(b"header", &bad).is_err(), "{at}");
        }
        assert!(both.decrypt(b"header", &out[6..20]).is_err());
    }
}
