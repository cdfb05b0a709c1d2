//! An outcome made of seeds: what the page's check and its tests look at.

use std::collections::HashMap;

use entasis_base::Result;
use entasis_base::clock::{Rng, mix64};
use entasis_lab::compare::{DIFFER, Outcome, rules_text, shown};
use entasis_lab::measure::{ALLOCATED, CLIENT_TIME, CPU_TIME, MEMORY, SERVER_TIME};
use entasis_lab::measure::{Sample, Samples, Skipped, key};
use entasis_lab::report::{Explained, Extras, Point, Stacks};
use entasis_lab::store::{Host, QueryRow, RunRow, Shown};
use entasis_lab::trust::{Equal, Unlucky};
use entasis_lab::verdict::{Known, Rules};
use entasis_lab::why::asm::Excerpt;
use entasis_stats::rng::{normal, stream};
use entasis_stats::schedule::Side;

/// Names and texts that would leave their place on a page if nothing kept them there.
pub const EVIL: &str = "</script><img src=x onerror=alert(1)>--><!-- \"'&";

/// What is planted in a query: log ratios of its time and memory, noise, and modes.
#[derive(Clone, Copy, Default)]
struct Truth {
    time: f64,
    memory: f64,
    noise: f64,
    modes: bool,
    seconds: f64,
    slow_client: bool,
}

fn truth(unit: u32, rng: &mut Rng) -> Truth {
    let chance = rng.below(1000);
    let size = 0.03 + rng.below(250) as f64 / 1e3;
    let mut truth = Truth {
        noise: 0.004 * (0.8 * normal(rng)).exp(),
        seconds: 0.08 * (0.7 * normal(rng)).exp(),
        slow_client: unit % 97 == 5,
        ..Truth::default()
    };
    match chance {
        0..15 => truth.time = size,
        15..30 => truth.time = -size,
        30..40 => truth.memory = size,
        40..45 => truth.memory = -size,
        45..55 => truth.noise = 0.15,
        55..60 => (truth.modes, truth.time) = (true, 0.05),
        60..70 => truth.seconds = 0.004,
        70..75 => truth.seconds = 1.7,
        _ => {}
    }
    truth
}

/// Counters of a server: name, usual value, how much they vary, whether they follow time or memory.
const COUNTERS: &[(&str, f64, f64, char)] = &[
    ("read_rows", 1e6, 0.0, ' '),
    ("read_bytes", 8e6, 0.0, ' '),
    ("result_rows", 100.0, 0.0, ' '),
    ("SelectedRows", 1e6, 0.0, ' '),
    ("SelectedMarks", 123.0, 0.0, ' '),
    ("SelectedParts", 3.0, 0.0, ' '),
    ("UserTimeMicroseconds", 8e4, 0.01, 't'),
    ("SystemTimeMicroseconds", 4e3, 0.2, ' '),
    ("PerfCPUCycles", 2.4e8, 0.008, 't'),
    ("PerfInstructions", 6e8, 0.001, 't'),
    ("PerfCacheMisses", 3e6, 0.06, ' '),
    ("PerfBranchMisses", 9e5, 0.03, ' '),
    ("PerfInstructionTLBMisses", 4e3, 0.15, ' '),
    ("PerfDataTLBMisses", 7e4, 0.08, ' '),
    ("SoftPageFaults", 1200.0, 0.02, 'm'),
    ("ContextSwitches", 900.0, 0.3, 's'),
    ("MemoryAllocatedBytes", 6e7, 1e-4, 'm'),
    ("MemoryAllocations", 900.0, 0.0, 'm'),
    ("ArenaAllocBytes", 4e6, 0.0, 'm'),
    ("DiskReadBytes", 0.0, 0.0, ' '),
    ("OSReadBytes", 0.0, 0.0, ' '),
    ("RowsReadByMainReader", 1e6, 0.0, ' '),
    ("MarkCacheHits", 12.0, 0.0, ' '),
    ("FilteringMicroseconds", 7e3, 0.02, 't'),
    ("HashTableProbes", 1e6, 0.0, ' '),
    ("CompressedReadBufferBytes", 5e6, 0.0, ' '),
    ("ThreadsWaitMicroseconds", 800.0, 0.4, ' '),
];

struct Maker {
    samples: Samples,
    rng: Rng,
    numbers: HashMap<&'static str, u16>,
}

