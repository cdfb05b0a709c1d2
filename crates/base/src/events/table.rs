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
    MemoryRowsRead, Number, "Rows read from tables in memory, those of the database system included.";
    LogRowsRead, Number, "Rows read from tables of the engine Log.";
    FileRowsRead, Number, "Rows read from files of users.";
    GeneratedRowsRead, Number, "Rows of sources that make them up, such as numbers().";
    InputRowsRead, Number, "Rows that came with a statement, as those of INSERT do.";

    // What the system counts of threads.
    RealTimeMicroseconds, Microseconds, "Time that threads were at work for statements, summed over threads.";
    UserTimeMicroseconds, Microseconds, "Processor time of threads in user space.";
    SystemTimeMicroseconds, Microseconds, "Processor time of threads in the kernel.";
    SoftPageFaults, Number, "Page faults that needed no disk.";
    HardPageFaults, Number, "Page faults that read from a disk.";
    VoluntaryContextSwitches, Number, "Times that a thread gave the processor up, to wait for something.";
    InvoluntaryContextSwitches, Number, "Times that a thread lost the processor to another.";
    MemoryAllocatedBytes, Bytes, "Bytes that threads have allocated, by size classes of the allocator.";
    MemoryFreedBytes, Bytes, "Bytes that threads have freed, by size classes of the allocator.";
    OSReadBytes, Bytes, "Bytes that the kernel fetched from block devices for threads.";
    OSWriteBytes, Bytes, "Bytes that threads caused to be sent to block devices.";

    // Files.
    FileOpen, Number, "Files opened.";
    ReadBufferFromFileDescriptorRead, Number, "Reads of files, one per system call (or run of them for one range).";
    ReadBufferFromFileDescriptorReadBytes, Bytes, "Bytes read from files.";
    ReadBufferFromFileDescriptorReadFailed, Number, "Reads of files that failed.";
    WriteBufferFromFileDescriptorWrite, Number, "Writes to files, one per system call (or run of them for one buffer).";
    WriteBufferFromFileDescriptorWriteBytes, Bytes, "Bytes written to files.";
    WriteBufferFromFileDescriptorWriteFailed, Number, "Writes to files that failed.";
    DiskReadElapsedMicroseconds, Microseconds, "Time in reads of files.";
    DiskWriteElapsedMicroseconds, Microseconds, "Time in writes to files.";
    FileSync, Number, "Files made durable.";
    FileSyncElapsedMicroseconds, Microseconds, "Time for making files durable.";
    DirectorySync, Number, "Directories whose names were made durable.";
    DirectorySyncElapsedMicroseconds, Microseconds, "Time for making names in directories durable.";
    FilesTruncated, Number, "Files cut to a length.";
    FilesRemoved, Number, "Files removed.";
    FilesRenamed, Number, "Files and directories renamed.";
    DirectoryListings, Number, "Directories listed.";
    DirectoriesCreated, Number, "Directories created, with their missing parents.";
    DirectoriesRemoved, Number, "Directories removed with all that was in them.";
    ReadBatches, Number, "Batches of ranges read from files.";
    ReadBatchRanges, Number, "Ranges in batches of reads.";
    ReadBatchRangesJoined, Number, "Ranges that were read by one call together with neighbours.";
    ThreadpoolReaderSubmit, Number, "Batches of reads handed to the threads for reading.";
    ThreadpoolReaderTaskMicroseconds, Microseconds, "Time of batches on the threads for reading.";
    AsynchronousReadWaitMicroseconds, Microseconds, "Time waited for batches on the threads for reading.";
    IoThreadsStarted, Number, "Threads for reading that were started.";

    // Blocks of encoded columns.
    CompressedReadBufferBlocks, Number, "Blocks whose checksum was verified and that were decoded.";
    CompressedReadBufferBytes, Bytes, "Bytes that blocks decode to (strings: without their lengths).";
    ReadCompressedBytes, Bytes, "Bytes of blocks as they are stored.";
    CompressedReadBufferChecksumDoesntMatch, Number, "Blocks whose checksum did not match.";
    Lz4BlocksDecompressed, Number, "Blocks decompressed by LZ4.";
    ZstdBlocksDecompressed, Number, "Blocks decompressed by ZSTD.";
    BlocksWritten, Number, "Blocks encoded.";
    BlocksWrittenRows, Number, "Rows of blocks encoded.";
    BlocksWrittenBytes, Bytes, "Bytes of blocks encoded, with their headers.";
    PlainBlocksWritten, Number, "Blocks written as values side by side.";
    ConstantBlocksWritten, Number, "Blocks written as one value.";
    FrameOfReferenceBlocksWritten, Number, "Blocks written as small distances from their least value.";
    DeltaBlocksWritten, Number, "Blocks written as differences.";
    DoubleDeltaBlocksWritten, Number, "Blocks written as differences of differences.";
    RunLengthBlocksWritten, Number, "Blocks written as runs of equal values.";
    SparseBlocksWritten, Number, "Blocks written as the places that differ from the rest.";
    DictionaryBlocksWritten, Number, "Blocks written as a dictionary of their own.";
    XorBlocksWritten, Number, "Blocks written as bits that change from value to value.";
    LaneBlocksWritten, Number, "Blocks of wide values written word by word.";
    Lz4BlocksWritten, Number, "Blocks compressed by LZ4.";
    ZstdBlocksWritten, Number, "Blocks compressed by ZSTD.";
    CompressionInputBytes, Bytes, "Bytes that went into LZ4 and ZSTD, tries that were not kept included.";
    CompressionOutputBytes, Bytes, "Bytes that came out of LZ4 and ZSTD, tries that were not kept included.";

    // Scans of MergeTree tables.
    SelectedPartsTotal, Number, "Parts of tables that were scanned, before any was left out.";
    SelectedParts, Number, "Parts that a scan reads from.";
    SelectedRanges, Number, "Runs of adjacent granules that scans read.";
    SelectedMarksTotal, Number, "Granules of tables that were scanned, before any was left out.";
    SelectedMarks, Number, "Granules that a scan may read.";
    IndexAnalysisRounds, Number, "Times that it was found out what a scan may leave out.";
    IndexAnalysisMicroseconds, Microseconds, "Time for finding out what a scan may leave out.";
    FilteringMarksWithPrimaryKeyProcessedMarks, Number, "Granules that the sparse index was asked about.";
    FilteringMarksWithPrimaryKeyMicroseconds, Microseconds, "Time in the sparse index.";
    FilteringMarksWithSecondaryKeysMicroseconds, Microseconds, "Time in the bounds of granules.";
    PartsSkippedByBounds, Number, "Parts left out by the bounds of their columns.";
    MarksSkippedByPartBounds, Number, "Granules of parts left out by the bounds of their columns.";
    MarksSkippedByPrimaryKey, Number, "Granules left out by the sparse index.";
    MarksSkippedByBounds, Number, "Granules left out by the bounds of their columns.";
    RuntimeFilterGranulesDropped, Number, "Granules left out by bounds that became known while the query ran.";
    GranulesPassingWhole, Number, "Granules whose bounds say that every row passes the filter.";
    GranulesRead, Number, "Granules of which something was read.";
    GranulesWithoutRows, Number, "Granules of which no row passed the filter.";
    MergeTreeRowsRead, Number, "Rows of granules that were read.";
    MergeTreeBytesRead, Bytes, "Bytes of granules that were read, decoded.";
    MergeTreeRowsPassed, Number, "Rows of granules that passed the filter within the scan.";
    RowsReadByPrewhereReaders, Number, "Rows that the filter within a scan was evaluated for.";
    RowsReadByMainReader, Number, "Rows of granules from which columns were read after the filter.";
    ScanTasks, Number, "Pieces of work that scans were cut into.";
    ColumnGranulesDecoded, Number, "Granules of single columns that were decoded.";
    ColumnGranulesWithoutBlocks, Number, "Granules of single columns that needed no block: constants and defaults.";
    ReadAheadHits, Number, "Granules of single columns that had been read together with an earlier one.";
    ReadAheadMisses, Number, "Granules of single columns that had to be read.";
    DictionariesLoaded, Number, "Dictionaries and constants of parts that were read.";
    LoadedDataParts, Number, "Parts opened.";
    LoadedDataPartsMicroseconds, Microseconds, "Time for opening parts.";
    LoadedPrimaryIndexFiles, Number, "Sparse indexes decoded.";
    LoadedPrimaryIndexRows, Number, "Rows of sparse indexes decoded.";
    LoadedPrimaryIndexBytes, Bytes, "Bytes of sparse indexes as they are stored.";
    ColumnMetadataLoaded, Number, "Columns of parts whose metadata was decoded.";

    // Inserts, merges, commits.
    InsertedRows, Number, "Rows that INSERT has written to tables.";
    InsertedBytes, Bytes, "Bytes (uncompressed) that INSERT has written to tables.";
    InsertedParts, Number, "Parts that INSERT has made visible.";
    InsertBlocksSplitByPartition, Number, "Chunks of INSERT with rows of several partitions.";
    MergeTreeDataWriterBlocks, Number, "Parts written by INSERT.";
    MergeTreeDataWriterBlocksAlreadySorted, Number, "Parts written by INSERT whose rows came in order.";
    MergeTreeDataWriterRows, Number, "Rows of parts written by INSERT.";
    MergeTreeDataWriterUncompressedBytes, Bytes, "Bytes of parts written by INSERT, in memory.";
    MergeTreeDataWriterCompressedBytes, Bytes, "Bytes of parts written by INSERT, in files.";
    MergeTreeDataWriterSortingBlocksMicroseconds, Microseconds, "Time for sorting rows of INSERT.";
    Merge, Number, "Merges begun.";
    MergeSourceParts, Number, "Parts that merges read.";
    MergedRows, Number, "Rows that merges read.";
    MergedColumns, Number, "Columns that merges put together.";
    MergedUncompressedBytes, Bytes, "Bytes (uncompressed) that merges put together.";
    MergeWrittenRows, Number, "Rows that merges wrote.";
    MergeWrittenBytes, Bytes, "Bytes that merges wrote to files.";
    MergeTotalMilliseconds, Milliseconds, "Time of merges that were committed.";
    MergeExecuteMilliseconds, Milliseconds, "Time of merges up to their commit.";
    MergesStopped, Number, "Merges that were stopped.";
    BackgroundMergeRounds, Number, "Times that the merging thread looked for work.";
    BackgroundMergeFailures, Number, "Merges of the merging thread that failed.";
    PartsRemoved, Number, "Files of parts that nobody needed any more.";
    TablesTruncated, Number, "Tables emptied by TRUNCATE.";
    CommitLogCommits, Number, "Commits that were made durable.";
    CommitLogCommitMicroseconds, Microseconds, "Time of commits, from their request until they were durable.";
    CommitLogFailures, Number, "Commits that failed.";
    CommitLogFollowers, Number, "Waits of a commit while another one was writing.";
    CommitLogLockWaitMicroseconds, Microseconds, "Time waited for the commit log's lock.";
    CommitLogRecordsWritten, Number, "Records written to the commit log.";
    CommitLogBytesWritten, Bytes, "Bytes written to the commit log.";
    CommitLogSyncMicroseconds, Microseconds, "Time for making the commit log durable.";
    CommitLogCheckpoints, Number, "Times that the commit log was written anew.";

    // Work of the pool and of pipelines.
    PipelinesStarted, Number, "Pipelines that began.";
    PipelinesFinished, Number, "Pipelines whose result was made visible to those that follow.";
    PipelineTasksOpened, Number, "Workers' ends of pipelines that were opened.";
    PipelineTasksFinished, Number, "Workers' ends of pipelines that came to their end.";
    PlantedMicroseconds, Microseconds, "Time that a planted slowdown has burnt (entasis lab power).";
    PipelineTasksParked, Number, "Times that a worker's end of a pipeline had to wait and was set aside.";
    PipelineTasksWoken, Number, "Times that one that was set aside could go on.";
    PipelineTasksYielded, Number, "Times that one was left so that another query got the thread.";
    PoolRequests, Number, "Times that a query asked for a thread of the pool.";
    PoolThreadsStarted, Number, "Threads of the pool that were started.";
    PoolIdleMicroseconds, Microseconds, "Time that threads of the pool had nothing to do.";
    QueryOwnerWaitMicroseconds, Microseconds, "Time that the threads of statements waited for others.";
    QueriesBuriedAside, Number, "Failed queries whose memory was given back by a thread of its own.";
    SourceChunks, Number, "Chunks that sources of pipelines gave, tables' and those between pipelines.";
    SourceRows, Number, "Rows of these chunks.";
    OperatorChunks, Number, "Chunks that operators took.";
    OperatorRows, Number, "Rows of these chunks.";
    SinkChunks, Number, "Chunks that reached the end of their pipeline.";
    SinkRows, Number, "Rows of these chunks.";
    ResultChannelFull, Number, "Times that a worker waited until a client had read more of a result.";

    // Operators.
    FilterTransformRows, Number, "Rows that went into filters outside of scans.";
    FilterTransformPassedRows, Number, "Rows that passed filters outside of scans.";
    CoalescedChunks, Number, "Small chunks that were put together to larger ones.";
    ArrayJoinRows, Number, "Rows that went into ARRAY JOIN.";
    ArrayJoinElements, Number, "Elements of the arrays that went into ARRAY JOIN.";
    AggregationRowsHashed, Number, "Rows whose group was looked up by their keys.";
    AggregationRowsByDictionary, Number, "Rows whose group was looked up once per value of a dictionary.";
    AggregationRowsWithoutKey, Number, "Rows aggregated into one row.";
    AggregationGroupsAdded, Number, "Groups that were new to a worker's table.";
    AggregationGroupsMerged, Number, "Groups of one table that went into another.";
    AggregationTablesMerged, Number, "Tables of groups that went into another.";
    AggregationConvertedToTwoLevel, Number, "Workers' tables of groups that were split into partitions.";
    AggregationRowsSetAside, Number, "Rows that were set aside by partition, to be aggregated later.";
    AggregationSetAsideFlushes, Number, "Times that rows set aside were aggregated because they were many.";
    AggregationResultRows, Number, "Groups that were answered.";
    AggregateBlocksAllocated, Number, "Blocks of pools that sets of aggregates (uniqExact) have taken anew.";
    AggregateBlocksReused, Number, "Blocks that another set had left.";
    HashTableGrowths, Number, "Hash tables that were given more slots.";
    HashTableGrowthKeys, Number, "Keys that were put into new slots then.";
    DistinctRows, Number, "Rows that went into DISTINCT.";
    DistinctPassedRows, Number, "Rows that were the first of their kind.";
    DistinctLockWaitMicroseconds, Microseconds, "Time waited for the set that the workers of a DISTINCT share.";
    JoinBuildTableRowCount, Number, "Rows of the right sides of joins.";
    JoinBuildBytes, Bytes, "Bytes of the right sides of joins.";
    JoinBuildPostProcessingMicroseconds, Microseconds, "Time for making tables of the right sides of joins.";
    JoinProbeTableRowCount, Number, "Rows of the left sides of joins.";
    JoinResultRowCount, Number, "Rows that joins gave, before conditions beside the keys.";
    JoinNonJoinedTransformBlockCount, Number, "Chunks of rows of the right side without a match.";
    JoinNonJoinedTransformRowCount, Number, "Rows of the right side without a match.";
    SortRows, Number, "Rows kept for being sorted whole.";
    SortRuns, Number, "Sorted runs.";
    SortRunRows, Number, "Rows of sorted runs.";
    SortRunMicroseconds, Microseconds, "Time for sorting runs.";
    SortMergedBlocks, Number, "Chunks that were merged out of several sorted runs.";
    SortMergedRuns, Number, "Runs that had rows for these chunks, summed.";
    SortTopSelections, Number, "Times that ORDER BY with LIMIT kept the best of its rows.";
    SortTopRows, Number, "Rows that it chose from.";
    SortBoundsTightened, Number, "Times that ORDER BY with LIMIT found a tighter bound.";
    SortRowsPastBound, Number, "Rows dropped because they lie past that bound.";
    WindowRows, Number, "Rows that were gathered for functions over windows.";
    WindowPartitions, Number, "Partitions that functions over windows looked at.";
    LimitByRows, Number, "Rows that went into LIMIT BY.";
    UnionRows, Number, "Rows that went through UNION.";
    ExternalProcessingFilesTotal, Number, "Temporary files that statements made for what did not fit into memory.";
    ExternalProcessingCompressedBytesTotal, Bytes, "Bytes that were written to temporary files.";
    ExternalProcessingUncompressedBytesTotal, Bytes, "These bytes before compression.";
    ExternalAggregationWritePart, Number, "Times that groups, or rows to be aggregated, went to a temporary file.";
    ExternalAggregationMerge, Number, "Aggregations that were put together from temporary files.";
    ExternalAggregationCompressedBytes, Bytes, "Bytes that aggregations wrote to temporary files.";
    ExternalAggregationUncompressedBytes, Bytes, "These bytes before compression.";
    ExternalAggregationPartitions, Number, "Partitions of groups that were written to temporary files, once per time.";
    ExternalAggregationPasses, Number, "Additional passes over partitions that were too large for memory.";
    ExternalSortWritePart, Number, "Sorted runs that were written to temporary files.";
    ExternalSortMerge, Number, "Sorts that merged runs of temporary files.";
    ExternalSortCompressedBytes, Bytes, "Bytes that sorts wrote to temporary files.";
    ExternalSortUncompressedBytes, Bytes, "These bytes before compression.";
    RecursiveSteps, Number, "Evaluations of recursive common table expressions.";

    // Expressions.
    ExpressionEvaluations, Number, "Evaluations of a list of expressions on a chunk.";
    ExpressionRows, Number, "Rows of these chunks.";
    PredicateEvaluations, Number, "Evaluations of a condition on a chunk.";
    ConjunctEvaluations, Number, "Evaluations of a part of a condition, of those that AND connects.";
    ConjunctRows, Number, "Rows that were left for these.";
    FunctionExecute, Number, "Calls of functions, one per chunk.";
    FunctionExecuteOnConstants, Number, "Calls that were answered by one row, as all arguments were constant.";
    FunctionExecuteOnDictionary, Number, "Calls that were answered by the values of a dictionary.";
    SetLookups, Number, "Rows looked up in the sets of IN.";
    SetElements, Number, "Elements of sets that subqueries have filled.";

    // Formats.
    FormatRowsRead, Number, "Rows parsed.";
    FormatChunksRead, Number, "Chunks parsed.";
    FormatBytesRead, Bytes, "Bytes given to parsers.";
    FormatParseMicroseconds, Microseconds, "Time in parsers, waiting for their bytes included.";
    FormatRowsWritten, Number, "Rows formatted.";
    FormatChunksWritten, Number, "Chunks formatted.";
    FormatBytesWritten, Bytes, "Bytes that formats wrote.";
    FormatWriteMicroseconds, Microseconds, "Time in formats that write.";
    ParquetReadRowGroups, Number, "Row groups of Parquet files that were read.";
    FormatSchemaInferences, Number, "Times that names and types were guessed from data.";

    // Logs.
    QueryProfilerSignalOverruns, Number, "Stacks that the profiler lost, as they came faster than they were read.";
    SystemLogErrorOnFlush, Number, "Writes of a log's rows into its table that have failed.";
    SystemLogRowsLost, Number, "Rows of logs that were lost: too many waited, or they could not be written.";

    // What processor and kernel count (metrics_perf_events_enabled).
    PerfCPUCycles, Number, "Cycles of the processor, of any length.";
    PerfInstructions, Number, "Instructions retired.";
    PerfBranchInstructions, Number, "Branches retired.";
    PerfBranchMisses, Number, "Branches that were predicted wrongly.";
    PerfCacheReferences, Number, "Look-ups in a cache, mostly the last level.";
    PerfCacheMisses, Number, "Those that went to memory.";
    PerfLastLevelLoadMisses, Number, "Loads that missed the last level.";
    PerfBusCycles, Number, "Cycles of the bus.";
    PerfRefCPUCycles, Number, "Cycles of a clock that does not change its speed.";
    PerfStalledCyclesFrontend, Number, "Cycles in which no instruction could be fetched.";
    PerfStalledCyclesBackend, Number, "Cycles in which no instruction could be executed.";
    PerfDataTLBReferences, Number, "Loads that looked for their page's address.";
    PerfDataTLBMisses, Number, "Those that did not have it at hand.";
    PerfInstructionTLBReferences, Number, "Instruction fetches that looked for their page's address.";
    PerfInstructionTLBMisses, Number, "Those that did not have it at hand.";
    PerfLocalMemoryReferences, Number, "Reads of memory of the processor's own node.";
    PerfLocalMemoryMisses, Number, "Reads of memory of another node.";
    PerfCPUClock, Number, "Nanoseconds by the clock of the processor.";
    PerfTaskClock, Number, "Nanoseconds of processor time of the thread.";
    PerfContextSwitches, Number, "Context switches.";
    PerfCPUMigrations, Number, "Moves to another processor.";
    PerfPageFaults, Number, "Page faults.";
    PerfAlignmentFaults, Number, "Accesses to odd addresses that the kernel had to do (never on x86).";
    PerfEmulationFaults, Number, "Instructions that the kernel had to do.";
    PerfMinEnabledTime, Number, "Nanoseconds that these counters were to count, of the group that was least.";
    PerfMinEnabledRunningTime, Number, "Nanoseconds that this group did count: less if groups took turns.";

    // Server.
    HTTPServerConnectionsCreated, Number, "Connections over HTTP that were accepted.";
    HTTPServerConnectionsClosed, Number, "Connections over HTTP that have ended.";
    HttpRequests, Number, "Requests over HTTP.";
    HttpRequestsRefused, Number, "Requests refused for their host, origin or password.";
    QueriesRefused, Number, "Statements refused because max_concurrent_queries ran already.";
    NetworkReceiveBytes, Bytes, "Bytes of requests' bodies.";
    NetworkReceiveElapsedMicroseconds, Microseconds, "Time that statements waited for more of their request's body.";
    NetworkSends, Number, "Writes to connections.";
    NetworkSendBytes, Bytes, "Bytes written to connections.";
    NetworkSendElapsedMicroseconds, Microseconds, "Time that statements waited until more of their answer could be sent.";
}
