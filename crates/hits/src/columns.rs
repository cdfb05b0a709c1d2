//! The 105 columns: name, type, and how each is made from the plan.
//!
//! Most numbers follow a [`Skewed`] distribution over visitors or hits: a share of zeros, and a
//! Zipf-like choice among a number of values. Their shapes (shares, counts of distinct values,
//! ranges) are typical of web-analytics data; the values are made up.

use entasis_column::{Column, Strings, StringsBuilder};
use entasis_types::DataType;

use DataType::{Date, DateTime, Int16, Int32, Int64, String};
use Of::{Hit, User};

use crate::draw::{bits, pick, scramble, unit, zipf};
use crate::plan::{Plan, Shape, referer};
use crate::text::Vocabulary;

/// A column's name, type and generator.
pub struct HitsColumn {
    /// The column's name.
    pub name: &'static str,
    /// The column's type.
    pub ty: DataType,
    make: Make,
}

type MakeFn = fn(&Plan, &Shape, &Vocabulary) -> Column;

/// How a column is made.
enum Make {
    Skewed(Skewed),
    Constant(i64),
    Few(Few),
    Word(Word),
    By(MakeFn),
}

impl HitsColumn {
    /// Generates the column for a window of rows.
    pub(crate) fn make(&self, plan: &Plan, shape: &Shape, vocabulary: &Vocabulary) -> Column {
        match &self.make {
            Make::Skewed(skewed) => integers(&self.ty, skewed.values(plan, shape.seed)),
            Make::Constant(value) => integers(&self.ty, std::iter::repeat_n(*value, plan.len())),
            Make::Few(few) => few.texts(plan, shape),
            Make::Word(word) => word.texts(plan, vocabulary),
            Make::By(make) => make(plan, shape, vocabulary),
        }
    }
}

/// Whether a value is a property of the visitor or of the hit.
#[derive(Clone, Copy)]
enum Of {
    User,
    Hit,
}

impl Of {
    /// The numbers that the values of the rows depend on.
    fn keys(self, plan: &Plan) -> &[u64] {
        match self {
            User => &plan.user,
            Hit => &plan.row,
        }
    }
}

/// One value (mostly zero) with some share, otherwise a Zipf-like choice among `distinct` values
/// that are spread over the numbers from the first to the last of `range`.
struct Skewed {
    of: Of,
    salt: u64,
    common: (f64, i64),
    distinct: u64,
    range: (i64, i64),
}

impl Skewed {
    fn value(&self, key: u64) -> i64 {
        if unit(key, self.salt) < self.common.0 {
            return self.common.1;
        }
        let rank = zipf(unit(key, self.salt + 1), self.distinct, 1.5);
        let (low, high) = self.range;
        if self.distinct == (high - low + 1) as u64 {
            return low + rank as i64;
        }
        low + pick(rank, self.salt + 2, (high - low + 1) as u64) as i64
    }

    /// The values of all rows. They are looked up in a table of quantiles, since a logarithm per
    /// row would cost more than everything else.
    fn values(&self, plan: &Plan, seed: u64) -> impl Iterator<Item = i64> {
        const QUANTILES: u64 = 4096;
        let table: Vec<i64> = (0..QUANTILES).map(|q| self.value(bits(q, seed ^ 0x9a))).collect();
        let salt = self.salt ^ seed;
        let keys = self.of.keys(plan);
        keys.iter().map(move |key| table[(bits(*key, salt) % QUANTILES) as usize])
    }
}

/// One of a few texts per row, or an empty one for a share of rows; earlier texts are more
/// frequent.
struct Few {
    of: Of,
    salt: u64,
    empty: f64,
    list: &'static [&'static str],
}

impl Few {
    fn texts(&self, plan: &Plan, shape: &Shape) -> Column {
        let text = |key: u64| {
            if unit(key, self.salt ^ shape.seed) < self.empty {
                return "";
            }
            self.list[zipf(unit(key, self.salt + 1), self.list.len() as u64, 0.8) as usize]
        };
        let keys = self.of.keys(plan);
        Column::String(keys.iter().map(|key| text(*key).as_bytes()).collect::<Strings>())
    }
}

/// A made-up word per row out of `distinct` words, empty for a share of rows.
struct Word {
    salt: u64,
    empty: f64,
    distinct: u64,
}

