// The server, asked with the credentials that the page's reader gave; and what the history's statements answer.

/** Rows of a statement as objects. `parameters` fill in `{name:Type}`. */
async function rows(query, parameters = {}) {
  const url = new URL('/', location.href);
  url.searchParams.set('default_format', 'JSON');
  url.searchParams.set('output_format_json_quote_64bit_integers', '1');
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(`param_${name}`, value);
  const headers = { 'X-ClickHouse-User': by('user').value || 'default' };
  if (by('password').value) headers['X-ClickHouse-Key'] = by('password').value;
  const response = await fetch(url, { method: 'POST', body: query, headers });
  const text = await response.text();
  if (!response.ok) throw Object.assign(new Error(text.trim()), { code: +response.headers.get('X-ClickHouse-Exception-Code') });
  return JSON.parse(text).data;
}
/** A statement on series, or on their runs, from behind levels.sql on; `of` are its parameters. */
const behindLevels = (statement, of) => rows(`WITH\n${by('sql-levels').textContent}${statement}`, { test: '', query_hash: '0', ...of });
const onSeries = (name, of) => behindLevels(by(`sql-${name}`).textContent, of);

/** The series of a metric: last verdict and some values of each. */
async function list(metric) {
  const found = await behindLevels(`
    SELECT cpu, test, query_hash, argMax(query_index, time) AS query_index, toUnixTimestamp(max(time)) AS seconds, count() AS comparisons,
        argMax(verdict, time) AS word, argMax(theta, time) AS theta, argMax(low, time) AS low, argMax(high, time) AS high,
        argMax(mde, time) AS mde, argMax(new, time) AS value,
        arraySlice(arrayMap(x -> x.2, arraySort(groupArray((time, new)))), -40) AS spark
    FROM lab.verdict FINAL
    WHERE metric = {metric:String} AND run_id IN (SELECT run_id FROM runs)
    GROUP BY cpu, test, query_hash
    ORDER BY seconds DESC, test, query_index`, { metric });
  const seen = new Set();
  return found.map(row => {
    const name = `${row.test} #${row.query_index}`, plain = `${encodeURIComponent(row.test)}.${row.query_index}.${metric}`;
    // Two texts may have had the same number: the one that was measured last has the plain anchor.
    const own = `${plain}@${row.query_hash}`, anchor = !seen.has(plain) || seen.has(own) ? plain : own;
    if (!seen.has(plain)) { seen.add(plain); seen.add(own); }
    return { ...row, name, anchor, metric, comparisons: +row.comparisons, key: [row.cpu, row.test, row.query_hash].join('\n') };
  });
}

// As crates/lab/src/history: how near a change of E-divisive must be to a candidate of the scan, how many queries
// tell of a host, and by how much they must have moved.
const FEWEST_APART = 3, FEWEST = 5, EVERYWHERE = 0.01;

/** Confirmed steps of all series of a metric: key to a list of `{at, run, step, z, window, p, everywhere}`. */
async function steps(metric) {
  const candidates = Map.groupBy(await onSeries('steps', { metric }), row => [row.cpu, row.test, row.query_hash].join('\n'));
  const found = new Map();
  if (!candidates.size) return found;
  const hashes = [...new Set([...candidates.keys()].map(key => key.split('\n')[2]))];
  for (const row of await onSeries('changes', { metric, hashes: `[${hashes}]` })) {
    const key = [row.cpu, row.test, row.query_hash].join('\n'), all = candidates.get(key);
    if (all) found.set(key, confirm(row.changes, all));
  }
  return found;
}
function confirm(changes, candidates) {
  const taken = [];
  for (const one of [...candidates].sort((a, b) => Math.abs(b.z) - Math.abs(a.z))) {
    const place = one.place - 1, reach = Math.max(FEWEST_APART, one.points >> 1);
    const nearest = changes.map(change => ({ at: change.at - 1, step: change.after - change.before, p: change.p_value }))
      .filter(change => Math.abs(change.at - place) <= reach && change.step > 0 === one.step > 0 && !taken.some(step => step.at === change.at))
      .sort((a, b) => Math.abs(a.at - place) - Math.abs(b.at - place))[0];
    const shared = one.step > 0 ? one.least_shift : -one.most_shift;
    if (nearest) taken.push({ ...nearest, z: one.z, window: one.points, everywhere: one.queries >= FEWEST && shared >= EVERYWHERE });
  }
  return taken.sort((a, b) => a.at - b.at);
}

/** Points of a query's series, one list for each processor, with what the runs' own verdicts were. */
async function points(metric, row) {
  const of = { metric, test: row.test, query_hash: row.query_hash };
  const [all, verdicts, texts] = await Promise.all([
    onSeries('points', of),
    rows(`SELECT run_id, verdict, theta, class FROM lab.verdict FINAL
      WHERE metric = {metric:String} AND test = {test:String} AND query_hash = {query_hash:UInt64}`, of),
    rows(`SELECT argMax(text, updated) AS text FROM lab.query WHERE test = {test:String} AND query_hash = {query_hash:UInt64}`, of),
  ]);
  const said = new Map(verdicts.map(verdict => [verdict.run_id, verdict]));
  for (const point of all) point.said = said.get(point.run_id);
  return { byCpu: Map.groupBy(all, point => point.cpu), text: texts[0]?.text || '' };
}

/** Size of a step with its interval, and what pairs within runs say of it: adds `theta`, `low`, `high`, `paired`, `environment`. */
async function measure(all, step, before, after) {
  const NEAR = 30, from = Math.max(before, step.at - NEAR), to = Math.min(after, step.at + NEAR);
  const near = all.slice(from, to), values = near.map((point, at) => `(${Math.exp(point.y)},${from + at >= step.at ? 1 : 0})`);
  const [{ size }] = await rows(`SELECT medianRatioCI(0.95)(x.1, x.2) AS size FROM (SELECT arrayJoin([${values}]) AS x)`);
  const known = list => list.map(point => point.ratio).filter(ratio => ratio !== null), ratios = known(near);
  // The run's own ratio counts if it is three deviations away from its neighbours' (crates/lab/src/history/confirm.rs).
  const sign = Math.sign(step.step), own = all[step.at].ratio, middle = medianOf(ratios);
  const stands = own !== null && Math.abs(own - middle) >= 3 * 1.4826 * medianOf(ratios.map(ratio => Math.abs(ratio - middle)));
  const moved = medianOf(known(near.slice(step.at - from))) - medianOf(known(near.slice(0, step.at - from)));
  const evidence = [stands ? own : NaN, moved].filter(isFinite).map(ratio => ratio * sign);
  const paired = evidence.length ? Math.max(...evidence) * sign : null, theta = Math.log(size.ratio);
  return { ...step, theta, low: Math.log(size.low), high: size.high === null ? Infinity : Math.log(size.high), paired,
    environment: step.everywhere && !(paired !== null && paired * sign >= Math.abs(theta) / 2) };
}
