//! Words, hosts, pages and phrases, made up from syllables.

use entasis_column::{Strings, StringsBuilder};

use crate::draw::{bits, pick, scramble, unit, zipf};
use crate::plan::{Plan, Shape, referer};

const SYLLABLES: [&str; 48] = [
    "ба", "ве", "го", "да", "жи", "за", "ки", "ла", "ме", "но", "по", "ра", "се", "то", "фу", "хо",
    "че", "ша", "ре", "ли", "ка", "ни", "вы", "ду", "мо", "ти", "ло", "ну", "си", "ко", "ва", "ль",
    "ст", "пр", "ен", "ор", "ай", "ин", "ов", "ск", "та", "ро", "ма", "не", "зо", "бу", "гра",
    "тель",
];
const LATIN: [&str; 40] = [
    "ba", "ve", "go", "da", "zhi", "za", "ki", "la", "me", "no", "po", "ra", "se", "to", "fu",
    "ho", "che", "sha", "re", "li", "ka", "ni", "vy", "du", "mo", "ti", "lo", "nu", "si", "ko",
    "va", "st", "pr", "en", "or", "ay", "in", "ov", "sk", "tel",
];
/// Words that the benchmark's queries search for in addresses; they occur among made-up ones.
const FRAGMENTS: [&str; 12] = [
    "search", "price", "photo", "film", "auto", "catalog", "forum", "news", "item", "user", "shop",
    "video",
];
const ENDINGS: [&str; 8] = ["", "/", ".html", "", "&where=all", ".php", "", "/foto-2"];
const SEPARATORS: [&str; 8] = ["/", "?id=", "&page=", "/", "_", "&sid=", "/", "#"];
const SUBDOMAINS: [&str; 12] =
    ["m", "www2", "forum", "news", "auto", "shop", "video", "foto", "my", "wap", "old", "map"];
const ENGINES: [&str; 5] = [
    "http://yandex.ru/yandsearch?text=",
    "http://yandex.ru/yandsearch?lr=213&text=",
    "http://www.google.ru/search?q=",
    "http://go.mail.ru/search?q=",
    "https://www.google.com/search?ie=utf8&q=",
];
const SCHEMES: [&str; 4] = ["http://", "http://www.", "https://", "http://"];

/// Lists of made-up texts, which are made once per scan.
pub struct Vocabulary {
    words: Vec<String>,
    fragments: Vec<String>,
    hosts: Vec<String>,
    segments: Vec<String>,
    tails: Vec<String>,
}

impl Vocabulary {
    /// The lists for a seed.
    pub fn new(seed: u64) -> Self {
        let word = |i: u64, syllables: &[&str], salt: u64| {
            let key = bits(i, seed ^ salt);
            let count = 2 + pick(key, 0, 3);
            (1..=count).map(|k| syllables[pick(key, k, syllables.len() as u64) as usize]).collect()
        };
        let words: Vec<String> = (0..8192).map(|i| word(i, &SYLLABLES, 1)).collect();
        let mut fragments: Vec<String> = FRAGMENTS.iter().map(ToString::to_string).collect();
        fragments.extend((0..3000).map(|i| -> String { word(i, &LATIN, 2) }));
        let hosts = (0..400)
            .map(|i| {
                let zone = ["ru", "ru", "ru", "com", "net", "su", "by", "kz", "org"];
                let name: String = word(i, &LATIN, 3);
                format!("{name}{}.{}", &fragments[20 + i as usize], zone[pick(i, 4, 9) as usize])
            })
            .collect();
        let phrase = |i: u64, count: u64, salt: u64| {
            let parts = (0..count).map(|k| words[pick(i, salt + k, 8192) as usize].as_str());
            parts.collect::<Vec<_>>().join(" ")
        };
        let segments = (0..2000).map(|i| phrase(i, 2 + pick(i, 5, 4), 10)).collect();
        let tails = (0..1024)
            .map(|i| {
                let pairs = 1 + zipf(unit(i, 6), 24, 2.0);
                let pair = |k| {
                    let name = &fragments[pick(i, 20 + k, 3000) as usize];
                    format!("&{name}={}", bits(i, 50 + k) % 10_000_000)
                };
                (0..pairs).map(pair).collect()
            })
            .collect();
        Self { words, fragments, hosts, segments, tails }
    }

    /// The column `Title`: two neighbouring pages have the same title.
    pub fn titles(&self, plan: &Plan) -> Strings {
        let mut out = StringsBuilder::with_capacity(plan.len(), plan.len() * 128);
        for &page in &plan.page {
            let id = page / 2;
            if unit(id, 65) >= 0.011 {
                self.three_words(&mut out.data, scramble(id, 34, 6));
                put(&mut out.data, " — ");
                put(&mut out.data, &self.segments[pick(id, 61, 2000) as usize]);
                if unit(id, 62) < 0.45 {
                    put(&mut out.data, " - ");
                    put(&mut out.data, &self.segments[pick(id / 50, 63, 2000) as usize]);
                }
                if unit(id, 64) < 0.0005 {
                    put(&mut out.data, " Google");
                }
            }
            out.close();
        }
        out.finish()
    }

