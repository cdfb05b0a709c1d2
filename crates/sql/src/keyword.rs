//! The words that the parser looks for. A small hash, which is perfect enough, recognises them once
//! per token.
//!
//! The words in this list are not reserved: the parser decides at each place whether a word is a
//! keyword or a name.

macro_rules! keywords {
    ($($name:ident)*) => {
        /// A known word, or `NONE`.
        #[allow(clippy::upper_case_acronyms, non_camel_case_types, missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Kw { NONE, $($name),* }

        const ALL: &[(&str, Kw)] = &[("", Kw::NONE), $((stringify!($name), Kw::$name)),*];
    };
}

keywords! {
    ADD AFTER ALIAS ALL ALTER ANALYZE AND ANTI ANY APPEND APPLY ARRAY AS ASC ASCENDING ASOF ASSUME
    AST ASYNC ATTACH AUTO_INCREMENT BEGIN BETWEEN BOTH BY CASE CAST CHANGED CHECK CLEANUP CLEAR
    CLONE CLUSTER CLUSTERS CODEC COLLATE COLUMN COLUMNS COMMENT COMMIT COMPARE COMPRESSION
    CONSTRAINT CREATE CROSS CUBE CURRENT DATABASE DATABASES DATE DATEADD DATEDIFF DATESUB DATE_ADD
    DATE_DIFF DATE_SUB DEDUPLICATE DEFAULT DEFINER DELAY DELETE DELETED DESC DESCENDING DESCRIBE
    DETACH DETACHED DICTIONARIES DICTIONARY DISK DISTINCT DIV DROP DRY ELSE EMPTY END ENGINE ENGINES
    EPHEMERAL ESTIMATE EXCEPT EXCHANGE EXISTS EXPLAIN EXTENDED EXTRACT FALSE FETCH FIELDS FILL
    FILTER FINAL FIRST FOLLOWING FOR FORMAT FREEZE FROM FULL FUNCTION FUNCTIONS GLOBAL GRANT GRANTS
    GRANULARITY GROUP GROUPING GROUPS HAVING ID IF IGNORE ILIKE IN INDEX INDEXES INDICES INF INFILE
    INNER INSERT INTERPOLATE INTERSECT INTERVAL INTO IS JOIN KEY KEYS KILL LARGE LAST LEADING LEFT
    LEVEL LIKE LIMIT LOCAL LTRIM MASK MATERIALIZE MATERIALIZED MERGES MID MOD MODIFY MOVE MUTATION
    NAME NAN NATURAL NEXT NO NOT NULL NULLS OBJECT OFFSET ON ONLY OPTIMIZE OR ORDER OUTER OUTFILE
    OVER OVERLAY OVERRIDE PART PARTITION PASTE PERMANENTLY PIPELINE PLACING PLAN POPULATE POSITION
    PRECEDING PRECISION PREWHERE PRIMARY PROCESSLIST PROJECTION QUALIFY QUERY RANGE RECOMPRESS
    RECURSIVE REFRESH REGEXP REMOVE RENAME REPLACE RESET RESPECT REVOKE RIGHT ROLLBACK ROLLUP ROW
    ROWS RTRIM RUN SAMPLE SECURITY SELECT SEMI SET SETS SETTING SETTINGS SHOW SIGNED SKIP SOME SQL
    STALENESS STATISTICS STDOUT STEP STREAM STRICT SUBSTR SUBSTRING SYNC SYNTAX SYSTEM TABLE TABLES
    TEMPORARY TEST THEN TIES TIMESTAMP TIMESTAMPADD TIMESTAMPDIFF TIMESTAMPSUB TIMESTAMP_ADD
    TIMESTAMP_DIFF TIMESTAMP_SUB TO TOP TOTALS TRAILING TRANSACTION TREE TRIM TRUE TRUNCATE TTL TYPE
    UNBOUNDED UNFREEZE UNION UNSIGNED UPDATE USE USER USING UUID VALUES VARYING VERSUS VIEW VOLUME
    WHEN WHERE WINDOW WITH
}

const SLOTS: usize = 1024;
const LONGEST: usize = 14;

const fn hash(word: &[u8]) -> usize {
    let n = word.len();
    let first = (word[0] & 0xDF) as usize;
    let middle = (word[n / 2] & 0xDF) as usize;
    let last = (word[n - 1] & 0xDF) as usize;
    (first * 37 + middle * 301 + last * 7 + n * 149) % SLOTS
}

const TABLE: [u16; SLOTS] = {
    let mut table = [0u16; SLOTS];
    let mut i = 1;
    while i < ALL.len() {
        let mut slot = hash(ALL[i].0.as_bytes());
        while table[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        table[slot] = i as u16;
        i += 1;
    }
    table
};

impl Kw {
    /// The word's number; `NONE` for a word not in the table.
    #[inline]
    pub fn of(word: &[u8]) -> Self {
        if word.is_empty() || word.len() > LONGEST + 1 {
            return Self::NONE;
        }
        let mut slot = hash(word);
        loop {
            let entry = TABLE[slot];
            if entry == 0 {
                return Self::NONE;
            }
            let (text, kw) = ALL[entry as usize];
            if text.as_bytes().eq_ignore_ascii_case(word) {
                return kw;
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// The word in upper case.
    pub fn text(self) -> &'static str {
        ALL[self as usize].0
    }
}

/// The words the parser looks for, in alphabetic order.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(word, _)| *word).filter(|word| !word.is_empty())
}

/// The keyword from which `word` differs by one or two letters, for hints; `None` for a keyword
/// itself.
pub(crate) fn nearest(word: &str) -> Option<&'static str> {
    if word.len() < 4 || Kw::of(word.as_bytes()) != Kw::NONE {
        return None;
    }
    let upper = word.to_ascii_uppercase();
    let allowed = if word.len() > 5 { 2 } else { 1 };
    ALL.iter()
        .filter(|(text, _)| text.len() > 3 && text.len().abs_diff(upper.len()) <= allowed)
        .map(|(text, _)| (entasis_base::words::edits(&upper, text), *text))
        .filter(|(d, _)| *d <= allowed)
        .min()
        .map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_in_any_case() {
        for (text, kw) in &ALL[1..] {
            assert_eq!(Kw::of(text.as_bytes()), *kw);
            assert_eq!(Kw::of(text.to_lowercase().as_bytes()), *kw);
            assert!(text.len() <= LONGEST + 1, "{text}");
        }
        assert_eq!(Kw::of(b"selec"), Kw::NONE);
        assert_eq!(Kw::of(b""), Kw::NONE);
    }

    #[test]
    fn slips_are_seen() {
        assert_eq!(nearest("FORM"), Some("FROM"));
        assert_eq!(nearest("selct"), Some("SELECT"));
        assert_eq!(nearest("hits"), None);
    }
}
