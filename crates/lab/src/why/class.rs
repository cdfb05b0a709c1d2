//! The class of a cause, by rule: plan, work, layout, memory, wait, environment, or unknown.
//!
//! Rules are asked in that order, and the first that holds answers, with the figures that it rests
//! on. Every fact may be missing, as many machines (most virtual ones) have no hardware counters.
//! Without a count of instructions CPU time stands in for it. As CPU time also grows with a bad
//! layout, with page faults and with a slow host, `work` is then asked last.

use std::fmt;

use super::effect::Effect;

/// A fact moves with time if it goes the same way and makes up this share of time's effect.
const WITH: f64 = 0.25;
/// The share from which on, and up to which, a count explains time by itself.
const EXPLAINS: [f64; 2] = [0.5, 2.0];
/// Effects below this (1 %) move with nothing.
const LEAST: f64 = 0.01;
/// Rows and marks read that differ by less are the chance of who stops first under a LIMIT.
const SAME_ROWS: f64 = 0.01;

/// What is known of a query on both sides. Effects are log ratios, new over old.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Whether both sides gave the same answer.
    pub answers_equal: Option<bool>,
    /// Rows read, old and new.
    pub read_rows: Option<[f64; 2]>,
    /// Marks (granules) selected.
    pub marks: Option<[f64; 2]>,
    /// Hashes of the plans ([`super::plan::plan_hash`]).
    pub plan: Option<[u64; 2]>,
    /// The query's time.
    pub time: Option<Effect>,
    /// CPU time of all its threads.
    pub cpu: Option<Effect>,
    /// Instructions.
    pub instructions: Option<Effect>,
    /// Instructions per cycle.
    pub ipc: Option<Effect>,
    /// Misses of the instruction TLB.
    pub itlb_misses: Option<Effect>,
    /// Mispredicted branches.
    pub branch_misses: Option<Effect>,
    /// Page faults.
    pub page_faults: Option<Effect>,
    /// Peak of resident or accounted memory.
    pub rss: Option<Effect>,
    /// Bytes allocated.
    pub allocated: Option<Effect>,
    /// Misses of the last cache.
    pub cache_misses: Option<Effect>,
    /// The calibration query's time, in the same processes or at the same times.
    pub calibration: Option<Effect>,
    /// Whether the machine code of the hot functions is the same in both of two builds
    /// ([`super::asm::Builds::same_code`]). Unknown for two sides of one build.
    pub identical_code: Option<bool>,
    /// Whether both sides are one build, whose code lies where it lies: never a layout.
    pub same_build: bool,
}

/// The classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Something else is computed, or other data is read.
    Plan,
    /// More or fewer instructions.
    Work,
    /// The same instructions at other addresses.
    Layout,
    /// Memory is used differently.
    Memory,
    /// Time passes without the processor being used.
    Wait,
    /// What no query is about changed as well: the host, or the whole build.
    Environment,
    /// No rule holds.
    Unknown,
}

impl Class {
    /// Its name in reports and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Work => "work",
            Self::Layout => "layout",
            Self::Memory => "memory",
            Self::Wait => "wait",
            Self::Environment => "environment",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A class and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The class.
    pub class: Class,
    /// One sentence with the figures that it rests on.
    pub sentence: String,
}

/// Names the class of a change. Never fails: what is missing is said.
pub fn classify(facts: &Facts) -> Cause {
    if let Some(cause) = other_plan(facts) {
        return cause;
    }
    let Some(time) = facts.time else {
        return unknown("Nothing is known of the query's time");
    };
    if !time.is_clear() {
        return unknown(&format!(
            "Time {time} did not change clearly, so there is no cause to name"
        ));
    }
    type Rule = fn(&Facts, &Effect) -> Option<String>;
    let with: [(Class, Rule); 5] = [
        (Class::Work, work),
        (Class::Layout, layout),
        (Class::Memory, memory),
        (Class::Wait, wait),
        (Class::Environment, environment),
    ];
    let without: [(Class, Rule); 5] = [
        (Class::Layout, layout_by_cpu),
        (Class::Memory, memory),
        (Class::Wait, wait),
        (Class::Environment, environment),
        (Class::Work, work_by_cpu),
    ];
    let rules = if facts.instructions.is_some() { with } else { without };
    let found = rules.iter().find_map(|(class, rule)| Some((*class, rule(facts, &time)?)));
    match found {
        Some((class, sentence)) => Cause { class, sentence },
        None => unknown(&open(facts, &time)),
    }
}