    /// The column `URL`.
    pub fn pages(&self, plan: &Plan, shape: &Shape) -> Strings {
        let mut out = StringsBuilder::with_capacity(plan.len(), plan.len() * 80);
        for (&page, &site) in plan.page.iter().zip(&plan.counter) {
            self.page(&mut out.data, page, site as usize, shape);
            out.close();
        }
        out.finish()
    }

    /// The column `Referer`.
    pub fn referers(&self, plan: &Plan, shape: &Shape) -> Strings {
        let mut out = StringsBuilder::with_capacity(plan.len(), plan.len() * 72);
        for (&(kind, id), &site) in plan.referer.iter().zip(&plan.counter) {
            match kind {
                referer::OWN => self.page(&mut out.data, id, site as usize, shape),
                referer::SEARCH => self.search(&mut out.data, id),
                referer::OTHER => self.other(&mut out.data, id),
                _ => {}
            }
            out.close();
        }
        out.finish()
    }

    /// The column `SearchPhrase`.
    pub fn phrases(&self, plan: &Plan) -> Strings {
        let mut out = StringsBuilder::with_capacity(plan.len(), plan.len() * 8);
        for phrase in &plan.phrase {
            if let Some(id) = phrase {
                self.phrase(&mut out.data, *id);
            }
            out.close();
        }
        out.finish()
    }

    /// The made-up word number `i`, for small text columns.
    pub fn word(&self, i: u64) -> &str {
        &self.fragments[(i % self.fragments.len() as u64) as usize]
    }

    fn three_words(&self, out: &mut Vec<u8>, x: u64) {
        for shift in [0, 13, 26] {
            if shift > 0 {
                out.push(b' ');
            }
            put(out, &self.words[(x >> shift & 8191) as usize]);
        }
    }

    fn phrase(&self, out: &mut Vec<u8>, id: u64) {
        self.three_words(out, scramble(id, 34, 5));
        let more = u64::from(unit(id, 51) < 0.45) + if unit(id, 53) < 0.25 { 2 } else { 0 };
        for k in 0..more {
            out.push(b' ');
            put(out, &self.words[pick(id, 54 + k, 8192) as usize]);
        }
    }

    /// Appends the address of a page. A site's first two pages are its front pages; the others have
    /// a number.
    fn page(&self, out: &mut Vec<u8>, id: u64, site: usize, shape: &Shape) {
        let counter = u64::from(shape.counters[site]);
        let local = id - shape.first_page[site];
        put(out, "http://");
        if unit(counter, 23) < 0.6 && local > 1 {
            put(out, SUBDOMAINS[pick(counter, 40, 12) as usize]);
            out.push(b'.');
        }
        put(out, &self.hosts[pick(counter, 21, 400) as usize]);
        out.push(b'/');
        let count = self.fragments.len() as u64;
        if local < 2 {
            if local == 1 {
                put(out, &self.fragments[pick(counter, 25, count) as usize]);
            }
            put(out, "#c");
            return entasis_types::text::write_u64(out, counter * 2 + local);
        }
        // A third of the pages use the few words that queries search for.
        let common = if unit(id, 33) < 0.05 { FRAGMENTS.len() as u64 } else { count };
        put(out, &self.fragments[pick(id / 7, 26, common) as usize]);
        if unit(id, 31) < 0.55 {
            out.push(b'/');
            let section = counter * 64 + pick(id, 24, 13);
            put(out, &self.fragments[pick(section, 25, count) as usize]);
        }
        put(out, SEPARATORS[pick(id, 27, 8) as usize]);
        entasis_types::text::write_u64(out, scramble(id, 27, 3));
        put(out, ENDINGS[pick(id, 29, 8) as usize]);
        if unit(id, 22) < 0.26 {
            put(out, &self.tails[pick(id, 28, 1024) as usize]);
        }
        if unit(id, 30) < 0.00016 {
            put(out, "&from=google.ru");
        }
    }

    fn search(&self, out: &mut Vec<u8>, id: u64) {
        put(out, ENGINES[pick(id, 81, 5) as usize]);
        let start = out.len();
        self.phrase(out, id);
        out[start..].iter_mut().filter(|b| **b == b' ').for_each(|b| *b = b'+');
    }

    fn other(&self, out: &mut Vec<u8>, id: u64) {
        let count = self.fragments.len() as u64;
        put(out, SCHEMES[pick(id, 73, 4) as usize]);
        put(out, &self.hosts[pick(zipf(unit(id, 71), 400, 3.0), 72, 400) as usize]);
        out.push(b'/');
        put(out, &self.fragments[pick(id, 74, count) as usize]);
        out.push(b'/');
        put(out, &self.fragments[pick(id, 75, count) as usize]);
        let name = if unit(id, 78) < 0.05 { "?name=" } else { "?e" };
        put(out, name);
        if unit(id, 79) < 0.001 {
            put(out, "12345");
        }
        entasis_types::text::write_u64(out, scramble(id, 31, 9));
        if unit(id, 76) < 0.2 {
            put(out, &self.tails[pick(id, 77, 1024) as usize]);
        }
    }
}

#[inline]
fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}
