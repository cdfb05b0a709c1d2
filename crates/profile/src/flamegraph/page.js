'use strict';
// Draws the frames of #data. They are a tree in four lists: each frame follows its caller, with its
// depth, the number of its name and its weights. Only what is wide enough to be seen is drawn.
{
  const data = JSON.parse(document.getElementById('data').textContent);
  const { depths, frames, names, before, after } = data;
  const diff = !!after, count = depths.length, HEIGHT = 19, LETTER = 6.95, SMALLEST = 0.6;
  const by = id => document.getElementById(id);
  const svg = by('graph'), tip = by('tip');
  const NS = 'http://www.w3.org/2000/svg';

  // The tree: where each frame's calls end, its caller, what it weighs without what it calls.
  const ends = new Int32Array(count), callers = new Int32Array(count).fill(-1);
  const own = [before, after || before].map(weights => Float64Array.from(weights));
  for (let at = 0, path = []; at <= count; at++) {
    const depth = at < count ? depths[at] : 0;
    while (path.length > depth) ends[path.pop()] = at;
    if (at === count) break;
    if (depth) {
      callers[at] = path[depth - 1];
      own[0][callers[at]] -= before[at];
      own[1][callers[at]] -= (after || before)[at];
    }
    path.push(at);
  }
  if (count) ends[0] = count;
  const deepest = depths.reduce((a, b) => Math.max(a, b), 0);

  // What the page shows now.
  let factor = diff ? data.factor : 1, focus = 0, flipped = false, query = '';
  const width = new Float64Array(count), left = new Float64Array(count);
  let strongest = 1;
  const total = side => (side ? after[0] * factor : before[0]) || 0;
  const scaled = at => after[at] * factor;
  const change = at => scaled(at) - before[at];

  // A frame of a difference is as wide as its calls and the larger of its own weights need.
  function layout() {
    width.fill(0);
    for (let at = count - 1; at >= 0; at--) {
      width[at] += diff ? Math.max(own[0][at], own[1][at] * factor) : own[0][at];
      if (callers[at] >= 0) width[callers[at]] += width[at];
    }
    const next = new Float64Array(count);
    for (let at = 0; at < count; at++) {
      const caller = callers[at];
      left[at] = caller < 0 ? 0 : next[caller];
      if (caller >= 0) next[caller] += width[at];
      next[at] = left[at];
    }
    strongest = 1e-9;
    if (diff) for (let at = 1; at < count; at++) strongest = Math.max(strongest, Math.abs(change(at)));
  }

  // Numbers for people.
  const plain = value => Number(value.toFixed(value % 1 && Math.abs(value) < 100 ? 1 : 0)).toLocaleString('en-US');
  const steps = (value, base, units) => {
    let step = 0;
    while (Math.abs(value) >= base && step < units.length - 1) { value /= base; step++; }
    return `${Number(value.toPrecision(3))} ${units[step]}`;
  };
  const time = ns => Math.abs(ns) < 1e9 ? steps(ns, 1000, ['ns', 'µs', 'ms']) : `${Number((ns / 1e9).toPrecision(4))} s`;
  const weight = value => data.unit === 'bytes' ? steps(value, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB'])
    : data.unit === 'time' ? time(value)
    : data.unit === 'samples' ? `${plain(value)} samples` + (data.period ? ` (${time(value * data.period)})` : '')
      : plain(value);
  const short = value => data.unit === 'bytes' || data.unit === 'time' ? weight(value) : plain(value);
  const percent = (part, whole) => whole ? `${(100 * part / whole).toFixed(2)} %` : '-';
  const signed = (value, text) => (value > 0 ? '+' : value < 0 ? '−' : '±') + text(Math.abs(value));

  // Colours: one hue per crate; what belongs to no crate of the program is pale.
  const hues = new Map();
  const PALE = /^(\[|core::|std::|alloc::|__|_start|main$|clone|start_thread|all$|0x)|\+0x/;
  function colour(name) {
    const plain = name.replace(/^[<&*\s]*(?:dyn |mut |impl )*/, '');
    const crate = plain.includes('::') ? plain.slice(0, plain.indexOf('::')) : plain.replace(/[\d+].*/, '');
    if (!hues.has(crate)) {
      let hash = 7;
      for (const c of crate) hash = (hash * 31 + c.codePointAt(0)) >>> 0;
      hues.set(crate, hash * 137.508 % 360);
    }
    return { hue: hues.get(crate), chroma: PALE.test(plain) ? 0.25 : 1 };
  }
  const colours = names.map(colour);

  // A name that fits: whole, or its last parts.
  function parts(name) {
    const cuts = [];
    for (let at = 0, depth = 0; at < name.length; at++) {
      if ('<([{'.includes(name[at])) depth++;
      else if ('>)]}'.includes(name[at]) && name[at - 1] !== '-') depth--;
      else if (!depth && name.startsWith('::', at)) { if (name[at + 2] !== '<') cuts.push(at + 2); at++; }
    }
    return cuts;
  }
  function label(name, room) {
    const letters = Math.floor((room - 7) / LETTER);
    if (letters < 3) return '';
    if (name.length <= letters) return name;
    for (const cut of parts(name)) if (name.length - cut <= letters) return name.slice(cut);
    const cuts = parts(name);
    const last = name.slice(cuts.length ? cuts[cuts.length - 1] : 0);
    return last.length <= letters ? last : last.slice(0, letters - 1) + '…';
  }

  const make = (tag, attributes, parent) => {
    const element = document.createElementNS(NS, tag);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    parent.append(element);
    return element;
  };

  let matching = null; // per name
  function draw() {
    const room = svg.parentNode.clientWidth, whole = width[focus];
    svg.replaceChildren();
    const rows = Math.max(...visible(focus, room), 0) + 1;
    svg.setAttribute('height', rows * HEIGHT);
    svg.setAttribute('viewBox', `0 0 ${room} ${rows * HEIGHT}`);
    svg.classList.toggle('diff', diff);
    svg.classList.toggle('searched', !!query);
    const around = [];
    for (let at = callers[focus]; at >= 0; at = callers[at]) around.push(at);
    around.reverse().forEach(at => frame(at, 0, room, rows, true));
    for (let at = focus; at < ends[focus];) {
      const x = (left[at] - left[focus]) / whole * room, wide = width[at] / whole * room;
      if (!(wide >= SMALLEST)) { at = ends[at]; continue; }
      frame(at, x, wide, rows, false);
      at++;
    }
  }
  // The depths that are wide enough to be drawn.
  function* visible(top, room) {
    yield depths[top];
    for (let at = top; at < ends[top];) {
      if (!(width[at] / width[top] * room >= SMALLEST)) { at = ends[at]; continue; }
      yield depths[at++];
    }
  }
  function frame(at, x, wide, rows, around) {
    const name = names[frames[at]], y = (flipped ? rows - 1 - depths[at] : depths[at]) * HEIGHT;
    const group = make('g', { 'data-at': at }, svg);
    if (around) group.classList.add('around');
    if (matching && matching[frames[at]]) group.classList.add('match');
    const box = make('rect', { x: x.toFixed(2), y, width: wide.toFixed(2), height: HEIGHT - 0.5, rx: wide > 4 ? 2 : 0 }, group);
    let mark = '';
    if (diff) {
      const grown = change(at);
      box.style.setProperty('--hue', grown > 0 ? 27 : 250);
      box.style.setProperty('--t', at ? Math.sqrt(Math.abs(grown) / strongest).toFixed(3) : 0);
      if (!before[at] !== !after[at]) {
        group.classList.add('one');
        group.style.setProperty('--one', before[at] ? 'var(--less)' : 'var(--more)');
        mark = before[at] ? '− ' : '+ ';
      }
    } else {
      box.style.setProperty('--hue', colours[frames[at]].hue.toFixed(0));
      box.style.setProperty('--chroma', colours[frames[at]].chroma);
    }
    let text = label(name, wide - mark.length * LETTER);
    if (text) text = mark + text;
    if (text) make('text', { x: (x + 5).toFixed(2), y: y + 13 }, group).textContent = text;
  }

  // What is said of one frame.
  function facts(at) {
    if (!diff) {
      const lines = [`${weight(before[at])}, ${percent(before[at], total(0))} of all`];
      if (focus && at !== focus && at > focus && at < ends[focus]) lines.push(`${percent(before[at], before[focus])} of what is shown`);
      if (own[0][at] && own[0][at] !== before[at]) lines.push(`itself ${weight(own[0][at])}, ${percent(own[0][at], total(0))}`);
      return lines.map(text => ({ text }));
    }
    const grown = change(at), way = grown > 0 ? 'more' : grown < 0 ? 'less' : '';
    const lines = [
      { text: `before: ${weight(before[at])}, ${percent(before[at], total(0))}` },
      { text: `after: ${weight(scaled(at))}${factor !== 1 ? ' (scaled)' : ''}, ${percent(scaled(at), total(1))}` },
      { text: `difference: ${signed(grown, weight)}` + (before[at] ? `, ${signed(grown, v => percent(v, before[at]))} of its own` : ''), way },
      { text: `${signed(grown, v => percent(v, total(0)))} of all before`, way },
    ];
    if (!before[at]) lines.push({ text: 'only in the second profile', way: 'more' });
    if (!after[at]) lines.push({ text: 'only in the first profile', way: 'less' });
    return lines;
  }
  function showTip(at, event) {
    tip.replaceChildren();
    const name = document.createElement('b');
    name.textContent = names[frames[at]];
    tip.append(name, ...facts(at).map(({ text, way }) => {
      const line = document.createElement('div');
      line.textContent = text;
      if (way) line.className = way;
      return line;
    }));
    tip.hidden = false;
    const { width: wide, height: high } = tip.getBoundingClientRect();
    const x = Math.min(event.clientX + 14, innerWidth - wide - 8), below = event.clientY + 16;
    tip.style.left = Math.max(8, x) + 'px';
    tip.style.top = (below + high < innerHeight ? below : Math.max(8, event.clientY - high - 12)) + 'px';
  }

  function zoom(at) {
    focus = at;
    by('reset').disabled = !at;
    by('focus').hidden = !at;
    const name = document.createElement('b');
    name.textContent = names[frames[at]];
    by('focus').replaceChildren('Zoomed to ', name, ': ' + facts(at).map(line => line.text).slice(0, diff ? 3 : 1).join('; '));
    tip.hidden = true;
    draw();
  }

  // The share of all stacks that have a matching frame: a stack counts once.
  function search(text) {
    query = text.trim().toLowerCase();
    matching = query ? names.map(name => name.toLowerCase().includes(query)) : null;
    const sum = [0, 0];
    for (let at = 0; query && at < count;) {
      if (!matching[frames[at]]) { at++; continue; }
      sum[0] += before[at];
      sum[1] += diff ? after[at] : 0;
      at = ends[at];
    }
    by('matched').textContent = !query ? ''
      : diff ? `matched ${percent(sum[0], before[0])} → ${percent(sum[1], after[0])}`
        : `matched ${percent(sum[0], total(0))}`;
    draw();
  }

  // Functions over all their frames. Within a recursion only the outermost frame counts.
  function functions() {
    const list = names.map((name, number) => ({ name, number, own: [0, 0], total: [0, 0] }));
    const open = new Int32Array(names.length).fill(-1);
    for (let at = 1; at < count; at++) {
      const one = list[frames[at]];
      one.own[0] += own[0][at];
      one.own[1] += diff ? own[1][at] : 0;
      if (at >= open[frames[at]]) {
        open[frames[at]] = ends[at];
        one.total[0] += before[at];
        one.total[1] += diff ? after[at] : 0;
      }
    }
    return list.filter(one => one.total[0] || one.total[1]);
  }
  const all = functions();
  function table(title, hint, heads, rows) {
    const box = document.createElement('div'), head = document.createElement('h2'), small = document.createElement('small');
    box.className = 'list';
    small.textContent = ' ' + hint;
    head.append(title, small);
    const table = document.createElement('table');
    const top = table.createTHead().insertRow(), body = table.createTBody();
    for (const text of ['Function', ...heads]) {
      const cell = document.createElement('th');
      cell.textContent = text;
      top.append(cell);
    }
    for (const { name, cells } of rows) {
      const row = body.insertRow();
      const short = document.createElement('div');
      short.textContent = short.title = name;
      row.insertCell().append(short);
      row.cells[0].onclick = () => { by('search').value = name; search(name); scrollTo({ top: 0, behavior: 'smooth' }); };
      for (const cell of cells) {
        const td = row.insertCell();
        td.textContent = cell.text ?? cell;
        if (cell.way) td.className = cell.way;
      }
    }
    if (!rows.length) body.insertRow().insertCell().textContent = 'none';
    box.append(head, table);
    return box;
  }
  function lists() {
    const most = 20;
    if (!diff) {
      const row = one => ({ name: one.name, cells: [percent(one.own[0], total(0)), percent(one.total[0], total(0))] });
      const by = (key, from) => [...from].sort((a, b) => b[key][0] - a[key][0]).filter(one => one[key][0]).slice(0, most).map(row);
      const ours = all.filter(one => colours[one.number].chroma === 1);
      return [table('Heaviest by themselves', 'without what they call', ['itself', 'with calls'], by('own', all)),
        table('Heaviest with what they call', 'without the runtime and the standard library', ['itself', 'with calls'], by('total', ours))];
    }
    const grown = pair => pair[1] * factor - pair[0];
    const cell = value => ({ text: signed(value, short), way: value > 0 ? 'more' : value < 0 ? 'less' : '' });
    const changed = [...all].map(one => ({ ...one, grown: grown(one.own) })).filter(one => Math.abs(one.grown) > 1e-9);
    changed.sort((a, b) => Math.abs(b.grown) - Math.abs(a.grown));
    const only = (here, there) => all.filter(one => one.total[here] && !one.total[there])
      .sort((a, b) => b.total[here] - a.total[here]).slice(0, most)
      .map(one => ({ name: one.name, cells: [short(one.total[here] * (here ? factor : 1)), percent(one.total[here], (here ? after : before)[0])] }));
    return [
      table('Changed most', 'by themselves, without what they call', ['before', 'after', 'change'],
        changed.slice(0, most).map(one => ({ name: one.name, cells: [short(one.own[0]), short(one.own[1] * factor), cell(one.grown)] }))),
      table('Added', 'only in the second profile', ['weight', 'share'], only(1, 0)),
      table('Removed', 'only in the first profile', ['weight', 'share'], only(0, 1)),
    ];
  }

  function legend() {
    const sample = (t, hue, text) => {
      const box = document.createElement('i');
      box.style.setProperty('--t', t);
      box.style.setProperty('--hue', hue);
      return [box, text];
    };
    by('legend').hidden = false;
    by('legend').replaceChildren(...sample(1, 27, 'more'), ...sample(0, 27, 'no change'), ...sample(1, 250, 'less than before'),
      '. A frame marked + or − (dashed) is in one profile only. Width: the larger of both.');
  }

  function refresh() {
    layout();
    by('summary').textContent = diff
      ? `before ${data.queries[0]}: ${weight(before[0])}; after ${data.queries[1]}: ${weight(after[0])}` + (factor !== 1 ? `, drawn times ${Number(factor.toPrecision(4))}` : '')
      : `${weight(before[0])}, ${plain(all.length)} functions`;
    by('lists').replaceChildren(...lists());
    search(by('search').value);
    if (focus) zoom(focus);
  }

  svg.addEventListener('mousemove', event => {
    const group = event.target.closest('g');
    if (group) showTip(+group.dataset.at, event); else tip.hidden = true;
  });
  svg.addEventListener('mouseleave', () => { tip.hidden = true; });
  svg.addEventListener('click', event => {
    const group = event.target.closest('g');
    if (group) zoom(+group.dataset.at === focus ? 0 : +group.dataset.at);
  });
  by('reset').onclick = () => zoom(0);
  by('flip').onclick = () => { flipped = !flipped; draw(); };
  by('theme').onclick = () => {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches, root = document.documentElement;
    const now = root.dataset.theme || (dark ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
  };
  by('search').oninput = event => search(event.target.value);
  addEventListener('keydown', event => {
    if (event.key === 'Escape') {
      if (by('search').value) { by('search').value = ''; search(''); } else zoom(0);
    } else if (event.key === '/' && event.target !== by('search')) {
      event.preventDefault();
      by('search').focus();
    }
  });
  by('normalisation').onchange = event => { factor = event.target.value === 'raw' ? 1 : data.factor; refresh(); };
  addEventListener('resize', draw);

  if (diff) { by('normalisation').hidden = false; legend(); }
  if (data.leftOut) {
    by('note').hidden = false;
    by('note').textContent = `${plain(data.leftOut)} frames of very small weight are left out.`;
  }
  if (!before[0] && !(diff && after[0])) {
    by('note').hidden = false;
    by('note').textContent = 'There are no samples.';
  }
  refresh();
}
