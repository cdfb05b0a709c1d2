//! Rows are read back; disks fail; processes crash.

use entasis_base::events::Counters;
use entasis_base::{CancelToken, MemoryAccount};
use entasis_disk::{Disk, Fault, FaultDisk, MemoryDisk};
use entasis_expr::ColumnId;
use entasis_pipeline::Read;
use entasis_table_api::ColumnDef;
use entasis_types::DataType;

use super::*;

const PLACE: &str = "tables/1/data";

fn schema() -> Arc<Schema> {
    let text = DataType::nullable(DataType::String);
    Schema::new(vec![ColumnDef::new("n", DataType::UInt64), ColumnDef::new("s", text)])
}

fn directory(disk: &Arc<dyn Disk>) -> Directory {
    Directory::new(Arc::clone(disk), PLACE.into(), false, Arc::new(()))
}

/// Creates the directory of a table on a disk, as the store does.
fn prepare(disk: &dyn Disk) {
    disk.create_dir_all("tables/1").unwrap();
    disk.sync_dir("").unwrap();
    disk.sync_dir("tables").unwrap();
}

fn open(disk: &Arc<dyn Disk>) -> Result<Arc<Log>> {
    Log::open("Log", schema(), directory(disk))
}

fn context(max_block_size: usize) -> QueryContext {
    QueryContext {
        events: Counters::start("test", ""),
        cancel: CancelToken::new(),
        memory: MemoryAccount::root("test", u64::MAX),
        max_threads: 1,
        max_block_size,
        fold_inserts: true,
        derived_on_insert: entasis_pipeline::DerivedOnInsert::default(),
        max_insert_partitions: 100,
        progress: Arc::default(),
        profile: None,
        hook: None,
    }
}

fn chunk(numbers: &[u64]) -> Chunk {
    let texts: entasis_column::Strings =
        numbers.iter().map(|n| "x".repeat((n % 7) as usize)).collect();
    let valid = entasis_column::Bitmap::from_fn(numbers.len(), |i| numbers[i] % 3 > 0);
    let columns = vec![numbers.to_vec().into(), Column::nullable(texts.into(), valid)];
    Chunk::new(columns, numbers.len())
}

/// Inserts chunks as one statement.
fn insert(table: &Log, chunks: &[&[u64]]) -> Result<()> {
    let context = context(8192);
    let sink = table.insert(&context)?;
    let mut state = sink.open()?;
    for numbers in chunks {
        state.push(Morsel { sequence: 0, chunk: chunk(numbers) })?;
    }
    state.combine()?;
    sink.finalize(&context)?;
    entasis_table_api::commit(sink.prepared()?)
}

/// The numbers of all rows; checks that the texts match them.
fn numbers(snapshot: &dyn Snapshot, max_block_size: usize) -> Result<Vec<u64>> {
    let spec = ScanSpec::of_columns([(ColumnId(0), 0), (ColumnId(1), 1)]);
    let mut reader = snapshot.scan(&spec, &context(max_block_size))?.reader()?;
    let mut out = Vec::new();
    while let Read::Chunk(morsel) = reader.next()? {
        assert!(morsel.chunk.rows <= max_block_size);
        let rows: Vec<u64> = (0..morsel.chunk.rows)
            .filter_map(|i| morsel.chunk.columns[0].value(i).as_u64())
            .collect();
        let expected = chunk(&rows);
        for i in 0..rows.len() {
            assert_eq!(morsel.chunk.columns[1].value(i), expected.columns[1].value(i));
        }
        out.extend(rows);
    }
    assert_eq!(snapshot.row_count(), Some(out.len() as u64));
    Ok(out)
}

fn all(table: &Log) -> Vec<u64> {
    numbers(&*table.snapshot().unwrap(), 8192).unwrap()
}

fn files(disk: &Arc<dyn Disk>) -> Vec<String> {
    disk.list(PLACE).unwrap().into_iter().map(|entry| entry.name).collect()
}

