//! The tokenizer `asciiCJK`: words of ASCII letters, digits and underscores, and every character
//! above ASCII as a token of its own, for languages without spaces between words.

use entasis_function_kernel::text::char_len;

fn in_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Whether `s[at]` joins the bytes around it to one word: a dot or an apostrophe between two
/// letters or two digits, or a colon between two letters.
fn joins(s: &[u8], at: usize) -> bool {
    let (Some(&before), Some(&after)) = (at.checked_sub(1).and_then(|i| s.get(i)), s.get(at + 1))
    else {
        return false;
    };
    let letters = before.is_ascii_alphabetic() && after.is_ascii_alphabetic();
    let digits = before.is_ascii_digit() && after.is_ascii_digit();
    match s[at] {
        b'.' | b'\'' => letters || digits,
        b':' => letters,
        _ => false,
    }
}

/// Calls `f` for the tokens of `s` in order, until it answers that it wants no more.
pub fn each<'s>(s: &'s [u8], mut f: impl FnMut(&'s [u8]) -> bool) {
    let mut at = 0;
    while at < s.len() {
        let start = at;
        if s[at] >= 0x80 {
            at += char_len(s[at]);
            // A character that the string cuts off is no token.
            if at > s.len() || !f(&s[start..at]) {
                return;
            }
            continue;
        }
        if !in_word(s[at]) {
            at += 1;
            continue;
        }
        while at < s.len() && (in_word(s[at]) || joins(s, at)) {
            at += 1;
        }
        let word = &s[start..at];
        if word.iter().any(|&b| b != b'_') && !f(word) {
            return;
        }
    }
}
