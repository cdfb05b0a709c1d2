//! Splits text into tokens. It accepts any bytes: the tokens always cover the whole text.
//!
//! The parser asks for one token after the other, so the data of an INSERT is never read. The shell
//! uses [`lex`] for highlighting. The lexer works on bytes, because strings may contain any bytes.

use std::ops::Range;

use crate::keyword::Kw;

/// What a token is.
#[allow(missing_docs)] // the names are the tokens
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Blanks and line ends; only in [`lex`].
    Whitespace,
    /// `-- x`, `# x`, `/* x */`; only in [`lex`].
    Comment,
    /// A bare word: keyword or name.
    Word,
    /// `` `a` `` or `"a"`.
    QuotedName,
    /// `1`, `0x1F`, `1.5e3`.
    Number,
    /// `'text'`.
    String,
    /// `x'4142'`.
    HexString,
    /// `b'0101'`.
    BinString,
    /// `$tag$text$tag$`.
    Heredoc,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Comma,
    Semicolon,
    Dot,
    Star,
    Plus,
    Minus,
    Slash,
    Percent,
    Arrow,
    Question,
    Colon,
    DoubleColon,
    /// `=` or `==`.
    Equals,
    /// `!=` or `<>`.
    NotEquals,
    Less,
    Greater,
    LessOrEquals,
    GreaterOrEquals,
    /// `<=>`.
    Spaceship,
    /// `||`.
    Concat,
    Caret,
    /// `@@`.
    DoubleAt,
    /// A string, name, heredoc or comment whose end is missing.
    Unterminated,
    /// A byte that starts no token.
    Unknown,
    /// The end of the text; never in [`lex`].
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Which keyword, for a word.
    pub kw: Kw,
    /// Position of the first byte.
    pub start: u32,
    /// Position after the last byte.
    pub end: u32,
}

impl Token {
    /// The bytes it covers.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether the parser knows this word. Such words may also be names.
    pub fn is_keyword(&self) -> bool {
        self.kw != Kw::NONE
    }
}

/// All tokens of `text`, blanks and comments included: their ranges cover the text without gaps.
pub fn lex(text: &str) -> Vec<Token> {
    let mut lexer = Lexer::new(text.as_bytes(), 0);
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    loop {
        let token = lexer.next_raw();
        if token.kind == TokenKind::End {
            return tokens;
        }
        tokens.push(token);
    }
}

/// A cursor over bytes that yields tokens.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    /// The last token that was not blank. It decides how `.1` and `.` are read.
    previous: TokenKind,
}

const WORD: u8 = 1;
const DIGIT: u8 = 2;
const BLANK: u8 = 4;

const CLASS: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        if b.is_ascii_alphabetic() || b == b'_' {
            table[i] = WORD;
        } else if b.is_ascii_digit() {
            table[i] = WORD | DIGIT;
        } else if b == b' ' || (b >= 9 && b <= 13) {
            table[i] = BLANK;
        }
        i += 1;
    }
    table
};