impl Word {
    fn texts(&self, plan: &Plan, vocabulary: &Vocabulary) -> Column {
        let mut out = StringsBuilder::with_capacity(plan.len(), plan.len() * 2);
        for row in &plan.row {
            if unit(*row, self.salt) >= self.empty {
                let id = zipf(unit(*row, self.salt + 1), self.distinct, 2.0);
                out.data.extend_from_slice(vocabulary.word(self.salt * 31 + id).as_bytes());
            }
            out.close();
        }
        out.finish().into()
    }
}

const fn column(name: &'static str, ty: DataType, make: MakeFn) -> HitsColumn {
    HitsColumn { name, ty, make: Make::By(make) }
}

const fn constant(name: &'static str, ty: DataType, value: i64) -> HitsColumn {
    HitsColumn { name, ty, make: Make::Constant(value) }
}

const fn skewed(
    name: &'static str,
    ty: DataType,
    of: Of,
    salt: u64,
    common: (f64, i64),
    distinct: u64,
    range: (i64, i64),
) -> HitsColumn {
    HitsColumn { name, ty, make: Make::Skewed(Skewed { of, salt, common, distinct, range }) }
}

const fn few(
    name: &'static str,
    of: Of,
    salt: u64,
    empty: f64,
    list: &'static [&'static str],
) -> HitsColumn {
    HitsColumn { name, ty: String, make: Make::Few(Few { of, salt, empty, list }) }
}

const fn word(name: &'static str, salt: u64, empty: f64, distinct: u64) -> HitsColumn {
    HitsColumn { name, ty: String, make: Make::Word(Word { salt, empty, distinct }) }
}

