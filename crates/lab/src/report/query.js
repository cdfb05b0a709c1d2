// The view of one query.

/** Lines of two texts side by side; `mark` says which ones only one of them has. Lines with one `key` are one line. */
function compareLines(old, now, key = text => text) {
  const [a, b] = [old, now].map(text => text ? text.split('\n') : []);
  const [one, other] = [a.map(key), b.map(key)];
  // The longest common subsequence; plans have few lines, and more than these are not compared.
  if (a.length * b.length > 4e6) return [a.map(text => ({ text, mark: ' ' })), b.map(text => ({ text, mark: ' ' }))];
  const rest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) {
    rest[i][j] = one[i] === other[j] ? rest[i + 1][j + 1] + 1 : Math.max(rest[i + 1][j], rest[i][j + 1]);
  }
  const left = [], right = [];
  const level = () => {
    while (left.length < right.length) left.push({ text: '', mark: ' ' });
    while (right.length < left.length) right.push({ text: '', mark: ' ' });
  };
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && one[i] === other[j]) {
      level();
      left.push({ text: a[i++], mark: ' ' });
      right.push({ text: b[j++], mark: ' ' });
    } else if (j >= b.length || (i < a.length && rest[i + 1][j] >= rest[i][j + 1])) left.push({ text: a[i++], mark: '−' });
    else right.push({ text: b[j++], mark: '+' });
  }
  level();
  return [left, right];
}

const MARKED = 'Lines that one side only has are marked with + and −.';
/** Two texts beside each other, or below each other where there is no room. */
const sideBySide = (texts, key) => el('div', { class: 'sides' }, compareLines(texts[0], texts[1], key).map((lines, side) => el('div', {}, el('h3', {}, side ? 'New' : 'Old'),
  el('pre', {}, lines.map(({ text, mark }) => el('span', { class: mark === ' ' ? 'line' : mark === '+' ? 'line added' : 'line removed' }, `${mark} ${text}\n`))))));

const plansOf = plans => section('query-plans', 'Plans', plans[0] === plans[1] ? 'Both sides have the same plan.' : MARKED, sideBySide(plans));

/** An instruction without what moves with its place: distances from the function's beginning and to constants. */
const instruction = line => line.replace(/^\+0x[\da-f]+ +/, '').replace(/\+0x[\da-f]+$/, '').replace(/-?(0x)?[\da-f]+\(%rip\)/, '(%rip)');

/** The hot loop of the function that explains a change, in both builds, and its cycles as a model has them. */
function codeOf(data, query) {
  const found = data.code.of[query.unit];
  if (!found) return data.code.left_out.includes(query.unit) ? section('query-code', 'Code', 'Left out of the page for its size; the table lab.assembly has it.') : null;
  const [name, same, old, other, cpus, before, after, note] = found, loops = [old, other ?? old];
  const keys = loops.map(text => text.split('\n').map(instruction).join('\n')), whole = !loops.some(text => / and \d+ more$/.test(text)), equal = whole && keys[0] === keys[1], any = loops.some(Boolean);
  const said = same ? 'Both builds have the same instructions, addresses aside.' : !any ? 'The builds have other instructions.'
    : equal ? 'The builds have other instructions, but not in this loop.' : MARKED;
  const listing = equal ? el('div', {}, el('h3', {}, 'Old and new'), el('pre', {}, old)) : sideBySide(loops, instruction);
  const cycles = value => value === null ? 'none' : value.toFixed(2);
  const columns = [
    { title: 'Processor', width: 120, value: c => c.cpu },
    { title: 'Old', hint: 'cycles of an iteration', width: 90, number: true, value: c => c.old, cell: c => cycles(c.old) },
    { title: 'New', hint: 'cycles of an iteration', width: 90, number: true, value: c => c.new, cell: c => cycles(c.new) },
  ];
  const rows = cpus.map((cpu, at) => ({ cpu, old: before[at], new: after[at] }));
  const command = `entasis lab asm ${shellWord(name)} ${data.code.sides}`;
  return section('query-code', 'Code', `The hot loop of the first function above that both builds have, by the samples of its profiles where they tell. ${said}`,
    el('p', { class: 'functions named' }, name),
    any ? [listing, el('h3', {}, 'Cycles of an iteration'), el('p', { class: 'hint' }, 'By llvm-mca: a model, not a measurement. It knows no caches, no prediction of branches and no fetching of ' +
      'instructions; what it says of one processor is not to be compared with what it says of another.'), table('Modelled cycles', columns, rows)] : null,
    note ? el('ul', { class: 'hint named' }, note.split('\n').map(line => el('li', {}, line))) : null,
    el('p', { class: 'command' }, el('code', {}, command), copier(command)));
}

