//! The 105 columns: name, type, and how each is made from the plan.
//!
//! Most numbers follow a [`Skewed`] distribution over visitors or hits: a share of zeros, and a
//! Zipf-like choice among a number of values. Their shapes (shares, counts of distinct values,
//! ranges) are typical of web-analytics data; the values are made up.

use entasis_column::{Column, Strings, StringsBuilder};
use entasis_types::DataType;

use super::draw::{bits, pick, scramble, unit, zipf};
use super::plan::{Plan, Shape, referer};
use super::text::Vocabulary;

/// A column's name, type and generator.
pub struct HitsColumn {
    /// The column's name.
    pub name: &'static str,
    /// The column's type.
    pub ty: DataType,
    /// Generates the column for a window of rows.
    pub make: fn(&Plan, &Shape, &Vocabulary) -> Column,
}

/// Whether a value is a property of the visitor or of the hit.
#[derive(Clone, Copy)]
enum Of {
    User,
    Hit,
}

/// One value (mostly zero) with some share, otherwise a Zipf-like choice among `distinct` values
/// that are spread over `low ..= high`.
struct Skewed {
    of: Of,
    salt: u64,
    common: (f64, i64),
    distinct: u64,
    low: i64,
    high: i64,
}

impl Skewed {
    fn value(&self, key: u64) -> i64 {
        if unit(key, self.salt) < self.common.0 {
            return self.common.1;
        }
        let rank = zipf(unit(key, self.salt + 1), self.distinct, 1.5);
        if self.distinct == (self.high - self.low + 1) as u64 {
            return self.low + rank as i64;
        }
        self.low + pick(rank, self.salt + 2, (self.high - self.low + 1) as u64) as i64
    }

    /// The values of all rows. They are looked up in a table of quantiles, since a logarithm per
    /// row would cost more than everything else.
    fn values(&self, plan: &Plan, seed: u64) -> impl Iterator<Item = i64> {
        const QUANTILES: u64 = 4096;
        let table: Vec<i64> = (0..QUANTILES).map(|q| self.value(bits(q, seed ^ 0x9a))).collect();
        let keys: &[u64] = match self.of {
            Of::User => &plan.user,
            Of::Hit => &plan.row,
        };
        let salt = self.salt ^ seed;
        keys.iter().map(move |key| table[(bits(*key, salt) % QUANTILES) as usize])
    }
}

fn int16(values: impl Iterator<Item = i64>) -> Column {
    Column::from(values.map(|v| v as i16).collect::<Vec<_>>())
}

fn int32(values: impl Iterator<Item = i64>) -> Column {
    Column::from(values.map(|v| v as i32).collect::<Vec<_>>())
}

fn int64(values: impl Iterator<Item = i64>) -> Column {
    Column::from(values.collect::<Vec<_>>())
}

fn constant(plan: &Plan, value: i64) -> impl Iterator<Item = i64> {
    std::iter::repeat_n(value, plan.len())
}

/// One of a few texts per row; earlier texts are more frequent.
fn few(plan: &Plan, shape: &Shape, of: Of, salt: u64, empty: f64, list: &[&str]) -> Column {
    let keys: &[u64] = match of {
        Of::User => &plan.user,
        Of::Hit => &plan.row,
    };
    let text = |key: u64| {
        if unit(key, salt ^ shape.seed) < empty {
            return "";
        }
        list[zipf(unit(key, salt + 1), list.len() as u64, 0.8) as usize]
    };
    Column::String(keys.iter().map(|key| text(*key).as_bytes()).collect::<Strings>())
}

/// A made-up word per row out of `distinct` words, empty for a share of rows.
fn word(plan: &Plan, v: &Vocabulary, salt: u64, empty: f64, distinct: u64) -> Column {
    let mut out = StringsBuilder::with_capacity(plan.len(), plan.len() * 2);
    for row in &plan.row {
        if unit(*row, salt) >= empty {
            let id = zipf(unit(*row, salt + 1), distinct, 2.0);
            out.data.extend_from_slice(v.word(salt * 31 + id).as_bytes());
        }
        out.close();
    }
    out.finish().into()
}