#[inline]
fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a [u8], at: usize) -> Self {
        let text = &text[..text.len().min(u32::MAX as usize)];
        Self { text, at: at.min(text.len()), previous: TokenKind::Whitespace }
    }

    /// The next token that is neither blank nor comment.
    #[inline]
    pub(crate) fn next(&mut self) -> Token {
        loop {
            let token = self.next_raw();
            if !matches!(token.kind, TokenKind::Whitespace | TokenKind::Comment) {
                return token;
            }
        }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    pub(crate) fn next_raw(&mut self) -> Token {
        let start = self.at;
        let kind = self.advance();
        if !matches!(kind, TokenKind::Whitespace | TokenKind::Comment) {
            self.previous = kind;
        }
        let kw =
            if kind == TokenKind::Word { Kw::of(&self.text[start..self.at]) } else { Kw::NONE };
        Token { kind, kw, start: start as u32, end: self.at as u32 }
    }

    fn take(&mut self, n: usize, kind: TokenKind) -> TokenKind {
        self.at += n;
        kind
    }

    fn advance(&mut self) -> TokenKind {
        use TokenKind::{
            Caret, Comma, End, LBrace, LBracket, LParen, Percent, Plus, Question, QuotedName,
            RBrace, RBracket, RParen, Semicolon, Star, String, Whitespace,
        };
        let Some(&b) = self.text.get(self.at) else { return End };
        if is(b, BLANK) {
            self.skip_while(BLANK);
            return Whitespace;
        }
        if is(b, DIGIT) {
            return self.number();
        }
        if is(b, WORD) {
            return self.word(b);
        }
        match b {
            b'(' => self.take(1, LParen),
            b')' => self.take(1, RParen),
            b'[' => self.take(1, LBracket),
            b']' => self.take(1, RBracket),
            b'{' => self.take(1, LBrace),
            b'}' => self.take(1, RBrace),
            b',' => self.take(1, Comma),
            b';' => self.take(1, Semicolon),
            b'*' => self.take(1, Star),
            b'+' => self.take(1, Plus),
            b'%' => self.take(1, Percent),
            b'?' => self.take(1, Question),
            b'^' => self.take(1, Caret),
            b'\'' => self.quoted(0, String),
            b'`' | b'"' => self.quoted(0, QuotedName),
            b'$' => self.heredoc(),
            _ => self.punctuation(b),
        }
    }

    fn punctuation(&mut self, b: u8) -> TokenKind {
        use TokenKind::{
            Arrow, Colon, Concat, Dot, DoubleAt, DoubleColon, Equals, Greater, GreaterOrEquals,
            Less, LessOrEquals, Minus, NotEquals, Number, QuotedName, RBrace, RBracket, RParen,
            Slash, Spaceship, Unknown, Whitespace, Word,
        };
        match (b, self.byte(1), self.byte(2)) {
            (b'.', next, _) => {
                // A number is possible only where an operand is expected: `t.1` is a dot and a
                // number.
                let operand = !matches!(
                    self.previous,
                    Word | QuotedName | RParen | RBracket | RBrace | Number
                );
                if is(next, DIGIT) && operand { self.number() } else { self.take(1, Dot) }
            }
            (b'-', b'>', _) => self.take(2, Arrow),
            (b'-', b'-', _) => self.line_comment(),
            (b'-', ..) => self.take(1, Minus),
            (b'/', b'*', _) => self.block_comment(),
            (b'/', ..) => self.take(1, Slash),
            (b'#', b' ' | b'!', _) => self.line_comment(),
            (b':', b':', _) => self.take(2, DoubleColon),
            (b':', ..) => self.take(1, Colon),
            (b'=', b'=', _) => self.take(2, Equals),
            (b'=', ..) => self.take(1, Equals),
            (b'!', b'=', _) => self.take(2, NotEquals),
            (b'<', b'=', b'>') => self.take(3, Spaceship),
            (b'<', b'=', _) => self.take(2, LessOrEquals),
            (b'<', b'>', _) => self.take(2, NotEquals),
            (b'<', ..) => self.take(1, Less),
            (b'>', b'=', _) => self.take(2, GreaterOrEquals),
            (b'>', ..) => self.take(1, Greater),
            (b'|', b'|', _) => self.take(2, Concat),
            (b'@', b'@', _) => self.take(2, DoubleAt),
            (0xE2, 0x88, 0x92) => self.take(3, Minus), // U+2212 MINUS SIGN
            (0xC2, 0xA0, _) => self.take(2, Whitespace), // no-break space
            (0xEF, 0xBB, 0xBF) => self.take(3, Whitespace), // byte order mark
            _ => {
                self.at += 1;
                // The remaining bytes of a character beyond ASCII belong to the same token.
                while b >= 0xC0 && self.byte(0) & 0xC0 == 0x80 {
                    self.at += 1;
                }
                Unknown
            }
        }
    }

    fn skip_while(&mut self, class: u8) {
        while self.text.get(self.at).is_some_and(|&b| is(b, class)) {
            self.at += 1;
        }
    }

    fn word(&mut self, first: u8) -> TokenKind {
        if self.byte(1) == b'\'' {
            match first {
                b'x' | b'X' => return self.quoted(1, TokenKind::HexString),
                b'b' | b'B' => return self.quoted(1, TokenKind::BinString),
                _ => {}
            }
        }
        loop {
            self.skip_while(WORD);
            if self.byte(0) != b'$' {
                return TokenKind::Word;
            }
            self.at += 1;
        }
    }

    /// A quoted token after `skip` bytes. A backslash escapes the next character, and a doubled
    /// quote stands for a quote.
    fn quoted(&mut self, skip: usize, kind: TokenKind) -> TokenKind {
        self.at += skip;
        let quote = self.byte(0);
        self.at += 1;
        while let Some(&b) = self.text.get(self.at) {
            self.at += 1;
            if b == b'\\' {
                self.at = (self.at + 1).min(self.text.len());
            } else if b == quote {
                if self.byte(0) != quote {
                    return kind;
                }
                self.at += 1;
            }
        }
        TokenKind::Unterminated
    }

    fn heredoc(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        self.skip_while(WORD);
        if self.byte(0) != b'$' {
            return if self.at > start + 1 { TokenKind::Word } else { TokenKind::Unknown };
        }
        self.at += 1;
        let tag = &self.text[start..self.at];
        match find(&self.text[self.at..], tag) {
            Some(found) => self.take(found + tag.len(), TokenKind::Heredoc),
            None => {
                self.at = self.text.len();
                TokenKind::Unterminated
            }
        }
    }

    fn line_comment(&mut self) -> TokenKind {
        let rest = &self.text[self.at..];
        self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        TokenKind::Comment
    }

    fn block_comment(&mut self) -> TokenKind {
        let mut depth = 0usize;
        while self.at < self.text.len() {
            match (self.byte(0), self.byte(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return TokenKind::Comment;
                    }
                }
                _ => self.at += 1,
            }
        }
        TokenKind::Unterminated
    }

    fn number(&mut self) -> TokenKind {
        let start = self.at;
        if self.previous == TokenKind::Dot {
            self.skip_while(DIGIT); // t.1.2: no fraction here
        } else {
            self.number_body();
        }
        if is(self.byte(0), WORD) {
            // `1abc` is a word, but `1.5abc` is not a token.
            let fraction = self.text[start..self.at].iter().any(|&b| !is(b, WORD));
            self.skip_while(WORD);
            return if fraction { TokenKind::Unknown } else { TokenKind::Word };
        }
        TokenKind::Number
    }

    fn digits(&mut self, wanted: fn(&u8) -> bool) {
        while wanted(&self.byte(0))
            || (self.byte(0) == b'_' && wanted(&self.byte(1)) && self.at > 0)
        {
            self.at += 1;
        }
    }

    fn number_body(&mut self) {
        let radix = self.byte(1) | 0x20;
        let mut exponent = b'e';
        let mut digit: fn(&u8) -> bool = u8::is_ascii_digit;
        if self.byte(0) == b'0' && radix == b'x' && self.byte(2).is_ascii_hexdigit() {
            self.at += 2;
            exponent = b'p';
            digit = u8::is_ascii_hexdigit;
        } else if self.byte(0) == b'0' && radix == b'b' && matches!(self.byte(2), b'0' | b'1') {
            self.at += 2;
            self.digits(|b| matches!(b, b'0' | b'1'));
            return;
        }
        self.digits(digit);
        if self.byte(0) == b'.' {
            self.at += 1;
            self.digits(digit);
        }
        if self.byte(0) | 0x20 == exponent {
            let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
            if self.byte(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                self.digits(u8::is_ascii_digit);
            }
        }
    }
}

