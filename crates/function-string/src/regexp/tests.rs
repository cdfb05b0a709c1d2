//! The machine against `regex-automata`, over random patterns and texts.

use super::*;
use entasis_base::clock::Rng;

fn pick<'a>(rng: &mut Rng, items: &[&'a str]) -> &'a str {
    items[rng.below(items.len() as u64) as usize]
}

fn random_pattern(rng: &mut Rng) -> String {
    const ATOMS: &[&str] = &[
        "a", "b", "ab", "[ab]", "[^a]", ".", "ж", "(a)", "([ab])", "(?:ab)", "(b|ab)", "[a-c]",
        "(a+)", "(?:a|b|)", "\\d", "\\.",
    ];
    const REPEATS: &[&str] = &["", "", "", "?", "*", "+", "*?", "+?", "??", "{2}", "{1,2}", "{2,}"];
    let mut out = String::new();
    if rng.below(4) == 0 {
        out.push('^');
    }
    for _ in 0..=rng.below(4) {
        out.push_str(pick(rng, ATOMS));
        out.push_str(pick(rng, REPEATS));
    }
    if rng.below(4) == 0 {
        out.push('$');
    }
    out
}

#[test]
fn machine_against_regex() {
    let mut rng = Rng::new(3);
    let mut simple = 0;
    for _ in 0..3000 {
        let text = random_pattern(&mut rng);
        let pattern = Pattern::compile(text.as_bytes()).unwrap();
        simple += usize::from(pattern.program.is_some());
        let mut strings: Vec<Vec<u8>> = Vec::new();
        for _ in 0..20 {
            let mut s = String::new();
            for _ in 0..rng.below(7) {
                s.push_str(pick(&mut rng, &["a", "b", "ab", "c", "ж", ".", "1"]));
            }
            let mut s = s.into_bytes();
            if rng.below(10) == 0 {
                s.push(0xFF);
            }
            strings.push(s);
        }
        let column: Strings = strings.iter().collect();
        let mask = pattern.mask(Text::Many(&column), strings.len());
        let regex = pattern.regex();
        let mut captures = regex.create_captures();
        let mut matcher = pattern.matcher();
        for (i, s) in strings.iter().enumerate() {
            let from = rng.below(s.len() as u64 + 1) as usize;
            for from in [0, from] {
                if std::str::from_utf8(&s[from..]).is_err() {
                    continue;
                }
                regex.captures(Input::new(s).span(from..s.len()), &mut captures);
                let found = matcher.captures(s, from);
                let expected = captures.get_match().map(|m| (m.start(), m.end()));
                assert_eq!(found, expected, "{text} {s:?} {from}");
                if found.is_some() {
                    for g in 0..=pattern.groups() {
                        let expected = captures.get_group(g).map(|g| (g.start, g.end));
                        assert_eq!(matcher.group(g), expected, "{text} {s:?} group {g}");
                    }
                }
            }
            assert_eq!(mask.get(i), regex.is_match(s), "{text} {s:?}");
        }
    }
    assert!(simple > 1000, "{simple}");
}

#[test]
fn syntax_of_re2() {
    let matches =
        |p: &str, s: &str| Pattern::compile(p.as_bytes()).unwrap().matcher().is_match(s.as_bytes());
    assert!(!matches("\\w", "Ж") && matches("\\W", "Ж") && matches("[\\W]", "Ж"));
    assert!(matches("[[a]", "[") && matches("[a&&b]&", "a&&b") && matches("[]a]", "]"));
    assert!(!matches("a{,2}", "aa") && matches("a{,2}", "a{,2}") && matches("a{2}", "aa"));
    assert!(matches("\\Qa.b\\E", "a.b") && !matches("\\Qa.b\\E", "axb"));
    assert!(matches("[[:alpha:]_]+$", "ab_") && matches("a.b", "a\nb") && matches("[a-]", "-"));
    assert!(matches("(?i)ab", "AB") && matches("\\bab\\b", "x ab y") && matches("\\x41", "A"));
    for wrong in ["(", "[a", "a**b(", "\\", "*", "(?=a)"] {
        assert_eq!(
            Pattern::compile(wrong.as_bytes()).unwrap_err().code(),
            codes::CANNOT_COMPILE_REGEXP
        );
    }
}

#[test]
fn work_is_bounded() {
    let pattern = Pattern::compile(b"a*a*a*a*a*a*b$").unwrap();
    let text = vec![b'a'; 20_000];
    assert!(!pattern.matcher().is_match(&text));
}