fn memory() -> Arc<dyn Disk> {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    prepare(&*disk);
    disk
}

#[test]
fn rows_come_back_in_their_order_after_a_restart() {
    let disk = memory();
    let table = open(&disk).unwrap();
    assert_eq!(all(&table), []);
    insert(&table, &[]).unwrap();
    insert(&table, &[&[5, 6], &[4]]).unwrap();
    let many: Vec<u64> = (100..100_100).collect();
    insert(&table, &[&many[..50_000], &many[50_000..90_000], &many[90_000..]]).unwrap();
    insert(&table, &[&[1]]).unwrap();
    let expected = [&[5, 6, 4], &many[..], &[1]].concat();
    for table in [table, open(&disk).unwrap()] {
        assert_eq!(all(&table), expected);
        assert_eq!(numbers(&*table.snapshot().unwrap(), 7).unwrap(), expected);
        assert!(table.total_bytes() > Some(100_000));
    }
}

#[test]
fn readers_keep_what_they_began_with() {
    let disk = memory();
    let table = open(&disk).unwrap();
    insert(&table, &[&[1]]).unwrap();
    let before = table.snapshot().unwrap();
    insert(&table, &[&[2]]).unwrap();
    let both = table.snapshot().unwrap();
    table.truncate().unwrap();
    insert(&table, &[&[3]]).unwrap();
    assert_eq!(numbers(&*before, 10).unwrap(), [1]);
    assert_eq!(numbers(&*both, 10).unwrap(), [1, 2]);
    assert_eq!(files(&disk).len(), 5);
    drop((before, both));
    assert_eq!(files(&disk), ["1-0.col", "1-1.col", "marks"]);
    assert_eq!(all(&open(&disk).unwrap()), [3]);
}

#[test]
fn what_a_crash_left_behind_the_marks_is_cut_off() {
    let disk = memory();
    insert(&open(&disk).unwrap(), &[&[1, 2]]).unwrap();
    for name in ["0-0.col", "0-1.col", "marks"] {
        let mut file = disk.append(&format!("{PLACE}/{name}")).unwrap();
        file.write_all(&[7; 33]).unwrap();
    }
    disk.create(&format!("{PLACE}/8-0.col")).unwrap();
    let table = open(&disk).unwrap();
    assert_eq!(files(&disk).len(), 3);
    assert_eq!(all(&table), [1, 2]);
    insert(&table, &[&[3]]).unwrap();
    assert_eq!(all(&table), [1, 2, 3]);
    assert_eq!(all(&open(&disk).unwrap()), [1, 2, 3]);
}

#[test]
fn damage_is_an_error() {
    let disk = memory();
    let table = open(&disk).unwrap();
    insert(&table, &[&[1, 2]]).unwrap();
    insert(&table, &[&[3]]).unwrap();
    let path = format!("{PLACE}/0-0.col");
    let bytes = disk.read_to_end(&path, 1 << 20).unwrap();
    for at in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        disk.write_atomically(&path, &bad).unwrap();
        let error = numbers(&*open(&disk).unwrap().snapshot().unwrap(), 10).unwrap_err();
        let expected = [codes::CORRUPTED_DATA, codes::CHECKSUM_DOESNT_MATCH];
        assert!(expected.contains(&error.code()), "{at}: {error}");
    }
    disk.write_atomically(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert!(open(&disk).unwrap_err().message().contains("0-0.col"));
    disk.write_atomically(&path, &bytes).unwrap();
    assert_eq!(all(&open(&disk).unwrap()), [1, 2, 3]);
    disk.remove(&format!("{PLACE}/marks")).unwrap();
    assert!(open(&disk).unwrap_err().message().contains("missing"));
}

