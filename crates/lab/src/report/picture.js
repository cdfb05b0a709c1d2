// Pictures: an interval, the histogram of effects, a history, every run of a query.
const NONE = -32768, STEPS = 8192;

/** An interval within `reach` (log ratios) on both sides of 0; the shade is what is of no interest. */
function range(shown, reach) {
  const WIDE = 120, HIGH = 18, middle = HIGH / 2;
  const x = theta => (Math.max(-1, Math.min(1, theta / reach)) + 1) / 2 * (WIDE - 8) + 4;
  const { low, high, theta, query } = shown;
  const label = `95 % interval from ${percent(low)} to ${percent(high)}`;
  const picture = draw('svg', { width: WIDE, height: HIGH, class: 'range', role: 'img', 'aria-label': label },
    draw('title', {}, label),
    draw('rect', { x: x(-query.least), width: Math.max(1, x(query.least) - x(-query.least)), y: 1, height: HIGH - 2, class: 'shade' }),
    draw('line', { x1: x(0), x2: x(0), y1: 0, y2: HIGH, class: 'zero' }));
  if (isFinite(low) && isFinite(high)) {
    picture.append(draw('line', { x1: x(low), x2: Math.max(x(high), x(low) + 1), y1: middle, y2: middle, class: `bar ${wordOf(shown)}` }));
    // An end that is out of the picture has an arrow.
    if (low < -reach) picture.append(draw('path', { d: `M6 ${middle - 4}L1 ${middle}L6 ${middle + 4}`, class: `bar ${wordOf(shown)}` }));
    if (high > reach) picture.append(draw('path', { d: `M${WIDE - 6} ${middle - 4}L${WIDE - 1} ${middle}L${WIDE - 6} ${middle + 4}`, class: `bar ${wordOf(shown)}` }));
  }
  if (isFinite(theta)) picture.append(draw('circle', { cx: x(theta), cy: middle, r: 3.2, class: `dot ${wordOf(shown)}` }));
  return picture;
}

/** A reach that shows most intervals whole. */
function reachOf(list) {
  const ends = list.flatMap(s => [Math.abs(s.low), Math.abs(s.high)]).filter(isFinite).sort((a, b) => a - b);
  return Math.max(0.02, ends[Math.floor(ends.length * 0.9)] || 0);
}

