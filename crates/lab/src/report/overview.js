// The first screen and the lists below it; which of the two views is shown.

const queryCell = query => el('a', { href: query.anchor }, query.name);
const flat = text => text.replace(/\s+/g, ' ').slice(0, 300);
const QUERY = { title: 'Query', width: 190, value: s => s.query.name, cell: s => queryCell(s.query) };
const TEXT = { title: 'Text', class: 'code', value: s => flat(s.query.text) };
const MDE = { title: 'Detectable', hint: 'the change that would have been found nine times of ten', width: 116, number: true, value: s => s.mde, cell: s => percent(s.mde, false) };
const INTERVAL = { title: '95 % interval', width: 160, value: s => s.low, cell: s => isFinite(s.low) ? `${percent(s.low)} to ${percent(s.high)}` : '' };
const CHANGE = { title: 'Change', width: 92, number: true, value: s => s.theta, cell: s => percent(s.theta) };
const WORD = { title: 'Verdict', width: 116, value: s => s.word, cell: s => badge(wordOf(s)) };

function changesTable(data, label, list, metric) {
  const reach = reachOf(list);
  return table(label, [
    WORD, CHANGE, QUERY, INTERVAL,
    { title: `± ${percent(reach, false)}`, hint: 'the interval; the shade is what is of no interest', width: 140, cell: s => range(s, reach) },
    MDE,
    metric ? { title: 'Metric', width: 96, value: s => s.metric } : null,
    { title: 'Old → new', width: 150, value: s => s.old, cell: s => `${amount(s.metric, s.old)} → ${amount(s.metric, s.new)}` },
    { title: 'Cause', width: 100, value: s => s.cause[0], cell: s => el('span', { title: s.cause[1] }, s.cause[0] || '–') },
    { title: 'Functions', width: 230, class: 'code', cell: s => el('span', { title: s.functions.join('\n') }, s.functions.slice(0, 3).map(shortName).join(', ') || '–') },
    { title: 'History', width: 110, cell: s => { const points = data.history[seriesOf(s)]; return points ? history(points, 90, 22) : '–'; } },
    { title: 'Replay', width: 80, cell: s => copier(replay(data, s.query)) },
    TEXT,
  ].filter(Boolean), list, [1, true]);
}

function facts(pairs) {
  return el('dl', {}, pairs.filter(pair => pair[1]).map(([name, ...value]) => [el('dt', {}, name), el('dd', {}, ...value)]));
}

/** Both sides, the budget, the host. */
function cards(data) {
  const { run } = data;
  const side = at => [run.sides[at], run.commits[at] ? el('small', {}, ` commit ${run.commits[at].slice(0, 12)}`) : null,
    run.builds[at] ? el('small', {}, ` build ${run.builds[at]}`) : null];
  const mean = of => of ? percent(of[0]) + (Number.isFinite(of[1]) ? ` (${percent(of[1])} to ${percent(of[2])})` : '') : '';
  const untested = data.all.filter(query => query.fate === 'not tested').length;
  const measured = data.all.filter(query => query.shown.length).length;
  const sides = el('section', { class: 'card' }, el('h2', {}, 'Compared'), facts([
    ['Old', ...side(0)], ['New', ...side(1)], ['Run', `${run.id} (${run.kind}, ${run.state})`], ['When', `${date(run.time)} UTC`], ['Seed', run.seed],
    ['Geometric mean', mean(data.mean)], ['Tests weighted alike', mean(data.mean_by_test)]]));
  const budget = el('section', { class: 'card' }, el('h2', {}, 'Budget'), facts([
    ['Spent', clock(run.spent) + (run.budget ? ` of ${clock(run.budget)}` : ', no limit')],
    ['Measured', `${measured.toLocaleString('en-US')} of ${count(data.all.length, 'query', 'queries')}`],
    ['Not run', untested ? el('a', { href: '#untested' }, count(untested, 'query', 'queries')) : 'nothing was left out']]),
  run.budget ? el('progress', { max: run.budget, value: Math.min(run.budget, run.spent), 'aria-label': 'Share of the budget that was spent' }) : null);
  const h = data.health;
  const health = !h ? [['Equal sides', 'no comparison of equal sides is at hand; `entasis lab aa` makes them']] : [
    ['Equal sides', `${h.flags} of ${h.comparisons.toLocaleString('en-US')} comparisons flagged, at most ${Number((h.bound * 100).toPrecision(2))} % (95 % bound)`],
    ['Runs', `${h.clean} of ${h.runs} without a flag`],
    ['p values', h.uniform ? `uniform with p = ${h.uniform[1]} (Kolmogorov-Smirnov)` : 'too few to test'],
    ['Unlucky', ...(h.unlucky.length ? [el('details', {}, el('summary', {}, `${count(h.unlucky.length, 'query', 'queries')} flagged or with two modes`),
      el('ul', {}, h.unlucky.map(([test, index, all, flags, modes]) => el('li', {}, `${test} #${index}: flagged ${flags}, two modes ${modes} of ${all}`))))] : ['none'])]];
  const host = el('section', { class: 'card' }, el('h2', {}, 'Health of this host'),
    facts([['Host', `${run.host}, ${run.cpu}`], ['Noise', data.middle && `deviation of the ratio between ${data.middle} (medians)`], ...health]),
    el('details', {}, el('summary', {}, `Noise checklist (${run.facts.length})`), facts(run.facts)));
  return el('div', { class: 'cards' }, sides, budget, host);
}

