//! The expression in `<query short="...">`: whether a query is short, after substitution.
//!
//! The reference's runner gives the text to Python. Here it is a small grammar with the same
//! meaning: numbers, quoted texts, True and False, comparisons (also chains), `not`, `and`, `or`
//! and parentheses. Nothing else can be written, so nothing can happen but an answer or an error.

/// Parentheses and `not` within each other.
const MAX_DEPTH: usize = 50;

/// Evaluates an expression to its truth.
pub(super) fn eval(text: &str) -> Result<bool, String> {
    let mut parser = Parser { rest: text, depth: 0 };
    let value = parser.any_of()?;
    parser.blanks();
    if !parser.rest.is_empty() {
        return Err(parser.unexpected("the end of the expression"));
    }
    Ok(value.truth())
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    /// Also truth: True is 1, as in Python.
    Number(f64),
    Text(String),
}

impl Value {
    fn truth(&self) -> bool {
        match self {
            Self::Number(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
        }
    }
}

const OPERATORS: &[&str] = &["==", "!=", "<=", ">=", "<", ">"];

fn compare(operator: &str, a: &Value, b: &Value) -> Result<bool, String> {
    let order = match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.partial_cmp(b),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        _ if operator == "==" => return Ok(false),
        _ if operator == "!=" => return Ok(true),
        _ => return Err(format!("`{operator}` between a number and a text")),
    };
    Ok(match operator {
        "==" => order.is_some_and(std::cmp::Ordering::is_eq),
        "!=" => order.is_none_or(std::cmp::Ordering::is_ne),
        "<=" => order.is_some_and(std::cmp::Ordering::is_le),
        ">=" => order.is_some_and(std::cmp::Ordering::is_ge),
        "<" => order.is_some_and(std::cmp::Ordering::is_lt),
        _ => order.is_some_and(std::cmp::Ordering::is_gt),
    })
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n']);
    }

    /// Takes a word, if it comes next and is not the beginning of a longer one.
    fn word(&mut self, word: &str) -> bool {
        self.blanks();
        let Some(after) = self.rest.strip_prefix(word) else { return false };
        if after.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return false;
        }
        self.rest = after;
        true
    }

    fn unexpected(&self, expected: &str) -> String {
        let found: String = self.rest.chars().take(20).collect();
        let found = if found.is_empty() { "its end".into() } else { format!("`{found}`") };
        format!("expected {expected}, found {found}")
    }

    fn any_of(&mut self) -> Result<Value, String> {
        let mut value = self.all_of()?;
        while self.word("or") {
            let right = self.all_of()?;
            value = if value.truth() { value } else { right };
        }
        Ok(value)
    }

    fn all_of(&mut self) -> Result<Value, String> {
        let mut value = self.negation()?;
        while self.word("and") {
            let right = self.negation()?;
            value = if value.truth() { right } else { value };
        }
        Ok(value)
    }

    fn negation(&mut self) -> Result<Value, String> {
        let mut not = 0;
        while self.word("not") {
            not += 1;
        }
        let value = self.comparison()?;
        Ok(match not {
            0 => value,
            _ => Value::Number(f64::from(u8::from((not % 2 == 1) != value.truth()))),
        })
    }

    fn comparison(&mut self) -> Result<Value, String> {
        let mut left = self.operand()?;
        let mut chain = None;
        loop {
            self.blanks();
            let Some(operator) = OPERATORS.iter().find(|o| self.rest.starts_with(**o)) else {
                let truth = |holds| Value::Number(f64::from(u8::from(holds)));
                return Ok(chain.map_or(left, truth));
            };
            self.rest = &self.rest[operator.len()..];
            let right = self.operand()?;
            chain = Some(chain.unwrap_or(true) && compare(operator, &left, &right)?);
            left = right;
        }
    }

    fn operand(&mut self) -> Result<Value, String> {
        for (word, value) in [("True", 1.0), ("False", 0.0)] {
            if self.word(word) {
                return Ok(Value::Number(value));
            }
        }
        self.blanks();
        match self.rest.chars().next() {
            Some('(') => {
                self.rest = &self.rest[1..];
                self.parentheses()
            }
            Some(quote @ ('\'' | '"')) => self.text(quote),
            Some(c) if c.is_ascii_digit() || "+-.".contains(c) => self.number(),
            _ => Err(self.unexpected("a number, a quoted text, True, False or `(`")),
        }
    }

    fn parentheses(&mut self) -> Result<Value, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} parentheses within each other"));
        }
        let value = self.any_of()?;
        self.depth -= 1;
        self.blanks();
        self.rest = self.rest.strip_prefix(')').ok_or_else(|| self.unexpected("`)`"))?;
        Ok(value)
    }

    fn text(&mut self, quote: char) -> Result<Value, String> {
        let body = &self.rest[1..];
        let end = body.find(quote).ok_or("a quoted text is not closed")?;
        if body[..end].contains(['\\', '\n']) {
            return Err("`\\` and line feeds in a quoted text are not understood".into());
        }
        self.rest = &body[end + 1..];
        Ok(Value::Text(body[..end].to_owned()))
    }

    fn number(&mut self) -> Result<Value, String> {
        let signs = self.rest.len() - self.rest.trim_start_matches(['+', '-']).len();
        let part = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
        let mut end =
            signs + self.rest[signs..].find(|c| !part(c)).unwrap_or(self.rest.len() - signs);
        // The sign of an exponent is the number's: 1e-3.
        if self.rest[..end].ends_with(['e', 'E']) && self.rest[end..].starts_with(['+', '-']) {
            end += 1;
            end += self.rest[end..].find(|c| !part(c)).unwrap_or(self.rest.len() - end);
        }
        let (text, rest) = self.rest.split_at(end);
        let minus = text[..signs].matches('-').count() % 2 == 1;
        let digits = text[signs..].replace('_', "");
        let finite = digits.bytes().all(|b| b.is_ascii_digit() || b"eE.+-".contains(&b));
        let value: f64 = match digits.parse() {
            Ok(value) if finite => value,
            _ => return Err(format!("`{text}` is not a number; texts are quoted")),
        };
        self.rest = rest;
        Ok(Value::Number(if minus { -value } else { value }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each pair was checked against Python's `bool(eval(...))`.
    #[test]
    fn as_python() {
        for (text, expected) in [
            ("1", true),
            ("0", false),
            (" 0.0 ", false),
            ("1e-3", true),
            ("1_000 == 1000", true),
            ("-1 < 0", true),
            ("--2 == 2", true),
            ("True", true),
            ("not True", false),
            ("not not 3", true),
            ("'a' == \"a\"", true),
            ("''", false),
            ("'10' < '9'", true),
            ("1 == '1'", false),
            ("1 != '1'", true),
            ("1 < 2 < 3", true),
            ("1 < 3 < 2", false),
            ("3 > 2 != 0", true),
            ("not 1 == 2", true),
            ("0 or 2 and 0", false),
            ("(0 or 2) and not (1 > 2)", true),
            ("('a' or 0) == 'a'", true),
            ("1 == True", true),
        ] {
            assert_eq!(eval(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_evaluated() {
        let deep = "(".repeat(1000);
        for text in [
            "",
            "1 +",
            "1 + 1",
            "a",
            "'a",
            "(1",
            "1)",
            "f(1)",
            "1 < 'a'",
            "1 and",
            "not",
            "nota 1",
            "__import__('os')",
            "1 2",
            "'a\\'b'",
            "inf",
            "nan",
            "0x10",
            "1.2.3",
            "- 'a'",
            &deep,
        ] {
            assert!(eval(text).is_err(), "{text}");
        }
    }
}