function verdictsOf(query) {
  const columns = [
    { title: 'Metric', value: s => s.metric },
    { title: 'Verdict', width: 130, value: s => s.word, cell: s => badge(wordOf(s)) },
    { title: 'Change', width: 90, number: true, value: s => s.theta, cell: s => percent(s.theta) },
    { title: '95 % interval', width: 170, value: s => s.low, cell: s => `${percent(s.low)} to ${percent(s.high)}` },
    { title: 'Detectable', hint: 'the change that would have been found nine times of ten', width: 100, number: true, value: s => s.mde, cell: s => percent(s.mde, false) },
    { title: 'Old', width: 100, number: true, value: s => s.old, cell: s => amount(s.metric, s.old) },
    { title: 'New', width: 100, number: true, value: s => s.new, cell: s => amount(s.metric, s.new) },
    { title: 'Pairs', hint: `pairs of processes; ${MARKS.bimodal}: they fall into two groups`, width: 70, number: true, value: s => s.pairs, cell: s => `${s.pairs}${s.modes ? ` ${MARKS.bimodal}` : ''}` },
    { title: 'p', hint: 'of stage 2; empty if stage 1 set the query aside', width: 90, number: true, value: s => s.p[0], cell: s => chance(s.p[0]) },
    { title: 'p, all queries', hint: 'after Benjamini and Hochberg', width: 110, number: true, value: s => s.p[1], cell: s => chance(s.p[1]) },
    { title: 'p, signs', hint: 'of the sign-flip test over pairs of processes, which assumes symmetry only: 2 / 2^n of n pairs at least; it decides nothing', width: 90, number: true, value: s => s.p[2], cell: s => chance(s.p[2]) },
    { title: 'D, S', hint: "ClickHouse's comparison of the runs of stage 1's first pair of processes: difference of medians, and what chance gives", width: 120, cell: s => s.parity ? s.parity.join(', ') : '' },
  ];
  const own = shown => shown === query.own;
  return table('Verdicts of this query', columns, [...query.shown].sort((a, b) => own(b) - own(a)));
}

function dotsOf(data, query) {
  const found = data.samples[query.unit];
  if (!found || !Object.keys(found).length) {
    return section('query-runs', 'Runs', query.shown.length ? 'Left out of the page for its size; the statement at the end reads them.' : 'There are none of both sides.');
  }
  const names = Object.keys(found).sort((a, b) => (b === query.metric) - (a === query.metric));
  const frame = el('div', { class: 'box picture', tabindex: 0, role: 'region', 'aria-label': 'Runs' });
  let shown = names[0];
  const show = () => {
    const all = runs(found[shown]);
    frame.replaceChildren(dotPlot(all, shown, Math.max(340, frame.clientWidth - 2, all.length * 7)));
  };
  const choice = names.length < 2 ? null : el('p', { class: 'tools' }, names.map(name => el('label', {},
    el('input', { type: 'radio', name: 'metric', checked: name === shown, onchange: () => { shown = name; show(); } }), name)));
  query.redraws.push(show);
  return section('query-runs', 'Runs', null,
    el('p', { class: 'hint legend' }, el('span', { class: 'sample old' }, '○'), ' old, ', el('span', { class: 'sample new' }, '◆'),
      ' new. Runs in the order they took place; a column is a pair of processes, a short line the median of its side. A slope within a column is drift.'), choice, frame);
}

