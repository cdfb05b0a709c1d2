//! Settings that say when a statement spills to disk.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use entasis_base::{Error, Result, codes};
use entasis_codec::Compression;
use entasis_exec::spill::{Budget, JoinLimits, MOST_WAYS};
use entasis_exec::{Runtime, Spill, Threshold};
use entasis_pipeline::QueryContext;

use crate::settings::analyze::is_grace_hash;
use crate::settings::{self, Setting};
use crate::{Session, Settings};

impl Session {
    /// What plans run with: the worker pool, and the thresholds for spilling.
    pub(crate) fn runtime(&self, settings: &Settings, context: &QueryContext) -> Result<Runtime> {
        let limit = context.memory.least_limit();
        let group_by = threshold(
            settings,
            limit,
            (settings::EXTERNAL_GROUP_BY, settings::EXTERNAL_GROUP_BY_RATIO),
            "max_bytes_ratio_before_external_group_by",
        )?;
        let sort = threshold(
            settings,
            limit,
            (settings::EXTERNAL_SORT, settings::EXTERNAL_SORT_RATIO),
            "max_bytes_ratio_before_external_sort",
        )?;
        let distinct = threshold(
            settings,
            limit,
            (settings::EXTERNAL_DISTINCT, settings::EXTERNAL_DISTINCT_RATIO),
            "max_bytes_ratio_before_external_distinct",
        )?;
        let join = join_limits(settings, limit)?;
        let scheduler = Arc::clone(&self.engine.scheduler);
        let never = [group_by, sort, distinct].iter().all(|of| *of == Threshold::NEVER);
        if never && join == JoinLimits::NEVER {
            return Ok(Runtime { scheduler, spill: Arc::clone(&self.engine.no_spill) });
        }
        let spill = Arc::new(Spill {
            temporary: Arc::clone(&self.engine.temporary),
            compression: compression(&settings.text(settings::TEMPORARY_CODEC))?,
            group_by,
            sort,
            distinct,
            budget: Budget::default(),
            join,
            most_ways: MOST_WAYS,
            most: settings.u64(settings::MAX_TEMPORARY_SIZE),
            keep_free: settings.u64(settings::MIN_FREE_SPACE),
            written: AtomicU64::new(0),
        });
        Ok(Runtime { scheduler, spill })
    }
}

/// Bytes beyond which a hash join writes to disk, as far as settings tell.
pub(crate) fn join_memory(settings: &Settings) -> Result<u64> {
    let limit = settings.u64(settings::MAX_MEMORY_USAGE);
    let Threshold { operator, statement } = join_threshold(settings, (limit > 0).then_some(limit))?;
    Ok(operator.min(statement))
}

fn join_threshold(settings: &Settings, limit: Option<u64>) -> Result<Threshold> {
    let names = (settings::EXTERNAL_JOIN, settings::EXTERNAL_JOIN_RATIO);
    threshold(settings, limit, names, "max_bytes_ratio_before_external_join")
}

/// What a JOIN may hold: its thresholds, and with `grace_hash` also the limits that are errors with
/// other algorithms.
fn join_limits(settings: &Settings, limit: Option<u64>) -> Result<JoinLimits> {
    let mut threshold = join_threshold(settings, limit)?;
    if !is_grace_hash(settings) {
        return Ok(JoinLimits { threshold, ..JoinLimits::NEVER });
    }
    let or_none = |setting| Some(settings.u64(setting)).filter(|most| *most > 0);
    if let Some(bytes) = or_none(settings::MAX_BYTES_IN_JOIN) {
        threshold.operator = threshold.operator.min(bytes);
    }
    let rows = or_none(settings::MAX_ROWS_IN_JOIN).unwrap_or(u64::MAX);
    Ok(JoinLimits { threshold, rows, buckets: settings.u64(settings::JOIN_BUCKETS) })
}

/// The thresholds of an operator: in bytes of its own, and as a share of the statement's memory
/// limit.
fn threshold(
    settings: &Settings,
    limit: Option<u64>,
    (bytes, ratio): (Setting, Setting),
    name: &str,
) -> Result<Threshold> {
    let ratio = settings.f64(ratio);
    if !(0.0..1.0).contains(&ratio) {
        let message = format!("Setting {name} should be >= 0 and < 1 ({ratio:.3})");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let operator = match settings.u64(bytes) {
        0 => u64::MAX,
        bytes => bytes,
    };
    let statement = match limit {
        Some(limit) if ratio > 0.0 => (limit as f64 * ratio) as u64,
        _ => u64::MAX,
    };
    Ok(Threshold { operator, statement })
}

fn compression(codec: &str) -> Result<Compression> {
    match codec.to_ascii_uppercase().as_str() {
        // Data that LZ4 hardly compresses are written uncompressed, as they are then read faster.
        "LZ4" => Ok(Compression::Auto),
        "NONE" => Ok(Compression::None),
        "ZSTD" => Ok(Compression::Zstd(1)),
        _ => {
            let message = format!(
                "Unknown codec family code: {codec}; temporary_files_codec may be LZ4, ZSTD, NONE"
            );
            Err(Error::new(codes::UNKNOWN_CODEC, message))
        }
    }
}
