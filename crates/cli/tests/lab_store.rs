//! What the laboratory stores of a comparison makes the report that the comparison itself made.
#![allow(clippy::unwrap_used)]

#[path = "../../lab/examples/report/synthetic.rs"]
#[allow(dead_code)]
mod synthetic;

mod support;

use std::collections::HashMap;

use entasis_lab::compare::{self, Evidence, Outcome};
use entasis_lab::experiment::{Candidate, Idea, Profile, tables_of};
use entasis_lab::measure::{Kind, Stacks};
use entasis_lab::report::{self, Extras, Stacks as Seconds};
use entasis_lab::store::{Place, Store};
use serde_json::Value;
use support::Server;

/// Profiles of two processes, plans and loops of the outcome's first changed queries.
fn evidence(outcome: &Outcome) -> HashMap<u32, Evidence> {
    let extras = synthetic::extras(outcome, 7, 12);
    let process = |stacks: &Seconds, times: f64| -> Stacks {
        let samples = |(path, seconds): &(Vec<String>, f64)| {
            (path.clone(), (seconds * 1e4 * times).round() as u64)
        };
        stacks.iter().map(samples).collect()
    };
    let of_unit = |(unit, stacks): (&u32, &[Seconds; 2])| {
        let mut all = Evidence::new(extras.plans[unit].clone());
        all.stacks = stacks.each_ref().map(|side| vec![process(side, 1.0), process(side, 1.1)]);
        all.memory = stacks.each_ref().map(|side| vec![process(side, 2.0), process(side, 1.9)]);
        all.code = extras.code.get(unit).cloned();
        (*unit, all)
    };
    extras.stacks.iter().map(of_unit).collect()
}

fn save(store: &mut Store, outcome: &Outcome) {
    let Outcome { run, queries, samples, shown, evidence, .. } = outcome;
    store.save_run(run).unwrap();
    store.save_queries(&run.id, queries).unwrap();
    store.save_samples(run, queries, samples, 0).unwrap();
    store.save_verdicts(run, queries, shown).unwrap();
    store.save_stacks(run, queries, evidence, 0).unwrap();
    store.save_plans(run, queries, evidence).unwrap();
    store.save_assembly(run, queries, evidence).unwrap();
}

fn programs(store: &mut Store, outcome: &Outcome) -> Value {
    let extras = Extras::stored(store, outcome).unwrap();
    serde_json::from_str(&report::json(outcome, &extras)).unwrap()
}

#[test]
fn a_stored_comparison_makes_the_report_that_it_made_at_once() {
    let server = Server::start();
    let mut store = Store::new(Place::parse(&format!("http://127.0.0.1:{}", server.port)));
    let mut outcome = synthetic::outcome(130, 7).unwrap();
    outcome.evidence = evidence(&outcome);
    // Of a test that was skipped a store has the queries, and the maker of outcomes has none.
    outcome.skipped.clear();
    save(&mut store, &outcome);
    let at_once = programs(&mut store, &outcome);
    let mut again = compare::recompute(store.load(&outcome.run.id).unwrap()).unwrap();
    report::causes(&mut store, &mut again).unwrap();
    let later = programs(&mut store, &again);
    let loops = at_once["code"].as_array().unwrap();
    assert!(loops.len() > 1 && loops.iter().any(|code| code["same"] == false), "{loops:?}");
    let verdicts = at_once["verdicts"].as_array().unwrap();
    assert!(verdicts.iter().any(|verdict| !verdict["explained"].is_null()));
    for (name, value) in at_once.as_object().unwrap() {
        assert!(later[name] == *value, "{name} differs");
    }
    let plans = Extras::stored(&mut store, &again).unwrap().plans;
    assert!(plans.len() == outcome.evidence.len() && plans == Extras::of(&outcome).plans);
    // Profiles of a run that goes on are of other processes than it had.
    assert_eq!(store.load(&outcome.run.id).unwrap().profiled, 2);
    store.save_stacks(&outcome.run, &outcome.queries, &outcome.evidence, 2).unwrap();
    assert_eq!(store.load(&outcome.run.id).unwrap().profiled, 4);
}

#[test]
fn equal_sides_of_another_engine_tell_nothing_of_ours() {
    let server = Server::start();
    let mut store = Store::new(Place::parse(&format!("http://127.0.0.1:{}", server.port)));
    // Of one query: ours never differed from itself, chdb did.
    for (run, side, variance, word) in
        [("aa-1", "git:main", 0.25, "undecided"), ("aa-2", "chdb", 4.0, "slower")]
    {
        store
            .execute(&format!(
                "INSERT INTO lab.run (run_id, updated, kind, cpu, old, new)
                 VALUES ('{run}', now64(3), 'aa', 'a', '{side}', '{side}')"
            ))
            .unwrap();
        store
            .execute(&format!(
                "INSERT INTO lab.verdict (run_id, kind, cpu, test, query_hash, metric, verdict,
                                          own_variance, own_df, updated)
                 VALUES ('{run}', 'aa', 'a', 't', 7, 'client_time', '{word}', {variance}, 8,
                         now64(3))"
            ))
            .unwrap();
    }
    let mut of = |sides: [&str; 2]| {
        let known = store.history("a", &sides.map(str::to_owned)).unwrap();
        known.get(&(7, "client_time".to_owned())).map(|known| (known.pair, known.quarantine))
    };
    assert_eq!(of(["git:main~1", "target/entasis"]), Some((Some((0.25, 8.0)), None)));
    let (pair, quarantine) = of(["chdb", "chdb"]).unwrap();
    assert!(pair == Some((4.0, 8.0)) && quarantine.is_some(), "{pair:?} {quarantine:?}");
    assert_eq!(of(["git:main", "chdb"]), None);
    assert_eq!(of(["http://h:1", "http://h:1"]), None);
}

