//! `DEFINER = ... SQL SECURITY ...` of views, as it is shown. There are no rights that a definer
//! could have and another user not, so that the clause has no effect.

/// The clause in the form in which it is kept.
pub(super) fn shown(written: &str, user: &str, takes_invoker: bool) -> String {
    let spaced = written.replace('=', " = ");
    let words: Vec<&str> = spaced.split_ascii_whitespace().collect();
    let is = |word: &&str, text: &str| word.eq_ignore_ascii_case(text);
    if words.iter().any(|word| is(word, "NONE")) {
        return "SQL SECURITY NONE".to_string();
    }
    if takes_invoker && words.iter().any(|word| is(word, "INVOKER")) {
        return "SQL SECURITY INVOKER".to_string();
    }
    let mut definers = words.windows(2).enumerate();
    let named = definers.find(|(_, pair)| is(&pair[0], "DEFINER") && pair[1] == "=");
    let named = named.and_then(|(at, _)| words.get(at + 2)).filter(|w| !is(w, "CURRENT_USER"));
    format!("DEFINER = {} SQL SECURITY DEFINER", named.copied().unwrap_or(user))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clause_has_one_form() {
        for (written, expected) in [
            ("sql security invoker", "SQL SECURITY INVOKER"),
            ("SQL SECURITY NONE", "SQL SECURITY NONE"),
            ("DEFINER=ann SQL SECURITY DEFINER", "DEFINER = ann SQL SECURITY DEFINER"),
            ("SQL SECURITY DEFINER DEFINER = ann", "DEFINER = ann SQL SECURITY DEFINER"),
            ("DEFINER = CURRENT_USER", "DEFINER = me SQL SECURITY DEFINER"),
            ("SQL SECURITY DEFINER", "DEFINER = me SQL SECURITY DEFINER"),
        ] {
            assert_eq!(shown(written, "me", true), expected, "{written}");
        }
        assert_eq!(shown("SQL SECURITY INVOKER", "me", false), "DEFINER = me SQL SECURITY DEFINER");
    }
}