#[test]
fn nothing_is_written_where_that_is_not_allowed() {
    let disk = memory();
    insert(&open(&disk).unwrap(), &[&[1]]).unwrap();
    let directory = Directory::new(Arc::clone(&disk), PLACE.into(), true, Arc::new(()));
    let table = Log::open("Log", schema(), directory).unwrap();
    assert_eq!(all(&table), [1]);
    assert_eq!(insert(&table, &[&[2]]).unwrap_err().code(), codes::TABLE_IS_READ_ONLY);
    assert_eq!(table.truncate().unwrap_err().code(), codes::TABLE_IS_READ_ONLY);
}

/// Runs statement number `n`; changes `rows` as it changes the table.
fn step(table: &Log, n: u64, rows: &mut Vec<u64>) -> Result<()> {
    match n % 4 {
        3 => table.truncate()?,
        _ => insert(table, &[&[10 * n, 10 * n + 1], &[10 * n + 2]])?,
    }
    extend(n, rows);
    Ok(())
}

/// Appends the rows of statement number `n`.
fn extend(n: u64, rows: &mut Vec<u64>) {
    match n % 4 {
        3 => rows.clear(),
        _ => rows.extend(10 * n..10 * n + 3),
    }
}

const STEPS: u64 = 7;

#[test]
fn a_failed_statement_leaves_the_table_as_it_was() {
    let whole = Arc::new(FaultDisk::new());
    let disk: Arc<dyn Disk> = Arc::clone(&whole) as _;
    prepare(&*disk);
    let (table, begin) = (open(&disk).unwrap(), whole.calls());
    (0..STEPS).for_each(|n| step(&table, n, &mut Vec::new()).unwrap());
    for at in begin..whole.calls() {
        let faulty = Arc::new(FaultDisk::new());
        let disk: Arc<dyn Disk> = Arc::clone(&faulty) as _;
        prepare(&*disk);
        // `others` are the rows if a failed TRUNCATE took effect.
        let (table, mut rows, mut others) = (open(&disk).unwrap(), Vec::new(), None);
        let mut last_failed = false;
        faulty.fail_at(at, Fault::Error);
        for n in 0..STEPS {
            let done = step(&table, n, &mut rows);
            last_failed = done.is_err();
            if let Some(others) = &mut others {
                // Only the first failure was planned.
                done.unwrap();
                extend(n, others);
            } else if done.is_err() && n % 4 == 3 {
                others = Some(Vec::new());
            }
            if !faulty.faults_struck() {
                continue; // the planned failure would hit a read
            }
            let found = all(&table);
            assert!(found == rows || Some(&found) == others.as_ref(), "call {at}, statement {n}");
        }
        let found = all(&table);
        let again: Arc<dyn Disk> = Arc::new(faulty.restart_clean());
        let after = all(&open(&again).unwrap());
        // The frame of an INSERT whose last sync failed may be in the file. A later INSERT would
        // cut it off, but none follows the last statement.
        let mut then = found.clone();
        extend(STEPS - 1, &mut then);
        assert!(after == found || last_failed && after == then, "call {at}: {after:?}");
    }
}

#[test]
fn acknowledged_statements_survive_a_crash() {
    let whole = Arc::new(FaultDisk::new());
    let disk: Arc<dyn Disk> = Arc::clone(&whole) as _;
    prepare(&*disk);
    let (table, begin) = (open(&disk).unwrap(), whole.changes());
    (0..STEPS).for_each(|n| step(&table, n, &mut Vec::new()).unwrap());
    for at in begin..=whole.changes() {
        for seed in 0..4 {
            let faulty = Arc::new(FaultDisk::new());
            let disk: Arc<dyn Disk> = Arc::clone(&faulty) as _;
            prepare(&*disk);
            let (table, mut rows) = (open(&disk).unwrap(), Vec::new());
            faulty.crash_at(at);
            let done = (0..STEPS).take_while(|n| step(&table, *n, &mut rows).is_ok()).count();
            let again: Arc<dyn Disk> = Arc::new(faulty.restart(seed));
            let table = open(&again).unwrap();
            let found = all(&table);
            // The statement that was running at the crash may or may not have taken effect.
            let mut then = rows.clone();
            extend(done as u64, &mut then);
            assert!(found == rows || found == then, "change {at}, seed {seed}: {found:?}");
            insert(&table, &[&[99]]).unwrap();
            assert_eq!(all(&open(&again).unwrap()), [&found[..], &[99]].concat());
        }
    }
}

