//! The generated rows do not depend on the order of windows, and their shares are near those of
//! web-analytics data.

use std::collections::HashSet;

use super::*;
use entasis_column::Column;

fn column(name: &str, rows: u64) -> Column {
    let shape = Shape::new(rows, 1);
    let vocabulary = Vocabulary::new(1);
    let found = COLUMNS.iter().find(|c| c.name == name).unwrap();
    let made = |w| found.make(&shape.window(w), &shape, &vocabulary);
    let parts: Vec<Column> = (0..rows.div_ceil(WINDOW)).map(made).collect();
    Column::concat(&parts.iter().collect::<Vec<_>>())
}

fn distinct(column: &Column) -> usize {
    (0..column.len()).map(|i| format!("{:?}", column.value(i))).collect::<HashSet<_>>().len()
}

const ROWS: u64 = 200_000;

#[test]
fn every_column_has_its_type_and_all_rows() {
    let shape = Shape::new(10_000, 7);
    let vocabulary = Vocabulary::new(7);
    assert_eq!(COLUMNS.len(), 105);
    for window in 0..2 {
        let plan = shape.window(window);
        for c in COLUMNS {
            let made = c.make(&plan, &shape, &vocabulary);
            assert_eq!(made.len(), plan.len(), "{}", c.name);
            assert_eq!(made.physical(), c.ty.physical(), "{}", c.name);
        }
    }
}

#[test]
fn windows_do_not_depend_on_each_other() {
    let (shape, vocabulary) = (Shape::new(50_000, 3), Vocabulary::new(3));
    let urls = |w| vocabulary.pages(&shape.window(w), &shape);
    let later = urls(4);
    let _ = (urls(0), urls(2));
    assert!(later.iter().eq(urls(4).iter()));
}

#[test]
fn shares_and_cardinalities() {
    let phrases = column("SearchPhrase", ROWS);
    let strings = phrases.strings().unwrap();
    let empty = strings.iter().filter(|s| s.is_empty()).count() as f64 / ROWS as f64;
    assert!((0.85..0.89).contains(&empty), "{empty}");

    let adverts = column("AdvEngineID", ROWS);
    let none = adverts.native::<i16>().unwrap().iter().filter(|v| **v == 0).count() as f64;
    assert!((0.992..0.995).contains(&(none / ROWS as f64)), "{none}");

    let counters = column("CounterID", ROWS);
    let counters = counters.native::<i32>().unwrap();
    let of_62 = counters.iter().filter(|c| **c == 62).count() as f64 / ROWS as f64;
    assert!((0.006..0.009).contains(&of_62), "{of_62}");

    assert_eq!(distinct(&column("WatchID", ROWS)), ROWS as usize);
    let users = distinct(&column("UserID", ROWS));
    let wanted = Shape::new(ROWS, 1).users as usize;
    assert!((wanted / 2..wanted * 2).contains(&users), "{users} of {wanted}");
    let urls = distinct(&column("URL", ROWS));
    assert!((ROWS as usize / 8..ROWS as usize / 2).contains(&urls), "{urls}");
}

#[test]
fn rows_are_sorted_by_site_and_day_in_three_runs() {
    let counters = column("CounterID", ROWS);
    let days = column("EventDate", ROWS);
    let (counters, days) = (counters.native::<i32>().unwrap(), days.native::<u16>().unwrap());
    let falls = (1..counters.len())
        .filter(|&i| (counters[i - 1], days[i - 1]) > (counters[i], days[i]))
        .count();
    assert_eq!(falls, 2);
}

#[test]
fn parts_of_windows_are_cut_out_of_them() {
    let hits = Hits::new(20_000, 5);
    let whole = hits.window(1, 0..20_000, &[9]);
    let part = hits.window(1, WINDOW + 10..WINDOW + 30, &[9]);
    assert_eq!((whole.rows, part.rows), (WINDOW as usize, 20));
    let first = |chunk: &Chunk, i| chunk.columns[0].value(i);
    assert!((0..20).all(|i| first(&part, i) == first(&whole, 10 + i)));
}
