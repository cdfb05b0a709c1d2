//! Encodings, compression and checksums: bytes to bytes.
