//! VALUES with expressions: every row is evaluated here and written back as literals.

use entasis_base::{Error, Position, Result, codes};
use entasis_column::Header;
use entasis_function::Facts;
use entasis_sql::{TokenKind, lex};
use entasis_types::name::literal;

/// Rows `(expr, ...), ...` as the same rows with literals of the columns' types. Slow (each
/// expression is analysed), and only taken where the literal reader fails.
pub fn evaluate(text: &[u8], header: &Header, facts: &dyn Facts) -> Result<Vec<u8>> {
    let text = std::str::from_utf8(text).map_err(|e| {
        Error::new(codes::SYNTAX_ERROR, "VALUES with expressions must be UTF-8").with_cause(e)
    })?;
    let mut out = Vec::new();
    for (row, range) in rows(text)?.into_iter().enumerate() {
        let exprs = entasis_sql::parse_expressions(&text[range.0..range.1])
            .map_err(|e| e.context(format!("Row {} of VALUES", row + 1)))?;
        if exprs.len() != header.len() {
            let message = format!(
                "Row {} of VALUES has {} values, the INSERT takes {}",
                row + 1,
                exprs.len(),
                header.len()
            );
            return Err(Error::new(codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, message)
                .at(Position::new(range.0, range.1)));
        }
        out.push(b'(');
        for (i, (expr, field)) in exprs.iter().zip(header.iter()).enumerate() {
            if i > 0 {
                out.push(b',');
            }
            if let Some([name]) = expr.as_identifier()
                && name.as_str().eq_ignore_ascii_case("default")
            {
                out.extend_from_slice(b"DEFAULT");
                continue;
            }
            let bound = entasis_analyze::bind_expression(expr, &[], facts)
                .and_then(|bound| entasis_analyze::bind::cast(bound, &field.ty, facts))
                .map_err(|e| e.context(format!("Row {}, column {}", row + 1, field.name)))?;
            let value = bound.constant().ok_or_else(|| {
                let message = format!("Row {} of VALUES: an expression is not constant", row + 1);
                Error::new(codes::BAD_ARGUMENTS, message)
            })?;
            out.extend_from_slice(literal(&value).as_bytes());
        }
        out.push(b')');
    }
    Ok(out)
}

/// Byte ranges of the rows' insides.
fn rows(text: &str) -> Result<Vec<(usize, usize)>> {
    let (mut rows, mut depth, mut start) = (Vec::new(), 0usize, 0usize);
    for token in lex(text) {
        match token.kind {
            TokenKind::LParen | TokenKind::LBracket => {
                depth += 1;
                if depth == 1 {
                    start = token.end as usize;
                }
            }
            TokenKind::RParen | TokenKind::RBracket => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    rows.push((start, token.start as usize));
                }
            }
            _ => {}
        }
    }
    if depth > 0 {
        let message = "VALUES end inside a row: a closing parenthesis is missing";
        return Err(Error::new(codes::SYNTAX_ERROR, message));
    }
    Ok(rows)
}
