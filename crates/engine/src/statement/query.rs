//! SELECT: analysis, planning and execution of a query.

use entasis_plan::physical;
use std::sync::Arc;
use std::time::Instant;

use entasis_analyze::Query;
use entasis_base::Result;
use entasis_base::events::Event;
use entasis_column::{Column, Field, Header};
use entasis_pipeline::AnswerHook;
use entasis_plan::{
    BuildSide, JoinAlgorithms, JoinOrder, LateReading, Plan, PlanSettings, ProjectionUse,
    QueryPlan, SetJoins,
};
use entasis_sql::ast::{self, StatementKind};
use entasis_table_api::SkipIndices;
use entasis_types::{DataType, TimeZone};

use crate::logs::log_entry::QueryLogEntry;
use crate::session::note;
use crate::settings::analyze::{analyze_settings, limits, most};
use crate::settings::function_context::StatementContext;
use crate::statement::extremes::Extremes;
use crate::statement::result::RowStream;
use crate::statement::spill::join_memory;
use crate::{QueryOptions, QueryResult, Session, Settings, settings};

/// The share of what a join may hold before it writes from which on a set is a join.
const SHARE_OF_SET: f64 = 0.25;

impl Session {
    pub(crate) fn select(
        &self,
        query: &ast::Query,
        more: &[ast::SettingChange],
        options: QueryOptions,
    ) -> Result<QueryResult> {
        let mut changes = settings_of(query).to_vec();
        changes.extend_from_slice(more);
        let settings = self.settings_with(&changes)?;
        self.limit(&settings, &options)?;
        let plan = self.plan(query, &settings)?;
        self.start(&plan, settings, options)
    }

    /// Starts a plan; its rows are computed while they are read.
    pub(crate) fn start(
        &self,
        plan: &QueryPlan,
        settings: Settings,
        options: QueryOptions,
    ) -> Result<QueryResult> {
        note(&options, QueryLogEntry::start);
        let mut context = self.context(&settings, &options);
        let hook = AnswerHook::take(&mut context);
        let header = plan.header.clone();
        let runtime = self.runtime(&settings, &context)?;
        let stream = entasis_exec::stream(plan, &context, &runtime)?;
        let progress = options.progress;
        let extremes = settings.flag(settings::EXTREMES).then(|| Extremes::new(header.len()));
        Ok(QueryResult {
            rows: RowStream::Running(stream),
            settings: Some(settings),
            progress,
            extremes,
            hook,
            ..QueryResult::ready(header, Vec::new())
        })
    }

    /// Analyses a query without planning it.
    pub(crate) fn analyze(
        &self,
        query: &ast::Query,
        settings: &Settings,
        function_context: &StatementContext,
    ) -> Result<Query> {
        let analyze = analyze_settings(settings, &self.parameters)?;
        let began = Instant::now();
        let catalog = self.catalog_view_with(settings);
        let analyzed = entasis_analyze::analyze(query, &catalog, function_context, &analyze);
        self.phase("analyze", Event::QueryAnalysisMicroseconds, began);
        analyzed
    }

    /// Analyses and plans a query.
    pub(crate) fn plan(&self, query: &ast::Query, settings: &Settings) -> Result<QueryPlan> {
        let function_context = self.function_context(settings);
        let analyzed = self.analyze(query, settings, &function_context)?;
        let began = Instant::now();
        let plan = planned(&analyzed, settings, &function_context);
        if let (Some(log_entry), Ok(plan)) = (&self.log_entry, &plan) {
            note_projections(plan, log_entry);
        }
        self.phase("plan", Event::QueryPlanBuildMicroseconds, began);
        plan
    }

    /// Names and types of a statement's result. The statement is planned and not run, so that this
    /// can also measure the cost of parsing, analysis and planning. No columns if it is not a
    /// query.
    pub fn header(&self, text: &str) -> Result<Header> {
        match self.parse(text, 0)?.map(|parsed| parsed.statement.kind) {
            Some(StatementKind::Query(query)) => self.header_of(&query),
            _ => Ok(Header::new(Vec::new())),
        }
    }

    /// Plans the query of an INSERT. Its rows are no result, so limits of results do not apply.
    pub(crate) fn plan_source(&self, query: &ast::Query, settings: &Settings) -> Result<QueryPlan> {
        let mut settings = settings.clone();
        settings.reset("max_result_rows")?;
        self.plan(query, &settings)
    }

    /// Names and types of a query's result, without running it.
    pub(crate) fn header_of(&self, query: &ast::Query) -> Result<Header> {
        Ok(self.plan(query, &self.settings)?.header)
    }
}

/// Plans an analysed query.
pub(crate) fn planned(
    query: &Query,
    settings: &Settings,
    function_context: &StatementContext,
) -> Result<QueryPlan> {
    let settings = plan_settings(settings, function_context.time_zone)?;
    entasis_plan::plan(query, &settings, function_context)
}

/// How scans use skipping indices.
fn skip_indices(settings: &Settings, zone: TimeZone) -> Arc<SkipIndices> {
    Arc::new(SkipIndices {
        enabled: settings.flag(settings::USE_SKIP_INDEXES),
        in_final: settings.flag(settings::SKIP_INDEXES_IN_FINAL),
        exact_final: settings.flag(settings::EXACT_SKIP_INDEXES_IN_FINAL),
        select_rows: settings.flag(settings::DIRECT_READ_FROM_TEXT_INDEX),
        ignored: settings::names(&settings.text(settings::IGNORE_INDICES)),
        forced: settings::names(&settings.text(settings::FORCE_INDICES)),
        zone: Some(zone),
    })
}