function countersOf(data, query) {
  const found = data.counters.of[query.unit];
  if (!found) return section('query-counters', 'Counters', query.shown.length ? 'Left out of the page for its size, or none varies; the statement at the end reads them.' : 'There are none.');
  const [runs, leftOut, rows] = found;
  const list = rows.map(([metric, old, now, theta, z]) => ({ metric: data.counters.names[metric], old, new: now, theta: theta === null ? NaN : theta / 1e5, z }));
  const columns = [
    { title: 'Counter', value: c => c.metric },
    { title: 'Old', width: 110, number: true, value: c => c.old, cell: c => amount(c.metric, c.old) },
    { title: 'New', width: 110, number: true, value: c => c.new, cell: c => amount(c.metric, c.new) },
    { title: 'Change', width: 100, number: true, value: c => c.theta, cell: c => isFinite(c.theta) ? percent(c.theta) : '' },
    { title: '|z|', hint: 'the difference in deviations of chance; none is beyond 38', width: 90, number: true, value: c => Math.abs(c.z), cell: c => Math.abs(c.z).toFixed(1) },
  ];
  return section('query-counters', 'Counters', 'By |z|: the difference in deviations of chance. ' + (runs ? 'Runs of one pair of processes are compared. ' : 'Pairs of processes are compared. ') +
    'Constants and what lies below 2 are left out' + (leftOut > 0 ? `, so are ${leftOut} others.` : '.'),
    list.length ? table('Counters', columns, list) : el('p', {}, 'No counter differs by 2 deviations.'));
}

/** The functions that explain a change of the query's time, or of its peak of memory: `metric` says which. */
function functionsOf(data, query, metric) {
  const memory = metric === 'memory', found = (memory ? data.grown : data.explained)[query.unit];
  if (!found) return null;
  const [share, processes, rows] = found;
  const list = rows.map(([name, old, now, part, z]) => ({ name, old, new: now, part, z }));
  const whole = part => `${part < 0 ? MINUS : ''}${Math.abs(100 * part).toFixed(0)} %`;
  const shown = value => amount(metric, value);
  const columns = [
    { title: 'Function', class: 'code', value: f => shortName(f.name), cell: f => el('span', { title: f.name }, shortName(f.name)) },
    { title: 'Old', width: 100, number: true, value: f => f.old, cell: f => shown(f.old) },
    { title: 'New', width: 100, number: true, value: f => f.new, cell: f => shown(f.new) },
    { title: 'Difference', width: 110, number: true, value: f => f.new - f.old, cell: f => signed(f.new - f.old, shown) },
    { title: 'Share', hint: "of the query's difference", width: 80, number: true, value: f => f.part, cell: f => whole(f.part) },
    { title: '|z|', hint: 'the difference in deviations of chance; none is beyond 38', width: 80, number: true, value: f => Math.abs(f.z), cell: f => Math.abs(f.z).toFixed(1) },
  ];
  const what = memory ? "Memory that the function itself took on the way to the peak: its share of the samples times the query's peak." :
    "The processor's time in the function itself, all threads together: its share of the samples times the query's processor time (its time, where nobody counts that).";
  return section(memory ? 'query-memory' : 'query-functions', memory ? 'Memory' : 'Functions', `${what} Together they make up ${whole(share)} of the difference. ` +
    (processes ? 'z is that of differences between processes.' : 'z knows the error of sampling only, as a side has one process.'),
    table('Functions that explain the difference', columns, list));
}

function stacksOf(data, query) {
  const found = data.stacks && data.stacks[query.unit];
  if (!found) return data.stacks && query.shown.some(changed) ? section('query-stacks', 'Stacks', 'There are none, or they were left out of the page for its size; the table lab.stack has all.') : null;
  const place = el('div', { class: 'flame' });
  const button = el('button', { onclick: () => {
    const theme = document.documentElement.dataset.theme;
    let text = data.flame.replace('@@data@@', () => found);
    if (theme) text = text.replace('<html lang="en">', `<html lang="en" data-theme="${theme}">`);
    const frame = el('iframe', { sandbox: 'allow-scripts', title: `Difference of stacks of ${query.name}` });
    frame.srcdoc = text;
    place.replaceChildren(frame);
    button.remove();
  } }, 'Show the difference of stacks');
  return section('query-stacks', 'Stacks', 'Where the time went on both sides. Weights as measured or with equal totals; frames that one side only has are dashed.', button, place);
}

