//! The examination of queries that changed: profiles and plans from separate processes, whether hot
//! functions have the same machine code, and their hot loops.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use entasis_base::Result;

use super::campaign::Campaign;
use super::causes::{self, Evidence};
use super::code::{self, Asked};
use crate::measure::{Amount, Kind, LEAST_REPEATS, Pair, Prepared, Samples, Watch};
use crate::why::asm::{Builds, Excerpt};

/// Stacks are read and code is compared in so much of the time for profiles.
const ANALYSIS_SHARE: f64 = 0.25;
/// Seconds that must be left for the loops of one function: the tools are asked six times.
const LOOK: f64 = 1.0;

impl Campaign<'_> {
    /// Profiles and plans of queries that changed, from two pairs of processes of their own: of as
    /// many as there is time for, the first of `units` first. Those of `hungry` have their memory
    /// profiled as well.
    pub(super) fn evidence(
        &mut self,
        units: &[usize],
        hungry: &BTreeSet<usize>,
        prepared: &Prepared,
        watch: &mut dyn Watch,
    ) -> HashMap<u32, Evidence> {
        let mut all: HashMap<u32, Evidence> = HashMap::new();
        let units = self.profiles_that_fit(units, hungry);
        for round in 0..causes::PROCESSES {
            if units.is_empty() || self.request.profile <= 0.0 || !self.deadline.fits(self.restart)
            {
                break;
            }
            // What is measured by now is not lost with its causes.
            if let Err(error) = self.profiled(round, &units, hungry, prepared, &mut all, watch) {
                watch.say(&format!("profiles are missing: {error}"));
            }
        }
        all
    }

    /// One pair of processes of that.
    fn profiled(
        &mut self,
        round: usize,
        units: &[usize],
        hungry: &BTreeSet<usize>,
        prepared: &Prepared,
        all: &mut HashMap<u32, Evidence>,
        watch: &mut dyn Watch,
    ) -> Result<()> {
        let mut pair = self.pair(prepared, 3)?;
        let mut counted = Samples::default();
        for (done, &unit) in units.iter().enumerate() {
            watch.progress("profiles", round * units.len() + done, 2 * units.len());
            if watch.stopped() || !self.deadline.fits(self.profile_cost(unit, hungry)) {
                break;
            }
            self.profile(&mut pair, unit, hungry.contains(&unit), &mut counted, watch);
            all.entry(unit as u32).or_insert_with(|| Evidence::new(pair.plans(unit)));
        }
        // Counting takes time: of these runs nothing else is kept.
        pair.count(&mut counted)?;
        self.samples.push_processor(&counted);
        collect(&mut pair, units, all)
    }

    fn profile(
        &self,
        pair: &mut Pair<'_>,
        unit: usize,
        memory: bool,
        counted: &mut Samples,
        watch: &mut dyn Watch,
    ) {
        // A query that fails now has been measured: its counters are all that is missing.
        let _ = pair.count_processor(unit, counted);
        let kinds = [Some(Kind::Time), memory.then_some(Kind::Memory)];
        for kind in kinds.into_iter().flatten() {
            if let Err(error) = pair.profile(unit, self.request.profile, kind) {
                watch.say(&format!("{}: {error}", self.request.plan.name(unit)));
            }
        }
    }

    /// Those of these queries that can be profiled in all rounds before the deadline.
    fn profiles_that_fit(&self, units: &[usize], hungry: &BTreeSet<usize>) -> Vec<usize> {
        let Some(left) = self.deadline.left() else { return units.to_vec() };
        let left = left.as_secs_f64() * (1.0 - ANALYSIS_SHARE);
        let mut room = left / causes::PROCESSES as f64 - self.restart;
        let mut fits = units.to_vec();
        fits.retain(|unit| {
            let cost = self.profile_cost(*unit, hungry);
            let fits = cost <= room;
            room -= if fits { cost } else { 0.0 };
            fits
        });
        fits
    }

    /// Seconds of a query's profiles in one pair of processes: those of both sides, and a warm-up
    /// and two pairs of runs for the processor's counters.
    fn profile_cost(&self, unit: usize, hungry: &BTreeSet<usize>) -> f64 {
        let two = Amount { pairs: 2, seconds: 0.0 };
        let (counters, pair) = self.cost.get(&unit).map_or((1.0, 0.2), |c| (c.of(&two), c.pair));
        let kinds = if hungry.contains(&unit) { 2.0 } else { 1.0 };
        let least = f64::from(LEAST_REPEATS) * pair;
        counters + kinds * (2.0 * self.request.profile + pair).max(least)
    }

    /// Whether both sides are one build: one program, maybe with two settings.
    pub(super) fn same_build(&self) -> bool {
        let ([old, new], [old_side, new_side]) = (&self.run.builds, &self.request.sides);
        old_side.source == new_side.source || !old.is_empty() && old == new
    }

    /// Whether hot functions have the same machine code, by unit; `evidence` of `units` gets the
    /// hot loop of one of them. Nothing of two sides of one build, and where the machine has no
    /// disassembler.
    pub(super) fn machine_code(
        &self,
        units: &[usize],
        explained: &BTreeMap<u32, Vec<String>>,
        evidence: &mut HashMap<u32, Evidence>,
        watch: &mut dyn Watch,
    ) -> HashMap<u32, bool> {
        let names = code::names(explained, evidence);
        if self.same_build() || names.is_empty() {
            return HashMap::new();
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let identical = code::builds(&self.request.sides, &path).map(|builds| {
            let Some(builds) = builds else { return HashMap::new() };
            let identical = code::identical(&builds, names);
            let asked = code::asked(units, explained, evidence, &|names| builds.has(names));
            self.hot_loops(&builds, &asked, evidence, watch);
            identical
        });
        identical.unwrap_or_else(|error| {
            watch.say(&format!("machine code was not compared: {error}"));
            HashMap::new()
        })
    }

    /// The hot loops of these functions, as long as there is time. Without the tools, and of what
    /// they do not read, there are none.
    fn hot_loops(
        &self,
        builds: &Builds<'_>,
        asked: &[Asked],
        evidence: &mut HashMap<u32, Evidence>,
        watch: &mut dyn Watch,
    ) {
        let mut known: BTreeMap<&[String; 2], Option<Excerpt>> = BTreeMap::new();
        let mut said = false;
        for (done, Asked { unit, function, names }) in asked.iter().enumerate() {
            watch.progress("hot loops", done, asked.len());
            let code = match known.entry(names) {
                Entry::Occupied(code) => code.get().clone(),
                Entry::Vacant(_) if watch.stopped() || !self.deadline.fits(LOOK) => continue,
                Entry::Vacant(place) => {
                    let places = evidence.get(unit).map(|of| code::places(&of.leaves));
                    let found = builds.compare(names, &places.unwrap_or_default());
                    let found = found.map(|found| Excerpt::new(function, &found));
                    if let Err(error) = &found
                        && !said
                    {
                        watch.say(&format!("hot loops are not shown, or not all: {error}"));
                        said = true;
                    }
                    place.insert(found.ok()).clone()
                }
            };
            if let Some(of) = evidence.get_mut(unit) {
                of.code = code;
            }
        }
    }
}

/// Takes over what a pair of processes has of profiles.
fn collect(pair: &mut Pair<'_>, units: &[usize], all: &mut HashMap<u32, Evidence>) -> Result<()> {
    let mut stacks = pair.stacks(units, Kind::Time)?;
    let mut leaves = pair.leaves(units, Kind::Time)?;
    let mut memory = pair.stacks(units, Kind::Memory)?;
    for unit in units {
        let Some(of) = all.get_mut(&(*unit as u32)) else { continue };
        if let [Some(old), Some(new)] = stacks.each_mut().map(|side| side.remove(unit)) {
            let leaves = leaves.each_mut().map(|side| side.remove(unit));
            of.add([old, new], leaves.map(Option::unwrap_or_default));
        }
        if let [Some(old), Some(new)] = memory.each_mut().map(|side| side.remove(unit)) {
            of.memory[0].push(old);
            of.memory[1].push(new);
        }
    }
    Ok(())
}