/// The first rule alone, which is about any metric: something else is computed, or other data is
/// read.
pub fn other_plan(facts: &Facts) -> Option<Cause> {
    plan(facts).map(|sentence| Cause { class: Class::Plan, sentence })
}

fn unknown(sentence: &str) -> Cause {
    Cause { class: Class::Unknown, sentence: format!("{sentence}.") }
}

fn plan(facts: &Facts) -> Option<String> {
    if facts.answers_equal == Some(false) {
        return Some("The answers differ, so both sides do not compute the same.".to_owned());
    }
    for (what, values) in [("rows read", facts.read_rows), ("marks selected", facts.marks)] {
        let differ =
            |[old, new]: [f64; 2]| (new - old).abs() > SAME_ROWS * old.abs().max(new.abs());
        if let Some([old, new]) = values.filter(|&values| differ(values)) {
            return Some(format!("Other data is read: {what} {old:.0} -> {new:.0}."));
        }
    }
    let [old, new] = facts.plan.filter(|[old, new]| old != new)?;
    Some(format!("The plans differ ({old:016x} -> {new:016x}); their difference is in the report."))
}

/// Whether a count that grows with time explains all of it.
fn explains(fact: &Effect, time: &Effect) -> bool {
    let share = fact.share_of(time);
    fact.is_clear() && fact.theta.abs() >= LEAST && (EXPLAINS[0]..=EXPLAINS[1]).contains(&share)
}

/// Whether a fact hardly moved, as far as time's change is concerned.
fn is_still(fact: &Effect, time: &Effect) -> bool {
    fact.theta.abs() <= WITH * time.theta.abs()
}

/// Facts that move with time, `way` 1, or against it, -1.
fn moving<const N: usize>(
    time: &Effect,
    way: f64,
    facts: [(&str, Option<Effect>); N],
) -> Vec<String> {
    let moves = |fact: &Effect| {
        fact.is_clear() && fact.theta.abs() >= LEAST && way * fact.share_of(time) >= WITH
    };
    let found = facts.into_iter().filter_map(|(name, fact)| Some((name, fact.filter(moves)?)));
    found.map(|(name, fact)| format!("{name} {fact}")).collect()
}

fn front_end(facts: &Facts, time: &Effect) -> Vec<String> {
    let counts = [("iTLB misses", facts.itlb_misses), ("branch misses", facts.branch_misses)];
    moving(time, 1.0, counts)
}

fn work(facts: &Facts, time: &Effect) -> Option<String> {
    let instructions = facts.instructions.filter(|fact| explains(fact, time))?;
    let more = if instructions.theta > 0.0 { "more" } else { "fewer" };
    let text = "The new side executes";
    Some(format!("{text} {more} instructions: {instructions}, against time {time}."))
}

fn layout(facts: &Facts, time: &Effect) -> Option<String> {
    let instructions =
        facts.instructions.filter(|fact| is_still(fact, time) && !facts.same_build)?;
    let slower = moving(time, -1.0, [("IPC", facts.ipc)]);
    let misses = front_end(facts, time);
    let same_code = facts.identical_code == Some(true);
    let evidence = match facts.identical_code {
        Some(same) => same,
        None => !misses.is_empty(),
    };
    if slower.is_empty() || !evidence {
        return None;
    }
    // Cache and page misses lower IPC, too; then the next rule has more to say.
    if misses.is_empty() && memory(facts, time).is_some() {
        return None;
    }
    let mut figures = slower;
    figures.extend(misses);
    let code =
        if same_code { "the same machine code in hot functions" } else { "code not compared" };
    Some(format!(
        "The same work is executed at another speed: instructions {instructions}, {}, {code}, \
         against time {time}.",
        figures.join(", ")
    ))
}

/// Without instructions: hot functions with the same machine code do no more work by themselves.
/// What is known of memory and of the host comes first where no miss of the front end shows.
fn layout_by_cpu(facts: &Facts, time: &Effect) -> Option<String> {
    let cpu = facts.cpu.filter(|fact| explains(fact, time) && !facts.same_build)?;
    let misses = front_end(facts, time);
    let better = || memory(facts, time).or_else(|| environment(facts, time)).is_some();
    if facts.identical_code != Some(true) || misses.is_empty() && better() {
        return None;
    }
    let with = if misses.is_empty() {
        "; instructions were not counted, and being called more often would look the same"
            .to_owned()
    } else {
        format!(", with {}; instructions were not counted", misses.join(", "))
    };
    Some(format!(
        "The same machine code in hot functions, at other addresses, takes another CPU time, \
         {cpu}, against time {time}{with}."
    ))
}

