//! Why queries changed: collects profiles, plans and counters of both sides and passes them to the
//! module `why`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use entasis_base::Result;
use entasis_stats::sample::Interval;

use super::processor::Processor;
use crate::measure::{
    ALLOCATED, CLIENT_TIME, CPU_TIME, LONE_MEMORY, Leaves, MEMORY, PROCESSOR, Samples, Sides,
    Stacks, is_peak,
};
use crate::store::Shown;
use crate::why::Effect;
use crate::why::asm::Excerpt;
use crate::why::class::{Cause, Class, Facts, classify, other_plan};
use crate::why::counters::{self, Finding, Metric};
use crate::why::memory;
use crate::why::plan::{Options, plan_hash};
use crate::why::stacks as difference;

/// Pairs of processes that are profiled.
pub(super) const PROCESSES: usize = 2;
/// Instructions per cycle, worked out of two counters.
const IPC: &str = "instructions_per_cycle";
/// Functions that a verdict names at most; they explain four fifths of the difference.
const FUNCTIONS: usize = 20;

/// Of so many of them the machine code is compared: disassembling takes its time.
const COMPARED: usize = 3;

/// What was found out about a query that changed.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Stacks of old and new, by process.
    pub stacks: [Vec<Stacks>; 2],
    /// Where their memory grew, where the peak changed.
    pub memory: [Vec<Stacks>; 2],
    /// The leaves of `stacks`, by process.
    pub leaves: [Vec<Leaves>; 2],
    /// How both sides plan it, as EXPLAIN says.
    pub plans: [String; 2],
    /// All metrics of both sides, what differs most surely first.
    pub counters: Vec<Finding>,
    /// The hot loop of the function that explains a change of time, in two builds.
    pub code: Option<Excerpt>,
}

impl Evidence {
    /// Nothing but plans yet.
    pub fn new(plans: [String; 2]) -> Self {
        Self { plans, ..Self::default() }
    }

    /// Takes the profiles of one process of each side.
    pub fn add(&mut self, stacks: [Stacks; 2], leaves: [Leaves; 2]) {
        for (side, (stacks, leaves)) in stacks.into_iter().zip(leaves).enumerate() {
            self.stacks[side].push(stacks);
            self.leaves[side].push(leaves);
        }
    }
}

/// Units with a verdict that asks for a cause: those on time first, each with the largest effects
/// first.
pub(super) fn changed(shown: &[Shown]) -> Vec<usize> {
    let mut effects: BTreeMap<usize, (bool, f64)> = BTreeMap::new();
    for shown in shown.iter().filter(|shown| shown.asks_why()) {
        let effect = (memory::kind(&shown.metric).is_none(), shown.judged.theta.abs());
        let most = effects.entry(shown.judged.subject.unit as usize).or_insert(effect);
        if effect.0.cmp(&most.0).then(effect.1.total_cmp(&most.1)).is_gt() {
            *most = effect;
        }
    }
    let mut units: Vec<(usize, (bool, f64))> = effects.into_iter().collect();
    units.sort_by(|(_, a), (_, b)| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
    units.into_iter().map(|(unit, _)| unit).collect()
}

/// Units whose time changed one way, the largest effects first.
pub(crate) fn timed(shown: &[Shown]) -> Vec<usize> {
    let of_time = |shown: &Shown| shown.changed() && memory::kind(&shown.metric).is_none();
    let units: BTreeSet<usize> =
        shown.iter().filter(|s| of_time(s)).map(|s| s.judged.subject.unit as usize).collect();
    changed(shown).into_iter().filter(|unit| units.contains(unit)).collect()
}

/// Units whose peak of memory changed.
pub(super) fn hungry(shown: &[Shown]) -> BTreeSet<usize> {
    let memory = shown.iter().filter(|s| s.asks_why() && is_peak(&s.metric));
    memory.map(|shown| shown.judged.subject.unit as usize).collect()
}

/// Names the functions that explain the verdicts that changed, and answers the first ones of time
/// by unit.
pub(super) fn name_functions(
    shown: &mut [Shown],
    samples: &Samples,
    evidence: &HashMap<u32, Evidence>,
) -> Result<BTreeMap<u32, Vec<String>>> {
    let mut all: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let processor = Processor::of(samples)?;
    for unit in changed(shown) {
        let Some(of) = evidence.get(&(unit as u32)) else { continue };
        for shown in asking(shown, unit) {
            match memory::kind(&shown.metric) {
                None => {
                    let Some(seconds) = processor.explaining(shown) else { continue };
                    shown.functions = functions(&of.stacks, seconds)?;
                    let first = shown.functions.iter().take(COMPARED).cloned();
                    all.entry(unit as u32).or_default().extend(first);
                }
                Some(memory::Kind::Peak | memory::Kind::LonePeak) => {
                    shown.functions = functions(&of.memory, shown.amounts())?
                }
                Some(_) => {}
            }
        }
    }
    Ok(all)
}

/// A query's verdicts that ask for a cause; a quarantined one has its own.
fn asking(shown: &mut [Shown], unit: usize) -> impl Iterator<Item = &mut Shown> {
    shown.iter_mut().filter(move |s| s.judged.subject.unit as usize == unit && s.asks_why())
}

/// What is known of the queries beside their samples.
pub(super) struct Known<'a> {
    /// Profiles and plans.
    pub evidence: &'a HashMap<u32, Evidence>,
    /// Units that both sides answer otherwise.
    pub differing: &'a [u32],
    /// Whether hot functions have the same machine code.
    pub identical: &'a HashMap<u32, bool>,
    /// Queries whose time is the machine's.
    pub calibration: &'a [usize],
    /// Whether both sides are one build.
    pub same_build: bool,
}