function historyOf(data, query, shown) {
  const points = data.history[seriesOf(shown)], steps = data.steps[seriesOf(shown)] || [], sizes = new Map(steps);
  if (!points) return null;
  const place = el('div', { class: 'picture' });
  query.redraws.push(() => place.replaceChildren(history(points, Math.max(300, place.clientWidth - 22), 150, true, steps)));
  const rows = points.map(([time, commit, ratio], at) => ({ time, commit, theta: Math.log(ratio), step: sizes.has(at) ? sizes.get(at) / 1e5 : NaN }));
  const own = shown.metric === 'client_time';
  return section(own ? 'query-history' : `query-history-${shown.metric}`, own ? 'History' : `History of ${shown.metric}`, 'Earlier comparisons of this query: new over old.' +
      (steps.length ? ' An upright line is a step: from there on the ratio is another one (E-divisive, p < 0.001).' : ''),
    place,
    table('History', [
      { title: 'When (UTC)', width: 160, value: p => p.time, cell: p => date(p.time), number: true },
      { title: 'New side', value: p => p.commit },
      { title: 'Change', width: 110, number: true, value: p => p.theta, cell: p => percent(p.theta) },
      steps.length ? { title: 'Step', hint: 'of this comparison and those after it, against those before', width: 110, number: true, value: p => p.step, cell: p => isFinite(p.step) ? percent(p.step) : '' } : null,
    ].filter(Boolean), rows, [0, true]));
}

/** What is said of a query that has no verdict, or of one that has. */
function saying(query) {
  if (query.trouble) return el('p', { class: 'bad' }, query.trouble);
  const own = query.own;
  if (!own) return el('p', {}, 'It was not measured.');
  const line = changed(own) ? `: ${percent(own.theta)} (${percent(own.low)} to ${percent(own.high)})`
    : `: a change of ${percent(own.mde, false)} would have been found nine times of ten`;
  return el('p', { class: 'saying' }, badge(wordOf(own)), line, query.differs ? el('b', { class: 'bad' }, ' The answers differ.') : null,
    query.planted ? ` A cost of ${query.planted} % was planted.` : null,
    query.noise ? el('small', {}, ` Deviation of the ratio between ${query.noise}.`) : null);
}

/** Draws the view of a query. */
function queryView(data, query) {
  const id = literal(data.run.id), command = replay(data, query);
  const causes = query.shown.filter(shown => shown.cause[0] || shown.functions.length).map(shown => el('p', { class: 'cause' },
    el('b', {}, `${shown.metric}: ${shown.cause[0] || 'cause unknown'}. `), shown.cause[1],
    shown.functions.length ? [shown.cause[1] ? '; functions: ' : ' Functions: ', el('span', { class: 'functions' }, shown.functions.join(', ')), '.'] : null));
  query.redraws = [];
  by('query').replaceChildren(...[
    el('p', { class: 'back' }, el('a', { href: '#', id: 'back' }, '◂ all results')),
    el('h2', { id: 'query-name', tabindex: -1 }, query.name, ' ', el('a', { class: 'soft', href: query.anchor }, 'link')),
    saying(query), causes, el('pre', { class: 'text' }, query.text),
    query.shown.length ? section('query-verdicts', 'Verdicts', null, verdictsOf(query)) : null,
    section('query-replay', 'Replay', null, el('p', { class: 'command' }, el('code', {}, command), copier(command))),
    dotsOf(data, query), functionsOf(data, query, 'client_time'), codeOf(data, query), functionsOf(data, query, 'memory'), countersOf(data, query), stacksOf(data, query),
    data.plans[query.unit] ? plansOf(data.plans[query.unit]) : null, query.shown.map(shown => historyOf(data, query, shown)),
    sql(`SELECT side, stage, process, run, metric, value\nFROM lab.measure\nWHERE run_id = ${id} AND unit = ${query.unit}\nORDER BY metric, stage, process, run, side;\n\n` +
      `SELECT * FROM lab.verdict WHERE run_id = ${id} AND unit = ${query.unit} FORMAT Vertical`),
  ].flat().filter(Boolean));
  by('query').hidden = false;
  query.redraws.forEach(redraw => redraw());
}
