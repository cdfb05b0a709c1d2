//! Passwords: their forms in the configuration, and how the password of a request is checked.
//!
//! `password_hash` is an Argon2id hash in PHC form, which is salted and intentionally slow (RFC
//! 9106; `entasis hash-password` makes one). HTTP sends the password with every request. An account
//! therefore remembers a keyed digest of the last correct password, and comparing a later request
//! with it takes a microsecond. Plain passwords and SHA-256 digests are supported as well.

use std::sync::{Mutex, OnceLock};

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};
use sha2::{Digest as _, Sha256};

use crate::config::User;

type Digest = [u8; 32];

/// The secret with which a user's password is compared.
pub(crate) enum Secret {
    /// The user has no password; only an empty one is correct.
    Open,
    /// The SHA-256 of the password.
    Sha256(Digest),
    /// A slow hash, and a quick digest of the last correct password.
    Argon2 { hash: String, known: Mutex<Option<Digest>> },
}

impl Secret {
    /// The secret that the configuration gives to a user.
    pub(crate) fn of(user: &User) -> Self {
        if let Some(hash) = &user.password_hash {
            return Self::Argon2 { hash: hash.clone(), known: Mutex::default() };
        }
        let hashed = user.password_sha256_hex.as_deref().and_then(digest_of_hex);
        let digest = user.password.as_deref().map(|text| digest_of(&[text.as_bytes()])).or(hashed);
        digest.map_or(Self::Open, Self::Sha256)
    }

    /// Whether the password is correct. With a slow hash, the first correct password and every
    /// wrong one take about 20 ms of the calling thread.
    pub(crate) fn matches(&self, password: &str) -> bool {
        match self {
            Self::Open => password.is_empty(),
            Self::Sha256(digest) => same(digest, &digest_of(&[password.as_bytes()])),
            Self::Argon2 { hash, known } => {
                let quick = digest_of(&[process_key(), password.as_bytes()]);
                if lock(known).is_some_and(|known| same(&known, &quick)) {
                    return true;
                }
                let is_right = PasswordHash::new(hash).is_ok_and(|hash| {
                    Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
                });
                if is_right {
                    *lock(known) = Some(quick);
                }
                is_right
            }
        }
    }

    /// Whether checking a password may take long.
    pub(crate) fn is_slow(&self) -> bool {
        matches!(self, Self::Argon2 { .. })
    }
}

/// A hash of a password with a salt of its own, for `password_hash`.
pub fn hash_password(password: &str) -> Result<String> {
    if password.is_empty() {
        return Err(Error::new(codes::BAD_ARGUMENTS, "An empty password: type one, then Enter"));
    }
    let hash = Argon2::default().hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string())
        .map_err(|e| Error::new(codes::OPENSSL_ERROR, format!("Cannot hash the password: {e}")))
}

/// Whether a text is a hash that [`Secret::matches`] understands.
pub(crate) fn is_hash(text: &str) -> bool {
    PasswordHash::new(text).is_ok_and(|hash| hash.algorithm.as_str().starts_with("argon2"))
}

/// The SHA-256 that 64 hexadecimal digits stand for.
pub(crate) fn digest_of_hex(hex: &str) -> Option<Digest> {
    let mut digest = [0; 32];
    if hex.len() != 64 || !hex.is_ascii() {
        return None;
    }
    for (i, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(digest)
}

fn digest_of(parts: &[&[u8]]) -> Digest {
    let mut hasher = Sha256::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize().into()
}

/// A text that is different in each process, so that remembered digests are useless outside of it.
fn process_key() -> &'static [u8] {
    static KEY: OnceLock<String> = OnceLock::new();
    KEY.get_or_init(entasis_engine::new_query_id).as_bytes()
}

/// Compares digests in a time that does not depend on where they differ.
fn same(a: &Digest, b: &Digest) -> bool {
    a.iter().zip(b).fold(0, |difference, (x, y)| difference | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_salted_and_knows_its_password() {
        let (first, second) = (hash_password("x").unwrap(), hash_password("x").unwrap());
        assert!(first != second && is_hash(&first) && !is_hash("x"));
        let secret = Secret::of(&User { password_hash: Some(first), ..User::default() });
        for _ in 0..2 {
            assert!(secret.matches("x") && !secret.matches("y") && !secret.matches(""));
        }
        assert!(hash_password("").is_err());
    }

    #[test]
    fn without_a_password_only_an_empty_one_is_right() {
        let secret = Secret::of(&User::default());
        assert!(secret.matches("") && !secret.matches("x"));
    }
}