/// What a check finds, with the totals.
fn checked(disk: &Arc<dyn Disk>) -> (Vec<String>, Checked) {
    let mut found = Vec::new();
    let mut add = |path: &str, what: &str| {
        found.push(format!("{}: {what}", path.trim_start_matches("tables/1/data/")));
    };
    let totals = check(&schema(), &directory(disk), &mut add).unwrap();
    (found, totals)
}

/// Repairs the table, and answers what was said.
fn repaired(disk: &Arc<dyn Disk>, drop_rows: bool) -> Vec<String> {
    let move_away = |path: &str| {
        let to = format!("lost-{}", path.replace('/', "-"));
        disk.rename(path, &to).map(|()| to)
    };
    let mut all = Vec::new();
    let said = &mut |what: &str| all.push(what.to_owned());
    repair(&schema(), &directory(disk), Repair { drop_rows, move_away: &move_away, said }).unwrap();
    all
}

/// A table with three INSERTs of two, one and two rows.
fn three() -> Arc<dyn Disk> {
    let disk = memory();
    let table = open(&disk).unwrap();
    for numbers in [&[1, 2][..], &[3], &[4, 5]] {
        insert(&table, &[numbers]).unwrap();
    }
    disk
}

fn change(disk: &Arc<dyn Disk>, name: &str, how: impl FnOnce(&mut Vec<u8>)) {
    let path = format!("{PLACE}/{name}");
    let mut bytes = disk.read_to_end(&path, 1 << 20).unwrap();
    how(&mut bytes);
    disk.write_atomically(&path, &bytes).unwrap();
}

#[test]
fn a_check_finds_nothing_in_good_files() {
    let (disk, empty) = (three(), memory());
    let bytes = open(&disk).unwrap().total_bytes().unwrap();
    assert_eq!(checked(&disk), (vec![], Checked { bytes, unfinished: 0 }));
    assert_eq!(checked(&empty), (vec![], Checked::default()));
    assert_eq!((repaired(&disk, true), repaired(&empty, true)), (vec![], vec![]));
    // An INSERT wrote its columns and not its frame.
    change(&disk, "0-1.col", |bytes| bytes.extend([7; 40]));
    assert_eq!(checked(&disk), (vec![], Checked { bytes, unfinished: 1 }));
    assert_eq!(repaired(&disk, true), Vec::<String>::new());
}

#[test]
fn a_cut_column_loses_the_rows_behind_the_cut() {
    let disk = three();
    change(&disk, "0-1.col", |bytes| bytes.truncate(bytes.len() - 1));
    let (found, _) = checked(&disk);
    assert!(found.len() == 1 && found[0].starts_with("0-1.col: it has"), "{found:?}");
    assert!(found[0].ends_with("were written: 2 rows are cut"), "{found:?}");
    assert_eq!(repaired(&disk, false), Vec::<String>::new());
    assert!(open(&disk).is_err());
    let said = repaired(&disk, true);
    assert!(said.last().unwrap().ends_with("was written anew, with 3 rows"), "{said:?}");
    assert!(disk.exists("lost-tables-1-data-0-1.col").unwrap());
    assert_eq!((all(&open(&disk).unwrap()), checked(&disk).0), (vec![1, 2, 3], vec![]));
    insert(&open(&disk).unwrap(), &[&[6]]).unwrap();
    assert_eq!(all(&open(&disk).unwrap()), [1, 2, 3, 6]);
    // A file of a column that is not there at all has lost everything.
    let disk = three();
    disk.remove(&format!("{PLACE}/0-0.col")).unwrap();
    assert!(checked(&disk).0[0].ends_with("5 rows are cut"));
    repaired(&disk, true);
    assert_eq!((all(&open(&disk).unwrap()), checked(&disk).0), (vec![], vec![]));
}

