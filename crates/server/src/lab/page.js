// The history of the laboratory: a list of series, and one series with its steps. A series has the address
// `#test.number.metric`, which stays as long as the query keeps its number.
const state = { metric: '', metrics: [], series: [], steps: new Map(), scroll: 0, redraw: [] };
const FIRST = 'client_time';

const EMPTY = `entasis lab compare --left git:main~1 --right git:main --store ${location.origin}`;
const nothing = () => section('nothing', 'Nothing here yet',
  'This server has no history of measurements: its database lab has no verdict. A comparison fills it, for example:',
  el('div', { class: 'command' }, el('code', {}, EMPTY), copier(EMPTY)),
  el('p', { class: 'hint' }, 'Every further comparison adds a point to each series. With a password: http://USER:PASSWORD@HOST:PORT.'));

function trouble(error) {
  by('overview').replaceChildren();
  by('query').replaceChildren();
  const text = String(error.message || error), refused = [192, 193, 194, 516].includes(error.code);
  // No database or no table yet.
  if ([60, 81].includes(error.code)) { by('sentence').textContent = 'No history'; by('overview').replaceChildren(nothing()); return show(by('overview')); }
  by('trouble').hidden = false;
  by('trouble').textContent = refused ? 'The server does not let this user in: give a name and a password above.' : text;
}
function show(which) {
  for (const main of [by('overview'), by('query')]) main.hidden = main !== which;
}

/** Values of a series in a few pixels. */
function spark(row) {
  const WIDE = 110, HIGH = 24, logs = row.spark.map(value => Math.log(value)).filter(isFinite);
  const low = Math.min(...logs), reach = Math.max(Math.max(...logs) - low, 0.02);
  const x = at => 3 + at / Math.max(1, logs.length - 1) * (WIDE - 6), y = log => HIGH - 3 - (log - low) / reach * (HIGH - 6);
  const label = `${count(row.comparisons, 'comparison')}; the last ${amount(row.metric, row.value)}`;
  const picture = draw('svg', { width: WIDE, height: HIGH, class: 'spark', role: 'img', 'aria-label': label }, draw('title', {}, label));
  if (!logs.length) return picture;
  picture.append(draw('polyline', { points: logs.map((log, at) => `${x(at).toFixed(1)},${y(log).toFixed(1)}`).join(' '), class: 'line' }),
    draw('circle', { cx: x(logs.length - 1), cy: y(logs[logs.length - 1]), r: 2.4, class: 'mark' }));
  return picture;
}
const own = row => (state.steps.get(row.key) || []).filter(step => !step.everywhere);
const lastStep = row => own(row).at(-1);

const COLUMNS = [
  { title: 'Query', value: row => row.name, cell: row => el('a', { href: `#${row.anchor}` }, row.name) },
  { title: 'Last verdict', width: 130, value: row => row.word, cell: row => badge(wordOf(row)) },
  { title: 'Effect', width: 90, number: true, value: row => Math.abs(row.theta), cell: row => percent(row.theta), hint: 'of the last comparison' },
  { title: 'Value', width: 96, number: true, value: row => row.value, cell: row => amount(row.metric, row.value), hint: 'of the new side of the last comparison' },
  { title: 'Last 40', width: 134, cell: spark },
  { title: 'Steps', width: 76, number: true, value: row => own(row).length || null, cell: row => own(row).length ? `${own(row).length}` : '' },
  { title: 'Last step', width: 96, number: true, value: row => lastStep(row) ? Math.abs(lastStep(row).step) : null, cell: row => lastStep(row) ? percent(lastStep(row).step) : '' },
  { title: 'Runs', width: 76, number: true, value: row => row.comparisons },
  { title: 'Processor', width: 180, value: row => row.cpu },
];