fn memory(facts: &Facts, time: &Effect) -> Option<String> {
    let counts = [
        ("page faults", facts.page_faults),
        ("peak memory", facts.rss),
        ("bytes allocated", facts.allocated),
        ("cache misses", facts.cache_misses),
    ];
    let figures = moving(time, 1.0, counts);
    (!figures.is_empty()).then(|| {
        format!("Memory is used differently: {}, against time {time}.", figures.join(", "))
    })
}

fn wait(facts: &Facts, time: &Effect) -> Option<String> {
    let cpu = facts.cpu.filter(|fact| is_still(fact, time))?;
    Some(format!("CPU time hardly moved, {cpu}, while the query's time did, {time}: it waits."))
}

fn environment(facts: &Facts, time: &Effect) -> Option<String> {
    let calibration = facts.calibration.filter(|fact| explains(fact, time))?;
    Some(format!(
        "The calibration query, which is about the machine, moved as well: {calibration}, against \
         time {time}. The whole build changed (a flag, the allocator), or the host."
    ))
}

fn work_by_cpu(facts: &Facts, time: &Effect) -> Option<String> {
    let cpu = facts.cpu.filter(|fact| explains(fact, time))?;
    let code = match facts.identical_code {
        Some(true) => return None,
        Some(false) => ", and the machine code of hot functions differs",
        None => "",
    };
    Some(format!(
        "CPU time moved as time did: {cpu}, against {time}{code}; instructions were not counted, \
         CPU time stands in for them, and a layout or a cache can do the same."
    ))
}

