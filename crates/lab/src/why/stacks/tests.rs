use super::*;
use entasis_base::clock::Rng;
use entasis_stats::rng::{normal, stream};

/// A program of 30 functions under three parents, whose times are as uneven as in real profiles.
struct Program {
    seconds: Vec<f64>,
    /// How many times more every tenth function differs between processes.
    uneven: f64,
}

/// Noise of the simulation: times of a process as a whole, and of each function in a process.
const OF_PROCESS: f64 = 0.005;
const OF_FUNCTION: f64 = 0.03;

impl Program {
    fn new() -> Self {
        let weights: Vec<f64> = (0..30).map(|i| 0.85f64.powi(i)).collect();
        let sum: f64 = weights.iter().sum();
        Self { seconds: weights.iter().map(|w| 0.1 * w / sum).collect(), uneven: 1.0 }
    }

    /// `function` takes `share` of the query's time longer.
    fn slower(mut self, function: usize, share: f64) -> Self {
        self.seconds[function] += 0.1 * share;
        self
    }

    fn stack(function: usize) -> Vec<String> {
        let names = ["main".to_owned(), format!("parent{}", function % 3), format!("f{function}")];
        names.into()
    }

    fn process(&self, rng: &mut Rng, samples: usize) -> Process {
        let factor = (OF_PROCESS * normal(rng)).exp();
        let of = |(at, seconds): (usize, &f64)| {
            let noise = if at % 10 == 3 { OF_FUNCTION * self.uneven } else { OF_FUNCTION };
            seconds * factor * (noise * normal(rng)).exp()
        };
        let times: Vec<f64> = self.seconds.iter().enumerate().map(of).collect();
        let seconds: f64 = times.iter().sum();
        let mut counts = vec![0u64; times.len()];
        for _ in 0..samples {
            let mut at = rng.unit() * seconds;
            let hit = times.iter().position(|time| {
                at -= time;
                at < 0.0
            });
            counts[hit.unwrap_or(times.len() - 1)] += 1;
        }
        let stacks = counts.iter().enumerate().map(|(f, &count)| (Self::stack(f), count));
        Process { stacks: stacks.collect(), seconds }
    }

    fn side(&self, rng: &mut Rng, processes: usize) -> Vec<Process> {
        (0..processes).map(|_| self.process(rng, 1500)).collect()
    }
}

/// What 150 comparisons with a planted slowdown found.
#[derive(Debug, Default)]
struct Found {
    /// The function was named first.
    first: u32,
    /// It was marked significant.
    significant: u32,
    /// Its change was within 1.96 standard deviations of what was planted.
    within: u32,
    /// Other functions that were marked.
    others: u32,
}

/// Plants a slowdown of a share of the query's time in one of the ten largest functions.
fn planted(processes: usize, share: f64) -> Found {
    let mut rng = stream(41, &[processes as u64, (share * 1000.0) as u64]);
    let mut found = Found::default();
    for round in 0..150 {
        let function = round % 10;
        let old = Program::new().side(&mut rng, processes);
        let new = Program::new().slower(function, share).side(&mut rng, processes);
        let report = compare(&old, &new).unwrap();
        let name = format!("f{function}");
        let first = report.explained.first().map(|&at| &report.frames[at].name);
        found.first += u32::from(first == Some(&name));
        for frame in report.frames.iter().filter(|f| f.name.starts_with('f')) {
            let marked = u32::from(frame.own_mark == Mark::Significant);
            if frame.name == name {
                found.significant += marked;
                let off = (frame.own.delta() - 0.1 * share).abs();
                found.within += u32::from(off < 1.96 * frame.own.sd);
            } else {
                found.others += marked;
            }
        }
    }
    found
}

#[test]
fn planted_slowdowns_are_the_first_function_named() {
    for (processes, share, first, significant) in [(6, 0.05, 148, 145), (3, 0.03, 140, 90)] {
        let found = planted(processes, share);
        assert!(found.first >= first && found.significant >= significant, "{found:?}");
        assert!(found.within >= 135 && found.others <= 10, "{processes}: {found:?}");
    }
}

