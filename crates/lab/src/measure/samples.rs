//! Raw samples: one value per run and metric.

use std::collections::HashMap;

use entasis_stats::schedule::Side;

/// Number of a metric's name in its [`Samples`].
pub type Metric = u16;

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The query, by position in the plan.
    pub unit: u32,
    /// Whose.
    pub side: Side,
    /// 1: the screen; 2: the runs that verdicts rest on.
    pub stage: u8,
    /// The pair of processes; from 0 on over both stages.
    pub process: u16,
    /// The run, from 0 on in the order in which both sides' runs of the query took place.
    pub run: u16,
    /// What was measured.
    pub metric: Metric,
    /// Its value.
    pub value: f64,
}

/// All samples of a run.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    names: Vec<String>,
    numbers: HashMap<String, Metric>,
    rows: Vec<Sample>,
    /// Builds of each side's source that processes take turns with; 0 as 1.
    layouts: u16,
}

/// What names of the processor's own counters begin with.
pub const PROCESSOR: &str = "Perf";

/// The values of both sides as `[pair][run]`; pairs that lack a side are left out.
pub type Sides = (Vec<Vec<f64>>, Vec<Vec<f64>>);

/// Whether logarithms can be taken: a metric that is 0 somewhere has no ratio.
pub fn are_positive((old, new): &Sides) -> bool {
    old.iter().chain(new).flatten().all(|value| *value > 0.0)
}

impl Samples {
    /// None yet, of a run whose sides have so many builds each.
    pub fn of_layouts(layouts: u16) -> Self {
        Self { layouts, ..Self::default() }
    }

    /// Builds of each side: the pair of processes number r is of build r modulo this.
    pub fn layouts(&self) -> u16 {
        self.layouts.max(1)
    }

