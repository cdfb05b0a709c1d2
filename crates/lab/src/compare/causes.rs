//! Why queries changed: profiles, plans and counters of both sides, given to the room `why`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use entasis_base::Result;

use crate::measure::{ALLOCATED, CLIENT_TIME, CPU_TIME, Leaves, MEMORY, Samples, Sides, Stacks};
use crate::store::Shown;
use crate::why::Effect;
use crate::why::class::{Class, Facts, classify};
use crate::why::counters::{self, Finding, Metric};
use crate::why::memory;
use crate::why::plan::{Options, plan_hash};
use crate::why::stacks::{self, Process};

/// Pairs of processes that are profiled.
pub(super) const PROCESSES: usize = 2;
/// Functions that a verdict names.
const FUNCTIONS: usize = 3;

/// What was found out about a query that changed.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Stacks of old and new, by process.
    pub stacks: [Vec<Stacks>; 2],
    /// The leaves of all of them together.
    pub leaves: [Leaves; 2],
    /// How both sides plan it, as EXPLAIN says.
    pub plans: [String; 2],
    /// All metrics of both sides, what differs most surely first.
    pub counters: Vec<Finding>,
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
            for (names, samples) in leaves {
                *self.leaves[side].entry(names).or_default() += samples;
            }
        }
    }
}

/// Units with a verdict that asks for a cause.
pub(super) fn changed(shown: &[Shown]) -> Vec<usize> {
    let words = ["slower", "faster", "bimodal"];
    let changed = shown.iter().filter(|shown| words.contains(&shown.word.as_str()));
    let units: BTreeSet<usize> = changed.map(|s| s.judged.subject.unit as usize).collect();
    units.into_iter().collect()
}

/// Names the functions that explain the verdicts that changed, and answers them by unit.
pub(super) fn name_functions(
    shown: &mut [Shown],
    evidence: &HashMap<u32, Evidence>,
) -> Result<BTreeMap<u32, Vec<String>>> {
    let mut all: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for unit in changed(shown) {
        let Some(of) = evidence.get(&(unit as u32)) else { continue };
        let own = shown.iter_mut().filter(|s| s.judged.subject.unit as usize == unit);
        for shown in own.filter(|shown| memory::kind(&shown.metric).is_none()) {
            shown.functions = functions(of, [shown.judged.old, shown.judged.new])?;
            all.entry(unit as u32).or_default().extend(shown.functions.iter().cloned());
        }
    }
    Ok(all)
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
}

/// Names class and sentence of all verdicts that changed.
pub(super) fn explain(shown: &mut [Shown], samples: &Samples, known: &Known<'_>) -> Result<()> {
    let Known { evidence, differing, identical, calibration } = known;
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
        for shown in shown.iter_mut().filter(|s| s.judged.subject.unit as usize == unit) {
            let j = &shown.judged;
            if let Some(kind) = memory::kind(&shown.metric) {
                let finding = found.iter().find(|finding| finding.name == shown.metric);
                let sentence = finding.map(|finding| memory::sentence(kind, finding));
                shown.cause = (Class::Memory.name().to_owned(), sentence.unwrap_or_default());
                continue;
            }
            let time = Effect { theta: j.theta, interval: j.interval };
            let known = facts(&found, time, of, same);
            let cause = classify(&Facts { calibration: of_machine, identical_code, ..known });
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
    of_unit.extend(counted.filter(|(name, _)| name.starts_with("Perf")));
    let metric = |(name, (old, new)): (&str, Sides)| Metric { name: name.to_owned(), old, new };
    let metrics: Vec<Metric> = of_unit.into_iter().map(metric).collect();
    Ok(counters::compare(&metrics, 0.95)?.findings)
}

fn facts(found: &[Finding], time: Effect, of: Option<&Evidence>, same: bool) -> Facts {
    let by_name = |name: &str| found.iter().find(|finding| finding.name == name);
    let effect = |names: &[&str]| names.iter().find_map(|name| by_name(name)?.effect());
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
        page_faults: effect(&["SoftPageFaults"]),
        rss: effect(&[MEMORY]),
        allocated: effect(&[ALLOCATED]),
        branch_misses: effect(&["PerfBranchMisses"]),
        itlb_misses: effect(&["PerfInstructionTLBMisses"]),
        cache_misses: effect(&["PerfCacheMisses"]),
        ..Facts::default()
    }
}

/// The functions that explain a difference of times, the largest first.
fn functions(of: &Evidence, seconds: [f64; 2]) -> Result<Vec<String>> {
    let side = |at: usize| -> Vec<Process> {
        let process = |stacks: &Stacks| Process { stacks: stacks.clone(), seconds: seconds[at] };
        of.stacks[at].iter().map(process).collect()
    };
    let (old, new) = (side(0), side(1));
    if old.iter().chain(&new).all(|process| process.stacks.is_empty()) {
        return Ok(Vec::new());
    }
    let report = stacks::compare(&old, &new)?;
    let names = report.explained.iter().map(|at| report.frames[*at].name.clone());
    Ok(names.take(FUNCTIONS).collect())
}