/// Tells the log which projections a plan reads.
fn note_projections(plan: &QueryPlan, log_entry: &QueryLogEntry) {
    let inner = plan.subqueries.iter().map(|subquery| &subquery.plan().root);
    let mut scans = Vec::new();
    inner.chain([&plan.root]).for_each(|root| entasis_plan::scans(root, &mut scans));
    for scan in scans {
        let Plan::Scan(physical::Scan { table, name, .. }) = scan else { continue };
        if let Some(projection) = table.projection() {
            log_entry.projection(format!("{name}.{projection}"));
        }
    }
}

fn plan_settings(settings: &Settings, zone: TimeZone) -> Result<PlanSettings> {
    let most = |rows, bytes, mode| most(settings, [rows, bytes], mode);
    Ok(PlanSettings {
        enable_optimizations: settings.flag(settings::ENABLE_OPTIMIZATIONS),
        limit: settings.u64(settings::LIMIT),
        offset: settings.u64(settings::OFFSET),
        result: most(
            settings::MAX_RESULT_ROWS,
            settings::MAX_RESULT_BYTES,
            settings::RESULT_OVERFLOW_MODE,
        ),
        limits: limits(settings),
        set: most(
            settings::MAX_ROWS_IN_SET,
            settings::MAX_BYTES_IN_SET,
            settings::SET_OVERFLOW_MODE,
        ),
        set_joins: set_joins(settings),
        max_partitions_to_read: match settings.i64(settings::MAX_PARTITIONS_TO_READ) {
            -1 => None,
            most => Some(usize::try_from(most).unwrap_or(0)),
        },
        final_by_partition: settings.flag(settings::FINAL_BY_PARTITION),
        force_primary_key: settings.flag(settings::FORCE_PRIMARY_KEY),
        force_partition_key: settings.flag(settings::FORCE_INDEX_BY_DATE),
        max_columns_to_read: settings.u64(settings::MAX_COLUMNS_TO_READ),
        max_temporary_columns: settings.u64(settings::MAX_TEMPORARY_COLUMNS),
        max_temporary_non_const_columns: settings.u64(settings::MAX_TEMPORARY_NON_CONST_COLUMNS),
        functions_to_subcolumns: settings.flag(settings::FUNCTIONS_TO_SUBCOLUMNS),
        aggregation_in_order: settings.flag(settings::AGGREGATION_IN_ORDER),
        count_distinct_twice: settings.flag(settings::COUNT_DISTINCT_TWICE),
        exact_rows_before_limit: settings.flag(settings::EXACT_ROWS_BEFORE_LIMIT),
        indices: skip_indices(settings, zone),
        projections: ProjectionUse {
            off: !settings.flag(settings::USE_PROJECTIONS),
            preferred: settings.text(settings::PREFERRED_PROJECTION).to_string(),
            force: settings.flag(settings::FORCE_PROJECTION),
            force_name: settings.text(settings::FORCE_PROJECTION_NAME).to_string(),
        },
        join_order: join_order(settings),
        late: LateReading {
            enabled: settings.flag(settings::LATE_READING),
            of_files: settings.flag(settings::LATE_READING_OF_FILES),
            max_limit: settings.u64(settings::LATE_READING_MAX_LIMIT),
        },
        join_filters: settings.flag(settings::JOIN_FILTERS),
        join_algorithms: JoinAlgorithms::of(&settings.text(settings::JOIN_ALGORITHM)),
        join_memory: join_memory(settings)?,
    })
}

/// Which sets for IN become joins: those that would fill a part of what a join may hold.
fn set_joins(settings: &Settings) -> SetJoins {
    let of_ratio = settings.u64(settings::MAX_MEMORY_USAGE) as f64
        * settings.f64(settings::EXTERNAL_JOIN_RATIO)
        * SHARE_OF_SET;
    let bounds = [settings.u64(settings::EXTERNAL_JOIN), of_ratio as u64];
    SetJoins {
        always: settings.flag(settings::IN_TO_JOIN),
        bytes: bounds.into_iter().filter(|bytes| *bytes > 0).min().unwrap_or(u64::MAX),
        ..SetJoins::default()
    }
}

fn join_order(settings: &Settings) -> JoinOrder {
    let most_pairs = settings.u64(settings::JOIN_ORDER_PLANS);
    JoinOrder {
        most_tables: settings.u64(settings::JOIN_ORDER_LIMIT),
        most_pairs: if most_pairs == 0 { u64::MAX } else { most_pairs },
        random: settings.u64(settings::JOIN_ORDER_RANDOM),
        build: match &*settings.text(settings::JOIN_SWAP_TABLE) {
            "auto" => BuildSide::Smaller,
            _ if settings.flag(settings::JOIN_SWAP_TABLE) => BuildSide::Left,
            _ => BuildSide::Right,
        },
        simplifies_outer: settings.flag(settings::OUTER_TO_INNER),
    }
}

/// The SETTINGS clause of a SELECT; in a UNION, that of the last SELECT.
pub(crate) fn settings_of(query: &ast::Query) -> &[ast::SettingChange] {
    match query {
        ast::Query::Select(select) => &select.settings,
        ast::Query::SetOperation(operation) => operation.branches.last().map_or(&[], settings_of),
    }
}

/// A result of one text column.
pub(crate) fn lines<'a>(name: &str, rows: impl Iterator<Item = &'a str>) -> QueryResult {
    let strings: entasis_column::Strings = rows.map(str::as_bytes).collect();
    let count = strings.len();
    let header = Header::new(vec![Field::new(name, DataType::String)]);
    let chunk = entasis_column::Chunk::new(vec![Column::String(strings)], count);
    QueryResult::ready(header, vec![chunk])
}