impl Maker {
    fn run(&mut self, unit: u32, truth: &Truth, side: Side, place: (u8, u16, u16), process: f64) {
        let (stage, process_number, run) = place;
        let new = side == Side::New;
        let time = if new { truth.time } else { 0.0 };
        let memory = if new { truth.memory } else { 0.0 };
        let outlier = if self.rng.below(25) == 0 { 3.0 * truth.noise } else { 0.0 };
        let noise = truth.noise * normal(&mut self.rng) + outlier + process;
        let client = truth.seconds * (time + noise).exp();
        let overhead = if truth.slow_client { 0.94 } else { 0.992 };
        let peak = 2e7 * (memory + 0.002 * normal(&mut self.rng)).exp();
        let mut all = vec![
            (CLIENT_TIME, client),
            (SERVER_TIME, client * overhead),
            (CPU_TIME, 1.9 * client * (0.01 * normal(&mut self.rng)).exp()),
            (MEMORY, peak.round()),
            (ALLOCATED, (6e7 * memory.exp()).round()),
        ];
        for (name, usual, varies, follows) in COUNTERS {
            let effect = match follows {
                't' => time,
                'm' => memory,
                // All queries alike.
                's' if new => 0.12,
                _ => 0.0,
            };
            let factor = (effect + varies * normal(&mut self.rng)).exp();
            all.push((name, (usual * f64::from(1 + unit % 9) * factor).round()));
        }
        for (name, value) in all {
            let metric = match self.numbers.get(name) {
                Some(metric) => *metric,
                None => *self.numbers.entry(name).or_insert(self.samples.metric(name)),
            };
            let process = process_number;
            self.samples.push(Sample { unit, side, stage, process, run, metric, value });
        }
    }

    /// Both sides' runs in blocks of ABBA in one pair of processes.
    fn pair(&mut self, unit: u32, truth: &Truth, stage: u8, process: u16, runs: u16) {
        let mut deviation = || {
            let mode = if truth.modes && self.rng.below(2) == 0 { 0.2 } else { 0.0 };
            0.003 * normal(&mut self.rng) + mode
        };
        let deviations = [deviation(), deviation()];
        for run in 0..2 * runs {
            let side = if matches!(run % 4, 0 | 3) { Side::Old } else { Side::New };
            let at = usize::from(side == Side::New);
            self.run(unit, truth, side, (stage, process, run), deviations[at]);
        }
    }
}

fn text(unit: u32) -> String {
    let columns = ["URL", "Title", "UserID", "SearchPhrase", "RegionID", "EventTime"];
    let of = |n: u32| columns[(unit / n) as usize % columns.len()];
    // Constants that differ, so that texts pack as badly as those of real suites do.
    let (a, b, n) = (of(1), of(3), mix64(u64::from(unit)) % 100_000_000);
    match unit % 4 {
        0 => format!(
            "SELECT {a}, count() AS c, uniq({b})\nFROM hits\nWHERE CounterID > {n} GROUP BY {a} ORDER BY c DESC LIMIT 10"
        ),
        1 => format!(
            "SELECT sum(cityHash64(toString({a}), {b})) FROM hits_100m_single WHERE {b} != '' AND length(toString({a})) > {n} FORMAT Null"
        ),
        2 => format!(
            "SELECT avg(if({a} = {b}, number * {n}, number % 17)), quantiles(0.5, 0.9, 0.99)(number) FROM numbers_mt(100000000) FORMAT Null"
        ),
        _ => format!(
            "WITH x AS (SELECT {a} FROM hits LIMIT {n}) SELECT x.{a}, {b} FROM x INNER JOIN visits USING ({b}) ORDER BY {b}"
        ),
    }
}

const TESTS: &[&str] = &[
    "aggregate_arrays",
    "codecs_float",
    "group_by_strings",
    "hash_join",
    "order_by_read_in_order",
    "parse_engine_file",
    "string_search",
    "sum_if",
    "window_functions",
    "array_sort",
];

fn row(unit: u32, rules: &Rules) -> QueryRow {
    let (kind, of) = (TESTS[unit as usize / 10 % TESTS.len()], unit / 100);
    let test = if of == 0 { kind.to_owned() } else { format!("{kind}_{of}") };
    let text = if unit == 7 { format!("SELECT '{EVIL}'") } else { text(unit) };
    QueryRow {
        unit,
        index: unit % 10,
        key: key(&test, &text, 0),
        test,
        text,
        metric: CLIENT_TIME.to_owned(),
        least_effect: rules.least_effect,
        trouble: match unit {
            23 => "old: Code: 46. DB::Exception: Unknown function arrayFold".into(),
            29 => "not tested: budget".into(),
            31 => "not tested in stage 2: budget".into(),
            _ => String::new(),
        },
        ..QueryRow::default()
    }
}