/// Numbers as a column of one of the three integer types of the table.
fn integers(ty: &DataType, values: impl Iterator<Item = i64>) -> Column {
    match ty {
        Int16 => int16(values),
        Int32 => int32(values),
        _ => int64(values),
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
pub(crate) const COLUMNS: &[HitsColumn] = &[
    column("WatchID", Int64, |p, s, _| {
        int64(p.row.iter().map(|row| (1 << 62 | scramble(*row, 62, s.seed)) as i64))
    }),
    skewed("JavaEnable", Int16, User, 200, (0.31, 0), 1, (1, 1)),
    column("Title", String, |p, _, v| v.titles(p).into()),
    constant("GoodEvent", Int16, 1),
    column("EventTime", DateTime(None), |p, _, _| seconds(p, |_| 0)),
    column("EventDate", Date, |p, _, _| {
        Column::from(p.second.iter().map(|t| (*t / 86_400) as u16).collect::<Vec<u16>>())
    }),
    column("CounterID", Int32, |p, s, _| {
        int32(p.counter.iter().map(|c| i64::from(s.counters[*c as usize])))
    }),
    column("ClientIP", Int32, |p, s, _| int32(p.user.iter().map(|u| i64::from(client_ip(s, *u))))),
    column("RegionID", Int32, |p, s, _| regions(p, s)),
    column("UserID", Int64, |p, s, _| int64(p.user.iter().map(|u| bits(*u, 6 ^ s.seed) as i64))),
    constant("CounterClass", Int16, 0),
    skewed("OS", Int16, User, 205, (0.35, 44), 33, (1, 159)),
    skewed("UserAgent", Int16, User, 210, (0.2, 5), 22, (1, 113)),
    column("URL", String, |p, s, v| v.pages(p, s).into()),
    column("Referer", String, |p, s, v| v.referers(p, s).into()),
    skewed("IsRefresh", Int16, Hit, 215, (0.986, 0), 1, (1, 1)),
    skewed("RefererCategoryID", Int16, Hit, 220, (0.224, 0), 55, (1, 16163)),
    skewed("RefererRegionID", Int32, Hit, 225, (0.224, 0), 29, (1, 20870)),
    skewed("URLCategoryID", Int16, Hit, 230, (0.55, 783), 7, (0, 13895)),
    skewed("URLRegionID", Int32, Hit, 235, (0.5, 22), 7, (0, 688)),
    skewed("ResolutionWidth", Int16, User, 240, (0.25, 1368), 100, (320, 2837)),
    skewed("ResolutionHeight", Int16, User, 245, (0.2, 768), 149, (240, 2327)),
    skewed("ResolutionDepth", Int16, User, 250, (0.75, 37), 4, (0, 37)),
    skewed("FlashMajor", Int16, User, 255, (0.7, 15), 5, (0, 15)),
    skewed("FlashMinor", Int16, User, 260, (0.43, 13), 9, (0, 13)),
    few("FlashMinor2", User, 141, 0.13, &["700", "224", "602", "0", "202", "775.1", "300"]),
    skewed("NetMajor", Int16, User, 265, (0.98, 0), 5, (1, 5)),
    skewed("NetMinor", Int16, User, 270, (0.982, 0), 3, (1, 7)),
    skewed("UserAgentMajor", Int16, User, 275, (0.3, 31), 31, (1, 31)),
    few(
        "UserAgentMinor",
        User,
        143,
        0.0,
        &["D\u{452}", "n,", "si", "2.4", "Qt", "W1", "0.1", "5a"],
    ),
    skewed("CookieEnable", Int16, User, 280, (0.999, 1), 1, (0, 0)),
    skewed("JavascriptEnable", Int16, User, 285, (0.9995, 1), 1, (0, 0)),
    column("IsMobile", Int16, |p, _, _| {
        int16(p.user.iter().map(|u| i64::from(phone(*u) > 0 || unit(*u, 118) < 0.03)))
    }),
    column("MobilePhone", Int16, |p, _, _| {
        int16(p.user.iter().map(|u| match phone(*u) {
            0 => 0,
            n => (1 + n * 7 % 60) as i64,
        }))
    }),
    column("MobilePhoneModel", String, |p, _, _| phone_models(p)),
    few("Params", Hit, 145, 1.0, &[""]),
    column("IPNetworkID", Int32, |p, s, _| {
        int32(p.user.iter().map(|u| pick(address(s, *u) / 16, 113, 4_191_813) as i64))
    }),
    skewed("TraficSourceID", Int16, Hit, 290, (0.45, -1), 8, (-1, 11)),
    column("SearchEngineID", Int16, |p, _, _| {
        from_search(p, |row| {
            [2, 3, 13, 1, 8, 47, 25, 4, 44, 9, 197][zipf(unit(row, 147), 11, 0.3) as usize]
        })
    }),
    column("SearchPhrase", String, |p, _, v| v.phrases(p).into()),
    column("AdvEngineID", Int16, |p, _, _| advertising(p)),
    constant("IsArtifical", Int16, 0),
    skewed("WindowClientWidth", Int16, Hit, 295, (0.04, 1350), 428, (0, 3679)),
    skewed("WindowClientHeight", Int16, Hit, 300, (0.03, 580), 676, (0, 2974)),
    skewed("ClientTimeZone", Int16, User, 305, (0.55, 243), 19, (-683, 976)),
    column("ClientEventTime", DateTime(None), |p, _, _| {
        seconds(p, |i| pick(p.user[i], 104, 7200) as i64 - 3600 + pick(p.row[i], 104, 30) as i64)
    }),
    skewed("SilverlightVersion1", Int16, User, 310, (0.574, 0), 6, (1, 7)),
    skewed("SilverlightVersion2", Int16, User, 315, (0.65, 0), 1, (1, 1)),
    skewed("SilverlightVersion3", Int32, User, 320, (0.574, 0), 26, (1, 65059)),
    constant("SilverlightVersion4", Int16, 0),
    few("PageCharset", Hit, 149, 0.0008, &["windows", "utf-8", "windows-1251;charset"]),
    skewed("CodeVersion", Int32, Hit, 325, (0.999, 1601), 1, (0, 0)),
    skewed("IsLink", Int16, Hit, 330, (0.975, 0), 1, (1, 1)),
    skewed("IsDownload", Int16, Hit, 335, (0.989, 0), 1, (1, 1)),
    skewed("IsNotBounce", Int16, Hit, 340, (0.7, 0), 1, (1, 1)),
    column("FUniqID", Int64, |p, _, _| {
        int64(
            p.user
                .iter()
                .map(|u| if unit(*u, 132) < 0.19 { 0 } else { (bits(*u, 31) >> 1) as i64 }),
        )
    }),
    column("OriginalURL", String, original_urls),
    column("HID", Int32, |p, _, _| int32(p.row.iter().map(|row| (bits(*row, 30) >> 34) as i64))),
    constant("IsOldCounter", Int16, 0),
    skewed("IsEvent", Int16, Hit, 345, (0.98, 0), 1, (1, 1)),
    constant("IsParameter", Int16, 0),
    skewed("DontCountHits", Int16, Hit, 350, (0.975, 0), 1, (1, 1)),
    constant("WithHash", Int16, 0),
    few("HitColor", Hit, 151, 0.0, &["E", "D", "S"]),
    column("LocalEventTime", DateTime(None), |p, _, _| {
        seconds(p, |i| pick(p.row[i], 105, 12) as i64)
    }),
    skewed("Age", Int16, User, 355, (0.356, 0), 6, (16, 55)),
    skewed("Sex", Int16, User, 360, (0.353, 0), 2, (1, 2)),
    skewed("Income", Int16, User, 365, (0.367, 0), 3, (1, 3)),
    skewed("Interests", Int16, User, 370, (0.487, 0), 289, (1, 16261)),
    skewed("Robotness", Int16, Hit, 375, (0.726, 0), 157, (1, 251)),
    column("RemoteIP", Int32, |p, s, _| {
        int32(p.user.iter().map(|u| {
            if pick(*u, 110, 8) == 0 {
                (bits(address(s, *u), 112) >> 32) as i32
            } else {
                client_ip(s, *u)
            }
            .into()
        }))
    }),
    column("WindowName", Int32, |p, _, _| {
        int32(p.user.iter().zip(&p.row).map(|(u, row)| {
            if unit(*u, 33) < 0.37 {
                -1
            } else {
                pick(*u * 8 + pick(*row, 34, 3), 35, 65_500) as i64
            }
        }))
    }),
    constant("OpenerName", Int32, -1),
    skewed("HistoryLength", Int16, Hit, 380, (0.3, -1), 65, (0, 113)),
    few("BrowserLanguage", User, 153, 0.0, &["ru", "en", "uk", "be", "kk", "tr", "de"]),
    few("BrowserCountry", User, 155, 0.0, &["RU", "UA", "BY", "KZ", "US", "TR", "DE"]),
    few("SocialNetwork", Hit, 157, 1.0, &[""]),
    few("SocialAction", Hit, 159, 1.0, &[""]),
    skewed("HTTPError", Int16, Hit, 385, (0.998, 0), 4, (400, 503)),
    skewed("SendTiming", Int32, Hit, 390, (0.9, 0), 200, (1, 3000)),
    skewed("DNSTiming", Int32, Hit, 395, (0.8465, 0), 345, (1, 14490)),
    skewed("ConnectTiming", Int32, Hit, 400, (0.842, 0), 252, (1, 9941)),
    skewed("ResponseStartTiming", Int32, Hit, 405, (0.384, 0), 1276, (1, 30000)),
    skewed("ResponseEndTiming", Int32, Hit, 410, (0.375, 0), 994, (1, 30000)),
    skewed("FetchTiming", Int32, Hit, 415, (0.623, 0), 1151, (1, 30000)),
    skewed("SocialSourceNetworkID", Int16, Hit, 420, (0.98, 0), 3, (1, 5)),
    word("SocialSourcePage", 161, 0.984, 95),
    constant("ParamPrice", Int64, 0),
    few("ParamOrderID", Hit, 163, 1.0, &[""]),
    few("ParamCurrency", Hit, 165, 0.0, &["NHN"]),
    constant("ParamCurrencyID", Int16, 0),
    word("OpenstatServiceName", 167, 0.9988, 2),
    word("OpenstatCampaignID", 169, 0.9988, 2),
    word("OpenstatAdID", 171, 0.9988, 2),
    word("OpenstatSourceID", 173, 0.9988, 2),
    word("UTMSource", 175, 0.7367, 15),
    word("UTMMedium", 177, 0.7367, 18),
    word("UTMCampaign", 179, 0.7367, 35),
    word("UTMContent", 181, 0.995, 7),
    word("UTMTerm", 183, 0.8889, 598),
    few("FromTag", Hit, 185, 1.0, &[""]),
    skewed("HasGCLID", Int16, Hit, 425, (0.9995, 0), 1, (1, 1)),
    column("RefererHash", Int64, |p, _, _| referer_hash(p)),
    column("URLHash", Int64, |p, _, _| {
        int64(p.page.iter().map(|page| bits(1 << 40 | *page, 91) as i64))
    }),
    constant("CLID", Int32, 0),
];