/// Names class and sentence of all verdicts that ask for them.
pub(super) fn explain(shown: &mut [Shown], samples: &Samples, known: &Known<'_>) -> Result<()> {
    let Known { evidence, differing, identical, calibration, same_build } = *known;
    let of_machine = shown
        .iter()
        .find(|s| {
            calibration.contains(&(s.judged.subject.unit as usize)) && s.metric == CLIENT_TIME
        })
        .map(|s| Effect { theta: s.judged.theta, interval: s.judged.interval });
    let units: BTreeSet<usize> = changed(shown).into_iter().collect();
    for unit in units {
        let found = findings(samples, unit as u32)?;
        let of = evidence.get(&(unit as u32));
        let same = !differing.contains(&(unit as u32));
        let identical_code = identical.get(&(unit as u32)).copied();
        for shown in asking(shown, unit) {
            let j = &shown.judged;
            let time = Effect { theta: j.theta, interval: j.interval };
            let known = Facts { same_build, ..facts(&found, time, of, same) };
            let cause = match memory::kind(&shown.metric) {
                // That memory moves with memory says nothing; that the plan does, says why.
                Some(kind) => other_plan(&known).unwrap_or_else(|| {
                    let finding = found.iter().find(|finding| finding.name == shown.metric);
                    let sentence = finding.map(|finding| memory::sentence(kind, finding));
                    Cause { class: Class::Memory, sentence: sentence.unwrap_or_default() }
                }),
                None => classify(&Facts { calibration: of_machine, identical_code, ..known }),
            };
            shown.cause = (cause.class.name().to_owned(), cause.sentence);
        }
    }
    Ok(())
}

/// All metrics of a unit, from stage 2 where it has one.
pub fn findings(samples: &Samples, unit: u32) -> Result<Vec<Finding>> {
    let mut of_unit = samples.of_unit(unit, 2);
    if of_unit.is_empty() {
        of_unit = samples.of_unit(unit, 1);
    }
    // The processor's own counters have runs of their own: counting costs time.
    let counted = samples.of_unit(unit, 3).into_iter();
    let counted: Vec<(&str, Sides)> =
        counted.filter(|(name, _)| name.starts_with(PROCESSOR)).collect();
    of_unit.extend(instructions_per_cycle(&counted).map(|sides| (IPC, sides)));
    of_unit.extend(counted);
    let metric = |(name, (old, new)): (&str, Sides)| Metric { name: name.to_owned(), old, new };
    let metrics: Vec<Metric> = of_unit.into_iter().map(metric).collect();
    Ok(counters::compare(&metrics, 0.95)?.findings)
}

