//! AES: `encrypt`, `decrypt`, `tryDecrypt`, and the two that fold keys like MySQL.
//!
//! The library provides the block cipher and GCM; the other modes are a few lines over blocks.

use aes_gcm::AesGcm;
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::aes::cipher::consts::U12;
use aes_gcm::aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes_gcm::aes::{Aes128, Aes192, Aes256};
use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column, StringsBuilder};
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionDef, Nulls};
use entasis_function_kernel::text::{Text, constant_string, expect_string, finish};

const BLOCK: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Ecb,
    Cbc,
    Ofb,
    Ctr,
    Gcm,
}

/// `aes-128-ecb` taken apart: bytes of the key, and the mode.
fn parse_mode(function: &str, arg: &Arg) -> Result<(usize, Mode)> {
    let text = constant_string(function, arg, "The mode")?;
    let text = String::from_utf8_lossy(text);
    let mut parts = text.split('-');
    let bits = match (parts.next(), parts.next()) {
        (Some("aes"), Some("128")) => Some(16),
        (Some("aes"), Some("192")) => Some(24),
        (Some("aes"), Some("256")) => Some(32),
        _ => None,
    };
    let mode = match (parts.next(), parts.next()) {
        (Some("ecb"), None) => Some(Mode::Ecb),
        (Some("cbc"), None) => Some(Mode::Cbc),
        (Some("ofb"), None) => Some(Mode::Ofb),
        (Some("ctr"), None) => Some(Mode::Ctr),
        (Some("gcm"), None) => Some(Mode::Gcm),
        _ => None,
    };
    bits.zip(mode).ok_or_else(|| {
        bad(format!("Invalid mode: {text}. Modes are aes-{{128,192,256}}-{{ecb,cbc,ofb,ctr,gcm}}"))
    })
}

#[cold]
fn bad(message: String) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// A key at work.
enum Cipher {
    Short(Box<Aes128>),
    Middle(Box<Aes192>),
    Long(Box<Aes256>),
}

impl Cipher {
    fn new(key: &[u8]) -> Result<Self> {
        let wrong = |_| bad(format!("Invalid key size: {}", key.len()));
        Ok(match key.len() {
            16 => Self::Short(Box::new(Aes128::new_from_slice(key).map_err(wrong)?)),
            24 => Self::Middle(Box::new(Aes192::new_from_slice(key).map_err(wrong)?)),
            _ => Self::Long(Box::new(Aes256::new_from_slice(key).map_err(wrong)?)),
        })
    }

    fn encrypt(&self, bytes: [u8; BLOCK]) -> [u8; BLOCK] {
        let mut block = Block::<Aes128>::from(bytes);
        match self {
            Self::Short(aes) => aes.encrypt_block(&mut block),
            Self::Middle(aes) => aes.encrypt_block(&mut block),
            Self::Long(aes) => aes.encrypt_block(&mut block),
        }
        block.into()
    }

    fn decrypt(&self, bytes: [u8; BLOCK]) -> [u8; BLOCK] {
        let mut block = Block::<Aes128>::from(bytes);
        match self {
            Self::Short(aes) => aes.decrypt_block(&mut block),
            Self::Middle(aes) => aes.decrypt_block(&mut block),
            Self::Long(aes) => aes.decrypt_block(&mut block),
        }
        block.into()
    }
}

fn xor(a: [u8; BLOCK], b: &[u8]) -> [u8; BLOCK] {
    std::array::from_fn(|i| a[i] ^ b.get(i).copied().unwrap_or(0))
}

/// ECB and CBC: whole blocks, the last one padded with as many bytes as its padding has.
fn encrypt_blocks(cipher: &Cipher, chain: Option<[u8; BLOCK]>, text: &[u8]) -> Vec<u8> {
    let pad = BLOCK - text.len() % BLOCK;
    let padded = [text, &vec![pad as u8; pad]].concat();
    let mut last = chain;
    let mut out = Vec::with_capacity(padded.len());
    for block in padded.chunks_exact(BLOCK) {
        let sealed = cipher.encrypt(xor(last.unwrap_or_default(), block));
        last = last.map(|_| sealed);
        out.extend_from_slice(&sealed);
    }
    out
}

