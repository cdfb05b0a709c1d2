//! The one error type: code, message, position, cause.
//!
//! Code numbers and names equal ClickHouse's (`src/Common/ErrorCodes.cpp` upstream), since clients
//! depend on them. Programmer errors are panics that `engine` catches per query; everything a user
//! or a disk can cause is an [`Error`].

use std::fmt;

/// A byte range in the query text that an error points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Position {
    /// First byte, counted from the start of the query text.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Position {
    /// The range `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// Line and column (both from 1, columns in characters) of the first byte within `text`.
    pub fn line_column(self, text: &str) -> (usize, usize) {
        let upto = &text.as_bytes()[..(self.start as usize).min(text.len())];
        let line = upto.iter().filter(|&&b| b == b'\n').count() + 1;
        let tail = upto.rsplit(|&b| b == b'\n').next().unwrap_or(&[]);
        (line, String::from_utf8_lossy(tail).chars().count() + 1)
    }
}

/// A stable error code: ClickHouse's number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorCode(pub u16);

impl ErrorCode {
    /// The upper-case name, such as `SYNTAX_ERROR`; `UNKNOWN` for a number not in the table.
    pub fn name(self) -> &'static str {
        codes::TABLE.iter().find(|(_, code)| *code == self).map_or("UNKNOWN", |(name, _)| name)
    }

    /// Looks a code up by its upper-case name.
    pub fn by_name(name: &str) -> Option<Self> {
        codes::TABLE.iter().find(|(n, _)| *n == name).map(|(_, code)| *code)
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name(), self.0)
    }
}

/// The error of every fallible call. One pointer wide, so `Result<T>` stays small.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    code: ErrorCode,
    message: String,
    position: Option<Position>,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
    /// The message does not name the operator yet; [`Error::during`] adds it.
    nameless: bool,
}

/// `Result` with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with a code and a message for the user, which says what was wrong and how to fix
    /// it.
    #[cold]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Inner { code, message, position: None, cause: None, nameless: false }))
    }

    /// `NOT_IMPLEMENTED`: `what` exists in the dialect but not in Entasis yet.
    #[cold]
    pub fn not_implemented(what: impl fmt::Display) -> Self {
        Self::new(codes::NOT_IMPLEMENTED, format!("{what} is not implemented in Entasis yet"))
    }

    /// `LOGICAL_ERROR`: a bug in Entasis that was detected before it did harm.
    #[cold]
    pub fn logical(message: impl Into<String>) -> Self {
        Self::new(codes::LOGICAL_ERROR, message)
    }

    /// Adds the place in the query text, unless a place was added before (closer to the cause).
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.0.position.get_or_insert(position);
        self
    }

    /// Removes the place: it is one in another text than the statement's, as that of a view.
    #[must_use]
    pub fn without_position(mut self) -> Self {
        self.0.position = None;
        self
    }

    /// Adds the underlying error.
    #[must_use]
    pub fn with_cause(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.cause = Some(Box::new(cause));
        self
    }

    /// Puts `context` before the message: `context: message`.
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// Appends `more` to the message. The caller brings the punctuation: ` (more)` or `. more`.
    #[must_use]
    pub fn append(mut self, more: impl fmt::Display) -> Self {
        self.0.message = format!("{}{more}", self.0.message);
        self
    }

    /// Marks the error as one that should name the operator at work, see [`Self::during`].
    pub(crate) fn nameless(mut self) -> Self {
        self.0.nameless = true;
        self
    }

    /// Names the operator that was at work, if the error is marked for it. Only the first call
    /// counts.
    #[must_use]
    pub fn during(mut self, operator: impl fmt::Display) -> Self {
        if std::mem::take(&mut self.0.nameless) {
            self = self.append(format_args!(": while executing {operator}"));
        }
        self
    }

    /// The code, which clients see as a number and a name.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The message without code and position.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The place in the query text, if known.
    pub fn position(&self) -> Option<Position> {
        self.0.position
    }

    /// A copy without the cause, as causes cannot be cloned. For reporting one failure several
    /// times.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self(Box::new(Inner {
            code: self.0.code,
            message: self.0.message.clone(),
            position: self.0.position,
            cause: None,
            nameless: self.0.nameless,
        }))
    }
}