/** Lists by the rules of the reference's report. */
function lists(data) {
  const id = literal(data.run.id), { sections } = data, all = [];
  const own = unit => data.all[unit].own;
  const add = (key, title, n, hint, ...content) => all.push({ key, title, n, make: () => section(key, title, hint, ...content.map(c => typeof c === 'function' ? c() : c)) });
  const isMemory = shown => BYTES.includes(shown.metric);
  const striking = data.verdicts.filter(s => changed(s) || s.word === 'bimodal' || s.word === 'quarantined');
  const time = striking.filter(s => !isMemory(s)), memory = striking.filter(isMemory);
  const verdictSql = metrics => sql(`SELECT test, query_index, metric, verdict, exp(theta) AS ratio, exp(low), exp(high), exp(mde), p, adjusted_p, class\nFROM lab.verdict FINAL\n` +
    `WHERE run_id = ${id} AND metric ${metrics} AND verdict IN ('slower', 'faster', 'bimodal', 'quarantined')\nORDER BY abs(theta) DESC`);
  const ofMemory = `(${BYTES.map(literal).join(', ')})`;
  add('time', 'Changes in time', time.length, null, () => changesTable(data, 'Changes in time', time, time.some(s => s.metric !== 'client_time')), () => verdictSql(`NOT IN ${ofMemory}`));
  add('memory', 'Changes in memory', memory.length, 'memory: the peak; memory_one_thread: the peak where one thread does all of it, of queries whose peak varies; allocated: bytes over the whole run.', () => changesTable(data, 'Changes in memory', memory, true), () => verdictSql(`IN ${ofMemory}`));
  const judged = data.verdicts.filter(s => s === s.query.own && s.metric === 'client_time');
  const equal = judged.filter(s => s.word === 'equivalent').length;
  add('effects', 'All effects', judged.length, null,
    () => el('p', { class: 'hint' }, `${equal} of ${count(judged.length, 'query', 'queries')} are shown to lie within ±${percent(sections.margin / 1e5, false)}. ` +
      (sections.band !== null ? `If the sides were equal, 95 % of all effects would lie in the shaded band, ±${percent(sections.band / 1e5, false)}, as the intervals have it.` : '')),
    () => el('div', { class: 'picture' }, histogram(judged, sections.band / 1e5)));
  const undecided = sections.undecided.map(([unit, needed]) => Object.assign(Object.create(own(unit)), { needed }));
  add('undecided', 'Undecided', undecided.length, 'The runs do not tell. With so many pairs of processes twice the smallest effect of interest would be seen nine times of ten.',
    () => table('Undecided queries', [CHANGE, QUERY, INTERVAL, MDE,
      { title: 'Had', hint: 'pairs of processes', width: 64, number: true, value: s => s.pairs, cell: s => `${s.pairs}` },
      { title: 'Needed', hint: 'pairs of processes', width: 84, number: true, value: s => s.needed, cell: s => s.needed === null ? '?' : s.needed.toLocaleString('en-US') },
      TEXT], undecided, [3, true]));
  const unconfirmed = sections.unconfirmed.map(own);
  add('unconfirmed', 'Unconfirmed', unconfirmed.length, 'Stage 1 saw something, fresh processes did not bear it out.',
    () => table('Changes that were not confirmed', [CHANGE, QUERY, WORD, INTERVAL, MDE,
      { title: 'p', width: 90, number: true, value: s => s.p[0], cell: s => chance(s.p[0]) }, TEXT], unconfirmed, [5, false]));
  const failed = data.all.filter(query => query.fate === 'failed' || query.differs)
    .map(query => ({ query, error: query.differs ? 'the answers differ' : query.trouble }))
    .concat(data.run.problems.map(error => ({ query: null, error })));
  add('errors', 'Errors and partial', failed.length, 'Queries that failed on one side or both, or whose answers differ; test files that cannot be read, and what else went wrong with the run.',
    () => table('Errors', [{ ...QUERY, value: s => s.query?.name || '', cell: s => s.query ? queryCell(s.query) : '' }, { title: 'Error', width: 520, value: s => s.error }, { ...TEXT, value: s => s.query ? flat(s.query.text) : '' }], failed, [0, false]));
  const partial = sections.partial.map(([unit, side, seconds, spread]) => ({ query: data.all[unit], side: side ? 'new' : 'old', seconds, spread, why: data.all[unit].trouble }));
  const red = (bad, text) => bad ? el('span', { class: 'bad' }, text) : text;
  add('partial', 'Backward-incompatible', partial.length, 'Queries that one side only can run: its time. Red: longer than 2 s, or a deviation beyond 10 %.',
    () => table('Queries of one side', [{ title: 'Side', width: 64, value: s => s.side }, { title: 'Time', width: 96, number: true, value: s => s.seconds, cell: s => red(s.seconds > 2, amount('client_time', s.seconds)) },
      { title: 'Deviation', width: 96, number: true, value: s => s.spread, cell: s => s.spread === null ? '' : red(s.spread > 0.1, `${(s.spread * 100).toFixed(1)} %`) },
      QUERY, { title: 'Why', width: 320, value: s => s.why }, TEXT], partial, [1, true]));
  const untested = data.all.filter(query => query.fate === 'not tested').map(query => ({ query, reason: query.trouble }));
  add('untested', 'Not run', untested.length, 'What the budget had no room for.',
    () => table('Queries that were not run', [QUERY, { title: 'Why', width: 260, value: s => s.reason }, TEXT], untested, [0, false]));
  const skipped = data.skipped.map(([test, index, reason]) => ({ name: index === null ? test : `${test} #${index}`, reason }));
  add('skipped', 'Skipped tests', skipped.length, null,
    () => table('Skipped tests', [{ title: 'Test', value: s => s.name }, { title: 'Why', width: 640, value: s => s.reason }], skipped, [0, false]));
  const slow = sections.slow.map(([unit, client, server]) => ({ query: data.all[unit], client, server, ratio: client / server }));
  add('slow-on-client', 'Slow on client', slow.length, 'The client waits more than 2 % longer than the server says.',
    () => table('Queries slow on the client', [
      { title: 'Client', width: 96, number: true, value: s => s.client, cell: s => amount('client_time', s.client) },
      { title: 'Server', width: 96, number: true, value: s => s.server, cell: s => amount('server_time', s.server) },
      { title: 'Ratio', width: 84, number: true, value: s => s.ratio, cell: s => s.ratio.toFixed(3) }, QUERY, TEXT], slow, [2, true]));
  const durations = sections.durations.map(([unit, seconds, short]) => ({ query: data.all[unit], seconds, short, problem: short ? 'above 100 ms' : seconds < 0.5 ? 'below 20 ms' : 'above 1 s' }));
  add('duration', 'Unexpected duration', durations.length, 'A query should take 20 ms to 1 s: shorter ones measure what is around them, longer ones cost too much. One that its test marks as short may take up to 100 ms.',
    () => table('Queries of unexpected duration', [{ title: 'Problem', width: 120, value: s => s.problem },
      { title: 'Short', hint: 'whether its test marks it as short', width: 76, value: s => s.short ? 'yes' : '' },
      { title: 'Time', width: 96, number: true, value: s => s.seconds, cell: s => amount('client_time', s.seconds) }, QUERY, TEXT], durations, [2, true]));
  const unstable = sections.unstable.map(own);
  add('unstable', 'Unstable queries', unstable.length, 'A change of 10 % (or of twice the smallest effect of interest, if that is more) would not have been found nine times of ten.',
    () => table('Unstable queries', [MDE, CHANGE, QUERY, WORD, { title: 'D', hint: 'difference of medians, stage 1', width: 80, number: true, value: s => s.parity?.[0], cell: s => `${s.parity?.[0] ?? ''}` },
      { title: 'S', hint: 'what chance gives', width: 80, number: true, value: s => s.parity?.[1], cell: s => `${s.parity?.[1] ?? ''}` }, TEXT], unstable, [0, true]));
  const tests = sections.tests.map(([test, queries, theta, bad, changes, unsteady, seconds, runs, longest, shortest, setUp]) =>
    ({ test, queries, theta: theta === null ? NaN : theta / 1e5, bad, changes, unsteady, seconds, runs, longest, shortest, setUp }));
  add('tests', 'Test performance', tests.length, 'Geometric mean of the ratios of a test\'s queries.',
    () => table('Tests', [{ title: 'Test', value: t => t.test },
      { title: 'Mean', width: 96, number: true, value: t => t.theta, cell: t => percent(t.theta) },
      { title: 'Queries', width: 84, number: true, value: t => t.queries, cell: t => `${t.queries}` },
      { title: 'Not OK', width: 84, number: true, value: t => t.bad, cell: t => `${t.bad || ''}` },
      { title: 'Changed', width: 90, number: true, value: t => t.changes, cell: t => `${t.changes || ''}` },
      { title: 'Unstable', width: 90, number: true, value: t => t.unsteady, cell: t => `${t.unsteady || ''}` }], tests, [1, true]));
  const second = key => ({ width: 110, number: true, value: t => t[key], cell: t => amount('client_time', t[key]) });
  add('times', 'Test times', tests.length, 'Measured runs of both sides as the client sees them; a quick query that a run repeats counts once. Set-up is what the tables took, on the side that filled them or on both. Warm-up is in neither.',
    () => table('Test times', [{ title: 'Test', value: t => t.test }, { title: 'All runs', ...second('seconds') },
      { title: 'Set-up', ...second('setUp'), cell: t => t.setUp === null ? '' : amount('client_time', t.setUp) }, { title: 'Queries', width: 84, number: true, value: t => t.queries, cell: t => `${t.queries}` },
      { title: 'Runs', width: 84, number: true, value: t => t.runs, cell: t => `${t.runs}` }, { title: 'Longest', ...second('longest') },
      { title: 'Mean run', width: 110, number: true, value: t => t.seconds / t.runs, cell: t => t.runs ? amount('client_time', t.seconds / t.runs) : '' }, { title: 'Shortest', ...second('shortest') }], tests, [1, true]));
  const metrics = sections.metrics.map(([name, theta, queries]) => ({ name, theta: theta / 1e5, queries }));
  add('metrics', 'Metric changes', metrics.length, 'The median over all queries of the ratio of medians differs by more than 5 %.',
    () => table('Metrics', [{ title: 'Metric', value: m => m.name }, { title: 'Change', width: 110, number: true, value: m => m.theta, cell: m => percent(m.theta) },
      { title: 'Queries', width: 96, number: true, value: m => m.queries, cell: m => `${m.queries}` }], metrics, [1, true]));
  all.push({ key: 'all', title: 'All queries', n: data.all.length, make: () => allQueries(data) });
  return all;
}

