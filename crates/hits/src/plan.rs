//! The plan of a window of rows: which visitor opens which page, and when.

use crate::draw::{bits, pick, to_unit, unit, zipf};

/// The number of rows that are planned together; sessions end at the edges of a window.
pub const WINDOW: u64 = 8192;
/// The number of sites.
pub const COUNTERS: usize = 6506;
/// 2013-07-01 00:00:00 UTC.
pub const FIRST_SECOND: u64 = 1_372_636_800;
const DAYS: u64 = 31;

/// Sites that the benchmark's queries ask for, with their shares of all rows.
const NAMED: &[(u32, f64)] = &[
    (3922, 0.085),
    (199_550, 0.035),
    (122_612, 0.022),
    (233_773, 0.018),
    (245_438, 0.014),
    (122_458, 0.011),
    (62, 0.0074),
];

/// The shares of the three sorted runs.
const RUNS: [f64; 3] = [0.5, 0.3, 0.2];

/// The kinds of referers of a hit.
pub mod referer {
    /// No referer.
    pub const NONE: u64 = 0;
    /// A page of the same site.
    pub const OWN: u64 = 1;
    /// A search engine.
    pub const SEARCH: u64 = 2;
    /// Another site.
    pub const OTHER: u64 = 3;
}

/// The parameters that all windows share: cardinalities, shares of sites, row ranges.
pub struct Shape {
    /// Number of rows of the whole table.
    pub rows: u64,
    /// The seed of all draws.
    pub seed: u64,
    /// Number of visitors.
    pub users: u64,
    /// Number of distinct search phrases.
    pub phrases: u64,
    /// Number of distinct addresses of other sites.
    pub others: u64,
    /// The ids of the sites, ascending.
    pub counters: Vec<u32>,
    /// First page id of each site, and one past the last.
    pub first_page: Vec<u64>,
    /// The cumulative shares of the sites; one entry more than sites.
    share: Vec<f64>,
    /// The first row of each run, and the number of rows.
    run_start: [u64; 4],
    /// The share of hits that open a page for the first time.
    new_page: f64,
}

/// The plan of the rows of one window, column by column.
#[derive(Default)]
pub struct Plan {
    /// Row numbers in the whole table.
    pub row: Vec<u64>,
    /// The index of the site.
    pub counter: Vec<u32>,
    /// The time of the hit, in UTC seconds since 1970.
    pub second: Vec<u32>,
    /// The visitor's number.
    pub user: Vec<u64>,
    /// The page's id.
    pub page: Vec<u64>,
    /// The phrase's id; `None` if the hit did not come from a search.
    pub phrase: Vec<Option<u64>>,
    /// The kind of referer (see [`referer`]) and its id.
    pub referer: Vec<(u64, u64)>,
}

impl Plan {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.row.len()
    }
}

impl Shape {
    /// Computes the parameters. Cardinalities follow powers of the row count, so that small tables
    /// look like samples of large ones.
    pub fn new(rows: u64, seed: u64) -> Self {
        let scale = rows.max(1) as f64 / 1e8;
        let total = rows.max(1) as f64;
        let new_page = (18.34e6 * scale.powf(0.93) / total).min(1.0);
        let (counters, share) = sites(seed);
        let mut first_page = vec![0];
        for i in 0..counters.len() {
            let pages = ((share[i + 1] - share[i]) * total * new_page).ceil().max(2.0) as u64;
            first_page.push(first_page[i] + pages);
        }
        let mut run_start = [0, 0, 0, rows];
        run_start[1] = (total * RUNS[0]) as u64;
        run_start[2] = (total * (RUNS[0] + RUNS[1])) as u64;
        Self {
            rows,
            seed,
            users: ((17.63e6 * scale.powf(0.90)) as u64).max(1000),
            phrases: ((6.02e6 * scale.powf(0.93)) as u64).max(100),
            others: ((total * 0.33 * 0.36 * scale.powf(-0.05)) as u64).max(100),
            counters,
            first_page,
            share,
            run_start,
            new_page,
        }
    }

    /// The site of a row, the row's position within the site's rows of the run as a fraction, and
    /// the rows left.
    fn place(&self, row: u64) -> (usize, f64, u64) {
        let run = (0..3).rev().find(|&r| row >= self.run_start[r]).unwrap_or(0);
        let (start, end) = (self.run_start[run], self.run_start[run + 1]);
        let at = (row - start) as f64 / (end - start).max(1) as f64;
        let site = self.share.partition_point(|s| *s <= at).clamp(1, self.counters.len()) - 1;
        let width = self.share[site + 1] - self.share[site];
        let within = ((at - self.share[site]) / width).clamp(0.0, 0.999_999_9);
        // The number of rows before the next site begins.
        let left = ((self.share[site + 1] - at) * (end - start) as f64).ceil().max(1.0) as u64;
        (site, within, left)
    }

    /// The plan of a window.
    pub fn window(&self, window: u64) -> Plan {
        let (start, end) = (window * WINDOW, self.rows.min((window + 1) * WINDOW));
        let mut plan = Plan::default();
        let mut row = start;
        while row < end {
            let (site, within, left) = self.place(row);
            let key = bits(row, self.seed ^ 0x5e55);
            let hits = session_length(to_unit(key)).min(left).min(end - row);
            self.session(&mut plan, row, hits, site, within);
            row += hits;
        }
        plan
    }

