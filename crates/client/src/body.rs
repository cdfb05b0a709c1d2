//! Bodies: of known length, in chunks, or up to the end of the connection.

use std::io::{self, BufRead, Read, Write};

/// Bytes of a chunk that is sent.
const CHUNK: usize = 256 << 10;

/// How the end of a body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// This many bytes are left.
    Length(u64),
    /// This many bytes of the current chunk are left; another chunk follows.
    Chunked(u64),
    /// The body has ended.
    Done,
    /// The body ends with the connection.
    Close,
}

/// Reads some bytes of a body; 0 at its end.
pub(crate) fn read(
    from: &mut impl BufRead,
    framing: &mut Framing,
    into: &mut [u8],
) -> io::Result<usize> {
    if into.is_empty() {
        return Ok(0);
    }
    if *framing == Framing::Chunked(0) {
        *framing = match chunk_size(from)? {
            0 => {
                while !line(from)?.is_empty() {}
                Framing::Done
            }
            size => Framing::Chunked(size),
        };
    }
    let most = match *framing {
        Framing::Length(0) | Framing::Done => {
            *framing = Framing::Done;
            return Ok(0);
        }
        Framing::Length(left) | Framing::Chunked(left) => left.min(into.len() as u64) as usize,
        Framing::Close => into.len(),
    };
    let n = loop {
        match from.read(&mut into[..most]) {
            // The signal of a profiler may interrupt a wait with a time limit.
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    match framing {
        Framing::Close if n == 0 => *framing = Framing::Done,
        Framing::Length(_) | Framing::Chunked(_) if n == 0 => return Err(cut_short()),
        Framing::Length(left) => *left -= n as u64,
        Framing::Chunked(left) => {
            *left -= n as u64;
            if *left == 0 && !line(from)?.is_empty() {
                return Err(broken("a chunk is longer than it says"));
            }
        }
        _ => {}
    }
    Ok(n)
}

/// A line without its end.
pub(crate) fn line(from: &mut impl BufRead) -> io::Result<String> {
    const LONGEST: u64 = 1 << 20;
    let mut bytes = Vec::new();
    from.take(LONGEST).read_until(b'\n', &mut bytes)?;
    if bytes.pop() != Some(b'\n') {
        return Err(cut_short());
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn chunk_size(from: &mut impl BufRead) -> io::Result<u64> {
    let line = line(from)?;
    let digits = line.split(';').next().unwrap_or_default().trim();
    u64::from_str_radix(digits, 16).map_err(|_| broken("the size of a chunk is no number"))
}

/// Sends `first` and then all of `rest` in chunks. The last chunk is sent only if `rest` has ended
/// without an error; without it, the server knows that the body is incomplete.
pub(crate) fn send_chunks(
    to: &mut impl Write,
    first: &[u8],
    rest: &mut dyn Read,
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(first.len() + CHUNK);
    buffer.extend_from_slice(first);
    loop {
        let n = read_some(rest, &mut buffer)?;
        if !buffer.is_empty() {
            write!(to, "{:X}\r\n", buffer.len())?;
            to.write_all(&buffer)?;
            to.write_all(b"\r\n")?;
            to.flush()?;
            buffer.clear();
        }
        if n == 0 {
            to.write_all(b"0\r\n\r\n")?;
            return to.flush();
        }
    }
}

/// Appends the bytes of one read, so that data is sent at once even if the rest comes slowly.
fn read_some(from: &mut dyn Read, into: &mut Vec<u8>) -> io::Result<usize> {
    let start = into.len();
    into.resize(start + CHUNK, 0);
    let n = loop {
        match from.read(&mut into[start..]) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    into.truncate(start + n.as_ref().map_or(0, |n| *n));
    n
}

fn cut_short() -> io::Error {
    let message = "the server closed the connection before the end of its answer";
    io::Error::new(io::ErrorKind::UnexpectedEof, message)
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the answer is no HTTP: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str, mut framing: Framing) -> io::Result<(String, Framing)> {
        let (mut from, mut out) = (text.as_bytes(), Vec::new());
        let mut buffer = [0; 3];
        loop {
            match read(&mut from, &mut framing, &mut buffer)? {
                0 => return Ok((String::from_utf8(out).unwrap(), framing)),
                n => out.extend_from_slice(&buffer[..n]),
            }
        }
    }

    #[test]
    fn bodies_end_where_they_say() {
        let done = |s: &str| (s.to_string(), Framing::Done);
        let chunks = "5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n";
        assert_eq!(read_all(chunks, Framing::Chunked(0)).unwrap(), done("hello!"));
        assert_eq!(read_all("hello!", Framing::Length(5)).unwrap(), done("hello"));
        assert_eq!(read_all("hello!", Framing::Close).unwrap(), done("hello!"));
    }

    #[test]
    fn an_end_that_comes_early_is_an_error() {
        for (text, framing) in [
            ("5\r\nhel", Framing::Chunked(0)),
            ("5\r\nhello\r\n", Framing::Chunked(0)),
            ("2\r\nhello\r\n0\r\n\r\n", Framing::Chunked(0)),
            ("x\r\n", Framing::Chunked(0)),
            ("hel", Framing::Length(5)),
        ] {
            assert!(read_all(text, framing).is_err(), "{text:?}");
        }
    }

    #[test]
    fn chunks_are_read_back() {
        for size in [0, 1, CHUNK - 2, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let data = vec![b'x'; size];
            let mut sent = Vec::new();
            send_chunks(&mut sent, b"q\n", &mut &data[..]).unwrap();
            let text = String::from_utf8(sent).unwrap();
            let (back, _) = read_all(&text, Framing::Chunked(0)).unwrap();
            assert_eq!(back.len(), size + 2);
        }
    }

    #[test]
    fn a_source_that_fails_leaves_the_body_open() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        let mut sent = Vec::new();
        assert!(send_chunks(&mut sent, b"q\n", &mut Fails).is_err());
        assert!(!sent.ends_with(b"0\r\n\r\n"));
    }
}