function overview() {
  const { series } = state, choice = (id, label, all) => el('select', { id, 'aria-label': label }, all);
  const several = new Set(series.map(row => row.cpu)).size > 1;
  const grid = table('Series', several ? COLUMNS : COLUMNS.slice(0, -1), [], [0, false]);
  grid.classList.add('large');
  const search = el('input', { type: 'search', id: 'search', placeholder: 'test', 'aria-label': 'Tests whose names hold this text', oninput: fill });
  const metric = choice('metric', 'Metric', state.metrics.map(name => el('option', { value: name, selected: name === state.metric }, name)));
  metric.addEventListener('change', () => load(metric.value).catch(trouble));
  const words = [...new Set(series.map(row => row.word))].sort();
  const word = choice('word', 'Last verdict', [el('option', { value: '' }, 'every verdict'), ...words.map(word => el('option', { value: word }, word))]);
  word.addEventListener('change', fill);
  const stepped = el('input', { type: 'checkbox', id: 'stepped', onchange: fill });
  const found = el('span', { id: 'found' });
  function fill() {
    const text = search.value.trim().toLowerCase();
    const rows = series.filter(row => row.name.toLowerCase().includes(text) && (!word.value || row.word === word.value) && (!stepped.checked || own(row).length));
    found.textContent = count(rows.length, 'series', 'series');
    grid.fill(rows);
  }
  state.fill = fill;
  by('overview').replaceChildren(section('series', 'Series', 'One line for each query: how its last comparison ended, its values over the last runs, and the steps of its whole history.',
    el('div', { class: 'tools' }, search, metric, word, el('label', {}, stepped, 'with steps'), found), grid));
  fill();
}

/** One query: a chart for each processor, its steps, its runs. */
async function view(row) {
  const main = by('query');
  main.replaceChildren(el('p', { class: 'hint' }, 'Reading the series …'));
  show(main);
  const { byCpu, text } = await points(row.metric, row);
  const parts = [], charts = [];
  for (const [cpu, all] of byCpu) {
    const found = state.steps.get([cpu, row.test, row.query_hash].join('\n')) || [];
    const sized = await Promise.all(found.map((step, at) => measure(all, step, found[at - 1]?.at ?? 0, found[at + 1]?.at ?? all.length)));
    const picture = chart(all, sized, row.metric);
    charts.push(picture);
    parts.push(section(`on-${charts.length}`, cpu || 'Processor unknown', `${count(all.length, 'run')} from ${date(all[0].seconds)} to ${date(all.at(-1).seconds)}. ` +
      'Bars are 95 % intervals over processes, where a run had six or more; lines are medians between steps.', picture,
    sized.length ? stepTable(all, sized) : el('p', { class: 'hint' }, 'No step.'), runTable(all, row.metric)));
  }
  const others = state.metrics.map(metric => metric === row.metric ? el('b', {}, metric)
    : el('a', { href: `#${encodeURIComponent(row.test)}.${row.query_index}.${metric}` }, metric));
  main.replaceChildren(el('p', { class: 'back' }, el('a', { href: '#' }, '← all series')),
    el('h2', { id: 'query-name', tabindex: -1 }, row.name, ' ', badge(wordOf(row))), el('div', { class: 'metrics' }, others),
    text ? el('pre', { class: 'text' }, text) : '', ...parts);
  state.redraw = charts;
  charts.forEach(picture => picture.redraw());
  by('query-name').focus({ preventScroll: true });
}
function stepTable(all, sized) {
  return table('Steps', [
    { title: 'Date', width: 140, value: step => all[step.at].seconds, cell: step => date(all[step.at].seconds) },
    { title: 'Size', width: 86, number: true, value: step => Math.abs(step.theta), cell: step => percent(step.theta) },
    { title: '95 % interval', width: 160, cell: step => `${percent(step.low)} to ${percent(step.high)}` },
    { title: 'Commits', cell: step => `${commit(all[step.at - 1], 1)}..${commit(all[step.at], 1)}` },
    { title: 'z', width: 60, number: true, value: step => Math.abs(step.z), cell: step => signed(step.z, z => z.toFixed(1)), hint: 'score of the scan' },
    { title: 'p', width: 80, number: true, value: step => step.p, cell: step => chance(step.p), hint: 'of E-divisive' },
    { title: 'In pairs', width: 86, number: true, cell: step => step.paired === null ? '' : percent(step.paired), hint: 'what both sides of the same runs say of it' },
    { title: 'Whose', width: 96, value: step => step.environment ? 'host' : 'query', hint: 'host: all queries did the same at once, and pairs within runs did not' },
  ], sized, [0, true]);
}
function runTable(all, metric) {
  const columns = [
    { title: 'Run', width: 140, value: point => +point.seconds, cell: point => date(point.seconds) },
    { title: 'Value', width: 96, number: true, value: point => point.value, cell: point => amount(metric, point.value) },
    { title: 'New to old', width: 96, number: true, value: point => point.ratio, cell: point => point.ratio === null ? '' : percent(point.ratio) },
    { title: 'Verdict', width: 130, value: point => point.said?.verdict || '', cell: point => point.said ? badge(wordOf({ metric, word: point.said.verdict })) : '' },
    { title: 'Cause', width: 110, value: point => point.said?.class || '' },
    { title: 'Commits', cell: point => `${commit(point, 0)}..${commit(point, 1)}` },
    { title: 'Host', width: 130, value: point => point.host },
    { title: 'Name', width: 220, value: point => point.run_id },
  ];
  return el('details', { open: all.length <= 60 }, el('summary', {}, count(all.length, 'run')), table('Runs', columns, all, [0, true]));
}