/// First place of `needle` in `text`.
pub(crate) fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len()).position(|w| w == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        lex(text)
            .iter()
            .filter(|t| t.kind != TokenKind::Whitespace)
            .map(|t| (t.kind, &text[t.range()]))
            .collect()
    }

    #[test]
    fn numbers_and_dots() {
        use TokenKind::*;
        assert_eq!(
            kinds("t.1.2 1.5 .5 1e-3 0x1F 1_000 1abc a.b"),
            vec![
                (Word, "t"),
                (Dot, "."),
                (Number, "1"),
                (Dot, "."),
                (Number, "2"),
                (Number, "1.5"),
                (Dot, "."),
                (Number, "5"),
                (Number, "1e-3"),
                (Number, "0x1F"),
                (Number, "1_000"),
                (Word, "1abc"),
                (Word, "a"),
                (Dot, "."),
                (Word, "b"),
            ]
        );
    }

    #[test]
    fn quotes_comments_heredocs() {
        use TokenKind::*;
        assert_eq!(
            kinds("'a\\'b''c' \"q\" `w` -- x\n/* a /* b */ c */ $t$ ' $t$ 'open"),
            vec![
                (String, "'a\\'b''c'"),
                (QuotedName, "\"q\""),
                (QuotedName, "`w`"),
                (Comment, "-- x"),
                (Comment, "/* a /* b */ c */"),
                (Heredoc, "$t$ ' $t$"),
                (Unterminated, "'open"),
            ]
        );
    }

    #[test]
    fn ranges_cover_the_text() {
        let text = "select €, 'x' \u{2212} 1 /* open";
        let mut at = 0;
        for token in lex(text) {
            assert_eq!(token.start as usize, at);
            assert!(text.is_char_boundary(at));
            at = token.end as usize;
        }
        assert_eq!(at, text.len());
    }
}