fn decrypt_blocks(cipher: &Cipher, chain: Option<[u8; BLOCK]>, text: &[u8]) -> Result<Vec<u8>> {
    let wrong =
        |what: &str| Err(Error::new(codes::OPENSSL_ERROR, format!("Cannot decrypt: {what}")));
    if text.is_empty() || !text.len().is_multiple_of(BLOCK) {
        return wrong(&format!("{} bytes are no whole number of blocks of {BLOCK}", text.len()));
    }
    let mut last = chain;
    let mut out = Vec::with_capacity(text.len());
    for block in text.chunks_exact(BLOCK) {
        let sealed = xor([0; BLOCK], block);
        out.extend_from_slice(&xor(cipher.decrypt(sealed), &last.unwrap_or_default()));
        last = last.map(|_| sealed);
    }
    let pad = usize::from(out.last().copied().unwrap_or(0));
    let end = out.len().saturating_sub(pad);
    if pad == 0 || pad > BLOCK || out[end..].iter().any(|b| usize::from(*b) != pad) {
        return wrong("the padding is wrong, so the key or the mode is");
    }
    out.truncate(end);
    Ok(out)
}

/// OFB and CTR: the text and a stream of bytes, laid over one another; both ways the same.
fn stream(cipher: &Cipher, mode: Mode, start: [u8; BLOCK], text: &[u8]) -> Vec<u8> {
    let mut register = start;
    let mut out = Vec::with_capacity(text.len());
    for block in text.chunks(BLOCK) {
        let pad = cipher.encrypt(register);
        register = match mode {
            Mode::Ofb => pad,
            _ => u128::from_be_bytes(register).wrapping_add(1).to_be_bytes(),
        };
        out.extend_from_slice(&xor(pad, block)[..block.len()]);
    }
    out
}

fn gcm(key: &[u8], iv: &[u8], aad: &[u8], text: &[u8], seal: bool) -> Result<Vec<u8>> {
    fn run<A: Aead + KeyInit>(
        key: &[u8],
        nonce: &[u8; 12],
        payload: Payload<'_, '_>,
        seal: bool,
    ) -> Option<Vec<u8>>
    where
        for<'n> &'n aes_gcm::aead::Nonce<A>: TryFrom<&'n [u8]>,
    {
        let aes = A::new_from_slice(key).ok()?;
        let nonce = <&aes_gcm::aead::Nonce<A>>::try_from(&nonce[..]).ok()?;
        if seal { aes.encrypt(nonce, payload).ok() } else { aes.decrypt(nonce, payload).ok() }
    }
    if iv.is_empty() {
        return Err(bad("Invalid IV size 0 != expected size 12".to_string()));
    }
    let Ok(nonce) = <&[u8; 12]>::try_from(iv) else {
        return Err(Error::not_implemented("GCM with an IV of another size than 12 bytes"));
    };
    if !seal && text.len() < BLOCK {
        let message = "Encrypted data is smaller than the tag of GCM, cannot decrypt";
        return Err(bad(message.to_string()));
    }
    let payload = Payload { msg: text, aad };
    let done = match key.len() {
        16 => run::<AesGcm<Aes128, U12>>(key, nonce, payload, seal),
        24 => run::<AesGcm<Aes192, U12>>(key, nonce, payload, seal),
        _ => run::<AesGcm<Aes256, U12>>(key, nonce, payload, seal),
    };
    done.ok_or_else(|| {
        Error::new(codes::OPENSSL_ERROR, "Cannot decrypt: key, IV or additional data do not fit")
    })
}

/// What all calls of one function share.
#[derive(Clone, Copy, Debug)]
struct Call {
    key_size: usize,
    mode: Mode,
    seal: bool,
    /// Keys and IVs that are too long are folded or cut.
    mysql: bool,
}

impl Call {
    fn key(&self, key: &[u8]) -> Result<Vec<u8>> {
        let size = self.key_size;
        if key.len() != size && !(self.mysql && key.len() > size) {
            return Err(bad(format!("Invalid key size: {} expected {size}", key.len())));
        }
        let mut folded = key[..size].to_vec();
        key[size..].iter().enumerate().for_each(|(i, byte)| folded[i % size] ^= byte);
        Ok(folded)
    }

    /// The start of the chain: zeros where none is given.
    fn chain(&self, iv: &[u8]) -> Result<[u8; BLOCK]> {
        let iv = if self.mysql && iv.len() > BLOCK { &iv[..BLOCK] } else { iv };
        match iv.len() {
            0 => Ok([0; BLOCK]),
            BLOCK => Ok(xor([0; BLOCK], iv)),
            len => Err(bad(format!("Invalid IV size: {len} expected {BLOCK}"))),
        }
    }

