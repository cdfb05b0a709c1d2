//! The modes of AES over many rows: the library provides the block cipher and GCM.
//!
//! Blocks of one row mostly depend on each other, but rows do not: a group of rows advances in
//! step, one block of each row at a time, so that the processor works on several blocks at once
//! also where every row is a single block.

use aes_gcm::AesGcm;
use aes_gcm::aead::{Aead, Nonce, Payload};
use aes_gcm::aes::cipher::consts::U12;
use aes_gcm::aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes_gcm::aes::{Aes128, Aes192, Aes256};

/// Bytes of a block.
pub const BLOCK: usize = 16;

/// Rows that advance in step.
pub const LANES: usize = 32;

/// How the blocks of a row hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chaining {
    /// Each block alone.
    Ecb,
    /// Each block is laid over the sealed one before.
    Cbc,
    /// A stream: the register is sealed again and again.
    Ofb,
    /// A stream of sealed numbers.
    Ctr,
}

/// A key at work.
pub enum Cipher {
    Short(Box<Aes128>),
    Middle(Box<Aes192>),
    Long(Box<Aes256>),
}

impl Cipher {
    /// `None` unless the key has 16, 24 or 32 bytes.
    pub fn new(key: &[u8]) -> Option<Self> {
        Some(match key.len() {
            16 => Self::Short(Box::new(Aes128::new_from_slice(key).ok()?)),
            24 => Self::Middle(Box::new(Aes192::new_from_slice(key).ok()?)),
            _ => Self::Long(Box::new(Aes256::new_from_slice(key).ok()?)),
        })
    }

    fn encrypt(&self, blocks: &mut [Block<Aes128>]) {
        match self {
            Self::Short(aes) => aes.encrypt_blocks(blocks),
            Self::Middle(aes) => aes.encrypt_blocks(blocks),
            Self::Long(aes) => aes.encrypt_blocks(blocks),
        }
    }

    fn decrypt(&self, blocks: &mut [Block<Aes128>]) {
        match self {
            Self::Short(aes) => aes.decrypt_blocks(blocks),
            Self::Middle(aes) => aes.decrypt_blocks(blocks),
            Self::Long(aes) => aes.decrypt_blocks(blocks),
        }
    }

    /// Seals or opens the text of every lane in place. Streams end where the text does; the texts
    /// of the other modes are whole blocks.
    pub fn run(&self, chaining: Chaining, seal: bool, lanes: &mut Vec<Lane>, data: &mut [u8]) {
        use Chaining::{Cbc, Ctr, Ecb, Ofb};
        let mut blocks = [Block::<Aes128>::default(); LANES];
        let mut texts = [0u128; LANES];
        lanes.retain(|lane| lane.at < lane.end);
        while !lanes.is_empty() {
            let count = lanes.len().min(LANES);
            for (k, lane) in lanes[..count].iter().enumerate() {
                texts[k] = load(&data[lane.at..lane.end]);
                let input = match (chaining, seal) {
                    (Ofb | Ctr, _) => lane.register,
                    (Cbc, true) => texts[k] ^ lane.register,
                    (Ecb, _) | (Cbc, false) => texts[k],
                };
                blocks[k] = input.to_be_bytes().into();
            }
            match chaining {
                Ecb | Cbc if !seal => self.decrypt(&mut blocks[..count]),
                _ => self.encrypt(&mut blocks[..count]),
            }
            for (k, lane) in lanes[..count].iter_mut().enumerate() {
                let block = u128::from_be_bytes(blocks[k].into());
                let (output, register) = match (chaining, seal) {
                    (Ecb, _) => (block, 0),
                    (Cbc, true) => (block, block),
                    (Cbc, false) => (block ^ lane.register, texts[k]),
                    (Ofb, _) => (block ^ texts[k], block),
                    (Ctr, _) => (block ^ texts[k], lane.register.wrapping_add(1)),
                };
                store(output, &mut data[lane.at..lane.end]);
                lane.register = register;
                lane.at += BLOCK;
            }
            lanes.retain(|lane| lane.at < lane.end);
        }
    }
}

/// A text on its way through a cipher.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    /// Where its next block lies in the data.
    pub at: usize,
    /// Where the text ends.
    pub end: usize,
    /// What its next block is combined with: the start of the chain, and later the block before.
    pub register: u128,
}

/// The first block of a text; zeros follow a text that is shorter.
#[inline]
fn load(text: &[u8]) -> u128 {
    if let Some(block) = text.first_chunk::<BLOCK>() {
        return u128::from_be_bytes(*block);
    }
    let mut block = [0; BLOCK];
    block[..text.len()].copy_from_slice(text);
    u128::from_be_bytes(block)
}

#[inline]
fn store(value: u128, text: &mut [u8]) {
    let block = value.to_be_bytes();
    if let Some(place) = text.first_chunk_mut::<BLOCK>() {
        *place = block;
    } else {
        let len = text.len();
        text.copy_from_slice(&block[..len]);
    }
}

/// A key at work in Galois counter mode.
pub enum Galois {
    Short(Box<AesGcm<Aes128, U12>>),
    Middle(Box<AesGcm<Aes192, U12>>),
    Long(Box<AesGcm<Aes256, U12>>),
}

impl Galois {
    /// `None` unless the key has 16, 24 or 32 bytes.
    pub fn new(key: &[u8]) -> Option<Self> {
        Some(match key.len() {
            16 => Self::Short(Box::new(KeyInit::new_from_slice(key).ok()?)),
            24 => Self::Middle(Box::new(KeyInit::new_from_slice(key).ok()?)),
            _ => Self::Long(Box::new(KeyInit::new_from_slice(key).ok()?)),
        })
    }

    /// Seals a text (its tag follows it), or opens one; `None` if it was not sealed with these.
    pub fn run(&self, seal: bool, nonce: [u8; 12], payload: Payload<'_, '_>) -> Option<Vec<u8>> {
        fn run<A: Aead>(
            aes: &A,
            seal: bool,
            nonce: &Nonce<A>,
            payload: Payload<'_, '_>,
        ) -> Option<Vec<u8>> {
            if seal { aes.encrypt(nonce, payload).ok() } else { aes.decrypt(nonce, payload).ok() }
        }
        let nonce = nonce.into();
        match self {
            Self::Short(aes) => run(&**aes, seal, &nonce, payload),
            Self::Middle(aes) => run(&**aes, seal, &nonce, payload),
            Self::Long(aes) => run(&**aes, seal, &nonce, payload),
        }
    }
}