impl fmt::Display for Error {
    /// `Code: 62. message (SYNTAX_ERROR)`: the form that ClickHouse's clients parse.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code: {}. {}", self.0.code.0, self.0.message)?;
        if let Some(cause) = &self.0.cause {
            write!(f, ": {cause}")?;
        }
        write!(f, " ({})", self.0.code.name())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_deref().map(|c| c as _)
    }
}

impl From<std::io::Error> for Error {
    /// An [`Error`] that was wrapped in an I/O error, as readers do, comes out unchanged.
    fn from(e: std::io::Error) -> Self {
        let e = match e.downcast::<Self>() {
            Ok(ours) => return ours,
            Err(other) => other,
        };
        let code = match e.kind() {
            std::io::ErrorKind::NotFound => codes::FILE_DOESNT_EXIST,
            std::io::ErrorKind::StorageFull => codes::NOT_ENOUGH_SPACE,
            _ => codes::CANNOT_READ_FROM_FILE_DESCRIPTOR,
        };
        Self::new(code, e.to_string()).with_cause(e)
    }
}

/// The codes in use, under ClickHouse's names.
pub mod codes {
    use super::ErrorCode;

    macro_rules! codes {
        ($($name:ident = $number:literal),* $(,)?) => {
            $(#[allow(missing_docs)] pub const $name: ErrorCode = ErrorCode($number);)*
            /// Every code with its name.
            pub const TABLE: &[(&str, ErrorCode)] = &[$((stringify!($name), $name)),*];
        };
    }

    codes! {
        UNSUPPORTED_METHOD = 1,
        UNSUPPORTED_PARAMETER = 2,
        UNEXPECTED_END_OF_FILE = 3,
        CANNOT_PARSE_TEXT = 6,
        INCORRECT_NUMBER_OF_COLUMNS = 7,
        THERE_IS_NO_COLUMN = 8,
        SIZES_OF_COLUMNS_DOESNT_MATCH = 9,
        NOT_FOUND_COLUMN_IN_BLOCK = 10,
        POSITION_OUT_OF_BOUND = 11,
        PARAMETER_OUT_OF_BOUND = 12,
        SIZES_OF_COLUMNS_IN_TUPLE_DOESNT_MATCH = 13,
        DUPLICATE_COLUMN = 15,
        NO_SUCH_COLUMN_IN_TABLE = 16,
        SIZE_OF_FIXED_STRING_DOESNT_MATCH = 19,
        NUMBER_OF_COLUMNS_DOESNT_MATCH = 20,
        CANNOT_PARSE_ESCAPE_SEQUENCE = 25,
        CANNOT_PARSE_QUOTED_STRING = 26,
        CANNOT_PARSE_INPUT_ASSERTION_FAILED = 27,
        CANNOT_PRINT_FLOAT_OR_DOUBLE_NUMBER = 28,
        ATTEMPT_TO_READ_AFTER_EOF = 32,
        CANNOT_READ_ALL_DATA = 33,
        TOO_MANY_ARGUMENTS_FOR_FUNCTION = 34,
        TOO_FEW_ARGUMENTS_FOR_FUNCTION = 35,
        BAD_ARGUMENTS = 36,
        UNKNOWN_ELEMENT_IN_AST = 37,
        CANNOT_PARSE_DATE = 38,
        CHECKSUM_DOESNT_MATCH = 40,
        CANNOT_PARSE_DATETIME = 41,
        NUMBER_OF_ARGUMENTS_DOESNT_MATCH = 42,
        ILLEGAL_TYPE_OF_ARGUMENT = 43,
        ILLEGAL_COLUMN = 44,
        UNKNOWN_FUNCTION = 46,
        UNKNOWN_IDENTIFIER = 47,
        NOT_IMPLEMENTED = 48,
        LOGICAL_ERROR = 49,
        UNKNOWN_TYPE = 50,
        EMPTY_LIST_OF_COLUMNS_QUERIED = 51,
        TYPE_MISMATCH = 53,
        STORAGE_REQUIRES_PARAMETER = 55,
        UNKNOWN_STORAGE = 56,
        TABLE_ALREADY_EXISTS = 57,
        ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER = 59,
        UNKNOWN_TABLE = 60,
        SYNTAX_ERROR = 62,
        UNKNOWN_AGGREGATE_FUNCTION = 63,
        ARGUMENT_OUT_OF_BOUND = 69,
        CANNOT_CONVERT_TYPE = 70,
        CANNOT_PARSE_NUMBER = 72,
        UNKNOWN_FORMAT = 73,
        CANNOT_READ_FROM_FILE_DESCRIPTOR = 74,
        CANNOT_WRITE_TO_FILE_DESCRIPTOR = 75,
        CANNOT_OPEN_FILE = 76,
        CANNOT_CLOSE_FILE = 77,
        UNKNOWN_TYPE_OF_QUERY = 78,
        INCORRECT_FILE_NAME = 79,
        INCORRECT_QUERY = 80,
        UNKNOWN_DATABASE = 81,
        DATABASE_ALREADY_EXISTS = 82,
        DIRECTORY_DOESNT_EXIST = 83,
        DIRECTORY_ALREADY_EXISTS = 84,
        FORMAT_IS_NOT_SUITABLE_FOR_INPUT = 85,
        RECEIVED_ERROR_FROM_REMOTE_IO_SERVER = 86,
        CANNOT_TRUNCATE_FILE = 88,
        UNKNOWN_COMPRESSION_METHOD = 89,
        EMPTY_LIST_OF_COLUMNS_PASSED = 90,
        EMPTY_DATA_PASSED = 92,
        UNKNOWN_PACKET_FROM_CLIENT = 99,
        UNKNOWN_PACKET_FROM_SERVER = 100,
        FILE_DOESNT_EXIST = 107,
        NO_DATA_TO_INSERT = 108,
        UNKNOWN_SETTING = 115,
        THERE_IS_NO_DEFAULT_VALUE = 116,
        INCORRECT_DATA = 117,
        ENGINE_REQUIRED = 119,
        UNSUPPORTED_JOIN_KEYS = 121,
        INCOMPATIBLE_COLUMNS = 122,
        INCORRECT_RESULT_OF_SCALAR_SUBQUERY = 125,
        ILLEGAL_INDEX = 127,
        TOO_LARGE_ARRAY_SIZE = 128,
        CANNOT_READ_ARRAY_FROM_TEXT = 130,
        TOO_LARGE_STRING_SIZE = 131,
        AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS = 133,
        UNKNOWN_ELEMENT_IN_CONFIG = 137,
        NO_ELEMENTS_IN_CONFIG = 139,
        SAMPLING_NOT_SUPPORTED = 141,
        NOT_FOUND_NODE = 142,
        UNKNOWN_OVERFLOW_MODE = 145,
        UNKNOWN_DIRECTION_OF_SORTING = 152,
        ILLEGAL_DIVISION = 153,
        TOO_MANY_ROWS = 158,
        TIMEOUT_EXCEEDED = 159,
        TOO_SLOW = 160,
        TOO_MANY_COLUMNS = 161,
        TOO_DEEP_SUBQUERIES = 162,
        READONLY = 164,
        TOO_MANY_TEMPORARY_COLUMNS = 165,
        TOO_MANY_TEMPORARY_NON_CONST_COLUMNS = 166,
        TOO_DEEP_AST = 167,
        TOO_BIG_AST = 168,
        BAD_TYPE_OF_FIELD = 169,
        BAD_GET = 170,
        CANNOT_CREATE_DIRECTORY = 172,
        CANNOT_ALLOCATE_MEMORY = 173,
        CYCLIC_ALIASES = 174,
        MULTIPLE_EXPRESSIONS_FOR_ALIAS = 179,
        ILLEGAL_FINAL = 181,
        ILLEGAL_PREWHERE = 182,
        UNEXPECTED_EXPRESSION = 183,
        ILLEGAL_AGGREGATION = 184,
        UNSUPPORTED_COLLATION_LOCALE = 186,
        SIZES_OF_ARRAYS_DONT_MATCH = 190,
        SET_SIZE_LIMIT_EXCEEDED = 191,
        UNKNOWN_USER = 192,
        WRONG_PASSWORD = 193,
        REQUIRED_PASSWORD = 194,
        TOO_MANY_SIMULTANEOUS_QUERIES = 202,
        CANNOT_FSYNC = 204,
        ALIAS_REQUIRED = 206,
        AMBIGUOUS_IDENTIFIER = 207,
        SOCKET_TIMEOUT = 209,
        NETWORK_ERROR = 210,
        UNKNOWN_LOAD_BALANCING = 212,
        UNKNOWN_TOTALS_MODE = 213,
        NOT_AN_AGGREGATE = 215,
        QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING = 216,
        TABLE_IS_DROPPED = 218,
        DATABASE_NOT_EMPTY = 219,
        UNEXPECTED_AST_STRUCTURE = 223,
        NO_FILE_IN_DATA_PART = 226,
        NO_SUCH_DATA_PART = 232,
        BAD_DATA_PART_NAME = 233,
        NO_REPLICA_HAS_PART = 234,
        ABORTED = 236,
        CANNOT_MUNMAP = 239,
        MEMORY_LIMIT_EXCEEDED = 241,
        TABLE_IS_READ_ONLY = 242,
        NOT_ENOUGH_SPACE = 243,
        CORRUPTED_DATA = 246,
        INVALID_PARTITION_VALUE = 248,
        TOO_MANY_PARTS = 252,
        UNION_ALL_RESULT_STRUCTURES_MISMATCH = 258,
        BAD_COLLATION = 262,
        INCOMPATIBLE_TYPE_OF_JOIN = 264,
        INFINITE_LOOP = 269,
        CANNOT_COMPRESS = 270,
        CANNOT_DECOMPRESS = 271,
        INDEX_NOT_USED = 277,
        UNKNOWN_DISTRIBUTED_PRODUCT_MODE = 283,
        LIMIT_EXCEEDED = 290,
        DATABASE_ACCESS_DENIED = 291,
        TOO_DEEP_RECURSION = 306,
        TOO_MANY_BYTES = 307,
        FUNCTION_CANNOT_HAVE_PARAMETERS = 309,
        INVALID_CONFIG_PARAMETER = 318,
        UNKNOWN_STATUS_OF_INSERT = 319,
        VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE = 321,
        UNKNOWN_DATABASE_ENGINE = 336,
        UNFINISHED = 341,
        SUPPORT_IS_DISABLED = 344,
        CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN = 349,
        AMBIGUOUS_COLUMN_NAME = 352,
        INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE = 353,
        INTO_OUTFILE_NOT_ALLOWED = 358,
        DATA_TYPE_CANNOT_BE_USED_IN_TABLES = 370,
        SESSION_NOT_FOUND = 372,
        SESSION_IS_LOCKED = 373,
        INVALID_SESSION_TIMEOUT = 374,
        CANNOT_PARSE_UUID = 376,
        ILLEGAL_SYNTAX_FOR_DATA_TYPE = 377,
        DATA_TYPE_CANNOT_HAVE_ARGUMENTS = 378,
        HTTP_LENGTH_REQUIRED = 381,
        PART_IS_TEMPORARILY_LOCKED = 384,
        NO_COMMON_TYPE = 386,
            DICTIONARY_ALREADY_EXISTS = 387,
            CANNOT_ASSIGN_OPTIMIZE = 388,
            CANNOT_GET_CREATE_TABLE_QUERY = 390,
        QUERY_IS_PROHIBITED = 392,
        QUERY_WAS_CANCELLED = 394,
        FUNCTION_THROW_IF_VALUE_IS_NON_ZERO = 395,
        TOO_MANY_ROWS_OR_BYTES = 396,
        QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW = 397,
        FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT = 399,
        INVALID_JOIN_ON_EXPRESSION = 403,
        TOP_AND_LIMIT_TOGETHER = 406,
        DECIMAL_OVERFLOW = 407,
        EXPECTED_ALL_OR_ANY = 417,
        UNKNOWN_JOIN = 418,
        MULTIPLE_ASSIGNMENTS_TO_COLUMN = 419,
        CANNOT_UPDATE_COLUMN = 420,
        UNSUPPORTED_URI_SCHEME = 422,
        CANNOT_COMPILE_REGEXP = 427,
        ILLEGAL_SYNTAX_FOR_CODEC_TYPE = 431,
        UNKNOWN_CODEC = 432,
        ILLEGAL_CODEC_PARAMETER = 433,
        CANNOT_PARSE_PROTOBUF_SCHEMA = 434,
        CANNOT_SCHEDULE_TASK = 439,
        INVALID_LIMIT_EXPRESSION = 440,
        CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING = 441,
        BAD_DATABASE_FOR_TEMPORARY_TABLE = 442,
        FUNCTION_NOT_ALLOWED = 446,
        BAD_TTL_EXPRESSION = 450,
        SETTING_CONSTRAINT_VIOLATION = 452,
        OPENSSL_ERROR = 454,
        UNKNOWN_QUERY_PARAMETER = 456,
        BAD_QUERY_PARAMETER = 457,
        CANNOT_PARSE_BOOL = 467,
        VIOLATED_CONSTRAINT = 469,
        INVALID_SETTING_VALUE = 471,
        READONLY_SETTING = 472,
        INVALID_WITH_FILL_EXPRESSION = 475,
        WITH_TIES_WITHOUT_ORDER_BY = 476,
        INVALID_USAGE_OF_INPUT = 477,
        UNKNOWN_POLICY = 478,
        UNKNOWN_DISK = 479,
        PATH_ACCESS_DENIED = 481,
        TOO_MANY_REDIRECTS = 483,
        INCORRECT_DICTIONARY_DEFINITION = 489,
        CANNOT_FORMAT_DATETIME = 490,
        UNACCEPTABLE_URL = 491,
        ACCESS_DENIED = 497,
        CANNOT_CREATE_DATABASE = 501,
        FILE_ALREADY_EXISTS = 504,
        UNKNOWN_PART_TYPE = 513,
        AUTHENTICATION_FAILED = 516,
            CANNOT_DETACH_DICTIONARY_AS_TABLE = 520,
            ALTER_OF_COLUMN_IS_FORBIDDEN = 524,
            UNKNOWN_MYSQL_DATATYPES_SUPPORT_LEVEL = 543,
        UNKNOWN_VOLUME = 548,
        DATA_TYPE_CANNOT_BE_USED_IN_KEY = 549,
        UNKNOWN_UNION = 557,
        EXPECTED_ALL_OR_DISTINCT = 558,
        TOO_MANY_PARTITIONS = 565,
        DUPLICATED_PART_UUIDS = 567,
        TOO_LARGE_DISTRIBUTED_DEPTH = 581,
        NO_SUCH_PROJECTION_IN_TABLE = 582,
        ILLEGAL_PROJECTION = 583,
        PROJECTION_NOT_USED = 584,
        BACKUP_ALREADY_EXISTS = 598, BACKUP_NOT_FOUND = 599, BACKUP_VERSION_NOT_SUPPORTED = 600,
        BACKUP_DAMAGED = 601, NO_BASE_BACKUP = 602, WRONG_BASE_BACKUP = 603,
        BACKUP_ENTRY_ALREADY_EXISTS = 604, BACKUP_ENTRY_NOT_FOUND = 605, CANNOT_RESTORE_TABLE = 608,
        FUNCTION_ALREADY_EXISTS = 609,
        CANNOT_DROP_FUNCTION = 610,
        CANNOT_CREATE_RECURSIVE_FUNCTION = 611,
        CANNOT_NORMALIZE_STRING = 621,
        CANNOT_SKIP_UNKNOWN_FIELD = 626,
        BACKUP_ENGINE_NOT_FOUND = 627,
        HAVE_DEPENDENT_OBJECTS = 630,
        UNEXPECTED_DATA_AFTER_PARSED_VALUE = 632,
        CANNOT_EXTRACT_TABLE_STRUCTURE = 636,
        CANNOT_APPEND_TO_FILE = 641,
        CANNOT_PARSE_BACKUP_SETTINGS = 653,
        CANNOT_PARSE_IPV4 = 675,
        CANNOT_PARSE_IPV6 = 676,
        UNKNOWN_ELEMENT_OF_ENUM = 691,
        CLUSTER_DOESNT_EXIST = 701,
        TABLE_NOT_EMPTY = 705,
        ILLEGAL_STATISTICS = 708,
        CANNOT_FORGET_PARTITION = 716,
        ILLEGAL_TIME_SERIES_TAGS = 729,
        REFRESH_FAILED = 730,
        SERVER_OVERLOADED = 745,
        POCO_EXCEPTION = 1000,
        STD_EXCEPTION = 1001,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_is_what_clients_parse() {
        let e = Error::new(codes::SYNTAX_ERROR, "Unexpected `)`").at(Position::new(3, 4));
        assert_eq!(e.to_string(), "Code: 62. Unexpected `)` (SYNTAX_ERROR)");
        assert_eq!(e.position(), Some(Position::new(3, 4)));
    }

    #[test]
    fn names_are_unique_and_numbers_ascend() {
        for (i, (name, code)) in codes::TABLE.iter().enumerate() {
            assert!(codes::TABLE[i + 1..].iter().all(|(n, c)| n != name && c.0 > code.0), "{name}");
        }
    }

    #[test]
    fn line_and_column_count_characters() {
        let text = "select 1,\n 'жж', )";
        let at = text.find(')').unwrap();
        assert_eq!(Position::new(at, at + 1).line_column(text), (2, 8));
    }
}
