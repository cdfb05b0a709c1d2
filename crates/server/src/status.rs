//! Errors as HTTP answers: status, headers, text. Also the Content-Type of formats.

use std::error::Error as _;

use entasis_base::{Error, ErrorCode, codes};
use hyper::StatusCode;

/// The status that goes with a code, as in the reference.
pub(crate) fn of(code: ErrorCode) -> StatusCode {
    match code {
        codes::REQUIRED_PASSWORD => StatusCode::UNAUTHORIZED,
        codes::UNKNOWN_USER
        | codes::WRONG_PASSWORD
        | codes::AUTHENTICATION_FAILED
        | codes::ACCESS_DENIED => StatusCode::FORBIDDEN,
        codes::BAD_ARGUMENTS
        | codes::CANNOT_COMPILE_REGEXP
        | codes::CANNOT_PARSE_TEXT
        | codes::CANNOT_PARSE_ESCAPE_SEQUENCE
        | codes::CANNOT_PARSE_QUOTED_STRING
        | codes::CANNOT_PARSE_DATE
        | codes::CANNOT_PARSE_DATETIME
        | codes::CANNOT_PARSE_NUMBER
        | codes::CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING
        | codes::CANNOT_PARSE_IPV4
        | codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED
        | codes::CANNOT_PARSE_UUID
        | codes::DUPLICATE_COLUMN
        | codes::ILLEGAL_COLUMN
        | codes::UNKNOWN_ELEMENT_IN_AST
        | codes::THERE_IS_NO_COLUMN
        | codes::TOO_DEEP_AST
        | codes::TOO_BIG_AST
        | codes::SYNTAX_ERROR
        | codes::INCORRECT_DATA
        | codes::TYPE_MISMATCH
        | codes::VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE => StatusCode::BAD_REQUEST,
        codes::UNKNOWN_TABLE
        | codes::UNKNOWN_FUNCTION
        | codes::UNKNOWN_IDENTIFIER
        | codes::UNKNOWN_TYPE
        | codes::UNKNOWN_STORAGE
        | codes::UNKNOWN_DATABASE
        | codes::UNKNOWN_SETTING
        | codes::UNKNOWN_DIRECTION_OF_SORTING
        | codes::UNKNOWN_AGGREGATE_FUNCTION
        | codes::UNKNOWN_FORMAT
        | codes::UNKNOWN_DATABASE_ENGINE
        | codes::UNKNOWN_TYPE_OF_QUERY => StatusCode::NOT_FOUND,
        codes::NOT_IMPLEMENTED => StatusCode::NOT_IMPLEMENTED,
        codes::SOCKET_TIMEOUT | codes::CANNOT_OPEN_FILE | codes::CANNOT_SCHEDULE_TASK => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        codes::HTTP_LENGTH_REQUIRED => StatusCode::LENGTH_REQUIRED,
        codes::TIMEOUT_EXCEEDED => StatusCode::REQUEST_TIMEOUT,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// `Code: 62. DB::Exception: message (line 1, col 8) (SYNTAX_ERROR) (version ...)`. Clients extract
/// the code, the name and the message from this text.
pub(crate) fn exception_text(error: &Error, query: &str, version: &str) -> String {
    let mut text = format!("Code: {}. DB::Exception: {}", error.code().0, error.message());
    // The message of a system error already contains its cause.
    if let Some(cause) = error.source().map(ToString::to_string)
        && cause != error.message()
    {
        text.push_str(&format!(": {cause}"));
    }
    // The parser's message already contains the place.
    let place = error.position().filter(|_| !query.is_empty() && !text.contains("(line "));
    if let Some(position) = place {
        let (line, column) = position.line_column(query);
        text.push_str(&format!(" (line {line}, col {column})"));
    }
    let name = error.code().name();
    text.push_str(&format!(" ({name}) (version {version})\n"));
    text
}

/// The Content-Type of a format, as in the reference.
pub(crate) fn content_type(format: &str) -> &'static str {
    match format {
        "CSV" => "text/csv; charset=UTF-8; header=absent",
        "CSVWithNames" | "CSVWithNamesAndTypes" => "text/csv; charset=UTF-8; header=present",
        "JSON"
        | "JSONCompact"
        | "JSONStrings"
        | "JSONCompactStrings"
        | "JSONColumns"
        | "JSONCompactColumns"
        | "JSONColumnsWithMetadata"
        | "JSONObjectEachRow"
        | "JSONEachRowWithProgress"
        | "JSONCompactEachRowWithProgress" => "application/json; charset=UTF-8",
        "JSONEachRow" | "JSONStringsEachRow" | "PrettyJSONEachRow" => {
            "application/x-ndjson; charset=UTF-8"
        }
        "XML" => "application/xml; charset=UTF-8",
        "Arrow"
        | "ArrowStream"
        | "Avro"
        | "BSONEachRow"
        | "MsgPack"
        | "Native"
        | "Npy"
        | "ORC"
        | "Parquet"
        | "Protobuf"
        | "RowBinary"
        | "RowBinaryWithNames"
        | "RowBinaryWithNamesAndTypes" => "application/octet-stream",
        name if name.starts_with("TabSeparated") || matches!(name, "TSKV" | "LineAsString") => {
            "text/tab-separated-values; charset=UTF-8"
        }
        _ => "text/plain; charset=UTF-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::Position;

    #[test]
    fn the_text_that_clients_parse() {
        let query = "SELECT 1,\nFROM";
        let error = Error::new(codes::SYNTAX_ERROR, "Unexpected FROM").at(Position::new(10, 14));
        assert_eq!(
            exception_text(&error, query, "26.9.2.1"),
            "Code: 62. DB::Exception: Unexpected FROM (line 2, col 1) (SYNTAX_ERROR) \
             (version 26.9.2.1)\n"
        );
        let io: Error = std::io::Error::other("disk gone").into();
        assert_eq!(exception_text(&io, "", "1").matches("disk gone").count(), 1);
    }
}
