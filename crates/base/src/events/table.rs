//! The events: name, unit, description. A name that the reference has too means the same thing.
//!
//! Every event is counted somewhere in the product: a house rule looks for its use.

/// What an event's amounts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number of things.
    Number,
    /// Bytes.
    Bytes,
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
}

/// An event as `system.events` describes it.
#[derive(Debug)]
pub struct Definition {
    /// The event.
    pub event: Event,
    /// Its name.
    pub name: &'static str,
    /// What is counted.
    pub unit: Unit,
    /// What it says.
    pub description: &'static str,
}

/// One row per event becomes a variant of [`Event`] and a row of [`EVENTS`].
macro_rules! events {
    ($($name:ident, $unit:ident, $description:literal;)*) => {
        /// Something that is counted.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Event {
            $(#[doc = $description] $name,)*
        }

        /// All events, in the order of [`Event`].
        pub const EVENTS: &[Definition] = &[
            $(Definition {
                event: Event::$name,
                name: stringify!($name),
                unit: Unit::$unit,
                description: $description,
            },)*
        ];
    };
}

events! {
    // Statements.
    Query, Number, "Statements that were started.";
    SelectQuery, Number, "SELECT statements that were started.";
    InsertQuery, Number, "INSERT statements that were started.";
    FailedQuery, Number, "Statements that ended with an error.";
    FailedSelectQuery, Number, "SELECT statements that ended with an error.";
    FailedInsertQuery, Number, "INSERT statements that ended with an error.";
    QueryTimeMicroseconds, Microseconds, "Time of all statements, from their start until their result was dropped.";
    SelectQueryTimeMicroseconds, Microseconds, "Time of SELECT statements.";
    InsertQueryTimeMicroseconds, Microseconds, "Time of INSERT statements.";
    OtherQueryTimeMicroseconds, Microseconds, "Time of statements that are neither SELECT nor INSERT.";
    QueryParseMicroseconds, Microseconds, "Time for turning texts into syntax trees.";
    QueryAnalysisMicroseconds, Microseconds, "Time for finding out what names and types mean.";
    QueryPlanBuildMicroseconds, Microseconds, "Time for making plans, their optimisation included.";
    QueryPipelineBuildMicroseconds, Microseconds, "Time for cutting plans into pipelines.";
    QueriesWithSubqueries, Number, "Statements with subqueries that run before the rest.";
    SetsBuiltFromSubquery, Number, "Sets for IN that were filled by a subquery.";
    ScalarSubqueriesExecuted, Number, "Subqueries that were run for their one value.";
    QueriesCancelled, Number, "Statements that ended because they were cancelled.";
    QueriesTimedOut, Number, "Statements that ended because max_execution_time had passed.";
    QueriesKilled, Number, "Statements that KILL QUERY has asked to end.";
    QueryMemoryLimitExceeded, Number, "Times that a statement reached its own limit of memory.";
    UserMemoryLimitExceeded, Number, "Times that a user's statements together reached their limit of memory.";
    GlobalMemoryLimitExceeded, Number, "Times that all statements together reached the server's limit of memory.";
    TableFunctionExecute, Number, "Calls of table functions.";
    ResultRows, Number, "Rows of results that were read by clients.";
    ResultBytes, Bytes, "Bytes of results in memory that were read by clients.";
    ResultChunks, Number, "Chunks of results that were read by clients.";

    // Rows that sources have read.
    SelectedRows, Number, "Rows read from all tables.";
    SelectedBytes, Bytes, "Bytes (uncompressed; only the columns asked for) read from all tables.";

    // What the system counts of threads.
    RealTimeMicroseconds, Microseconds, "Time that threads were at work for statements, summed over threads.";
    UserTimeMicroseconds, Microseconds, "Processor time of threads in user space.";
    SystemTimeMicroseconds, Microseconds, "Processor time of threads in the kernel.";
    SoftPageFaults, Number, "Page faults that needed no disk.";
    HardPageFaults, Number, "Page faults that read from a disk.";
    VoluntaryContextSwitches, Number, "Times that a thread gave the processor up, to wait for something.";
    InvoluntaryContextSwitches, Number, "Times that a thread lost the processor to another.";
    OSReadBytes, Bytes, "Bytes that the kernel fetched from block devices for threads.";
    OSWriteBytes, Bytes, "Bytes that threads caused to be sent to block devices.";
}
