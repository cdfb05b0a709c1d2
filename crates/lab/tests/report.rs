//! The report's page and JSON, of an outcome made of seeds: nothing leaves its place, anchors and
//! numbers are what they should be. What a browser makes of it is checked by
//! `scripts/lab_report_check.mjs`.
#![allow(clippy::unwrap_used)]

#[path = "../examples/report/synthetic.rs"]
mod synthetic;

use std::io::Read;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entasis_lab::compare::{Evidence, Outcome};
use entasis_lab::measure::{CLIENT_TIME, CPU_TIME, MEMORY, Sample, Samples};
use entasis_lab::report::{self, Extras, Sections, percent};
use entasis_lab::store::{QueryRow, Shown};
use entasis_lab::why::asm::Excerpt;
use entasis_stats::schedule::Side;
use serde_json::Value;
use synthetic::EVIL;

const COUNT: u32 = 130;

fn outcome() -> Outcome {
    synthetic::outcome(COUNT, 7).unwrap()
}

/// What the page's script gets.
fn unpack(page: &str) -> Value {
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let bytes = STANDARD.decode(data.trim()).unwrap();
    let mut text = String::new();
    flate2::read::ZlibDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// What programs get.
fn programs(outcome: &Outcome, extras: &Extras) -> Value {
    serde_json::from_str(&report::json(outcome, extras)).unwrap()
}

#[test]
fn texts_and_names_cannot_leave_their_place() {
    let mut outcome = outcome();
    outcome.run.sides = [EVIL.into(), "@@data@@".into()];
    outcome.queries[0].test = EVIL.into();
    outcome.queries[0].trouble = EVIL.into();
    outcome.run.id = "it's".into();
    let extras = synthetic::extras(&outcome, 7, 3);
    let page = report::page(&outcome, &extras);
    assert!(!page.contains("<img"));
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(page.matches("id=\"data\"").count(), 1);
    assert_eq!(page.matches("-->").count(), 2, "hidden comments end where they should");
    let data = unpack(&page);
    assert_eq!(data["run"]["sides"][0], EVIL);
    assert_eq!(data["queries"]["text"][7], format!("SELECT '{EVIL}'"));
    assert_eq!(data["queries"]["trouble"]["0"], EVIL);
    // The flame graphs' frame becomes a page of its own: their data may not end its script.
    let frame = data["flame"].as_str().unwrap();
    assert_eq!(frame.matches("@@data@@").count(), 1);
    let stacks = data["stacks"].as_object().unwrap();
    assert!(!stacks.is_empty() && stacks.values().all(|s| !s.as_str().unwrap().contains('<')));
}

#[test]
fn the_page_loads_nothing_and_says_its_status_to_machines() {
    let outcome = outcome();
    let page = report::page(&outcome, &Extras::default());
    let marks = page.matches("@@").count() - page.matches("'@@data@@'").count() * 2;
    assert!(page.contains("default-src 'none'") && marks == 0);
    for outside in ["src=\"", "@import", "href=\"http", "fetch(", "XMLHttp", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let status = outcome.status();
    assert!(page.contains(&format!("<!-- message: {status} -->")));
    assert!(status.exit_code() == 2 && page.contains("<!-- status: failure -->"));
    let mut none = outcome;
    none.queries.clear();
    none.shown.clear();
    none.differing.clear();
    let page = report::page(&none, &Extras::default());
    assert!(page.contains("<!-- status: failure -->") && page.contains("Nothing was judged."));
}

#[test]
fn the_first_sentence_counts() {
    let mut outcome = outcome();
    let say = |outcome: &Outcome| report::sentence(outcome, &Sections::new(outcome));
    outcome.differing.clear();
    outcome.queries.iter_mut().for_each(|query| query.trouble.clear());
    for shown in &mut outcome.shown {
        shown.word = "equivalent".into();
    }
    let judged = outcome.own().count();
    let expected = format!(
        "No query is slower or faster; {judged} of {judged} are shown to be equal within \u{b1}1.0 %."
    );
    assert_eq!(say(&outcome), expected);
    let own: Vec<usize> =
        (0..outcome.shown.len()).filter(|at| outcome.shown[*at].metric == "client_time").collect();
    outcome.shown[own[3]].word = "faster".into();
    outcome.shown[own[3]].judged.theta = 0.9f64.ln();
    let expected =
        format!("Nothing is slower; 1 of {judged} queries is faster, at most by -10.0 %.");
    assert_eq!(say(&outcome), expected);
    for (at, theta) in [(own[0], 0.02), (own[1], 1.5f64.ln())] {
        outcome.shown[at].word = "slower".into();
        outcome.shown[at].judged.theta = theta;
    }
    outcome.run.state = "partial".into();
    let broken = outcome.shown[own[5]].judged.subject.unit;
    outcome.queries[broken as usize].trouble = "old: broken".into();
    let expected = format!(
        "1 error. Not finished. 2 of {judged} queries are slower, at most by +50.0 %; 1 is faster, at most by -10.0 %."
    );
    // A query in trouble is not counted as judged.
    assert_eq!(
        say(&outcome).replace(&format!("of {}", judged - 1), &format!("of {judged}")),
        expected
    );
}

#[test]
fn noise_is_told_apart() {
    let mut outcome = outcome();
    let [run, process, build] = [0, 1, 2].map(|level| {
        let page = unpack(&report::page(&outcome, &Extras::default()));
        page["noise"]["middle"][level].clone()
    });
    assert!(run.as_f64().unwrap() > 0.0 && process.is_number() && build.is_null());
    // Of two builds that took turns.
    outcome.run.set_layouts(2);
    let page = unpack(&report::page(&outcome, &Extras::default()));
    assert!(page["noise"]["middle"][2].is_number());
    let json = programs(&outcome, &Extras::default());
    let of_query = json["verdicts"].as_array().unwrap().iter().find(|v| v["noise"].is_object());
    assert!(json["noise"]["build"].is_number() && of_query.unwrap()["noise"]["run"].is_number());
}

#[test]
fn anchors_are_names_and_numbers_of_tests() {
    let data = unpack(&report::page(&outcome(), &Extras::default()));
    let queries = &data["queries"];
    let (names, test) = (queries["tests"].as_array().unwrap(), queries["test"].as_array().unwrap());
    let outcome = outcome();
    for query in &outcome.queries {
        let unit = query.unit as usize;
        let name = &names[test[unit].as_u64().unwrap() as usize];
        assert_eq!(name, &query.test);
        assert_eq!(queries["index"][unit], query.index);
    }
}

#[test]
fn numbers_are_those_of_the_outcome() {
    let outcome = outcome();
    let data = unpack(&report::page(&outcome, &Extras::default()));
    let shown = &data["shown"];
    for (at, of) in outcome.shown.iter().enumerate() {
        let theta = shown["theta"][at].as_f64().unwrap() / 1e5;
        assert!((theta - of.judged.theta).abs() <= 0.5e-5);
        let old = shown["old"][at].as_f64().unwrap();
        assert!((old / of.judged.old - 1.0).abs() < 1e-3);
        assert_eq!(shown["word"][at], of.word);
    }
    assert_eq!(
        data["run"]["command"],
        "entasis lab compare --left git:76c730c9b0f1d2e3a4b5 --right git:d3b07384d113edec49ea \
         --left-settings 'a=it'\\''s' tests/performance --seed 7"
    );
    let counters = data["counters"]["of"].as_object().unwrap();
    let names = data["counters"]["names"].as_array().unwrap();
    assert!(!counters.is_empty());
    for counters in counters.values() {
        let rows = counters[2].as_array().unwrap();
        let z: Vec<f64> =
            rows.iter().map(|r| r[4].as_f64().map_or(f64::INFINITY, f64::abs)).collect();
        assert!(z.is_sorted_by(|a, b| a >= b) && z.iter().all(|z| *z >= 2.0), "{z:?}");
        for row in rows {
            let name = &names[row[0].as_u64().unwrap() as usize];
            assert!(name != "read_rows" && name != "DiskReadBytes", "a constant is shown");
        }
    }
}

#[test]
fn lists_have_what_belongs_in_them() {
    let outcome = outcome();
    let sections = Sections::new(&outcome);
    let units: Vec<u32> = sections.slow_on_client.iter().map(|slow| slow.0).collect();
    assert_eq!(units, [5, 102]);
    for (unit, seconds, short) in &sections.durations {
        assert_eq!(*short, unit % 10 == 4, "query {unit}");
        let listed = if *short { *seconds > 0.1 } else { !(0.02..=1.0).contains(seconds) };
        assert!(listed, "{seconds} s, short: {short}");
    }
    // If tests call all of them short, a third takes too long, and none too little.
    let mut quick = outcome.clone();
    quick.run.facts.clear();
    quick.run.set_short(0..COUNT);
    let quick = Sections::new(&quick).durations;
    assert!(quick.len() > 20 && quick.iter().all(|(_, s, short)| *short && *s > 0.1), "{quick:?}");
    assert!(!sections.undecided.is_empty());
    for (unit, needed) in &sections.undecided {
        let (_, shown) = outcome.own().find(|(query, _)| query.unit == *unit).unwrap();
        assert_eq!(shown.word, "undecided");
        let j = &shown.judged;
        // Of what the eight planned pairs would show, stage 1 included, no more are needed. At
        // the smallest effect of interest no number of pairs shows it nine times of ten.
        let twice = 2.0 * j.subject.least_effect;
        assert!(needed.unwrap() <= 8 || j.mde > twice, "{needed:?} {}", j.mde);
        assert!(j.mde > j.subject.least_effect, "{}", j.mde);
    }
    let queries: usize = sections.tests.iter().map(|test| test.queries).sum();
    assert_eq!(queries, COUNT as usize);
    let set_up: Vec<f64> = sections.tests.iter().filter_map(|test| test.set_up).collect();
    // Thirteen tests of ten queries: 0.25 s, and one second more each, from the eighth on again.
    assert_eq!((set_up.len(), set_up.iter().sum::<f64>()), (13, 13.0 * 0.25 + 21.0 + 15.0));
    // Equal sides lie in the band: no fewer than nine of ten queries do.
    let band = sections.band.unwrap();
    let within = outcome.own().filter(|(_, s)| s.judged.theta.abs() <= band).count();
    assert!(within * 10 >= outcome.own().count() * 9, "{within} within {band}");
}

#[test]
fn what_stage_1_did_not_see_is_not_unconfirmed() {
    let mut outcome = outcome();
    let unseen = |shown: &Shown| {
        let j = &shown.judged;
        let open = ["undecided", "equivalent"].contains(&shown.word.as_str());
        shown.metric == CLIENT_TIME && j.p.is_some() && !j.candidate && open
    };
    let at = outcome.shown.iter().position(unseen).unwrap();
    let unit = outcome.shown[at].judged.subject.unit;
    assert!(!Sections::new(&outcome).unconfirmed.contains(&unit));
    outcome.shown[at].judged.candidate = true;
    let listed = Sections::new(&outcome).unconfirmed;
    assert!(listed.contains(&unit));
    let json = programs(&outcome, &Extras::default());
    assert_eq!(json["sections"]["unconfirmed"].as_array().unwrap().len(), listed.len());
    let page = unpack(&report::page(&outcome, &Extras::default()));
    assert_eq!(page["sections"]["unconfirmed"].as_array().unwrap().len(), listed.len());
    // A query that fails later has nothing to confirm.
    outcome.queries[unit as usize].trouble = "broken: no table".into();
    assert!(!Sections::new(&outcome).unconfirmed.contains(&unit));
}

#[test]
fn what_answers_otherwise_is_in_no_mean() {
    let mut outcome = outcome();
    let (tests, mean) = (Sections::new(&outcome).tests, outcome.mean().unwrap().theta);
    let differs = |s: &&mut Shown| s.word == "differs" && s.metric == CLIENT_TIME;
    outcome.shown.iter_mut().find(differs).unwrap().judged.theta = 5.0;
    assert_eq!(Sections::new(&outcome).tests, tests);
    assert_eq!(outcome.mean().unwrap().theta, mean);
}

#[test]
fn the_report_for_programs_has_the_same_lists() {
    let outcome = outcome();
    let json = programs(&outcome, &synthetic::extras(&outcome, 7, 0));
    let sections = Sections::new(&outcome);
    let rows = json["sections"]["slow_on_client"].as_array().unwrap();
    assert_eq!(rows.len(), sections.slow_on_client.len());
    assert_eq!(rows[0]["test"], outcome.queries[5].test);
    let rows = &json["sections"];
    for (at, (unit, _, short)) in sections.durations.iter().enumerate() {
        let row = &rows["unexpected_duration"][at];
        assert!(row["index"] == unit % 10 && row["short"] == *short, "{row}");
    }
    for (at, test) in sections.tests.iter().enumerate() {
        assert!(rows["tests"][at]["set_up"] == test.set_up.unwrap(), "{}", rows["tests"][at]);
    }
    // Both are noted as facts of the run, which the list of what bears on noise leaves out.
    assert!(json["facts"]["cores"] == "16" && json["facts"].as_object().unwrap().len() == 6);
    let page = unpack(&report::page(&outcome, &Extras::default()));
    assert_eq!(page["run"]["facts"].as_array().unwrap().len(), 6);
    assert_eq!(json["status"], outcome.status().to_string());
    assert_eq!(json["verdicts"].as_array().unwrap().len(), outcome.shown.len());
    assert_eq!(json["exit_code"], 2);
    let health = &json["health"];
    assert!(health["clean_runs"] == 30 && health["memory"]["flags"] == 2, "{health}");
    assert!(health["unlucky"][0]["bimodal"] == 4 && health["uniform"]["p"] == 0.41, "{health}");
    assert!(programs(&outcome, &Extras::default())["health"].is_null());
}

#[test]
fn the_report_for_programs_has_the_counters_that_differ() {
    let outcome = outcome();
    let json = programs(&outcome, &Extras::default());
    let page = unpack(&report::page(&outcome, &Extras::default()));
    let all = json["counters"].as_array().unwrap();
    assert!(!all.is_empty());
    for of_query in all {
        let same = |q: &&QueryRow| of_query["test"] == q.test && of_query["index"] == q.index;
        let query = outcome.queries.iter().find(same).unwrap();
        let rows = of_query["counters"].as_array().unwrap();
        // The page has the same ones, as far as it has room.
        if let Some(shown) = page["counters"]["of"][query.unit.to_string()].as_array() {
            assert_eq!(shown[2].as_array().unwrap().len(), rows.len());
            assert_eq!(of_query["basis"], if shown[0] == true { "runs" } else { "pairs" });
        }
        for row in rows {
            assert!(row["metric"].is_string() && row["old"].is_number(), "{row}");
            assert!(row["theta"].is_number() != row["difference"].is_number(), "{row}");
            assert!(row["z"].as_f64().unwrap().abs() >= 2.0, "{row}");
        }
    }
}

#[test]
fn runs_for_the_processors_counters_are_no_runs_of_a_query() {
    let outcome = outcome();
    let before = programs(&outcome, &Extras::default())["counters"].clone();
    let mut counted = outcome.clone();
    let profiled = outcome.samples.rows().iter().filter(|s| s.stage == 1);
    for sample in profiled {
        counted.samples.push(Sample { stage: 3, value: sample.value * 9.0, ..*sample });
    }
    assert_eq!(programs(&counted, &Extras::default())["counters"], before);
}

/// Gives a query one run a side by the processor's time, in place of those that it has.
fn set_processor_time(samples: &mut Samples, unit: u32, seconds: [f64; 2]) {
    let metric = samples.metric(CPU_TIME);
    let mut others = Samples::default();
    for name in samples.names() {
        others.metric(name);
    }
    let rows = samples.rows().iter().filter(|s| s.unit != unit || s.metric != metric);
    rows.for_each(|sample| others.push(*sample));
    for (side, value) in [Side::Old, Side::New].into_iter().zip(seconds) {
        let run = u16::from(side == Side::New);
        others.push(Sample { unit, side, stage: 1, process: 0, run, metric, value });
    }
    *samples = others;
}

#[test]
fn functions_that_explain_a_change_have_amounts_and_z() {
    let mut outcome = outcome();
    let shown = outcome.shown.iter_mut().find(|s| s.metric == CLIENT_TIME).unwrap();
    shown.word = "slower".into();
    // The medians of all runs say less than the verdict, which is what is explained.
    (shown.judged.old, shown.judged.new, shown.judged.theta) = (0.05, 0.055, 1.2f64.ln());
    let unit = shown.judged.subject.unit;
    // Two threads work on it: 125 ms and 156.25.
    set_processor_time(&mut outcome.samples, unit, [0.125, 0.15625]);
    let of_peak = |s: &&mut Shown| s.metric == MEMORY && s.judged.subject.unit == unit;
    let peak = outcome.shown.iter_mut().find(of_peak).unwrap();
    peak.word = "slower".into();
    (peak.judged.old, peak.judged.new, peak.judged.theta) = (10e6, 12e6, 1.2f64.ln());
    let path = |leaf: &str| ["main", leaf].map(str::to_owned).to_vec();
    let process = |f: u64, g: u64| vec![(path("f"), f), (path("g"), g)];
    let stacks = [(9000, 1000), (5000, 5000)].map(|(f, g)| vec![process(f, g), process(f, g)]);
    let memory = stacks.clone();
    outcome.evidence.insert(unit, Evidence { stacks, memory, ..Evidence::default() });
    let extras = Extras::of(&outcome);
    let found = &extras.explained[&unit];
    let g = &found.functions[0];
    assert_eq!((g.name.as_str(), extras.explained.len()), ("g", 1));
    // A tenth of 125 ms, and half of 156.25: 65.625 ms of the 31.25 that the processor works more.
    let amounts = [g.amounts[0] - 0.0125, g.amounts[1] - 0.078125];
    assert!(amounts.iter().all(|off| off.abs() < 1e-9), "{g:?}");
    assert!((g.share - 2.1).abs() < 1e-9 && g.z > 2.0, "{g:?}");
    let f = &found.functions[1];
    assert!(f.name == "f" && (f.share + 1.1).abs() < 1e-9 && f.z < -2.0, "{f:?}");
    assert!((found.share - 1.0).abs() < 1e-9, "{found:?}");
    let grown = &extras.grown[&unit].functions[0];
    assert!(grown.name == "g" && (grown.amounts[1] - 6e6).abs() < 1.0, "{grown:?}");
    // And so it stands in both reports.
    let json = programs(&outcome, &extras);
    let named: Vec<&Value> = json["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|v| v["explained"].as_object().map(|of| &of["functions"][0]))
        .collect();
    assert!(named.len() == 2 && named.iter().all(|of| of["name"] == "g"), "{named:?}");
    assert!((named[0]["old_seconds"].as_f64().unwrap() - 0.0125).abs() < 1e-9, "{named:?}");
    assert!((named[1]["new_bytes"].as_f64().unwrap() - 6e6).abs() < 1.0, "{named:?}");
    let page = unpack(&report::page(&outcome, &extras));
    for (list, old) in [("explained", 0.0125), ("grown", 1e6)] {
        let row = &page[list][unit.to_string()][2][0];
        assert!(row[0] == "g" && (row[1].as_f64().unwrap() / old - 1.0).abs() < 1e-3, "{row}");
    }
    // Where the processor works as before, no function explains that the query takes longer.
    set_processor_time(&mut outcome.samples, unit, [0.125, 0.125]);
    let extras = Extras::of(&outcome);
    assert!(extras.explained.is_empty() && extras.grown.len() == 1 && extras.stacks.len() == 1);
    // Where nothing changed nothing is explained.
    outcome.shown.iter_mut().for_each(|shown| shown.word = "equivalent".into());
    let extras = Extras::of(&outcome);
    assert!(extras.explained.is_empty() && extras.grown.is_empty());
}

#[test]
fn steps_of_a_history_are_marked() {
    let outcome = outcome();
    let mut extras = synthetic::extras(&outcome, 7, 0);
    let found = |extras: &Extras| unpack(&report::page(&outcome, extras))["steps"].clone();
    let all = found(&extras);
    let steps = all.as_object().unwrap();
    assert!(steps.len() == extras.history.len() && !steps.is_empty(), "{all}");
    for of in steps.values() {
        // 6 % from the sixteenth comparison on, in noise of 1 %.
        let [at, size] = [0, 1].map(|field| of[0][field].as_i64().unwrap());
        assert!((14..=16).contains(&at) && (3500..8500).contains(&size), "{of}");
    }
    // Eleven comparisons are too few, and one without a logarithm is no error.
    let mut histories = extras.history.values_mut();
    histories.next().unwrap()[3].ratio = 0.0;
    histories.for_each(|points| drop(points.drain(..9)));
    assert_eq!(found(&extras), Value::Object(serde_json::Map::new()));
}

#[test]
fn hot_loops_stand_in_both_reports() {
    let mut outcome = outcome();
    let excerpt = Excerpt {
        function: "sum<f64>".to_owned(),
        loops: ["+0x1f    addq $1, %rax\n".repeat(300), String::new()],
        cpus: vec!["znver3".to_owned()],
        cycles: [vec![1.25], vec![f64::NAN]],
        note: "new: no loop".to_owned(),
        ..Excerpt::default()
    };
    let units = outcome.queries.iter().map(|query| query.unit);
    let code = units.map(|unit| (unit, excerpt.clone())).collect();
    let extras = Extras { code, ..Extras::default() };
    let json = programs(&outcome, &extras);
    let rows = json["code"].as_array().unwrap();
    assert_eq!(rows.len(), COUNT as usize);
    assert!(rows[0]["function"] == "sum<f64>" && rows[0]["same"] == false, "{}", rows[0]);
    let cycles = &rows[0]["cycles"]["znver3"];
    assert!(cycles["old"] == 1.25 && cycles["new"].is_null(), "{cycles}");
    // The page has as many as it has room for, and of each loop its first lines.
    let page = unpack(&report::page(&outcome, &extras));
    let sides = "--left git:76c730c9b0f1d2e3a4b5 --right git:d3b07384d113edec49ea";
    assert_eq!(page["code"]["sides"], sides);
    let shown = page["code"]["of"].as_object().unwrap();
    let bytes: usize = shown.values().map(|of_query| of_query.to_string().len()).sum();
    assert!(bytes <= 60_000 && shown.len() >= 10, "{bytes} bytes of {}", shown.len());
    let left = page["code"]["left_out"].as_array().unwrap();
    assert_eq!(left.len() + shown.len(), COUNT as usize);
    assert!(left.iter().all(|unit| !shown.contains_key(&unit.to_string())));
    for of_query in shown.values() {
        assert_eq!(of_query[2].as_str().unwrap().lines().count(), 200);
        assert!(of_query[3] == "" && of_query[6][0].is_null(), "{of_query}");
    }
    outcome.evidence.insert(3, Evidence { code: Some(excerpt), ..Evidence::default() });
    let found: Vec<u32> = Extras::of(&outcome).code.into_keys().collect();
    assert_eq!(found, [3]);
}

#[test]
fn changes_are_read_as_percents() {
    assert_eq!(percent(1.05f64.ln()), "+5.0 %");
    assert_eq!(percent(-f64::INFINITY), "?");
}

#[test]
fn a_page_of_3000_queries_is_below_500_kilobytes() {
    let outcome = synthetic::outcome(3000, 7).unwrap();
    let page = report::page(&outcome, &synthetic::extras(&outcome, 7, 0));
    assert!(page.len() < 500_000, "{} bytes", page.len());
}

#[test]
fn stacks_come_as_long_as_there_is_room() {
    let outcome = synthetic::outcome(600, 7).unwrap();
    let mut extras = synthetic::extras(&outcome, 7, 100);
    let mut rng = entasis_stats::rng::stream(7, &[9]);
    for sides in extras.stacks.values_mut() {
        for side in sides {
            for at in 0..4000 {
                let frame = |depth: u64| format!("step_{depth}_{:x}", rng.below(1 << 40));
                side.push(((0..6).map(frame).collect(), 0.001 * f64::from(at)));
            }
        }
    }
    let page = report::page(&outcome, &extras);
    let stacks = unpack(&page)["stacks"].as_object().unwrap().len();
    assert!(page.len() < 500_000 && stacks > 0 && stacks < extras.stacks.len(), "{stacks}");
}

#[test]
fn lines_of_the_reference_runner() {
    let mut outcome = outcome();
    let query = |unit: u32, trouble: &str| QueryRow {
        unit,
        test: if unit < 2 { "a" } else { "b" }.into(),
        index: unit % 2,
        text: "SELECT '\t'".into(),
        trouble: trouble.into(),
        ..QueryRow::default()
    };
    outcome.queries = vec![
        query(0, ""),
        query(1, "partial: fails on the old side: no\tsuch"),
        query(2, "skipped: no table"),
        query(3, "skipped: no table"),
    ];
    outcome.run.facts.clear();
    outcome.run.set_short([1].into_iter());
    let mut samples = Samples::default();
    let time = samples.metric(CLIENT_TIME);
    let mut add = |unit, side, stage, run, value| {
        samples.push(Sample { unit, side, stage, process: 0, run, metric: time, value });
    };
    for (run, (old, new)) in [(1.0, 2.0), (1.5, 2.5), (2.0, 4.0)].into_iter().enumerate() {
        add(0, Side::Old, 1, run as u16, old);
        add(0, Side::New, 1, run as u16, new);
        // What was run for counters of the processor is no run.
        add(0, Side::New, 3, run as u16, 9.0);
    }
    add(1, Side::New, 1, 0, 0.5);
    outcome.samples = samples;
    let files = report::runner(&outcome);
    assert_eq!(files["b"], "skipped\tskipped: no table\n");
    let lines: Vec<&str> = files["a"].lines().collect();
    // scipy.stats.ttest_ind(..., equal_var=False).pvalue
    let diff = format!("diff\t0\t1.5\t2.5\t{}\t", 1.0 / 1.5);
    let (p, lines): (Vec<&str>, Vec<&str>) = lines.iter().partition(|l| l.starts_with(&diff));
    let p: f64 = p[0][diff.len()..].parse().unwrap();
    assert!((p - 0.143_248_323_307_111_6).abs() < 1e-12, "{p}");
    let expected = [
        "display-name\t0\tSELECT '\\t'",
        "query\t0\ta.query0.run0\t0\t1",
        "query\t0\ta.query0.run0\t1\t2",
        "query\t0\ta.query0.run1\t0\t1.5",
        "query\t0\ta.query0.run1\t1\t2.5",
        "query\t0\ta.query0.run2\t0\t2",
        "query\t0\ta.query0.run2\t1\t4",
        "client-time\t0\t13\t13",
        "median\t0\t1.5",
        "display-name\t1\tSELECT '\\t'",
        "short\t1",
        "run-error\t1\tpartial: fails on the old side: no\\tsuch",
        "partial\t1\t[1]",
        "query\t1\ta.query1.run0\t0\t0.5",
        "client-time\t1\t0.5\t0.5",
        "median\t1\t0.5",
    ];
    assert_eq!(lines, expected);
}