#[test]
#[ignore = "prints the table of docs/laboratory/why.md"]
fn table_of_planted_slowdowns() {
    for (processes, share) in [(2, 0.05), (3, 0.05), (6, 0.05), (3, 0.03), (6, 0.03), (6, 0.02)] {
        println!("{processes} processes, {share}: {:?}", planted(processes, share));
    }
}

#[test]
fn equal_sides_have_nothing_significant() {
    let mut rng = stream(42, &[]);
    // A tenth of the functions may differ between processes by far more than the others.
    for (processes, uneven) in [(2, 1.0), (3, 1.0), (6, 1.0), (2, 6.0), (3, 6.0), (6, 6.0)] {
        let (mut marked, mut beyond, mut functions) = (0, 0, 0);
        for _ in 0..200 {
            let program = || Program { uneven, ..Program::new() };
            let old = program().side(&mut rng, processes);
            let new = program().side(&mut rng, processes);
            let report = compare(&old, &new).unwrap();
            assert_eq!(report.basis, Basis::Processes);
            marked += report.frames.iter().filter(|f| f.own_mark != Mark::None).count();
            let leaves = report.frames.iter().filter(|f| f.name.starts_with('f'));
            functions += leaves.clone().count();
            beyond += leaves.filter(|f| f.own.z.abs() > 3.0).count();
        }
        // 0.27 % of 6,000 are 16.
        assert!(functions >= 5900);
        let what = format!("{processes} processes, {uneven}: {marked}, {beyond} of {functions}");
        assert!(marked <= 5 && beyond <= 16, "{what}");
    }
}

#[test]
fn one_process_a_side_says_so() {
    let mut rng = stream(43, &[]);
    let old = Program::new().side(&mut rng, 1);
    let new = Program::new().slower(2, 0.3).side(&mut rng, 1);
    let report = compare(&old, &new).unwrap();
    assert_eq!(report.basis, Basis::Sampling);
    let top = &report.frames[report.explained[0]];
    assert_eq!((top.name.as_str(), top.own_mark), ("f2", Mark::Suggestive));
    assert!(report.frames.iter().all(|f| f.own_mark != Mark::Significant));
    assert_eq!(report.time.z, 0.0);
    // Two on one side are no better than one.
    let more = Program::new().side(&mut rng, 2);
    assert_eq!(compare(&more, &new).unwrap().basis, Basis::Sampling);
}

/// Processes of equal samples: `scale` is what a weight is multiplied by.
fn processes(stacks: &[(&str, u64)], seconds: f64) -> Vec<Process> {
    (0..3)
        .map(|process| {
            let stacks = stacks.iter().enumerate().map(|(at, (stack, weight))| {
                // A little of what processes differ in, which cancels out over three.
                let jitter = [0, 1, 2][(process + at) % 3];
                (stack.split(';').map(str::to_owned).collect(), weight * 100 + jitter)
            });
            Process { stacks: stacks.collect(), seconds }
        })
        .collect()
}

#[test]
fn a_cost_that_moved_is_no_change() {
    // `parse` was inlined into `read`, and `hash` became slower.
    let old = processes(&[("main;read", 10), ("main;read;parse", 30), ("main;hash", 60)], 1.0);
    let new = processes(&[("main;read", 40), ("main;hash", 80)], 1.2);
    let report = compare(&old, &new).unwrap();
    let by_name = |name: &str| report.frames.iter().find(|f| f.name == name).unwrap();
    assert_eq!(by_name("parse").presence, Presence::Removed);
    assert_eq!(by_name("read").own_mark, Mark::None);
    assert_eq!(by_name("read").total_mark, Mark::None);
    assert_eq!(by_name("hash").own_mark, Mark::Significant);
    assert_eq!(report.shifts.len(), 1);
    let mut moved = report.shifts[0].names.clone();
    moved.sort();
    assert_eq!(moved, ["parse", "read"]);
    assert!(report.shifts[0].net.delta().abs() < 0.01, "{report:?}");
    let listed: Vec<_> = report.explained.iter().map(|&at| &*report.frames[at].name).collect();
    assert_eq!(listed, ["hash"]);
    assert!((report.explained_share - 1.0).abs() < 0.02, "{report:?}");
}

