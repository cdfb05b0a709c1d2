//! AES: `encrypt`, `decrypt`, `tryDecrypt`, and the two that fold keys like MySQL.

use aes_gcm::aead::Payload;
use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column, StringsBuilder};
use entasis_types::DataType;

use super::aes::{BLOCK, Chaining, Cipher, Galois, LANES, Lane};
use entasis_function::{Arg, BoundKernel, FunctionDef, Nulls};
use entasis_function_kernel::text::{Text, constant_string, expect_string, finish};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Blocks(Chaining),
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
        (Some("ecb"), None) => Some(Mode::Blocks(Chaining::Ecb)),
        (Some("cbc"), None) => Some(Mode::Blocks(Chaining::Cbc)),
        (Some("ofb"), None) => Some(Mode::Blocks(Chaining::Ofb)),
        (Some("ctr"), None) => Some(Mode::Blocks(Chaining::Ctr)),
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

/// What all calls of one function share.
#[derive(Clone, Copy, Debug)]
struct Call {
    key_size: usize,
    seal: bool,
    /// Keys and IVs that are too long are folded or cut.
    mysql: bool,
}

impl Call {
    fn key(&self, key: &[u8]) -> Result<Vec<u8>> {
        let size = self.key_size;
        if key.len() != size && !(self.mysql && key.len() > size) {
            return Err(wrong_key(key, size));
        }
        let mut folded = key[..size].to_vec();
        key[size..].iter().enumerate().for_each(|(i, byte)| folded[i % size] ^= byte);
        Ok(folded)
    }

    /// The start of the chain: zeros where none is given.
    fn chain(&self, iv: &[u8]) -> Result<u128> {
        let iv = if self.mysql && iv.len() > BLOCK { &iv[..BLOCK] } else { iv };
        match (iv.len(), <[u8; BLOCK]>::try_from(iv)) {
            (0, _) => Ok(0),
            (_, Ok(iv)) => Ok(u128::from_be_bytes(iv)),
            (len, _) => Err(bad(format!("Invalid IV size: {len} expected {BLOCK}"))),
        }
    }
}

#[cold]
fn no_text(what: &str) -> Error {
    Error::new(codes::OPENSSL_ERROR, format!("Cannot decrypt: {what}"))
}

/// The texts of one call on their way through the cipher: whole blocks, or streams.
struct Blocks {
    call: Call,
    chaining: Chaining,
    /// The key of the rows in the lanes, as it was given, and at work.
    key: Option<(Vec<u8>, Cipher)>,
    lanes: Vec<Lane>,
    out: StringsBuilder,
}

impl Blocks {
    /// Whether texts are whole blocks, the last one filled up with as many bytes as are added.
    fn is_padded(&self) -> bool {
        matches!(self.chaining, Chaining::Ecb | Chaining::Cbc)
    }

    /// Adds a row. If it fails, nothing of the row stays.
    fn add(&mut self, text: &[u8], key: &[u8], iv: &[u8]) -> Result<()> {
        if self.key.as_ref().is_none_or(|(known, _)| known != key) {
            self.flush();
            let folded = self.call.key(key)?;
            let cipher = Cipher::new(&folded).ok_or_else(|| wrong_key(key, folded.len()))?;
            self.key = Some((key.to_vec(), cipher));
        }
        let ecb = self.chaining == Chaining::Ecb;
        let register = if ecb { 0 } else { self.call.chain(iv)? };
        let whole = !text.is_empty() && text.len() % BLOCK == 0;
        if self.is_padded() && !self.call.seal && !whole {
            let len = text.len();
            return Err(no_text(&format!("{len} bytes are no whole number of blocks of {BLOCK}")));
        }
        let at = self.out.data.len();
        self.out.data.extend_from_slice(text);
        if self.is_padded() && self.call.seal {
            let pad = BLOCK - text.len() % BLOCK;
            self.out.data.extend_from_slice(&[pad as u8; BLOCK]);
            self.out.data.truncate(at + text.len() + pad);
        }
        self.lanes.push(Lane { at, end: self.out.data.len(), register });
        if self.lanes.len() == LANES {
            self.flush();
        }
        Ok(())
    }

    fn flush(&mut self) {
        if let Some((_, cipher)) = &self.key {
            cipher.run(self.chaining, self.call.seal, &mut self.lanes, &mut self.out.data);
        }
    }
}

/// The bytes that are left of an opened text without its padding.
fn unpadded(text: &[u8]) -> Option<&[u8]> {
    let pad = usize::from(*text.last()?);
    let end = text.len().checked_sub(pad)?;
    let is_good = (1..=BLOCK).contains(&pad) && text[end..].iter().all(|b| usize::from(*b) == pad);
    is_good.then(|| &text[..end])
}

/// Where the rows of one call go: the strings, and whether each succeeded.
struct Outcome {
    may_fail: bool,
    known: Vec<u8>,
}

impl Outcome {
    fn note<T>(&mut self, done: Result<T>) -> Result<Option<T>> {
        self.known.push(u8::from(done.is_ok()));
        match done {
            Err(error) if !self.may_fail => Err(error),
            done => Ok(done.ok()),
        }
    }