    fn session(&self, plan: &mut Plan, row: u64, hits: u64, site: usize, within: f64) {
        let key = bits(row, self.seed ^ 0xace);
        let user = self.visitor(row, key);
        let day = day_of(within);
        let mut second = second_of_day(key) as f64;
        for row in row..row + hits {
            let hit = bits(row, self.seed);
            let (first, pages) =
                (self.first_page[site], self.first_page[site + 1] - self.first_page[site]);
            plan.row.push(row);
            plan.counter.push(site as u32);
            plan.second.push((FIRST_SECOND + day * 86_400 + (second as u64).min(86_399)) as u32);
            plan.user.push(user);
            let page = if unit(hit, 1) < self.new_page {
                (within * pages as f64) as u64 + pick(hit, 2, 1 + pages / 512)
            } else if unit(hit, 3) < 0.1 {
                0
            } else {
                zipf(unit(hit, 4), pages, 0.8)
            };
            plan.page.push(first + page.min(pages - 1));
            let phrase = (unit(hit, 5) < 0.1317).then(|| self.phrase(row, hit));
            plan.phrase.push(phrase);
            plan.referer.push(self.referer(hit, phrase, first, pages));
            second += -45.0 * (1.0 - unit(hit, 6)).ln();
        }
    }

    /// The visitor of a session. Two thirds of the sessions are their visitor's first; the others
    /// belong to a few regular visitors.
    fn visitor(&self, row: u64, key: u64) -> u64 {
        let regulars = self.users as f64 * 0.002 + 5.0;
        if unit(key, 7) < 0.66 {
            let slot = (row as f64 / self.rows as f64 * self.users as f64) as u64;
            return slot.min(self.users - 1);
        }
        // Ranks are spread over all visitors; otherwise the regular visitors would be the first
        // site's.
        let rank = zipf(unit(key, 8), self.users, regulars);
        rank.wrapping_mul(0x9E37_79B1) % self.users
    }

    fn phrase(&self, row: u64, hit: u64) -> u64 {
        let fresh = self.phrases as f64 / (self.rows.max(1) as f64 * 0.1317);
        if unit(hit, 9) < fresh {
            let slot = (row as f64 / self.rows as f64 * self.phrases as f64) as u64;
            return slot.wrapping_mul(0x9E37_79B1) % self.phrases;
        }
        zipf(unit(hit, 10), self.phrases, 20.0)
    }

    fn referer(&self, hit: u64, phrase: Option<u64>, first: u64, pages: u64) -> (u64, u64) {
        if let Some(phrase) = phrase {
            return (referer::SEARCH, phrase);
        }
        let kind = unit(hit, 11);
        if kind < 0.46 {
            let page = if unit(hit, 12) < 0.45 {
                pick(hit, 13, pages)
            } else {
                zipf(unit(hit, 14), pages, 0.8)
            };
            (referer::OWN, first + page)
        } else if kind < 0.79 {
            let fresh = 0.36;
            let id = if unit(hit, 15) < fresh {
                pick(hit, 16, self.others)
            } else {
                zipf(unit(hit, 17), self.others, 8.0)
            };
            (referer::OTHER, id)
        } else {
            (referer::NONE, 0)
        }
    }
}

fn sites(seed: u64) -> (Vec<u32>, Vec<f64>) {
    let mut ids: Vec<u32> = NAMED.iter().map(|(id, _)| *id).collect();
    let mut next = 0;
    while ids.len() < COUNTERS {
        let id = 26 + pick(next, seed ^ 0xc0de, 261_900) as u32;
        next += 1;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let named: f64 = NAMED.iter().map(|(_, share)| share).sum();
    let weight = |i: usize| (i as f64 + 3.2).powf(-1.12);
    let others: f64 = (0..COUNTERS - NAMED.len()).map(weight).sum();
    let mut list: Vec<(u32, f64)> = NAMED.to_vec();
    for (i, id) in ids[NAMED.len()..].iter().enumerate() {
        list.push((*id, weight(i) / others * (1.0 - named)));
    }
    list.sort_by_key(|(id, _)| *id);
    let mut share = vec![0.0];
    for (i, (_, s)) in list.iter().enumerate() {
        share.push(share[i] + s);
    }
    (list.into_iter().map(|(id, _)| id).collect(), share)
}

/// The number of hits of a session: Pareto with exponent 1.9, three on average.
fn session_length(r: f64) -> u64 {
    let pareto = (1.0 - r).powf(-1.0 / 1.9) - 1.0;
    ((pareto * 1.55 + 1.0) as u64).clamp(1, 4000)
}

/// The day at a fraction of a site's rows: working days have a quarter more hits.
fn day_of(within: f64) -> u64 {
    let weight = |day: u64| if day % 7 < 4 { 1.25 } else { 1.0 };
    let total: f64 = (0..DAYS).map(weight).sum();
    let mut left = within * total;
    for day in 0..DAYS {
        left -= weight(day);
        if left < 0.0 {
            return day;
        }
    }
    DAYS - 1
}

/// The second of the day of a hit: few hits at night, most in the afternoon.
fn second_of_day(key: u64) -> u64 {
    let r = unit(key, 18);
    let spread = (unit(key, 19) + unit(key, 20) + unit(key, 21) - 1.5) * 10_000.0;
    let at = (0.25 + 0.75 * (0.6 * r + 0.4 * r * r)) * 86_400.0 + spread;
    (at as i64).rem_euclid(86_400) as u64
}