/// Each run's instructions over its cycles; none where either is not counted.
fn instructions_per_cycle(counted: &[(&str, Sides)]) -> Option<Sides> {
    let of = |name: &str| Some(&counted.iter().find(|(known, _)| *known == name)?.1);
    let (instructions, cycles) = (of("PerfInstructions")?, of("PerfCPUCycles")?);
    let side = |over: &[Vec<f64>], under: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let runs = |(over, under): (&Vec<f64>, &Vec<f64>)| {
            over.iter().zip(under).map(|(over, under)| over / under).collect()
        };
        over.iter().zip(under).map(runs).collect()
    };
    let sides = (side(&instructions.0, &cycles.0), side(&instructions.1, &cycles.1));
    sides.0.iter().chain(&sides.1).flatten().all(|value| value.is_finite()).then_some(sides)
}

fn facts(found: &[Finding], time: Effect, of: Option<&Evidence>, same: bool) -> Facts {
    let by_name = |name: &str| found.iter().find(|finding| finding.name == name);
    let effect = |names: &[&str]| names.iter().find_map(|name| moved(by_name(name)?));
    let medians = |name: &str| by_name(name).map(|finding| finding.medians);
    let plans = of.filter(|of| of.plans.iter().all(|plan| !plan.is_empty()));
    let hash = |plan: &String| plan_hash(plan, Options::default());
    Facts {
        answers_equal: Some(same),
        read_rows: medians("read_rows"),
        marks: medians("SelectedMarks"),
        plan: plans.map(|of| [hash(&of.plans[0]), hash(&of.plans[1])]),
        time: Some(time),
        cpu: effect(&[CPU_TIME]),
        instructions: effect(&["PerfInstructions"]),
        ipc: effect(&[IPC]),
        page_faults: effect(&["SoftPageFaults"]),
        rss: effect(&[LONE_MEMORY, MEMORY]),
        allocated: effect(&[ALLOCATED]),
        branch_misses: effect(&["PerfBranchMisses"]),
        itlb_misses: effect(&["PerfInstructionTLBMisses"]),
        cache_misses: effect(&["PerfCacheMisses"]),
        ..Facts::default()
    }
}

/// How a metric moved. One that is 0 somewhere has no ratio: what one more than it has stands for
/// that, as page faults where there were none are the clearest of causes.
fn moved(finding: &Finding) -> Option<Effect> {
    finding.effect().or_else(|| {
        let least = finding.medians[0].min(finding.medians[1]).max(0.0) + 1.0;
        let log = |difference: f64| difference.signum() * (difference.abs() / least).ln_1p();
        let Interval { low, high } = finding.interval;
        let interval = Interval { low: log(low), high: log(high) };
        finding.estimate.is_finite().then(|| Effect { theta: log(finding.estimate), interval })
    })
}

/// The functions that explain a difference of seconds, or of bytes, the largest first.
fn functions(stacks: &[Vec<Stacks>; 2], amounts: [f64; 2]) -> Result<Vec<String>> {
    let Some(report) = difference::of_sides(stacks, amounts)? else { return Ok(Vec::new()) };
    let names = report.explained.iter().map(|at| report.frames[*at].name.clone());
    Ok(names.take(FUNCTIONS).collect())
}

#[cfg(test)]
mod tests {
    use entasis_stats::schedule::Side;

    use super::*;
    use crate::compare::outcome::shown;
    use crate::measure::Sample;
    use crate::store::QueryRow;
    use crate::verdict::{Known as Trusted, Rules};
    use crate::why::counters::{Basis, Scale};

