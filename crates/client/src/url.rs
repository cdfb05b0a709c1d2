//! Parameters of URLs.

/// `name=value&...` with everything but unreserved characters as `%XX`.
pub(crate) fn query_string(parameters: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in parameters {
        if !text.is_empty() {
            text.push('&');
        }
        encode(&mut text, name);
        text.push('=');
        encode(&mut text, value);
    }
    text
}

fn encode(into: &mut String, text: &str) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            into.push(byte as char);
        } else {
            into.push('%');
            into.push(DIGITS[usize::from(byte >> 4)] as char);
            into.push(DIGITS[usize::from(byte & 15)] as char);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_bytes_are_escaped() {
        let parameters = [("query", "SELECT 1 + 1 -- ж%&"), ("a_b", "~x.y-z")];
        let expected = "query=SELECT%201%20%2B%201%20--%20%D0%B6%25%26&a_b=~x.y-z";
        assert_eq!(query_string(&parameters), expected);
        assert_eq!(query_string(&[]), "");
    }
}
