//! A request's parameters, decoded.

/// Names and values of a URL's query, in order.
#[derive(Debug, Default)]
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// From `a=1&b=two%20words`.
    pub fn parse(query: &str) -> Self {
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (decode(name), decode(value))
                })
                .collect(),
        )
    }

    /// Adds a parameter after the others.
    pub fn push(&mut self, name: String, value: String) {
        self.0.push((name, value));
    }

    /// The last value of a name.
    pub fn last(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// Whether a flag is on.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.last(name), Some("1" | "true"))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(n, v)| (n.as_str(), v.as_str()))
    }
}

/// Undoes percent-encoding and `+`. Bytes that are not UTF-8 become U+FFFD.
pub(crate) fn decode(text: &str) -> String {
    let hex = |b: u8| (b as char).to_digit(16);
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let pair =
            bytes.get(i + 1).and_then(|h| hex(*h)).zip(bytes.get(i + 2).and_then(|l| hex(*l)));
        match (bytes[i], pair) {
            (b'%', Some((high, low))) => {
                out.push((high * 16 + low) as u8);
                i += 3;
                continue;
            }
            (b'+', _) => out.push(b' '),
            (other, _) => out.push(other),
        }
        i += 1;
    }
    String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding() {
        let parameters =
            Parameters::parse("a=1&query=SELECT+1%2b1%20%D0%B6&a=2&flag=1&&x&bad=%zz%");
        assert_eq!(parameters.last("a"), Some("2"));
        assert_eq!(parameters.last("query"), Some("SELECT 1+1 ж"));
        assert_eq!(parameters.last("x"), Some(""));
        assert_eq!(parameters.last("bad"), Some("%zz%"));
        assert!(parameters.flag("flag") && !parameters.flag("a"));
    }
}