    fn run(&self, text: &[u8], key: &[u8], iv: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
        let key = self.key(key)?;
        if self.mode == Mode::Gcm {
            return gcm(&key, iv, aad, text, self.seal);
        }
        let cipher = Cipher::new(&key)?;
        let chain = match self.mode {
            Mode::Ecb => None,
            _ => Some(self.chain(iv)?),
        };
        match (self.mode, self.seal) {
            (Mode::Ecb | Mode::Cbc, true) => Ok(encrypt_blocks(&cipher, chain, text)),
            (Mode::Ecb | Mode::Cbc, false) => decrypt_blocks(&cipher, chain, text),
            (mode, _) => Ok(stream(&cipher, mode, chain.unwrap_or_default(), text)),
        }
    }
}

fn bind(
    name: &'static str,
    args: &[Arg],
    (seal, mysql, may_fail): (bool, bool, bool),
) -> Result<BoundKernel> {
    let (key_size, mode) = parse_mode(name, &args[0])?;
    args[1..].iter().try_for_each(|a| expect_string(name, a))?;
    if mysql && matches!(mode, Mode::Gcm | Mode::Ctr) {
        return Err(bad("Unsupported cipher mode".to_string()));
    }
    if mode == Mode::Ecb && args.len() > 3 {
        return Err(bad("A mode of ECB does not support IV".to_string()));
    }
    if mode != Mode::Gcm && args.len() > 4 {
        return Err(bad("Additional data can be given for modes of GCM only".to_string()));
    }
    let call = Call { key_size, mode, seal, mysql };
    let ty = DataType::String;
    let ty = if may_fail { DataType::nullable(ty) } else { ty };
    Ok(BoundKernel::new(ty, move |args, rows| {
        let texts = args[1..].iter().map(Text::of).collect::<Result<Vec<_>>>()?;
        let get = |at: usize, row: usize| texts.get(at).map_or(&b""[..], |text| text.get(row));
        let mut out = StringsBuilder::with_capacity(rows, texts[0].bytes(rows) + rows * BLOCK);
        let mut known = Vec::with_capacity(rows);
        for row in 0..rows {
            let done = call.run(get(0, row), get(1, row), get(2, row), get(3, row));
            known.push(u8::from(done.is_ok()));
            match done {
                Err(error) if !may_fail => return Err(error),
                done => out.push(&done.unwrap_or_default()),
            }
        }
        let column = finish(out)?;
        Ok(if may_fail { Column::nullable(column, Bitmap::from_bytes(&known)) } else { column })
    }))
}

const CIPHER: FunctionDef =
    FunctionDef { arity: (3, 5), nulls: Nulls::PropagateStrict, ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "encrypt",
        description: "Encrypts a text with AES: encrypt(mode, text, key[, IV[, additional data]]).",
        examples: &[(
            "hex(encrypt('aes-128-ecb', 'text', repeat('k', 16)))",
            "A435CEE93679D48E0D00C8E705B9CA43",
        )],
        bind: |a, _| bind("encrypt", a, (true, false, false)),
        ..CIPHER
    },
    FunctionDef {
        name: "decrypt",
        description: "Decrypts what `encrypt` has encrypted, with the same arguments.",
        examples: &[(
            "decrypt('aes-128-ctr', encrypt('aes-128-ctr', 'text', repeat('k', 16)), repeat('k', 16))",
            "text",
        )],
        bind: |a, _| bind("decrypt", a, (false, false, false)),
        ..CIPHER
    },
    FunctionDef {
        name: "tryDecrypt",
        description: "Like `decrypt`, but returns NULL where decrypting fails.",
        examples: &[("tryDecrypt('aes-128-ecb', 'x', repeat('k', 16))", "ᴺᵁᴸᴸ")],
        bind: |a, _| bind("tryDecrypt", a, (false, false, true)),
        ..CIPHER
    },
    FunctionDef {
        name: "aes_encrypt_mysql",
        description: "Like `encrypt`, but longer keys are folded as MySQL folds them.",
        examples: &[],
        arity: (3, 4),
        bind: |a, _| bind("aes_encrypt_mysql", a, (true, true, false)),
        ..CIPHER
    },
    FunctionDef {
        name: "aes_decrypt_mysql",
        description: "Like `decrypt`, but longer keys are folded as MySQL folds them.",
        examples: &[],
        arity: (3, 4),
        bind: |a, _| bind("aes_decrypt_mysql", a, (false, true, false)),
        ..CIPHER
    },
];