    /// Samples of both stages of a metric whose processes hardly differ: old and new.
    fn measured(samples: &mut Samples, unit: u32, name: &str, values: [f64; 2]) {
        let metric = samples.metric(name);
        for place in 0..9 {
            let (stage, runs) = if place == 0 { (1, 10) } else { (2, 6) };
            for run in 0..runs {
                let side = if run % 2 == 0 { Side::Old } else { Side::New };
                let odd = f64::from(u16::from(run % 3 == 0) + place % 2);
                let value = values[usize::from(side == Side::New)] * (1.0 + 1e-4 * odd);
                let process = place;
                samples.push(Sample { unit, side, stage, process, run, metric, value });
            }
        }
    }

    /// Verdicts on these samples. Time of the query `quarantined` is not trusted.
    fn judged(samples: &Samples, units: u32, quarantined: u32) -> Vec<Shown> {
        let rules = Rules::default();
        let query = |unit: u32| QueryRow {
            unit,
            metric: CLIENT_TIME.into(),
            least_effect: rules.least_effect,
            ..QueryRow::default()
        };
        let queries: Vec<QueryRow> = (0..units).map(query).collect();
        let known = |unit: u32, metric: &str| {
            let wrong = unit == quarantined && metric == CLIENT_TIME;
            Trusted { quarantine: wrong.then_some("equal sides differ"), ..Trusted::default() }
        };
        shown(&queries, samples, &rules, 1, &known).unwrap()
    }

    /// The same, explained without profiles.
    fn explained(samples: &Samples, units: u32, quarantined: u32) -> Vec<Shown> {
        let mut shown = judged(samples, units, quarantined);
        let (evidence, identical) = (HashMap::new(), HashMap::new());
        let known = Known {
            evidence: &evidence,
            differing: &[],
            identical: &identical,
            calibration: &[],
            same_build: false,
        };
        explain(&mut shown, samples, &known).unwrap();
        shown
    }

    #[test]
    fn functions_explain_what_the_processor_did() {
        let mut samples = Samples::default();
        for unit in 0..3 {
            measured(&mut samples, unit, CLIENT_TIME, [0.1, 0.15]);
        }
        // The first waits, the second works; of the third nobody counted.
        measured(&mut samples, 0, CPU_TIME, [0.2, 0.2]);
        measured(&mut samples, 1, CPU_TIME, [0.1, 0.15]);
        let stacks = |all: [(&str, u64); 2]| -> Stacks {
            all.map(|(name, n)| (vec!["main".to_owned(), name.to_owned()], n)).into()
        };
        let old = stacks([("scan", 600), ("group", 400)]);
        // What grows from 40 to 90 ms beside 60 ms that stay.
        let grown = stacks([("scan", 400), ("group", 600)]);
        let of = |new: &Stacks| {
            let stacks = [vec![old.clone(); 2], vec![new.clone(); 2]];
            Evidence { stacks, ..Evidence::default() }
        };
        let evidence = HashMap::from([(0, of(&old)), (1, of(&grown)), (2, of(&grown))]);
        let mut shown = judged(&samples, 3, u32::MAX);
        let first = name_functions(&mut shown, &samples, &evidence).unwrap();
        let named: Vec<&[String]> = shown.iter().map(|s| s.functions.as_slice()).collect();
        assert_eq!(named, [vec![], vec!["group".to_owned()], vec!["group".to_owned()]]);
        assert_eq!(first.keys().copied().collect::<Vec<u32>>(), [1, 2]);
    }

