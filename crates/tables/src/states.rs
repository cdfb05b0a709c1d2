//! States of aggregate functions in binary formats. Only the functions know where a state ends.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::{Error, Result};
use entasis_format::{StateLen, StateReader};
use entasis_function::{Aggregate, FunctionContext, registry};
use entasis_types::{DataType, TimeZone, Value};

/// The function by which formats find the end of a state.
pub fn reader() -> StateReader {
    StateReader::new(|ty| {
        let bound = bind(ty);
        let len: StateLen = Arc::new(move |bytes| {
            let aggregate = bound.as_ref().map_err(|e| Error::new(e.code(), e.message()))?;
            length(&**aggregate, bytes)
        });
        len
    })
}

fn bind(ty: &DataType) -> Result<Arc<dyn Aggregate>> {
    let DataType::AggregateFunction(of) = ty else {
        return Err(Error::logical("the end of a state of no aggregate function"));
    };
    let function_context = NoSession { time_zone: TimeZone::utc() };
    registry::bind_aggregate(&of.name, &of.params, &of.args, &function_context)
}

/// The length of the state at the front of `bytes`: the bytes read by merging it into an empty
/// state.
fn length(aggregate: &dyn Aggregate, bytes: &[u8]) -> Result<usize> {
    let mut states = aggregate.portable_states();
    states.resize(1);
    let mut rest = bytes;
    states.merge_one(&mut rest, 0)?;
    Ok(bytes.len() - rest.len())
}

/// The context of casts and aggregates outside of a query, where only the time zone is known.
pub struct NoSession {
    /// The time zone of DateTime values whose type has none.
    pub time_zone: TimeZone,
}

impl FunctionContext for NoSession {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn time_zone(&self) -> TimeZone {
        self.time_zone
    }

    fn database(&self) -> &'static str {
        ""
    }

    fn user(&self) -> &'static str {
        ""
    }

    fn seed(&self) -> u64 {
        0
    }

    fn setting(&self, _name: &str) -> Option<Value> {
        None
    }
}

#[cfg(test)]
mod tests {
    use entasis_base::codes;
    use entasis_column::{Column, StringsBuilder};

    use super::*;

    /// Aggregate functions over `UInt64`, `UInt32`, `String` or lists, in the form of SQL types.
    const TYPES: &[&str] = &[
        "sum, UInt64",
        "count",
        "avg, UInt64",
        "min, Nullable(UInt64)",
        "max, String",
        "argMax, String, UInt64",
        "uniq, String",
        "uniqExact, UInt64",
        "uniqCombined, UInt64",
        "uniqHLL12, String",
        "quantile, UInt64",
        "quantiles(0.1, 0.9), UInt64",
        "quantileExactWeighted, UInt64, UInt32",
        "quantileTiming, UInt64",
        "quantileTDigest, UInt64",
        "quantileDeterministic, UInt64, UInt32",
        "groupArray, String",
        "groupArray(3), UInt64",
        "groupUniqArray, String",
        "groupArrayInsertAt, UInt64, UInt32",
        "groupArrayMovingSum, UInt64",
        "groupArraySorted(3), UInt64",
        "groupBitAnd, UInt64",
        "groupConcat, String",
        "sumMap, Array(UInt64), Array(UInt32)",
        "topK(3), String",
        "topKWeighted(3), String, UInt32",
        "varPop, UInt64",
        "corr, UInt64, UInt32",
        "kurtSamp, UInt64",
        "entropy, String",
        "histogram(3), UInt64",
        "sumIf, UInt64, UInt8",
        "sumOrNull, UInt64",
        "sumDistinct, UInt64",
        "sumForEach, Array(UInt64)",
        "sumResample(0, 10, 2), UInt64, UInt32",
        "sumCount, UInt64",
        "sequenceMatch('(?1)(?2)'), UInt32, UInt8, UInt8",
        "windowFunnel(10), UInt32, UInt8, UInt8",
        "retention, UInt8, UInt8",
        "boundingRatio, UInt64, UInt32",
        "deltaSum, UInt64",
        "simpleLinearRegression, UInt64, UInt32",
        "any_respect_nulls, Nullable(UInt64)",
        "max, Array(UInt64)",
    ];

    fn args(types: &[DataType]) -> Vec<Column> {
        let value = |ty: &DataType, i: u64| match ty.without_nullable() {
            DataType::String => Value::from(["", "a", "bcd", "e"][i as usize % 4]),
            DataType::Array(_) => Value::Array([Value::UInt(i), Value::UInt(i * 7)].into()),
            DataType::UInt8 => Value::UInt(i % 2),
            _ => Value::UInt(i * i),
        };
        let column = |ty: &DataType| {
            let rows: Vec<Column> =
                (0..9).map(|i| Column::from_value(ty, &value(ty, i), 1).full()).collect();
            Column::concat(&rows.iter().collect::<Vec<_>>())
        };
        types.iter().map(column).collect()
    }

    /// The bytes of a state.
    fn state(aggregate: &dyn Aggregate, types: &[DataType]) -> Vec<u8> {
        let mut states = aggregate.portable_states();
        states.resize(1);
        states.update_one(&args(types), 9, 0).unwrap();
        let mut out = StringsBuilder::default();
        states.serialize(0..1, &mut out).unwrap();
        out.finish().get(0).to_vec()
    }

    #[test]
    fn states_end_where_they_end_and_damage_is_an_error_at_most() {
        entasis_functions::register();
        let mut panics: Vec<(&str, usize, u8)> = Vec::new();
        for text in TYPES {
            let ty = DataType::parse(&format!("AggregateFunction({text})")).unwrap();
            let DataType::AggregateFunction(of) = &ty else { panic!("{ty}") };
            let aggregate = bind(&ty).unwrap();
            let bytes = state(&*aggregate, &of.args);
            let len = reader().of(&ty);
            let more = [&bytes[..], b"and more"].concat();
            assert_eq!(len(&more).unwrap(), bytes.len(), "{text}");
            for cut in 0..bytes.len().min(300) {
                let e = len(&bytes[..cut]).unwrap_err();
                assert_eq!(e.code(), codes::CANNOT_READ_ALL_DATA, "{text} cut to {cut}: {e}");
            }
            for at in 0..bytes.len().min(60) {
                for with in [0, 1, 0x7F, 0x80, 0xFF] {
                    let mut damaged = bytes.clone();
                    damaged[at] = with;
                    let read = std::panic::AssertUnwindSafe(|| {
                        let mut states = aggregate.portable_states();
                        states.resize(1);
                        if states.merge_one(&mut &damaged[..], 0).is_ok() {
                            let _ = states.finish(0..1);
                        }
                    });
                    if std::panic::catch_unwind(read).is_err() {
                        panics.push((*text, at, with));
                    }
                }
            }
        }
        assert!(panics.is_empty(), "{panics:?}");
    }

    #[test]
    fn unknown_functions_fail_when_read() {
        entasis_functions::register();
        let ty = DataType::parse("AggregateFunction(nosuch, UInt8)").unwrap();
        let e = reader().of(&ty)(b"x").unwrap_err();
        assert_eq!(e.code(), codes::UNKNOWN_FUNCTION);
    }
}
