//! The profile events: name, unit and description. An event with the name of one of ClickHouse's
//! events counts the same thing.
//!
//! Every event must be counted somewhere in the product; a check of the sources looks for its use.

/// The unit of an event's amounts.
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
    /// The name in `system.events`.
    pub name: &'static str,
    /// The unit of the amounts.
    pub unit: Unit,
    /// One sentence that says what is counted.
    pub description: &'static str,
}

/// One row per event becomes a variant of [`Event`] and a row of [`EVENTS`].
macro_rules! events {
    ($($name:ident, $unit:ident, $description:literal;)*) => {
        /// An event that is counted.
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
    QueryTimeMicroseconds, Microseconds, "Time of all statements, from their start until their result was read or dropped.";
    SelectQueryTimeMicroseconds, Microseconds, "Time of SELECT statements, from their start until their result was read or dropped.";
    InsertQueryTimeMicroseconds, Microseconds, "Time of INSERT statements, from their start to their end.";
    OtherQueryTimeMicroseconds, Microseconds, "Time of statements that are neither SELECT nor INSERT.";
    QueryParseMicroseconds, Microseconds, "Time spent parsing SQL text.";
    QueryAnalysisMicroseconds, Microseconds, "Time spent resolving names and types in statements.";
    QueryPlanBuildMicroseconds, Microseconds, "Time spent making query plans and optimising them.";
    QueryPipelineBuildMicroseconds, Microseconds, "Time spent turning query plans into pipelines.";
    QueriesWithSubqueries, Number, "Statements with subqueries that ran before the main query.";
    SetsBuiltFromSubquery, Number, "Sets for IN that were filled by a subquery.";
    ScalarSubqueriesExecuted, Number, "Subqueries that were run for a single value.";
    QueriesCancelled, Number, "Statements that ended because they were cancelled.";
    QueriesTimedOut, Number, "Statements that ended because max_execution_time had passed.";
    QueriesKilled, Number, "Statements that KILL QUERY asked to end.";
    QueryMemoryLimitExceeded, Number, "Times that a statement reached its own memory limit.";
    UserMemoryLimitExceeded, Number, "Times that the statements of a user reached their common memory limit.";
    GlobalMemoryLimitExceeded, Number, "Times that all statements together reached the server's memory limit.";
    TableFunctionExecute, Number, "Calls of table functions.";
    ResultRows, Number, "Rows of results that clients have read.";
    ResultBytes, Bytes, "Bytes of results that clients have read, counted in memory.";
    ResultChunks, Number, "Chunks of results that clients have read.";

    // Rows that sources have read.
    SelectedRows, Number, "Rows read from tables of all kinds.";
    SelectedBytes, Bytes, "Uncompressed bytes of the columns read from tables of all kinds.";
    MemoryRowsRead, Number, "Rows read from tables in memory, system tables included.";
    LogRowsRead, Number, "Rows read from tables of the engine Log.";
    FileRowsRead, Number, "Rows read from users' files, as by file().";
    GeneratedRowsRead, Number, "Rows made by sources without stored data, such as numbers().";
    InputRowsRead, Number, "Rows sent along with a statement, such as the data of an INSERT.";

    // What the system counts of threads.
    RealTimeMicroseconds, Microseconds, "Elapsed time in which threads worked for statements, summed over threads.";
    UserTimeMicroseconds, Microseconds, "CPU time of threads in user space.";
    SystemTimeMicroseconds, Microseconds, "CPU time of threads in the kernel.";
    SoftPageFaults, Number, "Page faults that were served without reading from a disk.";
    HardPageFaults, Number, "Page faults that had to read from a disk.";
    VoluntaryContextSwitches, Number, "Times that a thread gave up the processor to wait for something.";
    InvoluntaryContextSwitches, Number, "Times that the kernel took the processor from a running thread.";
    MemoryAllocatedBytes, Bytes, "Bytes that threads have allocated, rounded up to the allocator's size classes.";
    MemoryFreedBytes, Bytes, "Bytes that threads have freed, rounded up to the allocator's size classes.";
    OSReadBytes, Bytes, "Bytes that the kernel read from block devices for threads.";
    OSWriteBytes, Bytes, "Bytes that the kernel wrote to block devices for threads.";

    // Files.
    FileOpen, Number, "Files opened.";
    ReadBufferFromFileDescriptorRead, Number, "Reads from files; several system calls for one range count once.";
    ReadBufferFromFileDescriptorReadBytes, Bytes, "Bytes read from files.";
    ReadBufferFromFileDescriptorReadFailed, Number, "Reads of files that failed.";
    WriteBufferFromFileDescriptorWrite, Number, "Writes to files; several system calls for one buffer count once.";
    WriteBufferFromFileDescriptorWriteBytes, Bytes, "Bytes written to files.";
    WriteBufferFromFileDescriptorWriteFailed, Number, "Writes to files that failed.";
    DiskReadElapsedMicroseconds, Microseconds, "Time spent reading from files.";
    DiskWriteElapsedMicroseconds, Microseconds, "Time spent writing to files.";
    FileSync, Number, "Calls that made the content of a file durable (fsync, fdatasync).";
    FileSyncElapsedMicroseconds, Microseconds, "Time spent making files durable (fsync, fdatasync).";
    DirectorySync, Number, "Calls that made the names in a directory durable (fsync).";
    DirectorySyncElapsedMicroseconds, Microseconds, "Time spent making the names in directories durable (fsync).";
    FilesTruncated, Number, "Files that were shortened to a given length.";
    FilesRemoved, Number, "Files removed.";
    FilesRenamed, Number, "Files and directories renamed.";
    DirectoryListings, Number, "Directories listed.";
    DirectoriesCreated, Number, "Directories created, together with missing parents.";
    DirectoriesRemoved, Number, "Directories removed together with their content.";
    ReadBatches, Number, "Batches of ranges read from files in one request.";
    ReadBatchRanges, Number, "Ranges in batches of reads.";
    ReadBatchRangesJoined, Number, "Ranges in batches of reads that were read together with a neighbouring range.";
    ThreadpoolReaderSubmit, Number, "Batches of reads given to the reading threads.";
    ThreadpoolReaderTaskMicroseconds, Microseconds, "Time that the reading threads spent on batches.";
    AsynchronousReadWaitMicroseconds, Microseconds, "Time that queries waited for batches of the reading threads.";
    IoThreadsStarted, Number, "Reading threads started.";

    // Blocks of encoded columns.
    CompressedReadBufferBlocks, Number, "Blocks that were verified by their checksum and decoded.";
    CompressedReadBufferBytes, Bytes, "Bytes of decoded blocks; strings count without their lengths.";
    ReadCompressedBytes, Bytes, "Bytes of decoded blocks as they are stored.";
    CompressedReadBufferChecksumDoesntMatch, Number, "Blocks whose checksum was wrong.";
    Lz4BlocksDecompressed, Number, "Blocks decompressed by LZ4.";
    ZstdBlocksDecompressed, Number, "Blocks decompressed by ZSTD.";
    BlocksWritten, Number, "Blocks that were encoded.";
    BlocksWrittenRows, Number, "Rows of blocks that were encoded.";
    BlocksWrittenBytes, Bytes, "Bytes of encoded blocks, headers included.";
    PlainBlocksWritten, Number, "Blocks encoded as plain values.";
    ConstantBlocksWritten, Number, "Blocks encoded as a single value that all rows have.";
    FrameOfReferenceBlocksWritten, Number, "Blocks encoded as distances from their least value.";
    DeltaBlocksWritten, Number, "Blocks encoded as differences between neighbouring values.";
    DoubleDeltaBlocksWritten, Number, "Blocks encoded as differences of differences.";
    RunLengthBlocksWritten, Number, "Blocks encoded as runs of equal values.";
    SparseBlocksWritten, Number, "Blocks encoded as the rows that differ from one frequent value.";
    DictionaryBlocksWritten, Number, "Blocks encoded with a dictionary of their own.";
    XorBlocksWritten, Number, "Blocks encoded as the bits that change from value to value.";
    LaneBlocksWritten, Number, "Blocks of 128-bit and wider values, encoded word by word.";
    Lz4BlocksWritten, Number, "Blocks compressed by LZ4.";
    ZstdBlocksWritten, Number, "Blocks compressed by ZSTD.";
    CompressionInputBytes, Bytes, "Bytes given to LZ4 and ZSTD, including attempts whose result was not used.";
    CompressionOutputBytes, Bytes, "Bytes that LZ4 and ZSTD produced, including attempts whose result was not used.";

    // Scans of MergeTree tables.
    SelectedPartsTotal, Number, "Parts of scanned tables, before any were skipped.";
    SelectedParts, Number, "Parts that scans read from.";
    SelectedRanges, Number, "Ranges of adjacent granules that scans read.";
    SelectedMarksTotal, Number, "Granules of scanned tables, before any were skipped.";
    SelectedMarks, Number, "Granules that remained to be read after skipping parts and granules by indexes and bounds.";
    IndexAnalysisRounds, Number, "Times that a scan determined which parts and granules it can skip.";
    IndexAnalysisMicroseconds, Microseconds, "Time spent determining which parts and granules scans can skip.";
    FilteringMarksWithPrimaryKeyProcessedMarks, Number, "Granules that were checked against the primary key index.";
    FilteringMarksWithPrimaryKeyMicroseconds, Microseconds, "Time spent checking granules against the primary key index.";
    FilteringMarksWithSecondaryKeysMicroseconds, Microseconds, "Time spent checking granules by bounds of columns and skipping indices.";
    PartsSkippedByBounds, Number, "Parts skipped by the least and greatest values of their columns.";
    MarksSkippedByPartBounds, Number, "Granules of parts that were skipped by the least and greatest values of their columns.";
    MarksSkippedByPrimaryKey, Number, "Granules skipped by the primary key index.";
    MarksSkippedByBounds, Number, "Granules skipped by the least and greatest values of their columns.";
    MarksSkippedBySkipIndexes, Number, "Granules skipped by skipping indices.";
    RuntimeFilterGranulesDropped, Number, "Granules skipped by bounds that were found while the query ran (joins, ORDER BY with LIMIT).";
    GranulesPassingWhole, Number, "Granules that needed no filtering, as their bounds show that every row passes.";
    GranulesRead, Number, "Granules from which at least one column was read.";
    GranulesWithoutRows, Number, "Granules in which no row passed the filter.";
    MergeTreeRowsRead, Number, "Rows of the granules that were read.";
    MergeTreeBytesRead, Bytes, "Decoded bytes of the granules that were read.";
    MergeTreeRowsPassed, Number, "Rows of granules that passed the scan's filter (PREWHERE).";
    RowsReadByPrewhereReaders, Number, "Rows for which the scan's filter (PREWHERE) was evaluated.";
    RowsReadByMainReader, Number, "Rows of granules whose other columns were read after the scan's filter (PREWHERE).";
    ScanTasks, Number, "Tasks that scans were split into, to be shared by threads.";
    ColumnGranulesDecoded, Number, "Granules decoded, counted once per column.";
    ColumnGranulesWithoutBlocks, Number, "Granules that needed no stored block (constants and defaults), counted once per column.";
    ReadAheadHits, Number, "Granules that had been read together with an earlier one, counted once per column.";
    ReadAheadMisses, Number, "Granules that had to be read from a file, counted once per column.";
    DictionariesLoaded, Number, "Dictionaries and constants of parts that were read from files.";
    LoadedDataParts, Number, "Parts opened.";
    LoadedDataPartsMicroseconds, Microseconds, "Time spent opening parts.";
    LoadedPrimaryIndexFiles, Number, "Primary key indexes that were decoded.";
    LoadedPrimaryIndexRows, Number, "Rows of primary key indexes that were decoded.";
    LoadedPrimaryIndexBytes, Bytes, "Bytes of decoded primary key indexes as they are stored.";
    ColumnMetadataLoaded, Number, "Columns of parts whose metadata was decoded.";

    // Inserts, merges, commits.
    InsertedRows, Number, "Rows that INSERT has written to tables.";
    InsertedBytes, Bytes, "Uncompressed bytes that INSERT has written to tables.";
    InsertedParts, Number, "Parts that INSERT has committed.";
    DelayedInserts, Number, "INSERTs that waited because a partition has many parts.";
    DelayedInsertsMilliseconds, Milliseconds, "Time for which INSERTs waited because a partition has many parts.";
    RejectedInserts, Number, "INSERTs that were refused because a partition has too many parts.";
    InsertBlocksSplitByPartition, Number, "Chunks of an INSERT that were split because their rows belong to several partitions.";
    MergeTreeDataWriterBlocks, Number, "Parts written by INSERT.";
    MergeTreeDataWriterBlocksAlreadySorted, Number, "Parts written by INSERT whose rows arrived in sorting order.";
    MergeTreeDataWriterRows, Number, "Rows of the parts written by INSERT.";
    MergeTreeDataWriterUncompressedBytes, Bytes, "Bytes in memory of the parts written by INSERT.";
    MergeTreeDataWriterCompressedBytes, Bytes, "Bytes in files of the parts written by INSERT.";
    MergeTreeDataWriterSortingBlocksMicroseconds, Microseconds, "Time spent sorting the rows of INSERTs.";
    Merge, Number, "Merges of parts that were started.";
    MergeSourceParts, Number, "Parts that merges read.";
    MergedRows, Number, "Rows that merges read.";
    MergedColumns, Number, "Columns that merges wrote.";
    MergedUncompressedBytes, Bytes, "Uncompressed bytes of the columns that merges put together.";
    MergeWrittenRows, Number, "Rows that merges wrote.";
    MergeWrittenBytes, Bytes, "Bytes that merges wrote to files.";
    MergeTotalMilliseconds, Milliseconds, "Time of merges, from their start to their commit.";
    MergeExecuteMilliseconds, Milliseconds, "Time of merges before their commit.";
    MergesStopped, Number, "Merges that were stopped before they finished.";
    BackgroundMergeRounds, Number, "Times that the background thread looked for parts to merge.";
    BackgroundMergeFailures, Number, "Background merges that failed.";
    MutationTotalParts, Number, "Parts that mutations have looked at.";
    MutationUntouchedParts, Number, "Parts of which mutations have changed no row.";
    MutationCreatedEmptyParts, Number, "Parts that mutations have left without rows.";
    MutationAffectedRowsUpperBound, Number, "Rows that mutations have changed or deleted.";
    MutationTotalMilliseconds, Milliseconds, "Time of mutations, from their start to the end of their commit.";
    MutationCommitMilliseconds, Milliseconds, "Time of the commits of mutations.";
    PatchesReadRows, Number, "Rows of patches that were read, which an UPDATE has written.";
    PartsRemoved, Number, "Parts whose files were removed because nothing used them any more.";
    TablesTruncated, Number, "Tables emptied by TRUNCATE.";
    CommitLogCommits, Number, "Commits that were made durable.";
    CommitLogCommitMicroseconds, Microseconds, "Time of commits, from their request until they were durable.";
    CommitLogFailures, Number, "Commits that failed.";
    CommitLogFollowers, Number, "Times that a commit waited while another one was being written.";
    CommitLogLockWaitMicroseconds, Microseconds, "Time that commits waited for the lock of the commit log.";
    CommitLogRecordsWritten, Number, "Records written to the commit log.";
    CommitLogBytesWritten, Bytes, "Bytes written to the commit log.";
    CommitLogSyncMicroseconds, Microseconds, "Time spent making the commit log durable (fdatasync).";
    CommitLogCheckpoints, Number, "Times that the commit log was rewritten in a shorter form.";

    // Work of the pool and of pipelines.
    PipelinesStarted, Number, "Pipelines of queries that were started.";
    PipelinesFinished, Number, "Pipelines of queries that were finished.";
    PipelineTasksOpened, Number, "Tasks of pipelines that were opened; a pipeline has one for each thread that may work on it.";
    PipelineTasksFinished, Number, "Tasks of pipelines that were finished.";
    InjectedMicroseconds, Microseconds, "Time spent on purpose by cost injection, which `entasis lab power` uses for tests.";
    PipelineTasksParked, Number, "Times that a task of a pipeline had to wait and its thread did other work.";
    PipelineTasksWoken, Number, "Times that a waiting task of a pipeline could continue.";
    PipelineTasksYielded, Number, "Times that a task of a pipeline was interrupted to give its thread to another query.";
    PoolRequests, Number, "Times that a query asked the thread pool for a thread.";
    PoolThreadsStarted, Number, "Threads of the thread pool that were started.";
    PoolIdleMicroseconds, Microseconds, "Time that threads of the thread pool waited for work, summed over threads.";
    QueryOwnerWaitMicroseconds, Microseconds, "Time that the thread of a statement waited for the threads of the pool.";
    QueriesBuriedAside, Number, "Failed statements whose memory a separate thread released.";
    SourceChunks, Number, "Chunks that the sources of pipelines produced: tables, and results of earlier pipelines.";
    SourceRows, Number, "Rows that the sources of pipelines produced.";
    OperatorChunks, Number, "Chunks that operators received.";
    OperatorRows, Number, "Rows that operators received.";
    SinkChunks, Number, "Chunks that reached the end of their pipeline.";
    SinkRows, Number, "Rows that reached the end of their pipeline.";
    ResultChannelFull, Number, "Times that a thread waited because the client had not yet read enough of the result.";

    // Operators.
    FilterTransformRows, Number, "Rows that filters outside of scans received.";
    FilterTransformPassedRows, Number, "Rows that passed filters outside of scans.";
    CoalescedChunks, Number, "Small chunks that were combined into larger ones.";
    ArrayJoinRows, Number, "Rows that ARRAY JOIN received.";
    ArrayJoinElements, Number, "Elements of the arrays that ARRAY JOIN received.";
    AggregationRowsHashed, Number, "Rows whose group was found by hashing their keys.";
    AggregationRowsByDictionary, Number, "Rows whose group was found through a dictionary, with one look-up for each of its values.";
    AggregationRowsWithoutKey, Number, "Rows of aggregations without keys.";
    AggregationGroupsAdded, Number, "Groups added to the hash tables of threads.";
    AggregationGroupsMerged, Number, "Groups merged from one hash table into another.";
    AggregationTablesMerged, Number, "Hash tables of groups merged into another one.";
    AggregationConvertedToTwoLevel, Number, "Hash tables of groups that were split into partitions because they had become large.";
    AggregationRowsSetAside, Number, "Rows that were stored by partition, to be aggregated later.";
    AggregationSetAsideFlushes, Number, "Times that stored rows were aggregated before the end because there were too many.";
    AggregationResultRows, Number, "Groups in the results of aggregations.";
    AggregateBlocksAllocated, Number, "Memory blocks that sets of aggregate functions such as uniqExact newly allocated.";
    AggregateBlocksReused, Number, "Memory blocks that sets of aggregate functions such as uniqExact took over from another set.";
    HashTableGrowths, Number, "Times that a hash table was enlarged.";
    HashTableGrowthKeys, Number, "Keys that were moved when hash tables were enlarged.";
    DistinctRows, Number, "Rows that DISTINCT received.";
    DistinctPassedRows, Number, "Different rows that DISTINCT found.";
    DistinctLockWaitMicroseconds, Microseconds, "Time that threads waited for the common set of a DISTINCT.";
    JoinBuildTableRowCount, Number, "Rows on the build side (normally the right side) of joins.";
    JoinBuildBytes, Bytes, "Bytes in memory of the build side (normally the right side) of joins.";
    JoinBuildPostProcessingMicroseconds, Microseconds, "Time spent making hash tables of the build side of joins.";
    JoinProbeTableRowCount, Number, "Rows on the probe side (normally the left side) of joins.";
    JoinResultRowCount, Number, "Rows that joins matched by their keys, before further conditions were applied.";
    JoinNonJoinedTransformBlockCount, Number, "Chunks of build-side rows without a match, which RIGHT and FULL joins return.";
    JoinNonJoinedTransformRowCount, Number, "Build-side rows without a match, which RIGHT and FULL joins return.";
    SortRows, Number, "Rows collected to be sorted completely (ORDER BY without a LIMIT that keeps few).";
    SortRuns, Number, "Sorted runs that were made.";
    SortRunRows, Number, "Rows in sorted runs.";
    SortRunMicroseconds, Microseconds, "Time spent sorting runs.";
    SortMergedBlocks, Number, "Chunks that were merged from several sorted runs.";
    SortMergedRuns, Number, "Runs that contributed rows to a merged chunk, summed over chunks.";
    SortTopSelections, Number, "Times that an ORDER BY with LIMIT discarded all but the best rows it had.";
    SortTopRows, Number, "Rows among which an ORDER BY with LIMIT selected the best.";
    SortBoundsTightened, Number, "Times that an ORDER BY with LIMIT found a tighter bound for the rows it still needs.";
    SortRowsPastBound, Number, "Rows that an ORDER BY with LIMIT discarded because they lie beyond its bound.";
    WindowRows, Number, "Rows collected for window functions.";
    WindowPartitions, Number, "Partitions that window functions processed.";
    LimitByRows, Number, "Rows that LIMIT BY received.";
    UnionRows, Number, "Rows that passed through UNION.";
    ExternalProcessingFilesTotal, Number, "Temporary files created for data that did not fit into memory.";
    ExternalProcessingCompressedBytesTotal, Bytes, "Bytes written to temporary files.";
    ExternalProcessingUncompressedBytesTotal, Bytes, "Bytes written to temporary files, before compression.";
    ExternalAggregationWritePart, Number, "Times that an aggregation wrote groups, or rows not yet aggregated, to a temporary file.";
    ExternalAggregationMerge, Number, "Aggregations whose result was merged from temporary files.";
    ExternalAggregationCompressedBytes, Bytes, "Bytes that aggregations wrote to temporary files.";
    ExternalAggregationUncompressedBytes, Bytes, "Bytes that aggregations wrote to temporary files, before compression.";
    ExternalAggregationPartitions, Number, "Partitions of groups written to temporary files, counted each time.";
    ExternalAggregationPasses, Number, "Additional passes over partitions that did not fit into memory at once.";
    ExternalSortWritePart, Number, "Sorted runs written to temporary files.";
    ExternalSortMerge, Number, "Sorts that merged runs from temporary files.";
    ExternalSortCompressedBytes, Bytes, "Bytes that sorts wrote to temporary files.";
    ExternalSortUncompressedBytes, Bytes, "Bytes that sorts wrote to temporary files, before compression.";
    ExternalDistinctWritePart, Number, "Times that a DISTINCT wrote rows to a temporary file.";
    ExternalDistinctMerge, Number, "DISTINCTs that returned rows from temporary files.";
    ExternalDistinctCompressedBytes, Bytes, "Bytes that DISTINCT wrote to temporary files.";
    ExternalDistinctUncompressedBytes, Bytes, "Bytes that DISTINCT wrote to temporary files, before compression.";
    ExternalJoinWritePart, Number, "Times that a join wrote rows of either side to a temporary file.";
    ExternalJoinMerge, Number, "Joins that joined rows from temporary files.";
    ExternalJoinCompressedBytes, Bytes, "Bytes that joins wrote to temporary files.";
    ExternalJoinUncompressedBytes, Bytes, "Bytes that joins wrote to temporary files, before compression.";
    ExternalJoinRepartition, Number, "Partitions of joins that were too large and were divided again.";
    RecursiveSteps, Number, "Steps of recursive common table expressions.";

    // Expressions.
    ExpressionEvaluations, Number, "Evaluations of a list of expressions on a chunk.";
    ExpressionRows, Number, "Rows for which lists of expressions were evaluated.";
    PredicateEvaluations, Number, "Evaluations of a filter condition on a chunk.";
    ConjunctEvaluations, Number, "Evaluations of one operand of AND in a filter condition on a chunk.";
    ConjunctRows, Number, "Rows for which single operands of AND were evaluated.";
    FunctionExecute, Number, "Calls of functions; a call processes a whole chunk.";
    FunctionExecuteOnConstants, Number, "Calls of functions that computed one row, as all arguments were constant.";
    FunctionExecuteOnDictionary, Number, "Calls of functions that computed the values of a dictionary in place of all rows.";
    SetLookups, Number, "Rows looked up in the sets of IN.";
    SetElements, Number, "Elements in sets of IN that subqueries filled.";

    // Formats.
    FormatRowsRead, Number, "Rows parsed from input formats.";
    FormatChunksRead, Number, "Chunks parsed from input formats.";
    FormatBytesRead, Bytes, "Bytes given to the parsers of input formats.";
    FormatParseMicroseconds, Microseconds, "Time spent parsing input formats, including time waiting for their data.";
    FormatRowsWritten, Number, "Rows written in output formats.";
    FormatChunksWritten, Number, "Chunks written in output formats.";
    FormatBytesWritten, Bytes, "Bytes written in output formats.";
    FormatWriteMicroseconds, Microseconds, "Time spent writing output formats.";
    ParquetReadRowGroups, Number, "Row groups of Parquet files that were read.";
    FormatSchemaInferences, Number, "Times that the names and types of columns were inferred from data.";

    // Logs.
    QueryProfilerSignalOverruns, Number, "Stack samples that the profiler lost because they arrived faster than they were collected.";
    SystemLogErrorOnFlush, Number, "Failed writes of log rows to their system table.";
    SystemLogRowsLost, Number, "Log rows that were lost because too many were waiting or they could not be written.";

    // What processor and kernel count (metrics_perf_events_enabled).
    PerfCPUCycles, Number, "CPU cycles; their length varies with the clock rate.";
    PerfInstructions, Number, "Instructions executed (retired).";
    PerfBranchInstructions, Number, "Branch instructions executed (retired).";
    PerfBranchMisses, Number, "Branches that the processor predicted wrongly.";
    PerfCacheReferences, Number, "Cache accesses, on most processors those of the last level.";
    PerfCacheMisses, Number, "Cache misses, on most processors those of the last level.";
    PerfLastLevelLoadMisses, Number, "Loads that missed the last level of the cache.";
    PerfBusCycles, Number, "Bus cycles.";
    PerfRefCPUCycles, Number, "CPU cycles counted at a constant clock rate.";
    PerfStalledCyclesFrontend, Number, "CPU cycles in which no instruction could be fetched.";
    PerfStalledCyclesBackend, Number, "CPU cycles in which no instruction could be executed.";
    PerfDataTLBReferences, Number, "Accesses to the data TLB, the cache of page addresses.";
    PerfDataTLBMisses, Number, "Misses of the data TLB.";
    PerfInstructionTLBReferences, Number, "Accesses to the instruction TLB.";
    PerfInstructionTLBMisses, Number, "Misses of the instruction TLB.";
    PerfLocalMemoryReferences, Number, "Reads of memory on the processor's own NUMA node.";
    PerfLocalMemoryMisses, Number, "Reads of memory on another NUMA node.";
    PerfCPUClock, Number, "Nanoseconds that the processor worked for the thread, by its own clock.";
    PerfTaskClock, Number, "Nanoseconds of CPU time of the thread.";
    PerfContextSwitches, Number, "Context switches of the thread.";
    PerfCPUMigrations, Number, "Times that the thread moved to another processor.";
    PerfPageFaults, Number, "Page faults of the thread.";
    PerfAlignmentFaults, Number, "Unaligned memory accesses that the kernel had to handle; always 0 on x86.";
    PerfEmulationFaults, Number, "Instructions that the kernel had to emulate.";
    PerfMinEnabledTime, Number, "Nanoseconds in which performance counters were enabled; the group of counters with the least time counts.";
    PerfMinEnabledRunningTime, Number, "Nanoseconds in which that group counted: less than PerfMinEnabledTime if groups took turns.";

    // Server.
    HTTPServerConnectionsCreated, Number, "HTTP connections that were accepted.";
    HTTPServerConnectionsClosed, Number, "HTTP connections that have ended.";
    HttpRequests, Number, "HTTP requests received.";
    HttpRequestsRefused, Number, "HTTP requests refused because of their host, origin or password.";
    QueriesRefused, Number, "Statements refused because max_concurrent_queries statements were already running.";
    NetworkReceiveBytes, Bytes, "Bytes received in the bodies of HTTP requests.";
    NetworkReceiveElapsedMicroseconds, Microseconds, "Time that statements waited for more data of their HTTP request.";
    NetworkSends, Number, "Writes to HTTP connections.";
    NetworkSendBytes, Bytes, "Bytes written to HTTP connections.";
    NetworkSendElapsedMicroseconds, Microseconds, "Time that statements waited until more of their answer could be sent.";
}