    #[test]
    fn causes_are_of_verdicts_that_ask_for_one() {
        let mut samples = Samples::default();
        for unit in 0..3 {
            measured(&mut samples, unit, CPU_TIME, [1.0, if unit == 1 { 1.0 } else { 1.3 }]);
        }
        measured(&mut samples, 0, CLIENT_TIME, [1.0, 1.3]);
        measured(&mut samples, 0, MEMORY, [1e6, 1e6]);
        measured(&mut samples, 1, CLIENT_TIME, [1.0, 1.0]);
        measured(&mut samples, 1, MEMORY, [1e6, 2e6]);
        measured(&mut samples, 1, "read_rows", [1e6, 2e6]);
        measured(&mut samples, 2, CLIENT_TIME, [1.0, 1.3]);
        measured(&mut samples, 2, MEMORY, [1e6, 1.5e6]);
        let shown = explained(&samples, 3, 2);
        let of = |unit: u32, metric: &str| {
            let own = |s: &&Shown| s.judged.subject.unit == unit && s.metric == metric;
            let shown = shown.iter().find(own).unwrap();
            (shown.word.as_str(), shown.cause.0.as_str())
        };
        assert_eq!(of(0, CLIENT_TIME), ("slower", "work"));
        assert_eq!(of(0, MEMORY), ("equivalent", ""));
        // More rows are read: that takes the memory, and time has not changed.
        assert_eq!(of(1, MEMORY), ("slower", "plan"));
        assert_eq!(of(1, CLIENT_TIME), ("equivalent", ""));
        assert_eq!(of(2, CLIENT_TIME), ("quarantined", "quarantine"));
        assert_eq!(of(2, MEMORY), ("slower", "memory"));
    }

    #[test]
    fn speed_is_counted_per_run() {
        let instructions = (vec![vec![10.0, 30.0]], vec![vec![8.0]]);
        let cycles = (vec![vec![5.0, 10.0]], vec![vec![8.0]]);
        let counted = [("PerfCPUCycles", cycles), ("PerfInstructions", instructions)];
        let expected = (vec![vec![2.0, 3.0]], vec![vec![1.0]]);
        assert_eq!(instructions_per_cycle(&counted), Some(expected));
        assert_eq!(instructions_per_cycle(&counted[..1]), None);
    }

    #[test]
    fn what_moves_the_front_end_without_more_work_is_a_layout() {
        let mut samples = Samples::default();
        let mut push = |name: &str, stage: u8, values: [f64; 2]| {
            let metric = samples.metric(name);
            for process in 0..4 {
                for (side, value) in [Side::Old, Side::New].into_iter().zip(values) {
                    let value = value * (1.0 + 0.001 * f64::from(process));
                    let run = u16::from(side == Side::New);
                    samples.push(Sample { unit: 0, side, stage, process, run, metric, value });
                }
            }
        };
        push(CLIENT_TIME, 2, [1.0, 1.3]);
        push(CPU_TIME, 2, [1.0, 1.3]);
        push("PerfInstructions", 3, [1e9, 1e9]);
        push("PerfCPUCycles", 3, [5e8, 6.5e8]);
        push("PerfBranchMisses", 3, [1e6, 2e6]);
        let found = findings(&samples, 0).unwrap();
        let time = found.iter().find(|f| f.name == CLIENT_TIME).and_then(Finding::effect).unwrap();
        let known = facts(&found, time, None, true);
        let cause = classify(&known);
        assert_eq!(cause.class, Class::Layout, "{}", cause.sentence);
        let cause = classify(&Facts { same_build: true, ..known });
        assert_eq!(cause.class, Class::Unknown, "{}", cause.sentence);
    }

    #[test]
    fn page_faults_where_there_were_none_are_a_cause() {
        let finding = |name: &str, medians: [f64; 2], scale: Scale| {
            let estimate = match scale {
                Scale::Ratio => (medians[1] / medians[0]).ln(),
                Scale::Difference => medians[1] - medians[0],
            };
            let interval = Interval::around(estimate, estimate.abs() / 10.0);
            let (z, basis) = (9.0, Basis::Pairs);
            Finding { name: name.to_owned(), medians, scale, estimate, interval, z, basis }
        };
        let time = Effect::new(0.2, 0.01);
        let class = |faults: [f64; 2]| {
            let found = [
                finding(CPU_TIME, [1.0, 1.2], Scale::Ratio),
                finding("SoftPageFaults", faults, Scale::Difference),
            ];
            classify(&facts(&found, time, None, true)).class
        };
        assert_eq!(class([0.0, 500.0]), Class::Memory);
        assert_eq!(class([500.0, 0.0]), Class::Work, "fewer of them cost nothing");
    }
}