    /// The number of a metric, new if need be. No more than 65,536 metrics are told apart.
    pub fn metric(&mut self, name: &str) -> Metric {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = Metric::try_from(self.names.len()).unwrap_or(Metric::MAX);
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// A metric's name.
    pub fn name(&self, metric: Metric) -> &str {
        &self.names[usize::from(metric)]
    }

    /// All names, in the order of their numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Adds a sample. Its value is kept as it is stored, in 32 bits: what is judged now is what is
    /// judged again later.
    pub fn push(&mut self, sample: Sample) {
        self.rows.push(Sample { value: f64::from(sample.value as f32), ..sample });
    }

    /// Takes over what other samples have of the processor's own counters, and no more of them.
    pub fn push_processor(&mut self, other: &Self) {
        for sample in &other.rows {
            let name = other.name(sample.metric);
            if name.starts_with(PROCESSOR) {
                let metric = self.metric(name);
                self.rows.push(Sample { metric, ..*sample });
            }
        }
    }

    /// All samples, in the order in which they came.
    pub fn rows(&self) -> &[Sample] {
        &self.rows
    }

    /// Values of a metric of a stage by unit, as pairs of processes. Where several builds of each
    /// side took turns, those of stage 2 that have the same ones are one pair: processes of one
    /// build do not tell how builds differ. O(samples).
    pub fn by_unit(&self, metric: &str, stage: u8) -> HashMap<u32, Sides> {
        let Some(metric) = self.numbers.get(metric) else { return HashMap::new() };
        let chosen = self.rows.iter().filter(|s| s.metric == *metric && s.stage == stage);
        pairs(chosen, self.together(stage))
    }

    fn together(&self, stage: u8) -> Option<u16> {
        (stage == 2 && self.layouts > 1).then_some(self.layouts)
    }

    /// Values of all metrics of one unit, by metric.
    pub fn of_unit(&self, unit: u32, stage: u8) -> Vec<(&str, Sides)> {
        let mut by_metric: HashMap<Metric, Vec<&Sample>> = HashMap::new();
        for sample in self.rows.iter().filter(|s| s.unit == unit && s.stage == stage) {
            by_metric.entry(sample.metric).or_default().push(sample);
        }
        let mut all: Vec<(&str, Sides)> = by_metric
            .into_iter()
            .filter_map(|(metric, rows)| {
                let sides = pairs(rows.into_iter(), self.together(stage)).remove(&unit)?;
                Some((self.name(metric), sides))
            })
            .collect();
        all.sort_by_key(|(name, _)| *name);
        all
    }
}

/// Samples of one metric as pairs of processes, by unit: those whose numbers are the same modulo
/// `together` as one.
pub(crate) fn pairs<'a>(
    samples: impl Iterator<Item = &'a Sample>,
    together: Option<u16>,
) -> HashMap<u32, Sides> {
    type Runs = Vec<((u16, u16), f64)>;
    type Processes = HashMap<u16, [Runs; 2]>;
    let mut units: HashMap<u32, Processes> = HashMap::new();
    for s in samples {
        let number = together.map_or(s.process, |count| s.process % count);
        let process = units.entry(s.unit).or_default().entry(number).or_default();
        process[usize::from(s.side == Side::New)].push(((s.process, s.run), s.value));
    }
    let ordered = |mut runs: Runs| {
        runs.sort_by_key(|(run, _)| *run);
        runs.into_iter().map(|(_, value)| value).collect::<Vec<f64>>()
    };
    let sides = |processes: Processes| {
        let mut all: Vec<_> = processes.into_iter().collect();
        all.sort_by_key(|(process, _)| *process);
        let whole = all.into_iter().filter(|(_, [old, new])| !old.is_empty() && !new.is_empty());
        whole.map(|(_, [old, new])| (ordered(old), ordered(new))).unzip()
    };
    units.into_iter().map(|(unit, processes)| (unit, sides(processes))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_runs_that_are_counted_the_processors_counters_are_kept() {
        let mut counted = Samples::default();
        for (name, value) in [("client_time", 1.0), ("PerfInstructions", 5e9)] {
            let metric = counted.metric(name);
            let (unit, side, process) = (0, Side::Old, 7);
            counted.push(Sample { unit, side, stage: 3, process, run: 0, metric, value });
        }
        let mut samples = Samples::default();
        samples.metric("client_time");
        samples.metric("memory");
        samples.push_processor(&counted);
        let [only] = samples.rows() else { panic!("{samples:?}") };
        assert_eq!((samples.name(only.metric), only.value), ("PerfInstructions", 5e9));
    }

    #[test]
    fn pairs_of_processes_in_order_of_their_runs() {
        let mut samples = Samples::default();
        let time = samples.metric("t");
        assert_eq!(samples.metric("t"), time);
        let other = samples.metric("o");
        let mut add = |unit, side, stage, process, run, metric, value| {
            samples.push(Sample { unit, side, stage, process, run, metric, value });
        };
        add(7, Side::New, 2, 2, 1, time, 4.0);
        add(7, Side::Old, 2, 2, 0, time, 3.0);
        add(7, Side::Old, 2, 1, 3, time, 2.0);
        add(7, Side::Old, 2, 1, 0, time, 1.0);
        add(7, Side::New, 2, 1, 1, time, 1.5);
        add(7, Side::New, 2, 3, 0, time, 9.0);
        add(7, Side::New, 1, 0, 0, time, 9.0);
        add(7, Side::Old, 2, 1, 0, other, 0.0);
        let found = samples.by_unit("t", 2);
        let expected = (vec![vec![1.0, 2.0], vec![3.0]], vec![vec![1.5], vec![4.0]]);
        assert_eq!(found[&7], expected);
        assert!(samples.by_unit("none", 2).is_empty());
        // Of two builds: processes 1 and 3 have the same one, 2 the other.
        let expected = (vec![vec![3.0], vec![1.0, 2.0]], vec![vec![4.0], vec![1.5, 9.0]]);
        samples.layouts = 2;
        assert_eq!(samples.by_unit("t", 2)[&7], expected);
        samples.layouts = 1;
        let all = samples.of_unit(7, 2);
        assert_eq!(all.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["o", "t"]);
        assert!(all[0].1.0.is_empty());
    }
}