/** Every query and metric, to be searched and sorted. */
function allQueries(data) {
  const rows = data.verdicts.concat(data.all.filter(q => !q.shown.length).map(query => ({
    query, metric: query.metric, word: query.fate, theta: NaN, low: NaN, high: NaN, mde: NaN, cause: ['', ''],
  })));
  const list = values => [...new Set(values)].sort();
  const option = (value, label) => el('option', { value }, label || value);
  const search = el('input', { type: 'search', id: 'search', placeholder: 'Test, number or text', 'aria-label': 'Search queries', autocomplete: 'off', spellcheck: 'false' });
  const word = el('select', { id: 'word', 'aria-label': 'Verdict' }, option('', 'every verdict'), list(rows.map(wordOf)).map(w => option(w)));
  const metric = el('select', { id: 'metric', 'aria-label': 'Metric' }, option('own', 'what it is judged by'), list(rows.map(s => s.metric)).map(m => option(m)), option('', 'every metric'));
  const found = el('span', { role: 'status', id: 'found' });
  const grid = table('All queries', [WORD, { ...CHANGE, cell: s => isFinite(s.theta) ? percent(s.theta) : '' }, QUERY, INTERVAL,
    { ...MDE, cell: s => isFinite(s.mde) ? percent(s.mde, false) : '' }, { title: 'Metric', width: 100, value: s => s.metric },
    { title: 'Old', width: 92, number: true, value: s => s.old, cell: s => s.old === undefined ? '' : amount(s.metric, s.old) },
    { title: 'New', width: 92, number: true, value: s => s.new, cell: s => s.new === undefined ? '' : amount(s.metric, s.new) },
    { title: 'Cause', width: 90, value: s => s.cause[0] }, TEXT], [], [2, false]);
  grid.classList.add('large');
  const filter = () => {
    const wanted = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const kept = rows.filter(s => (!word.value || wordOf(s) === word.value)
      && (metric.value === 'own' ? s.metric === s.query.metric : !metric.value || s.metric === metric.value)
      && wanted.every(part => s.query.name.toLowerCase().includes(part) || s.query.text.toLowerCase().includes(part)));
    found.textContent = `${kept.length.toLocaleString('en-US')} of ${count(rows.length, 'row')}`;
    grid.fill(kept);
  };
  [search, word, metric].forEach(input => input.addEventListener('input', filter));
  filter();
  return section('all', 'All queries', null, el('p', { class: 'tools' }, search, word, metric, found), grid,
    sql(`SELECT test, query_index, metric, verdict, old, new, exp(theta) AS ratio, exp(mde) AS detectable\nFROM lab.verdict FINAL\nWHERE run_id = ${literal(data.run.id)}\nORDER BY test, query_index, metric`));
}