    fn column(self, column: Column) -> Column {
        if self.may_fail {
            return Column::nullable(column, Bitmap::from_bytes(&self.known));
        }
        column
    }
}

/// Runs the modes of blocks over all rows.
fn run_blocks(
    call: Call,
    chaining: Chaining,
    texts: &[Text<'_>],
    rows: usize,
    may_fail: bool,
) -> Result<Column> {
    let get = |at: usize, row: usize| texts.get(at).map_or(&b""[..], |text| text.get(row));
    let out = StringsBuilder::with_capacity(rows, texts[0].bytes(rows) + rows * BLOCK);
    let mut blocks = Blocks { call, chaining, key: None, lanes: Vec::new(), out };
    let mut outcome = Outcome { may_fail, known: Vec::with_capacity(rows) };
    for row in 0..rows {
        outcome.note(blocks.add(get(0, row), get(1, row), get(2, row)))?;
        blocks.out.close();
    }
    blocks.flush();
    if call.seal || !blocks.is_padded() {
        return Ok(outcome.column(finish(blocks.out)?));
    }
    let sealed = blocks.out.finish();
    let mut out = StringsBuilder::with_capacity(rows, sealed.bytes().len());
    for row in 0..rows {
        match unpadded(sealed.get(row)) {
            Some(text) => out.push(text),
            None if may_fail => {
                outcome.known[row] = 0;
                out.close();
            }
            None => return Err(no_text("the padding is wrong, so the key or the mode is")),
        }
    }
    Ok(outcome.column(finish(out)?))
}

/// Runs GCM over all rows.
fn run_gcm(call: Call, texts: &[Text<'_>], rows: usize, may_fail: bool) -> Result<Column> {
    let get = |at: usize, row: usize| texts.get(at).map_or(&b""[..], |text| text.get(row));
    let mut out = StringsBuilder::with_capacity(rows, texts[0].bytes(rows) + rows * BLOCK);
    let mut outcome = Outcome { may_fail, known: Vec::with_capacity(rows) };
    let mut current: Option<(&[u8], Galois)> = None;
    for row in 0..rows {
        let key = get(1, row);
        let cipher = match current.take() {
            Some((known, cipher)) if known == key => Ok(cipher),
            _ => call.key(key).and_then(|folded| {
                Galois::new(&folded).ok_or_else(|| wrong_key(key, folded.len()))
            }),
        };
        let done = cipher.and_then(|cipher| {
            let (_, cipher) = current.insert((key, cipher));
            gcm(cipher, call.seal, get(2, row), Payload { msg: get(0, row), aad: get(3, row) })
        });
        if let Some(text) = outcome.note(done)? {
            out.data.extend_from_slice(&text);
        }
        out.close();
    }
    Ok(outcome.column(finish(out)?))
}

fn gcm(cipher: &Galois, seal: bool, iv: &[u8], payload: Payload<'_, '_>) -> Result<Vec<u8>> {
    if iv.is_empty() {
        return Err(bad("Invalid IV size 0 != expected size 12".to_string()));
    }
    let Ok(nonce) = <[u8; 12]>::try_from(iv) else {
        return Err(Error::not_implemented("GCM with an IV of another size than 12 bytes"));
    };
    if !seal && payload.msg.len() < BLOCK {
        let message = "Encrypted data is smaller than the tag of GCM, cannot decrypt";
        return Err(bad(message.to_string()));
    }
    cipher.run(seal, nonce, payload).ok_or_else(|| no_text("key, IV or additional data do not fit"))
}

#[cold]
fn wrong_key(key: &[u8], expected: usize) -> Error {
    bad(format!("Invalid key size: {} expected {expected}", key.len()))
}

fn bind(
    name: &'static str,
    args: &[Arg],
    (seal, mysql, may_fail): (bool, bool, bool),
) -> Result<BoundKernel> {
    let (key_size, mode) = parse_mode(name, &args[0])?;
    args[1..].iter().try_for_each(|a| expect_string(name, a))?;
    if mysql && matches!(mode, Mode::Gcm | Mode::Blocks(Chaining::Ctr)) {
        return Err(bad("Unsupported cipher mode".to_string()));
    }
    if mode == Mode::Blocks(Chaining::Ecb) && args.len() > 3 {
        return Err(bad("A mode of ECB does not support IV".to_string()));
    }
    if mode != Mode::Gcm && args.len() > 4 {
        return Err(bad("Additional data can be given for modes of GCM only".to_string()));
    }
    let call = Call { key_size, seal, mysql };
    let ty = DataType::String;
    let ty = if may_fail { DataType::nullable(ty) } else { ty };
    Ok(BoundKernel::new(ty, move |args, rows| {
        let texts = args[1..].iter().map(Text::of).collect::<Result<Vec<_>>>()?;
        match mode {
            Mode::Blocks(chaining) => run_blocks(call, chaining, &texts, rows, may_fail),
            Mode::Gcm => run_gcm(call, &texts, rows, may_fail),
        }
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