/// The address of a visitor: nearly half of them have one of their own, the others share.
fn address(shape: &Shape, user: u64) -> u64 {
    if unit(user, 107) < 0.45 {
        return user;
    }
    let shared = shape.users as f64 * 0.13;
    (1 << 33) + (unit(user, 108).powf(1.5) * shared) as u64
}

fn client_ip(shape: &Shape, user: u64) -> i32 {
    (bits(address(shape, user), 109) >> 32) as i32
}

/// The index of a visitor's phone model; 0 if it has no phone.
fn phone(user: u64) -> u64 {
    if unit(user, 115) < 0.054 { 1 + zipf(unit(user, 116), 166, 0.5) } else { 0 }
}

fn phone_models(plan: &Plan) -> Column {
    const FAMILIES: [&str; 14] = [
        "Nova", "Pixelo", "Lumen", "Desir", "Optima", "Wildfox", "Galax", "Xpera", "Mini", "Note",
        "Ace", "Volt", "Zen", "Arc",
    ];
    let mut out = StringsBuilder::with_capacity(plan.len(), plan.len());
    for user in &plan.user {
        match phone(*user) {
            0 => {}
            1 => out.data.extend_from_slice(b"iPad"),
            2 => out.data.extend_from_slice(b"iPhone"),
            n => {
                out.data.extend_from_slice(FAMILIES[(n % 14) as usize].as_bytes());
                out.data.push(b' ');
                out.data.push(b'A' + (n % 23) as u8);
                entasis_types::text::write_u64(&mut out.data, 100 + 7 * n);
            }
        }
        out.close();
    }
    out.finish().into()
}

fn advertising(plan: &Plan) -> Column {
    const ENGINES: [(i16, f64); 16] = [
        (2, 0.64),
        (27, 0.18),
        (13, 0.073),
        (45, 0.062),
        (44, 0.0155),
        (3, 0.011),
        (62, 0.0084),
        (52, 0.0057),
        (50, 0.0015),
        (28, 0.0013),
        (53, 0.0006),
        (25, 0.0005),
        (61, 0.0003),
        (21, 0.0001),
        (42, 0.00005),
        (16, 0.00005),
    ];
    let value = |row: &u64| {
        if unit(*row, 120) >= 0.0063 {
            return 0;
        }
        let mut left = unit(*row, 119);
        for (engine, share) in ENGINES {
            left -= share;
            if left < 0.0 {
                return engine;
            }
        }
        2
    };
    Column::from(plan.row.iter().map(value).collect::<Vec<i16>>())
}

fn regions(plan: &Plan, shape: &Shape) -> Column {
    const TOP: [i32; 12] = [229, 2, 208, 169, 184, 158, 34, 55, 107, 42, 51, 32];
    let value = |user: &u64| {
        let rank = zipf(unit(address(shape, *user), 114), 9040, 0.35);
        match TOP.get(rank as usize) {
            Some(region) => *region,
            None => 1 + pick(rank, 121, 131_000) as i32,
        }
    };
    Column::from(plan.user.iter().map(value).collect::<Vec<i32>>())
}

fn seconds(plan: &Plan, shift: impl Fn(usize) -> i64) -> Column {
    let at = |i: usize| (i64::from(plan.second[i]) + shift(i)) as u32;
    Column::from((0..plan.len()).map(at).collect::<Vec<u32>>())
}

fn referer_hash(plan: &Plan) -> Column {
    let hash = |&(kind, id): &(u64, u64)| match kind {
        referer::NONE => -2_961_587_846_385_389i64,
        _ => bits(kind << 40 | id, 91) as i64,
    };
    Column::from(plan.referer.iter().map(hash).collect::<Vec<i64>>())
}

fn from_search(plan: &Plan, value: impl Fn(u64) -> i64) -> Column {
    let rows = plan.row.iter().zip(&plan.phrase);
    int16(rows.map(|(row, phrase)| if phrase.is_some() { value(*row) } else { 0 }))
}