#[test]
fn a_damaged_block_loses_its_rows_alone() {
    let good = three();
    let len = good.open(&format!("{PLACE}/0-0.col")).unwrap().len() as usize;
    let mut seen = std::collections::BTreeSet::new();
    for at in 0..len {
        let disk = three();
        change(&disk, "0-0.col", |bytes| bytes[at] ^= 1);
        let (found, _) = checked(&disk);
        assert!(found.len() == 1 && found[0].contains(" rows: "), "{found:?}");
        assert_eq!(repaired(&disk, false), Vec::<String>::new());
        assert_eq!(repaired(&disk, true).len(), 5);
        assert_eq!(checked(&disk).0, Vec::<String>::new());
        seen.insert(all(&open(&disk).unwrap()));
    }
    let expected = [vec![1, 2, 3], vec![1, 2, 4, 5], vec![3, 4, 5]];
    assert!(seen.into_iter().eq(expected));
}

#[test]
fn damaged_or_missing_marks_are_rebuilt_from_the_columns() {
    let len = three().open(&format!("{PLACE}/marks")).unwrap().len() as usize;
    for at in 0..=len {
        let disk = three();
        match at == len {
            true => disk.remove(&format!("{PLACE}/marks")).unwrap(),
            false => change(&disk, "marks", |bytes| bytes[at] ^= 1),
        }
        let (found, _) = checked(&disk);
        assert!(found.len() == 1 && found[0].starts_with("marks: "), "{at}: {found:?}");
        repaired(&disk, false);
        assert_eq!(checked(&disk).0, Vec::<String>::new());
        assert_eq!(all(&open(&disk).unwrap()), [1, 2, 3, 4, 5], "{at}");
    }
}

#[test]
fn a_torn_frame_is_said_and_its_rows_come_back() {
    let disk = three();
    change(&disk, "marks", |bytes| bytes.truncate(bytes.len() - 3));
    assert_eq!(all(&open(&disk).unwrap()), [1, 2, 3]);
    let (found, _) = checked(&disk);
    assert!(found[0].contains("the last INSERT, 2 rows, cannot be seen"), "{found:?}");
    repaired(&disk, false);
    assert_eq!((all(&open(&disk).unwrap()), checked(&disk).0), (vec![1, 2, 3, 4, 5], vec![]));
    // With its columns damaged as well, its rows are lost.
    let disk = three();
    change(&disk, "marks", |bytes| bytes.truncate(bytes.len() - 3));
    change(&disk, "0-0.col", |bytes| *bytes.last_mut().unwrap() ^= 1);
    assert!(checked(&disk).0.iter().any(|what| what.contains("its rows are lost")));
    repaired(&disk, true);
    assert_eq!((all(&open(&disk).unwrap()), checked(&disk).0), (vec![1, 2, 3], vec![]));
}

#[test]
fn files_of_a_newer_version_are_left_alone() {
    let disk = three();
    change(&disk, "marks", |bytes| {
        bytes[7] += 1;
        let sum = entasis_codec::checksum(&bytes[..16]);
        bytes[16..24].copy_from_slice(&sum.to_le_bytes());
    });
    let error = check(&schema(), &directory(&disk), &mut |_, _| {}).unwrap_err();
    assert!(error.message().contains("newer"), "{error}");
    let move_away = |_: &str| unreachable!();
    let options = Repair { drop_rows: true, move_away: &move_away, said: &mut |_| {} };
    assert!(repair(&schema(), &directory(&disk), options).is_err());
}