/** How many effects of which size there are, changes marked; the band is where equal sides lie. */
function histogram(verdicts, band) {
  const known = verdicts.filter(shown => isFinite(shown.theta));
  const sizes = known.map(shown => Math.abs(shown.theta)).sort((a, b) => a - b);
  const reach = Math.max(2.5 * (band || 0.01), sizes[Math.floor(sizes.length * 0.97)] || 0, 0.01);
  const BINS = 61, WIDE = 720, HIGH = 190, FOOT = 34, TOP = 18;
  const bins = Array.from({ length: BINS }, () => ({ all: 0, slower: 0, faster: 0 }));
  for (const shown of known) {
    const at = Math.round((Math.max(-1, Math.min(1, shown.theta / reach)) + 1) / 2 * (BINS - 1));
    bins[at].all++;
    if (changed(shown)) bins[at][shown.word]++;
  }
  const most = Math.max(1, ...bins.map(bin => bin.all)), floor = HIGH - FOOT;
  const x = theta => (Math.max(-1, Math.min(1, theta / reach)) + 1) / 2 * (WIDE * (BINS - 1) / BINS) + WIDE / BINS / 2;
  // Roots, so that one query at the edge is seen beside hundreds in the middle.
  const y = n => Math.sqrt(n / most) * (floor - TOP);
  const label = `Histogram of ${known.length} effects on time`;
  const picture = draw('svg', { viewBox: `0 0 ${WIDE} ${HIGH}`, class: 'histogram', role: 'img', 'aria-label': label });
  if (band) picture.append(draw('rect', { x: x(-band), width: x(band) - x(-band), y: TOP - 4, height: floor - TOP + 4, class: 'shade' }));
  bins.forEach((bin, at) => {
    if (!bin.all) return;
    const centre = (at / (BINS - 1) * 2 - 1) * reach, left = at * WIDE / BINS + 0.5, wide = WIDE / BINS - 1, high = y(bin.all);
    const group = draw('g', {}, draw('title', {}, `about ${percent(centre)}: ${count(bin.all, 'query', 'queries')}` +
      (bin.slower ? `, ${bin.slower} slower` : '') + (bin.faster ? `, ${bin.faster} faster` : '')),
    draw('rect', { x: left, width: wide, y: floor - high, height: high, class: 'column' }));
    const part = (bin.slower + bin.faster) / bin.all * high;
    if (part) group.append(draw('rect', { x: left, width: wide, y: floor - part, height: part, class: bin.slower ? 'slower' : 'faster' }));
    picture.append(group);
  });
  picture.append(draw('line', { x1: 0, x2: WIDE, y1: floor, y2: floor, class: 'axis' }));
  for (const part of [-1, -0.5, 0, 0.5, 1]) {
    const edge = Math.abs(part) === 1;
    picture.append(draw('text', { x: x(part * reach), y: floor + 14, 'text-anchor': part === -1 ? 'start' : part === 1 ? 'end' : 'middle' },
      part ? percent(part * reach) + (edge ? ' and beyond' : '') : '0'));
  }
  picture.append(draw('text', { x: 0, y: HIGH - 4 }, '◂ faster'), draw('text', { x: WIDE, y: HIGH - 4, 'text-anchor': 'end' }, 'slower ▸'),
    draw('text', { x: 0, y: 11 }, `${most} at most (heights are square roots)`));
  return picture;
}

/**
 * The history of a query: log ratios of earlier comparisons. Small in tables, large in its view. `steps` has
 * the place and the size of each step.
 */
function history(points, wide, high, large, steps = []) {
  const ratios = points.map(point => Math.log(point[2]));
  const reach = Math.max(0.01, ...ratios.map(Math.abs).filter(isFinite)), edge = large ? 8 : 3;
  const x = at => edge + at / Math.max(1, points.length - 1) * (wide - 2 * edge);
  const y = ratio => high / 2 - ratio / reach * (high / 2 - edge);
  const label = `${count(points.length, 'comparison')}, the last ${percent(ratios[ratios.length - 1])}` + (steps.length ? `, ${count(steps.length, 'step')}` : '');
  const picture = draw('svg', { viewBox: `0 0 ${wide} ${high}`, class: large ? 'history' : 'spark', role: 'img', 'aria-label': label });
  if (!large) { picture.setAttribute('width', wide); picture.setAttribute('height', high); picture.append(draw('title', {}, label)); }
  picture.append(draw('line', { x1: 0, x2: wide, y1: high / 2, y2: high / 2, class: 'zero' }),
    draw('polyline', { points: ratios.map((ratio, at) => `${x(at).toFixed(1)},${y(ratio).toFixed(1)}`).join(' '), class: 'line' }));
  for (const [at, size] of steps) {
    // Before the first point of the new level. What can be pointed at is wider than what is seen.
    const middle = (x(at - 1) + x(at)) / 2, [time, commit] = points[at];
    const line = shape => draw('line', { x1: middle, x2: middle, y1: 0, y2: high, class: shape });
    picture.append(draw('g', { class: size > 0 ? 'step slower' : 'step faster' },
      draw('title', {}, `Step of ${percent(size / 1e5)} at ${commit}, ${date(time)}`), line('seen'), line('reach')));
  }
  points.forEach(([time, commit], at) => {
    if (!large && at < points.length - 1) return;
    picture.append(draw('circle', { cx: x(at), cy: y(ratios[at]), r: large ? 4 : 2.4, class: 'mark' },
      draw('title', {}, `${date(time)} ${commit}: ${percent(ratios[at])}`)));
  });
  return picture;
}