/** Loads a metric; steps follow, as they cost a scan of all its measurements. */
async function load(metric) {
  Object.assign(state, { metric, series: await list(metric), steps: new Map() });
  const runs = Math.max(0, ...state.series.map(row => row.comparisons));
  by('sentence').textContent = !state.series.length
    ? `No series of ${metric} yet: runs with planted slowdowns, of two settings or two texts, or with another engine, are no points of a history.`
    : `${count(state.series.length, 'series', 'series')} of ${metric}, up to ${count(runs, 'run')}`;
  by('status').textContent = 'Looking for steps …';
  overview();
  const wanted = metric;
  state.ready = steps(metric).then(found => {
    if (state.metric !== wanted) return;
    state.steps = found;
    const all = [...found.values()].flat(), shared = all.filter(step => step.everywhere).length;
    by('status').textContent = count(all.length - shared, 'step') + (shared ? `, and ${shared} where all queries of a host moved at once` : '');
    state.fill();
  });
  await state.ready;
}

async function route() {
  const hash = location.hash.slice(1), wanted = /^(.+)\.(\d+)\.([^.@]+)(@\d+)?$/.exec(hash);
  if (!wanted) {
    show(by('overview'));
    state.redraw = [];
    scrollTo(0, state.scroll);
    return;
  }
  if (by('query').hidden) state.scroll = scrollY;
  if (state.metric !== wanted[3] && state.metrics.includes(wanted[3])) await load(wanted[3]);
  await state.ready;
  const row = state.series.find(row => row.anchor === hash) || state.series.find(row => row.anchor.split('@')[0] === hash.split('@')[0]);
  if (!row) {
    by('query').replaceChildren(el('p', { class: 'back' }, el('a', { href: '#' }, '← all series')), el('p', {}, `There is no series ${decodeURIComponent(hash)} here.`));
    return show(by('query'));
  }
  await view(row);
  scrollTo(0, 0);
}

async function main() {
  by('trouble').hidden = true;
  const found = await rows('SELECT DISTINCT metric FROM lab.verdict ORDER BY metric');
  if (!found.length) throw Object.assign(new Error('empty'), { code: 60 });
  state.metrics = found.map(row => row.metric);
  const wanted = /\.([^.@]+)(@\d+)?$/.exec(location.hash)?.[1];
  const first = state.metrics.includes(FIRST) ? FIRST : state.metrics[0];
  await load(state.metrics.includes(wanted) ? wanted : first);
  await route();
}
const begin = () => main().catch(trouble).finally(() => { document.documentElement.dataset.usable = performance.now().toFixed(0); });
addEventListener('hashchange', () => route().catch(trouble));
addEventListener('resize', () => state.redraw.forEach(picture => picture.redraw()));
addEventListener('keydown', event => { if (event.key === 'Escape' && !by('query').hidden) location.hash = ''; });
by('user').onchange = by('password').onchange = begin;
begin();