fn run_row(seed: u64, rules: &Rules) -> RunRow {
    let words = |list: &[&str]| -> Vec<String> { list.iter().map(|w| (*w).to_owned()).collect() };
    RunRow {
        id: format!("compare-1763800000-{seed:04x}"),
        time: 1_763_800_000.0,
        kind: "compare".into(),
        state: "finished".into(),
        host: Host { name: "bench-1".into(), cpu: "AMD EPYC 9R14".into() },
        sides: ["git:main".into(), "git:arena-free-list".into()],
        commits: ["76c730c9b0f1d2e3a4b5".into(), "d3b07384d113edec49ea".into()],
        builds: ["9a3f00d1c2b4e5f6".into(), "17c0ffee5eed1234".into()],
        seed,
        budget: 1080.0,
        spent: 1011.4,
        rules: rules_text(rules),
        arguments: words(&[
            "compare",
            "--left",
            "git:main",
            "--right",
            "git:arena-free-list",
            "--left-settings",
            "a=it's",
            "--budget",
            "18m",
            "--seed=7",
            "tests/performance",
        ]),
        facts: [
            ("cores", "16"),
            ("smt", "0"),
            ("governor", "performance"),
            ("kernel", "6.12.41"),
            ("transparent_huge_pages", "always [madvise] never"),
            ("load", "0.08 0.11 0.09 1/312 4711"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec(),
    }
}

/// An outcome of so many queries; verdicts are those of the laboratory.
pub fn outcome(count: u32, seed: u64) -> Result<Outcome> {
    let rules = Rules::default();
    let rng = stream(seed, &[1]);
    let mut maker = Maker { samples: Samples::default(), rng, numbers: HashMap::new() };
    let mut queries: Vec<QueryRow> = (0..count).map(|unit| row(unit, &rules)).collect();
    for query in &queries {
        if query.trouble.starts_with("old:") || query.trouble == "not tested: budget" {
            continue;
        }
        let truth = truth(query.unit, &mut stream(seed, &[2, u64::from(query.unit)]));
        maker.pair(query.unit, &truth, 1, 0, 5);
        let candidate = truth.time != 0.0 || truth.memory != 0.0 || query.unit % 11 == 0;
        if candidate && query.trouble.is_empty() {
            (1..=8).for_each(|process| maker.pair(query.unit, &truth, 2, process, 3));
        }
    }
    DIFFER.clone_into(&mut queries[41].trouble);
    let known = |_: u32, _: &str| Known::default();
    let mut shown = shown(&queries, &maker.samples, &rules, seed, &known)?;
    let classes = ["work", "layout", "plan", "memory", "wait"];
    for (at, shown) in
        shown.iter_mut().enumerate().filter(|(_, s)| s.word == "slower" || s.word == "faster")
    {
        let class = classes[at % classes.len()];
        shown.cause =
            (class.into(), format!("instructions changed by as much as the time did ({class})"));
        shown.functions =
            ["entasis_exec::aggregate::hash::Table<K>::insert", "memcpy", "decode_block"]
                .iter()
                .map(|name| (*name).to_owned())
                .collect();
    }
    let skipped = vec![Skipped {
        test: "s3_reads".into(),
        query: None,
        reason: "table_exists: there is no hits_s3".into(),
    }];
    let differing = vec![41];
    let mut run = run_row(seed, &rules);
    run.set_short((0..count).filter(|unit| unit % 10 == 4));
    for query in queries.iter().filter(|query| query.index == 0) {
        run.note_set_up(&query.test, 0.25 + f64::from(query.unit % 70) / 10.0);
    }
    Ok(Outcome {
        run,
        queries,
        samples: maker.samples,
        shown,
        differing,
        agreeing: std::collections::BTreeSet::new(),
        skipped,
        evidence: HashMap::new(),
    })
}

/// What the page may have beyond it; stacks, plans and loops of so many queries.
pub fn extras(outcome: &Outcome, seed: u64, deep: usize) -> Extras {
    let mut extras = Extras {
        health: Some(Equal {
            runs: 31,
            clean: 30,
            comparisons: 1860,
            candidates: 402,
            flags: 1,
            memory: [3720, 2],
            bound: 0.00255,
            uniform: Some((0.043, 0.41)),
            seconds: 7200.0,
            unlucky: vec![Unlucky {
                test: "codecs_float".into(),
                index: 3,
                comparisons: 31,
                flags: 1,
                modes: 4,
            }],
        }),
        ..Extras::default()
    };
    let changed = |word: &str| matches!(word, "slower" | "faster");
    let mut units: Vec<u32> =
        outcome.shown.iter().filter(|s| changed(&s.word)).map(|s| s.judged.subject.unit).collect();
    units.dedup();
    for (at, unit) in units.iter().enumerate() {
        let mut rng = stream(seed, &[3, u64::from(*unit)]);
        let point = |n: u32| Point {
            time: 1_763_000_000.0 + f64::from(n) * 40_000.0,
            commit: format!("{:07x}", 0x1a_2b3c + n * 7919),
            ratio: (0.01 * normal(&mut rng) + if n > 14 { 0.06 } else { 0.0 }).exp(),
        };
        extras.history.insert((*unit, CLIENT_TIME.to_owned()), (0..20).map(point).collect());
        if at < deep {
            let stacks = [stacks(*unit, false), stacks(*unit, true)];
            extras.explained.extend(explained(&stacks).map(|found| (*unit, found)));
            extras.grown.extend(grown(&stacks).map(|found| (*unit, found)));
            extras.stacks.insert(*unit, stacks);
            let plan = |step: &str| {
                format!(
                    "Expression\n  Sorting\n    {step}\n      Filter\n        ReadFromMergeTree (hits)"
                )
            };
            extras.plans.insert(*unit, [plan("Aggregating"), plan("AggregatingInOrder")]);
            extras.code.extend(code(outcome, *unit).map(|code| (*unit, code)));
        }
    }
    extras
}

/// A slower query has other code, a faster one the same at another place; others have none.
fn code(outcome: &Outcome, unit: u32) -> Option<Excerpt> {
    let of_time = |s: &&Shown| s.judged.subject.unit == unit && s.metric == CLIENT_TIME;
    let same = match outcome.shown.iter().find(of_time)?.word.as_str() {
        "slower" => false,
        "faster" => true,
        _ => return None,
    };
    let old = "+0x60    addsd (%rax), %xmm0\n+0x64    addq $8, %rax\n\
               +0x68    cmpq %rcx, %rax\n+0x6b    jne +0x60";
    let moved = old.replace("+0x6", "+0xa");
    let slow = moved.replace("addsd (%rax)", "movsd (%rax)").replace("$8", "$16");
    Some(Excerpt {
        function: "entasis_exec::sum<f64>".to_owned(),
        same,
        loops: [old.to_owned(), if same { moved } else { slow }],
        cpus: vec!["skylake".to_owned(), "znver3".to_owned()],
        cycles: [vec![4.0, 3.0], if same { vec![4.0, 3.0] } else { vec![8.25, f64::NAN] }],
        note: format!("old: 1 call left out of the model: {EVIL}"),
    })
}

/// The same stacks, as if they were of 32 and 48 MB.
fn grown(stacks: &[Stacks; 2]) -> Option<Explained> {
    Explained::of(&profiles(stacks), [32e6, 48e6])
}

/// What the stacks say if both sides have two processes of ten samples a millisecond.
fn explained(stacks: &[Stacks; 2]) -> Option<Explained> {
    let total = |stacks: &Stacks| stacks.iter().map(|(_, seconds)| seconds).sum::<f64>();
    Explained::of(&profiles(stacks), [total(&stacks[0]), total(&stacks[1])])
}

fn profiles(stacks: &[Stacks; 2]) -> [Vec<Vec<(Vec<String>, u64)>>; 2] {
    stacks.each_ref().map(|stacks| {
        let samples = |seconds: f64| (seconds * 1e4).round() as u64;
        let process: Vec<(Vec<String>, u64)> =
            stacks.iter().map(|(path, seconds)| (path.clone(), samples(*seconds))).collect();
        vec![process.clone(), process]
    })
}

fn stacks(unit: u32, new: bool) -> Stacks {
    let only = if new { "grow" } else { "resize" };
    let leaves = [
        ("aggregate", "hash insert", if new { 0.06 } else { 0.04 }),
        ("aggregate", "memcpy", 0.02),
        ("read", "decode_block", 0.03),
        ("read", EVIL, 0.01),
        ("aggregate", only, 0.005 + f64::from(unit % 7) / 1e3),
    ];
    let path =
        |step: &str, leaf: &str| ["query", "pipeline", step, leaf].map(str::to_owned).to_vec();
    leaves.map(|(step, leaf, seconds)| (path(step, leaf), seconds)).to_vec()
}