/** Runs of a query and metric, unpacked: stage, process, side, value, in the order they took place. */
function runs([middle, blocks, text]) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const steps = new DataView(bytes.buffer), all = [];
  for (let at = 0; at < blocks.length; at += 3) {
    for (const side of blocks[at + 2]) {
      const step = steps.getInt16(all.length * 2, true);
      all.push({ stage: blocks[at], process: blocks[at + 1], side: +side, value: step === NONE ? 0 : middle * Math.exp(step / STEPS) });
    }
  }
  return all;
}

const medianOf = values => {
  const sorted = [...values].sort((a, b) => a - b), n = sorted.length;
  return n ? (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2 : NaN;
};
/** Steps of an axis: round numbers. */
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough);
  const all = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) all.push(value);
  return all;
}

/** Every run as a point, by process and order: a side is a shape, a process a column. */
function dotPlot(all, metric, wide) {
  const HIGH = 270, LEFT = 66, TOP = 34, FOOT = 24, floor = HIGH - FOOT;
  const groups = [];
  for (const run of all) {
    const last = groups[groups.length - 1];
    if (last && last.stage === run.stage && last.process === run.process) last.runs.push(run);
    else groups.push({ stage: run.stage, process: run.process, runs: [run] });
  }
  const values = all.map(run => run.value), low = Math.min(...values), high = Math.max(...values);
  const spare = (high - low) * 0.06 || high * 0.01 || 1;
  const y = value => floor - (value - low + spare) / (high - low + 2 * spare) * (floor - TOP);
  const slot = (wide - LEFT) / (all.length + groups.length);
  const label = `${all.length} runs of ${metric}, ${groups.length} pairs of processes`;
  const picture = draw('svg', { width: wide, height: HIGH, viewBox: `0 0 ${wide} ${HIGH}`, class: 'dots', role: 'img', 'aria-label': label });
  for (const tick of ticks(low, high, 5)) {
    picture.append(draw('line', { x1: LEFT, x2: wide, y1: y(tick), y2: y(tick), class: 'grid' }),
      draw('text', { x: LEFT - 6, y: y(tick) + 4, 'text-anchor': 'end' }, amount(metric, tick)));
  }
  let x = LEFT, stage = 0;
  const shapes = [];
  for (const [at, group] of groups.entries()) {
    const span = (group.runs.length + 1) * slot;
    if (at % 2 === 0) picture.append(draw('rect', { x, width: span, y: TOP, height: floor - TOP, class: 'column-shade' }));
    if (group.stage !== stage) {
      stage = group.stage;
      if (at) picture.append(draw('line', { x1: x, x2: x, y1: 4, y2: HIGH, class: 'stage' }));
      picture.append(draw('text', { x: x + 4, y: 14, class: 'strong' }, stage === 1 ? 'Stage 1' : 'Stage 2, fresh processes'));
    }
    if (span > 16) picture.append(draw('text', { x: x + span / 2, y: HIGH - 7, 'text-anchor': 'middle' }, group.process));
    group.runs.forEach((run, order) => {
      const cx = x + (order + 1) * slot, cy = y(run.value), side = run.side ? 'new' : 'old';
      const title = draw('title', {}, `${side}, process ${run.process}, run ${order + 1}: ${amount(metric, run.value)}`);
      shapes.push(run.side ? draw('path', { d: `M${cx} ${cy - 5}L${cx + 5} ${cy}L${cx} ${cy + 5}L${cx - 5} ${cy}Z`, class: 'new' }, title)
        : draw('circle', { cx, cy, r: 4, class: 'old' }, title));
    });
    // What each process says of a side.
    for (const side of [0, 1]) {
      const middle = medianOf(group.runs.filter(run => run.side === side).map(run => run.value));
      if (isFinite(middle)) shapes.unshift(draw('line', { x1: x + slot * 0.3, x2: x + span - slot * 0.3, y1: y(middle), y2: y(middle), class: side ? 'middle new' : 'middle old' }));
    }
    x += span;
  }
  picture.append(...shapes);
  return picture;
}