#[test]
fn one_function_inlined_into_several() {
    let old = processes(
        &[("main;a", 10), ("main;a;get", 10), ("main;b", 20), ("main;b;get", 20), ("main;c", 40)],
        1.0,
    );
    let new = processes(&[("main;a", 20), ("main;b", 40), ("main;c", 40)], 1.0);
    let report = compare(&old, &new).unwrap();
    assert!(report.frames.iter().all(|f| f.own_mark == Mark::None), "{report:?}");
    assert_eq!(report.shifts[0].names.len(), 3);
    assert!(report.explained.is_empty());
}

#[test]
fn a_real_saving_next_to_a_real_cost_is_not_a_shift() {
    // The callee lost 30, its caller gained 15: half of it is gone.
    let old = processes(&[("main;read", 10), ("main;read;parse", 40), ("main;hash", 50)], 1.0);
    let new = processes(&[("main;read", 25), ("main;read;parse", 10), ("main;hash", 50)], 0.85);
    let report = compare(&old, &new).unwrap();
    assert!(report.shifts.is_empty());
    let listed: Vec<_> = report.explained.iter().map(|&at| &*report.frames[at].name).collect();
    assert_eq!(listed, ["parse", "read"]);
    assert!((report.explained_share - 1.0).abs() < 0.05, "{report:?}");
}

#[test]
fn renamed_added_and_removed_functions() {
    let old = processes(&[("main;a::scan", 50), ("main;gone", 20), ("main;rest", 30)], 1.0);
    let new =
        processes(&[("main;b::scan.llvm.1", 50), ("main;rest", 30), ("main;rest;fresh", 40)], 1.2);
    let report = compare(&old, &new).unwrap();
    let by_name = |name: &str| report.frames.iter().find(|f| f.name == name).unwrap();
    let scan = by_name("b::scan");
    assert_eq!((scan.presence, scan.old_name.as_deref()), (Presence::Both, Some("a::scan")));
    assert_eq!(scan.own_mark, Mark::None);
    assert!(report.frames.iter().all(|f| f.name != "a::scan"));
    assert_eq!(by_name("fresh").presence, Presence::Added);
    assert_eq!(by_name("gone").presence, Presence::Removed);
    assert_eq!(by_name("gone").own_mark, Mark::Significant);
    let listed: Vec<_> = report.explained.iter().map(|&at| &*report.frames[at].name).collect();
    assert_eq!(listed, ["fresh", "gone"]);
}

#[test]
fn nonsense_is_refused() {
    let fine = processes(&[("main", 1)], 1.0);
    let text = |old: &[Process], new: &[Process]| compare(old, new).unwrap_err().to_string();
    assert!(text(&[], &fine).contains("no samples on the old side"));
    assert!(text(&fine, &[Process { stacks: vec![], seconds: 1.0 }]).contains("new side"));
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(text(&processes(&[("main", 1)], seconds), &fine).contains("process 0"));
    }
    // A process without samples does not count.
    let mut with_empty = fine.clone();
    with_empty.push(Process { stacks: vec![(vec![], 0)], seconds: 9.0 });
    let report = compare(&with_empty, &fine).unwrap();
    assert_eq!((report.left_out, report.time.old), (1, 1.0));
    // The same weights as folded text.
    let folded = Folded::parse("main;f 3\nmain -2\n").0;
    let process = Process::new(&folded, 0.5);
    assert_eq!(process.stacks, [(vec!["main".to_owned(), "f".to_owned()], 3)]);
}
