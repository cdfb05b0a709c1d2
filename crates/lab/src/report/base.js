'use strict';
// The report. Its data are columns of numbers, packed; here they become queries and verdicts.
const by = id => document.getElementById(id);
const start = performance.now();

/** An element. Attributes that are functions are listeners; children may be texts. */
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const key in attributes) {
    const value = attributes[key];
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== undefined && child !== null));
  return element;
}

/** An element of a picture. */
function draw(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  element.append(...children.flat(Infinity));
  return element;
}

by('theme').onclick = () => {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches, root = document.documentElement;
  root.dataset.theme = (root.dataset.theme || (dark ? 'dark' : 'light')) === 'dark' ? 'light' : 'dark';
};

async function unpack() {
  const bytes = Uint8Array.from(atob(by('data').textContent.trim()), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

// Numbers for people.
const MINUS = '−';
const signed = (value, text) => (value > 0 ? '+' : value < 0 ? MINUS : '±') + text(Math.abs(value));
/** A log ratio as a change. */
function percent(theta, sign = true) {
  if (theta === null || theta === undefined || !isFinite(theta)) return '?';
  const change = Math.expm1(theta) * 100;
  if (Math.abs(change) >= 400) return `${Math.exp(theta).toFixed(1)} ×`;
  const figure = value => `${value.toFixed(Math.abs(value) < 0.995 ? 2 : 1)} %`;
  return sign ? signed(change, figure) : figure(change);
}
const plain = value => Number(value.toPrecision(4)).toLocaleString('en-US');
function scaled(value, base, units) {
  let step = 0;
  while (Math.abs(value) >= base && step < units.length - 1) { value /= base; step++; }
  return `${Number(value.toPrecision(3))} ${units[step]}`;
}
const BYTES = ['memory', 'memory_one_thread', 'allocated'];
const isTime = metric => /_time$/.test(metric);
const isBytes = metric => BYTES.includes(metric) || /Bytes|bytes/.test(metric);
/** A value of a metric. */
function amount(metric, value) {
  if (value === null || value === undefined) return '?';
  if (isTime(metric)) return value >= 1 ? `${plain(value)} s` : scaled(value * 1e6, 1000, ['µs', 'ms']);
  if (isBytes(metric)) return scaled(value, 1000, ['B', 'kB', 'MB', 'GB', 'TB']);
  return Math.abs(value) < 1e6 ? plain(value) : scaled(value, 1000, ['', 'k', 'M', 'G', 'T']);
}
const clock = seconds => seconds < 60 ? `${seconds.toFixed(1)} s`
  : seconds < 3600 ? `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(seconds / 3600)} h ${Math.round(seconds % 3600 / 60)} min`;
const date = seconds => new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
const chance = p => p === null || p === undefined ? '' : p < 1e-4 ? p.toExponential(1) : `${p}`;
const count = (n, one, more) => `${n.toLocaleString('en-US')} ${n === 1 ? one : more || one + 's'}`;

// Words: each has a mark, so that colour is not all that tells them apart.
const MARKS = {
  slower: '▲', faster: '▼', more: '▲', less: '▼', equivalent: '=', undecided: '?', bimodal: '⑂',
  quarantined: '⊘', failed: '✕', differs: '≠', 'not tested': '–',
};
const HINTS = {
  equivalent: 'shown to lie within the smallest effect of interest',
  undecided: 'the runs do not tell; the smallest effect that would have been seen says how little',
  bimodal: 'its processes fall into two groups, so that no one effect describes them',
  quarantined: 'changed, but equal sides of this query differ as well',
  differs: 'the answers differ, so that no time or memory is better than another',
};
/** The word of a verdict: for memory, more and less. */
const wordOf = shown => !BYTES.includes(shown.metric) ? shown.word
  : { slower: 'more', faster: 'less' }[shown.word] || shown.word;
const badge = word => el('span', { class: `word ${word.replace(' ', '-')}`, title: HINTS[word] }, `${MARKS[word] || ''} ${word}`);
/** What the history of a query by a metric is filed under. */
const seriesOf = shown => `${shown.query.unit} ${shown.metric}`;
const changed = shown => shown.word === 'slower' || shown.word === 'faster';

/** Deviations as a sentence: between runs, pairs of processes, builds. */
function levels(found) {
  const parts = ['runs', 'processes', 'builds'].map((name, at) => found?.[at] == null ? '' : `${name} ${percent(found[at] / 1e5, false)}`);
  return parts.filter(Boolean).join(', ');
}

/** Queries with their verdicts, from the columns. */
function model(data) {
  const { tests, test, index, text, metric, least, trouble, fate, planted } = data.queries;
  data.all = text.map((text, unit) => ({
    unit, test: tests[test[unit]], index: index[unit], text, metric: metric[unit], least: least[unit] / 1e5,
    trouble: trouble[unit] || '', fate: fate[unit] || 'measured', planted: planted[unit], name: `${tests[test[unit]]} #${index[unit]}`,
    anchor: `#${encodeURIComponent(tests[test[unit]])}.${index[unit]}`, shown: [], differs: false, noise: levels(data.noise.of[unit]),
  }));
  data.middle = levels(data.noise.middle);
  data.differing.forEach(unit => { data.all[unit].differs = true; });
  const columns = data.shown, log = value => value === null ? NaN : value / 1e5;
  data.verdicts = columns.unit.map((unit, at) => {
    const shown = {
      query: data.all[unit], metric: columns.metric[at], word: columns.word[at], old: columns.old[at],
      new: columns.new[at], theta: log(columns.theta[at]), low: log(columns.theta[at]) - log(columns.half[at]), high: log(columns.theta[at]) + log(columns.half[at]),
      mde: log(columns.mde[at]), pairs: columns.pairs[at], parity: columns.parity[at], modes: !!columns.modes[at],
      p: columns.p[at] || [null, null, null], cause: columns.cause[at] || ['', ''], functions: columns.functions[at] || [],
    };
    data.all[unit].shown.push(shown);
    return shown;
  });
  for (const query of data.all) query.own = query.shown.find(shown => shown.metric === query.metric);
  return data;
}

// What a person may want to run or copy.
const literal = text => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const shellWord = text => /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
const replay = (data, query) => `${data.run.command} --only ${shellWord('=' + query.test)} --queries-to-run ${query.index}`;
/** A button that copies; a page from a file may have to select the text instead. */
function copier(text, label = 'copy') {
  const button = el('button', { class: 'copy', title: text, onclick: async () => {
    try { await navigator.clipboard.writeText(text); button.textContent = 'copied'; }
    catch { prompt('Copy this command:', text); }
    setTimeout(() => { button.textContent = label; }, 1500);
  } }, label);
  return button;
}
/** The statement that numbers come from. */
const sql = text => el('details', { class: 'sql' }, el('summary', {}, 'SQL'), el('pre', {}, text));
/** The last parts of a function's name: the path of `<A as b::C>::d` is cut outside of its brackets only. */
function shortName(name) {
  const parts = [''];
  for (let at = 0, depth = 0; at < name.length; at++) {
    if ('<(['.includes(name[at])) depth++;
    if ('>)]'.includes(name[at]) && name[at - 1] !== '-') depth--;
    if (!depth && name.startsWith('::', at)) { parts.push(''); at++; } else parts[parts.length - 1] += name[at];
  }
  return parts.slice(-2).join('::');
}
/** A part of a list: none if there is nothing in it. */
function section(id, title, hint, ...content) {
  return el('section', { id, 'aria-labelledby': `${id}-title` },
    el('h2', { id: `${id}-title` }, el('a', { href: `#${id}` }, title)), hint ? el('p', { class: 'hint' }, hint) : null, ...content);
}