#[test]
fn a_quarantine_ends_with_a_hundred_good_comparisons() {
    let server = Server::start();
    let mut store = Store::new(Place::parse(&format!("http://127.0.0.1:{}", server.port)));
    // Equal sides, one comparison after the other; then whether their query is trusted.
    let mut after = |first: u32, count: u32, word: &str| {
        let rows = format!("FROM numbers({first}, {count})");
        for insert in [
            format!(
                "INSERT INTO lab.run (run_id, updated, kind, cpu, old, new)
                 SELECT concat('aa-', toString(number)), now64(3), 'aa', 'a', 'x', 'x' {rows}"
            ),
            format!(
                "INSERT INTO lab.verdict (run_id, time, kind, cpu, test, query_hash, metric,
                                          verdict, updated)
                 SELECT concat('aa-', toString(number)), toDateTime64(1000 + number, 3), 'aa',
                     'a', 't', 7, 'client_time', '{word}', now64(3) {rows}"
            ),
        ] {
            store.execute(&insert).unwrap();
        }
        let known = store.history("a", &["x".to_owned(), "x".to_owned()]).unwrap();
        known[&(7, "client_time".to_owned())].quarantine.unwrap_or_default()
    };
    let why = after(0, 2, "bimodal");
    assert!(why.contains("two groups") && why.contains("`lab aa`"), "{why}");
    assert_eq!(after(2, 98, "undecided"), why);
    // By now one of the last hundred has groups, which is not often.
    assert_eq!(after(100, 1, "undecided"), "");
    assert_eq!(after(101, 1, "slower"), "");
    let why = after(102, 1, "faster");
    assert!(why.contains("equal sides differed") && why.contains("`lab aa`"), "{why}");
    assert_eq!(after(103, 99, "equivalent"), "");
}

#[test]
fn a_candidate_is_one_by_the_newest_profile_of_its_workload() {
    let server = Server::start();
    let mut store = Store::new(Place::parse(&format!("http://127.0.0.1:{}", server.port)));
    tables_of(&mut store).unwrap();
    let fields = ["fast-sort", "sort::merge", "", "time", "order_by 4", ""];
    let idea = Idea::new(fields).unwrap();
    let other = Idea { name: "fast-copy".to_owned(), ..idea.clone() };
    let mut profiled = |hour: u32, samples: u64, ideas: &[&Idea]| {
        let time = 1.7e9 + f64::from(hour) * 3600.0;
        let stack = |frame: &str, samples| (vec!["main".to_owned(), frame.to_owned()], samples);
        let stacks = vec![stack("a::sort::merge", samples), stack("a::read", 100 - samples)];
        let (id, build) = (format!("profile-{hour}"), format!("build-{hour}"));
        let profile = Profile { id, build, key: u64::MAX, kind: Kind::Time, seconds: 0.1, stacks };
        profile.save(&mut store, &idea.workload, "a", time).unwrap();
        let filed = |idea: &&Idea| Candidate::file(&mut store, idea, &profile, time).unwrap();
        let filed: Vec<_> = ideas.iter().map(filed).collect();
        (filed, Candidate::all(&mut store).unwrap(), Candidate::find(&mut store, "fast-sort"))
    };
    let (filed, all, found) = profiled(1, 26, &[&idea, &other]);
    assert_eq!((filed, all.len()), (vec![Ok(()), Ok(())], 2));
    let found = found.unwrap();
    assert!(found.is_of(&idea) && found.share == 0.26);
    // It is of one build and one query.
    found.check("build-1", u64::MAX).unwrap();
    for (build, key, what) in [("build-0", u64::MAX, "build"), ("build-1", 1, "query")] {
        let error = found.check(build, key).unwrap_err().to_string();
        assert!(error.contains(what) && error.contains("lab profile fast-sort"), "{error}");
    }
    // A later profile refuses it.
    let (filed, all, found) = profiled(2, 1, &[&idea]);
    assert_eq!((filed, all), (vec![Err("worth 5 percent".to_owned())], Vec::new()));
    assert!(found.unwrap_err().to_string().contains("newest"));
    // And one more bears out what is filed by it.
    let (_, all, _) = profiled(3, 50, &[&other]);
    assert_eq!((all.len(), all[0].name.as_str(), all[0].share), (1, "fast-copy", 0.5));
}

#[test]
fn no_experiment_of_two_groups_or_of_a_quarantined_query_is_kept() {
    let server = Server::start();
    let mut store = Store::new(Place::parse(&format!("http://127.0.0.1:{}", server.port)));
    tables_of(&mut store).unwrap();
    let mut kept = |word: &str| {
        store.execute(&format!(
            "INSERT INTO lab.experiment (name, time, profile_id, share, old_base, new_base, diff,
                 processes, low, high, aa_run, aa_time, aa_comparisons, answers, status, word)
             VALUES ('n', now64(3), 'p', 0.1, 'b', 'b', 'd', 8, -0.2, -0.1, 'aa-1', now64(3), 1,
                     'equal', 'keep', '{word}')"
        ))
    };
    for word in ["faster", "undecided"] {
        kept(word).unwrap();
    }
    for word in ["bimodal", "quarantined", "differs", "slower", ""] {
        let error = kept(word).unwrap_err().to_string();
        assert!(error.contains("`trusted_verdict`"), "{word}: {error}");
    }
}
