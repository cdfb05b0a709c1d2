//! The content of `X-ClickHouse-Summary`.

/// The counters of a statement. Those that the server does not send are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Rows read so far.
    pub read_rows: u64,
    /// Bytes read so far, uncompressed.
    pub read_bytes: u64,
    /// Rows written so far.
    pub written_rows: u64,
    /// Bytes written so far.
    pub written_bytes: u64,
    /// Rows that will be read, as far as known.
    pub total_rows: u64,
    /// Rows of the result.
    pub result_rows: u64,
    /// Nanoseconds that the server took.
    pub elapsed_ns: u64,
    /// Bytes of memory in use. Entasis reports the peak.
    pub memory: u64,
    /// Peak of the memory in use, in bytes.
    pub peak_memory: u64,
}

impl Counters {
    /// Reads `{"read_rows":"1",...}`: a flat object of numbers, in quotes or not.
    pub(crate) fn parse(text: &str) -> Self {
        let mut counters = Self::default();
        for pair in text.trim().trim_matches(['{', '}']).split(',') {
            let Some((name, value)) = pair.split_once(':') else { continue };
            let Ok(value) = value.trim().trim_matches('"').parse() else { continue };
            let slot = match name.trim().trim_matches('"') {
                "read_rows" => &mut counters.read_rows,
                "read_bytes" => &mut counters.read_bytes,
                "written_rows" => &mut counters.written_rows,
                "written_bytes" => &mut counters.written_bytes,
                "total_rows_to_read" => &mut counters.total_rows,
                "result_rows" => &mut counters.result_rows,
                "elapsed_ns" => &mut counters.elapsed_ns,
                "memory_usage" => &mut counters.memory,
                "peak_memory_usage" => &mut counters.peak_memory,
                _ => continue,
            };
            *slot = value;
        }
        counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_quotes_or_not() {
        let text = r#"{"read_rows":"10","read_bytes":"80","total_rows_to_read":100, "new":"1"}"#;
        let counters = Counters::parse(text);
        assert_eq!((counters.read_rows, counters.read_bytes, counters.total_rows), (10, 80, 100));
        assert_eq!(Counters::parse("nonsense"), Counters::default());
    }
}