function overview(data) {
  const all = lists(data), some = all.filter(list => list.n), none = all.filter(list => !list.n);
  by('nav').replaceChildren(...some.map(list => el('a', { href: `#${list.key}` }, `${list.title} `, el('b', {}, list.n.toLocaleString('en-US')))));
  by('overview').append(cards(data), ...some.map(list => list.make()),
    none.length ? el('p', { class: 'hint', id: 'nothing' }, `Nothing to show: ${none.map(list => list.title.toLowerCase()).join(', ')}.`) : '');
}

/** Shows what the address names: a query (#test.3), a section, or the top. */
function route(data, state) {
  const hash = location.hash, query = /\.\d+$/.test(hash) ? data.all.find(query => query.anchor === hash || `#${query.test}.${query.index}` === hash) : undefined;
  const inQuery = !by('query').hidden;
  if (query) {
    if (!inQuery) state.scroll = scrollY;
    by('overview').hidden = by('nav').hidden = true;
    document.body.dataset.view = 'query';
    queryView(data, query);
    state.query = query;
    document.title = `${query.name}: ${data.run.id}`;
    scrollTo(0, 0);
    by('query-name').focus({ preventScroll: true });
    return;
  }
  state.query = undefined;
  by('overview').hidden = by('nav').hidden = false;
  by('query').hidden = true;
  by('query').replaceChildren();
  delete document.body.dataset.view;
  document.title = state.title;
  const target = hash.length > 1 && document.getElementById(hash.slice(1));
  if (target) target.scrollIntoView();
  else if (inQuery) scrollTo(0, state.scroll);
}

async function main() {
  const data = model(await unpack()), state = { title: document.title, scroll: 0 };
  overview(data);
  route(data, state);
  addEventListener('hashchange', () => route(data, state));
  addEventListener('resize', () => state.query?.redraws.forEach(redraw => redraw()));
  addEventListener('keydown', event => { if (event.key === 'Escape' && state.query) location.hash = ''; });
  // Two frames later the tables can be seen and used.
  requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.usable = (performance.now()).toFixed(0); }));
}
main().catch(error => {
  by('trouble').hidden = false;
  by('trouble').textContent = `The tables of this page cannot be drawn: ${error.message}. It needs a browser of 2023 or later (DecompressionStream).`;
});