fn original_urls(plan: &Plan, shape: &Shape, v: &Vocabulary) -> Column {
    let urls = v.pages(plan, shape);
    let keep = |i: usize| unit(plan.row[i], 131) >= 0.984;
    let text = |i: usize| if keep(i) { urls.get(i) } else { b"" };
    Column::String((0..plan.len()).map(text).collect::<Strings>())
}

/// All columns in order.
pub const COLUMNS: &[HitsColumn] = &[
    HitsColumn {
        name: "WatchID",
        ty: DataType::Int64,
        make: |p, s, _| {
            int64(p.row.iter().map(|row| (1 << 62 | scramble(*row, 62, s.seed)) as i64))
        },
    },
    HitsColumn {
        name: "JavaEnable",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed { of: Of::User, salt: 200, common: (0.31, 0), distinct: 1, low: 1, high: 1 }
                    .values(p, s.seed),
            )
        },
    },
    HitsColumn { name: "Title", ty: DataType::String, make: |p, _, v| v.titles(p).into() },
    HitsColumn { name: "GoodEvent", ty: DataType::Int16, make: |p, _, _| int16(constant(p, 1)) },
    HitsColumn {
        name: "EventTime",
        ty: DataType::DateTime(None),
        make: |p, _, _| seconds(p, |_| 0),
    },
    HitsColumn {
        name: "EventDate",
        ty: DataType::Date,
        make: |p, _, _| {
            Column::from(p.second.iter().map(|t| (*t / 86_400) as u16).collect::<Vec<u16>>())
        },
    },
    HitsColumn {
        name: "CounterID",
        ty: DataType::Int32,
        make: |p, s, _| int32(p.counter.iter().map(|c| i64::from(s.counters[*c as usize]))),
    },
    HitsColumn {
        name: "ClientIP",
        ty: DataType::Int32,
        make: |p, s, _| int32(p.user.iter().map(|u| i64::from(client_ip(s, *u)))),
    },
    HitsColumn { name: "RegionID", ty: DataType::Int32, make: |p, s, _| regions(p, s) },
    HitsColumn {
        name: "UserID",
        ty: DataType::Int64,
        make: |p, s, _| int64(p.user.iter().map(|u| bits(*u, 6 ^ s.seed) as i64)),
    },
    HitsColumn { name: "CounterClass", ty: DataType::Int16, make: |p, _, _| int16(constant(p, 0)) },
    HitsColumn {
        name: "OS",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 205,
                    common: (0.35, 44),
                    distinct: 33,
                    low: 1,
                    high: 159,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "UserAgent",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 210,
                    common: (0.2, 5),
                    distinct: 22,
                    low: 1,
                    high: 113,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn { name: "URL", ty: DataType::String, make: |p, s, v| v.pages(p, s).into() },
    HitsColumn { name: "Referer", ty: DataType::String, make: |p, s, v| v.referers(p, s).into() },
    HitsColumn {
        name: "IsRefresh",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed { of: Of::Hit, salt: 215, common: (0.986, 0), distinct: 1, low: 1, high: 1 }
                    .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "RefererCategoryID",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::Hit,
                    salt: 220,
                    common: (0.224, 0),
                    distinct: 55,
                    low: 1,
                    high: 16163,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "RefererRegionID",
        ty: DataType::Int32,
        make: |p, s, _| {
            int32(
                Skewed {
                    of: Of::Hit,
                    salt: 225,
                    common: (0.224, 0),
                    distinct: 29,
                    low: 1,
                    high: 20870,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "URLCategoryID",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::Hit,
                    salt: 230,
                    common: (0.55, 783),
                    distinct: 7,
                    low: 0,
                    high: 13895,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "URLRegionID",
        ty: DataType::Int32,
        make: |p, s, _| {
            int32(
                Skewed {
                    of: Of::Hit,
                    salt: 235,
                    common: (0.5, 22),
                    distinct: 7,
                    low: 0,
                    high: 688,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "ResolutionWidth",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 240,
                    common: (0.25, 1368),
                    distinct: 100,
                    low: 320,
                    high: 2837,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "ResolutionHeight",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 245,
                    common: (0.2, 768),
                    distinct: 149,
                    low: 240,
                    high: 2327,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "ResolutionDepth",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 250,
                    common: (0.75, 37),
                    distinct: 4,
                    low: 0,
                    high: 37,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "FlashMajor",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 255,
                    common: (0.7, 15),
                    distinct: 5,
                    low: 0,
                    high: 15,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "FlashMinor",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 260,
                    common: (0.43, 13),
                    distinct: 9,
                    low: 0,
                    high: 13,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "FlashMinor2",
        ty: DataType::String,
        make: |p, s, _| {
            few(p, s, Of::User, 141, 0.13, &["700", "224", "602", "0", "202", "775.1", "300"])
        },
    },
    HitsColumn {
        name: "NetMajor",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed { of: Of::User, salt: 265, common: (0.98, 0), distinct: 5, low: 1, high: 5 }
                    .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "NetMinor",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 270,
                    common: (0.982, 0),
                    distinct: 3,
                    low: 1,
                    high: 7,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "UserAgentMajor",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 275,
                    common: (0.3, 31),
                    distinct: 31,
                    low: 1,
                    high: 31,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "UserAgentMinor",
        ty: DataType::String,
        make: |p, s, _| {
            few(p, s, Of::User, 143, 0.0, &["D\u{452}", "n,", "si", "2.4", "Qt", "W1", "0.1", "5a"])
        },
    },
    HitsColumn {
        name: "CookieEnable",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 280,
                    common: (0.999, 1),
                    distinct: 1,
                    low: 0,
                    high: 0,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "JavascriptEnable",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 285,
                    common: (0.9995, 1),
                    distinct: 1,
                    low: 0,
                    high: 0,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "IsMobile",
        ty: DataType::Int16,
        make: |p, _, _| {
            int16(p.user.iter().map(|u| i64::from(phone(*u) > 0 || unit(*u, 118) < 0.03)))
        },
    },
    HitsColumn {
        name: "MobilePhone",
        ty: DataType::Int16,
        make: |p, _, _| {
            int16(p.user.iter().map(|u| match phone(*u) {
                0 => 0,
                n => (1 + n * 7 % 60) as i64,
            }))
        },
    },
    HitsColumn { name: "MobilePhoneModel", ty: DataType::String, make: |p, _, _| phone_models(p) },
    HitsColumn {
        name: "Params",
        ty: DataType::String,
        make: |p, s, _| few(p, s, Of::Hit, 145, 1.0, &[""]),
    },
    HitsColumn {
        name: "IPNetworkID",
        ty: DataType::Int32,
        make: |p, s, _| {
            int32(p.user.iter().map(|u| pick(address(s, *u) / 16, 113, 4_191_813) as i64))
        },
    },
    HitsColumn {
        name: "TraficSourceID",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::Hit,
                    salt: 290,
                    common: (0.45, -1),
                    distinct: 8,
                    low: -1,
                    high: 11,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "SearchEngineID",
        ty: DataType::Int16,
        make: |p, _, _| {
            from_search(p, |row| {
                [2, 3, 13, 1, 8, 47, 25, 4, 44, 9, 197][zipf(unit(row, 147), 11, 0.3) as usize]
            })
        },
    },
    HitsColumn { name: "SearchPhrase", ty: DataType::String, make: |p, _, v| v.phrases(p).into() },
    HitsColumn { name: "AdvEngineID", ty: DataType::Int16, make: |p, _, _| advertising(p) },
    HitsColumn { name: "IsArtifical", ty: DataType::Int16, make: |p, _, _| int16(constant(p, 0)) },
    HitsColumn {
        name: "WindowClientWidth",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::Hit,
                    salt: 295,
                    common: (0.04, 1350),
                    distinct: 428,
                    low: 0,
                    high: 3679,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "WindowClientHeight",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::Hit,
                    salt: 300,
                    common: (0.03, 580),
                    distinct: 676,
                    low: 0,
                    high: 2974,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "ClientTimeZone",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 305,
                    common: (0.55, 243),
                    distinct: 19,
                    low: -683,
                    high: 976,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "ClientEventTime",
        ty: DataType::DateTime(None),
        make: |p, _, _| {
            seconds(p, |i| {
                pick(p.user[i], 104, 7200) as i64 - 3600 + pick(p.row[i], 104, 30) as i64
            })
        },
    },
    HitsColumn {
        name: "SilverlightVersion1",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 310,
                    common: (0.574, 0),
                    distinct: 6,
                    low: 1,
                    high: 7,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "SilverlightVersion2",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed { of: Of::User, salt: 315, common: (0.65, 0), distinct: 1, low: 1, high: 1 }
                    .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "SilverlightVersion3",
        ty: DataType::Int32,
        make: |p, s, _| {
            int32(
                Skewed {
                    of: Of::User,
                    salt: 320,
                    common: (0.574, 0),
                    distinct: 26,
                    low: 1,
                    high: 65059,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "SilverlightVersion4",
        ty: DataType::Int16,
        make: |p, _, _| int16(constant(p, 0)),
    },
    HitsColumn {
        name: "PageCharset",
        ty: DataType::String,
        make: |p, s, _| {
            few(p, s, Of::Hit, 149, 0.0008, &["windows", "utf-8", "windows-1251;charset"])
        },
    },
    HitsColumn {
        name: "CodeVersion",
        ty: DataType::Int32,
        make: |p, s, _| {
            int32(
                Skewed {
                    of: Of::Hit,
                    salt: 325,
                    common: (0.999, 1601),
                    distinct: 1,
                    low: 0,
                    high: 0,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "IsLink",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed { of: Of::Hit, salt: 330, common: (0.975, 0), distinct: 1, low: 1, high: 1 }
                    .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "IsDownload",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed { of: Of::Hit, salt: 335, common: (0.989, 0), distinct: 1, low: 1, high: 1 }
                    .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "IsNotBounce",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed { of: Of::Hit, salt: 340, common: (0.7, 0), distinct: 1, low: 1, high: 1 }
                    .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "FUniqID",
        ty: DataType::Int64,
        make: |p, _, _| {
            int64(
                p.user
                    .iter()
                    .map(|u| if unit(*u, 132) < 0.19 { 0 } else { (bits(*u, 31) >> 1) as i64 }),
            )
        },
    },
    HitsColumn {
        name: "OriginalURL",
        ty: DataType::String,
        make: |p, s, v| original_urls(p, s, v),
    },
    HitsColumn {
        name: "HID",
        ty: DataType::Int32,
        make: |p, _, _| int32(p.row.iter().map(|row| (bits(*row, 30) >> 34) as i64)),
    },
    HitsColumn { name: "IsOldCounter", ty: DataType::Int16, make: |p, _, _| int16(constant(p, 0)) },
    HitsColumn {
        name: "IsEvent",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed { of: Of::Hit, salt: 345, common: (0.98, 0), distinct: 1, low: 1, high: 1 }
                    .values(p, s.seed),
            )
        },
    },
    HitsColumn { name: "IsParameter", ty: DataType::Int16, make: |p, _, _| int16(constant(p, 0)) },
    HitsColumn {
        name: "DontCountHits",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed { of: Of::Hit, salt: 350, common: (0.975, 0), distinct: 1, low: 1, high: 1 }
                    .values(p, s.seed),
            )
        },
    },
    HitsColumn { name: "WithHash", ty: DataType::Int16, make: |p, _, _| int16(constant(p, 0)) },
    HitsColumn {
        name: "HitColor",
        ty: DataType::String,
        make: |p, s, _| few(p, s, Of::Hit, 151, 0.0, &["E", "D", "S"]),
    },
    HitsColumn {
        name: "LocalEventTime",
        ty: DataType::DateTime(None),
        make: |p, _, _| seconds(p, |i| pick(p.row[i], 105, 12) as i64),
    },
    HitsColumn {
        name: "Age",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 355,
                    common: (0.356, 0),
                    distinct: 6,
                    low: 16,
                    high: 55,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "Sex",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 360,
                    common: (0.353, 0),
                    distinct: 2,
                    low: 1,
                    high: 2,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "Income",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 365,
                    common: (0.367, 0),
                    distinct: 3,
                    low: 1,
                    high: 3,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "Interests",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::User,
                    salt: 370,
                    common: (0.487, 0),
                    distinct: 289,
                    low: 1,
                    high: 16261,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "Robotness",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::Hit,
                    salt: 375,
                    common: (0.726, 0),
                    distinct: 157,
                    low: 1,
                    high: 251,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "RemoteIP",
        ty: DataType::Int32,
        make: |p, s, _| {
            int32(p.user.iter().map(|u| {
                if pick(*u, 110, 8) == 0 {
                    (bits(address(s, *u), 112) >> 32) as i32
                } else {
                    client_ip(s, *u)
                }
                .into()
            }))
        },
    },
    HitsColumn {
        name: "WindowName",
        ty: DataType::Int32,
        make: |p, _, _| {
            int32(p.user.iter().zip(&p.row).map(|(u, row)| {
                if unit(*u, 33) < 0.37 {
                    -1
                } else {
                    pick(*u * 8 + pick(*row, 34, 3), 35, 65_500) as i64
                }
            }))
        },
    },
    HitsColumn { name: "OpenerName", ty: DataType::Int32, make: |p, _, _| int32(constant(p, -1)) },
    HitsColumn {
        name: "HistoryLength",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::Hit,
                    salt: 380,
                    common: (0.3, -1),
                    distinct: 65,
                    low: 0,
                    high: 113,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "BrowserLanguage",
        ty: DataType::String,
        make: |p, s, _| few(p, s, Of::User, 153, 0.0, &["ru", "en", "uk", "be", "kk", "tr", "de"]),
    },
    HitsColumn {
        name: "BrowserCountry",
        ty: DataType::String,
        make: |p, s, _| few(p, s, Of::User, 155, 0.0, &["RU", "UA", "BY", "KZ", "US", "TR", "DE"]),
    },
    HitsColumn {
        name: "SocialNetwork",
        ty: DataType::String,
        make: |p, s, _| few(p, s, Of::Hit, 157, 1.0, &[""]),
    },
    HitsColumn {
        name: "SocialAction",
        ty: DataType::String,
        make: |p, s, _| few(p, s, Of::Hit, 159, 1.0, &[""]),
    },
    HitsColumn {
        name: "HTTPError",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::Hit,
                    salt: 385,
                    common: (0.998, 0),
                    distinct: 4,
                    low: 400,
                    high: 503,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "SendTiming",
        ty: DataType::Int32,
        make: |p, s, _| {
            int32(
                Skewed {
                    of: Of::Hit,
                    salt: 390,
                    common: (0.9, 0),
                    distinct: 200,
                    low: 1,
                    high: 3000,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "DNSTiming",
        ty: DataType::Int32,
        make: |p, s, _| {
            int32(
                Skewed {
                    of: Of::Hit,
                    salt: 395,
                    common: (0.8465, 0),
                    distinct: 345,
                    low: 1,
                    high: 14490,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "ConnectTiming",
        ty: DataType::Int32,
        make: |p, s, _| {
            int32(
                Skewed {
                    of: Of::Hit,
                    salt: 400,
                    common: (0.842, 0),
                    distinct: 252,
                    low: 1,
                    high: 9941,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "ResponseStartTiming",
        ty: DataType::Int32,
        make: |p, s, _| {
            int32(
                Skewed {
                    of: Of::Hit,
                    salt: 405,
                    common: (0.384, 0),
                    distinct: 1276,
                    low: 1,
                    high: 30000,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "ResponseEndTiming",
        ty: DataType::Int32,
        make: |p, s, _| {
            int32(
                Skewed {
                    of: Of::Hit,
                    salt: 410,
                    common: (0.375, 0),
                    distinct: 994,
                    low: 1,
                    high: 30000,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "FetchTiming",
        ty: DataType::Int32,
        make: |p, s, _| {
            int32(
                Skewed {
                    of: Of::Hit,
                    salt: 415,
                    common: (0.623, 0),
                    distinct: 1151,
                    low: 1,
                    high: 30000,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "SocialSourceNetworkID",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed { of: Of::Hit, salt: 420, common: (0.98, 0), distinct: 3, low: 1, high: 5 }
                    .values(p, s.seed),
            )
        },
    },
    HitsColumn {
        name: "SocialSourcePage",
        ty: DataType::String,
        make: |p, _, v| word(p, v, 161, 0.984, 95),
    },
    HitsColumn { name: "ParamPrice", ty: DataType::Int64, make: |p, _, _| int64(constant(p, 0)) },
    HitsColumn {
        name: "ParamOrderID",
        ty: DataType::String,
        make: |p, s, _| few(p, s, Of::Hit, 163, 1.0, &[""]),
    },
    HitsColumn {
        name: "ParamCurrency",
        ty: DataType::String,
        make: |p, s, _| few(p, s, Of::Hit, 165, 0.0, &["NHN"]),
    },
    HitsColumn {
        name: "ParamCurrencyID",
        ty: DataType::Int16,
        make: |p, _, _| int16(constant(p, 0)),
    },
    HitsColumn {
        name: "OpenstatServiceName",
        ty: DataType::String,
        make: |p, _, v| word(p, v, 167, 0.9988, 2),
    },
    HitsColumn {
        name: "OpenstatCampaignID",
        ty: DataType::String,
        make: |p, _, v| word(p, v, 169, 0.9988, 2),
    },
    HitsColumn {
        name: "OpenstatAdID",
        ty: DataType::String,
        make: |p, _, v| word(p, v, 171, 0.9988, 2),
    },
    HitsColumn {
        name: "OpenstatSourceID",
        ty: DataType::String,
        make: |p, _, v| word(p, v, 173, 0.9988, 2),
    },
    HitsColumn {
        name: "UTMSource",
        ty: DataType::String,
        make: |p, _, v| word(p, v, 175, 0.7367, 15),
    },
    HitsColumn {
        name: "UTMMedium",
        ty: DataType::String,
        make: |p, _, v| word(p, v, 177, 0.7367, 18),
    },
    HitsColumn {
        name: "UTMCampaign",
        ty: DataType::String,
        make: |p, _, v| word(p, v, 179, 0.7367, 35),
    },
    HitsColumn {
        name: "UTMContent",
        ty: DataType::String,
        make: |p, _, v| word(p, v, 181, 0.995, 7),
    },
    HitsColumn {
        name: "UTMTerm",
        ty: DataType::String,
        make: |p, _, v| word(p, v, 183, 0.8889, 598),
    },
    HitsColumn {
        name: "FromTag",
        ty: DataType::String,
        make: |p, s, _| few(p, s, Of::Hit, 185, 1.0, &[""]),
    },
    HitsColumn {
        name: "HasGCLID",
        ty: DataType::Int16,
        make: |p, s, _| {
            int16(
                Skewed {
                    of: Of::Hit,
                    salt: 425,
                    common: (0.9995, 0),
                    distinct: 1,
                    low: 1,
                    high: 1,
                }
                .values(p, s.seed),
            )
        },
    },
    HitsColumn { name: "RefererHash", ty: DataType::Int64, make: |p, _, _| referer_hash(p) },
    HitsColumn {
        name: "URLHash",
        ty: DataType::Int64,
        make: |p, _, _| int64(p.page.iter().map(|page| bits(1 << 40 | *page, 91) as i64)),
    },
    HitsColumn { name: "CLID", ty: DataType::Int32, make: |p, _, _| int32(constant(p, 0)) },
];