/// What speaks against every rule.
fn open(facts: &Facts, time: &Effect) -> String {
    let known = [
        ("instructions", facts.instructions),
        ("CPU time", facts.cpu),
        ("IPC", facts.ipc),
        ("calibration", facts.calibration),
    ];
    let figures: Vec<String> =
        known.iter().filter_map(|(name, fact)| Some(format!("{name} {}", (*fact)?))).collect();
    let missing: Vec<&str> =
        known.iter().filter(|(_, fact)| fact.is_none()).map(|(name, _)| *name).collect();
    let mut text = format!("No rule explains time {time}");
    if !figures.is_empty() {
        text += &format!(": {}", figures.join(", "));
    }
    if !missing.is_empty() {
        text += &format!("; not measured: {}", missing.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(percent: f64) -> Option<Effect> {
        Some(Effect::new((percent / 100.0_f64).ln_1p(), 0.002))
    }

    /// A query that is 10 % slower, all else equal and measured.
    fn slower() -> Facts {
        Facts {
            answers_equal: Some(true),
            read_rows: Some([1e6, 1e6]),
            marks: Some([122.0, 122.0]),
            plan: Some([7, 7]),
            time: effect(10.0),
            cpu: effect(9.8),
            instructions: effect(0.05),
            ipc: effect(0.0),
            itlb_misses: effect(0.0),
            branch_misses: effect(0.0),
            page_faults: effect(0.0),
            rss: effect(0.0),
            allocated: effect(0.0),
            cache_misses: effect(0.0),
            calibration: effect(0.0),
            identical_code: None,
            same_build: false,
        }
    }

    #[track_caller]
    #[allow(clippy::large_types_passed_by_value)] // cases are written in place
    fn expect(facts: Facts, class: Class, part: &str) {
        let cause = classify(&facts);
        assert_eq!(cause.class, class, "{}", cause.sentence);
        assert!(cause.sentence.contains(part), "{}", cause.sentence);
        assert!(cause.sentence.ends_with('.'), "{}", cause.sentence);
    }

    #[test]
    fn each_class_by_its_rule() {
        expect(Facts { answers_equal: Some(false), ..slower() }, Class::Plan, "answers differ");
        let rows = Facts { read_rows: Some([1e6, 2e6]), ..slower() };
        expect(rows, Class::Plan, "rows read 1000000 -> 2000000");
        expect(Facts { marks: Some([122.0, 61.0]), ..slower() }, Class::Plan, "marks selected");
        expect(Facts { plan: Some([7, 8]), ..slower() }, Class::Plan, "0000000000000008");
        let work = Facts { instructions: effect(9.5), ..slower() };
        expect(work, Class::Work, "instructions: +9.5 % (+9.3 to +9.7), against time +10.0 %");
        let layout = Facts {
            ipc: effect(-9.0),
            itlb_misses: effect(900.0),
            identical_code: Some(true),
            ..slower()
        };
        expect(layout, Class::Layout, "iTLB misses +900 %");
        let memory = Facts { ipc: effect(-9.0), page_faults: effect(80.0), ..slower() };
        expect(memory, Class::Memory, "page faults +80.0 %");
        expect(Facts { cpu: effect(0.3), ..slower() }, Class::Wait, "CPU time hardly moved");
        let host = Facts { ipc: effect(-9.0), calibration: effect(8.0), ..slower() };
        expect(host, Class::Environment, "The whole build changed");
        expect(slower(), Class::Unknown, "No rule explains time +10.0 %");
    }

    #[test]
    fn the_order_decides() {
        let all = Facts {
            answers_equal: Some(false),
            instructions: effect(10.0),
            page_faults: effect(50.0),
            calibration: effect(10.0),
            ..slower()
        };
        expect(all, Class::Plan, "");
        expect(Facts { answers_equal: None, ..all }, Class::Work, "");
        expect(Facts { answers_equal: None, instructions: effect(0.0), ..all }, Class::Memory, "");
        let no_faults = Facts { page_faults: None, instructions: effect(0.0), ..all };
        expect(Facts { answers_equal: None, ..no_faults }, Class::Environment, "");
    }

    #[test]
    fn layout_needs_evidence() {
        let ipc = Facts { ipc: effect(-9.0), ..slower() };
        expect(ipc, Class::Unknown, "");
        expect(Facts { identical_code: Some(true), ..ipc }, Class::Layout, "the same machine code");
        let misses = Facts { branch_misses: effect(60.0), ..ipc };
        expect(misses, Class::Layout, "code not compared");
        // Of one build, say with two settings, nothing lies elsewhere.
        expect(Facts { same_build: true, ..misses }, Class::Unknown, "");
        expect(Facts { identical_code: Some(false), ..misses }, Class::Unknown, "");
        // Identical code and more page faults: the faults are the better evidence.
        let faults = Facts { identical_code: Some(true), page_faults: effect(40.0), ..ipc };
        expect(faults, Class::Memory, "");
    }

    #[test]
    fn without_hardware_counters() {
        let plain = Facts {
            time: effect(10.0),
            cpu: effect(9.8),
            page_faults: effect(0.0),
            ..Facts::default()
        };
        expect(plain, Class::Work, "CPU time stands in");
        let coded = Facts { identical_code: Some(false), ..plain };
        expect(coded, Class::Work, "the machine code of hot functions differs");
        let same = Facts { identical_code: Some(true), ..plain };
        expect(same, Class::Layout, "at other addresses, takes another CPU time, +9.8 %");
        expect(Facts { page_faults: effect(60.0), ..same }, Class::Memory, "");
        expect(Facts { calibration: effect(9.0), ..same }, Class::Environment, "");
        let misses = Facts { identical_code: Some(true), branch_misses: effect(50.0), ..plain };
        expect(misses, Class::Layout, "instructions were not counted");
        expect(Facts { page_faults: effect(60.0), ..plain }, Class::Memory, "");
        expect(Facts { calibration: effect(9.0), ..plain }, Class::Environment, "");
        expect(Facts { cpu: effect(0.2), ..plain }, Class::Wait, "");
        expect(Facts { time: effect(10.0), ..Facts::default() }, Class::Unknown, "not measured: ");
    }

    #[test]
    fn gains_are_classified_like_losses() {
        let facts = Facts { time: effect(-20.0), cpu: effect(-19.0), ..slower() };
        expect(Facts { instructions: effect(-21.0), ..facts }, Class::Work, "fewer instructions");
        expect(Facts { page_faults: effect(-40.0), ..facts }, Class::Memory, "-40.0 %");
        // What goes the other way explains nothing.
        expect(
            Facts { page_faults: effect(40.0), instructions: effect(15.0), ..facts },
            Class::Unknown,
            "",
        );
    }

    #[test]
    fn nothing_to_explain() {
        let unsure = Effect::new(0.01, 0.02);
        expect(Facts { time: Some(unsure), ..slower() }, Class::Unknown, "did not change clearly");
        expect(Facts { time: None, ..slower() }, Class::Unknown, "Nothing is known");
        expect(Facts { plan: Some([1, 2]), ..Facts::default() }, Class::Plan, "");
        // A LIMIT stops a little earlier or later.
        let limit = Facts { read_rows: Some([1_000_000.0, 1_004_096.0]), ..slower() };
        expect(limit, Class::Unknown, "");
    }
}
