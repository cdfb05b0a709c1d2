// A series as a picture: points with intervals, levels between steps, steps with their size.

/**
 * `all` are points, `steps` those that were found. Answers an element whose `redraw` fits it to its width. A point
 * under the mouse or a finger tells what it is; arrow keys go from point to point.
 */
function chart(all, steps, metric) {
  const holder = el('div', { class: 'picture chart', tabindex: 0, role: 'group', 'aria-label': 'Series; arrow keys go along its points' });
  const tip = el('div', { class: 'tip', hidden: true, role: 'status' });
  const HIGH = 300, TOP = 26, FOOT = 26, EDGE = 10, floor = HIGH - FOOT;
  let x, y, here, at = -1;

  function draw_(wide) {
    const LEFT = 62, shown = all.flatMap(point => [point.value, point.low, point.high]).filter(value => value !== null).map(Number);
    const low = Math.min(...shown), high = Math.max(...shown), spare = (high - low) * 0.08 || high * 0.01 || 1;
    x = place => LEFT + EDGE + place / Math.max(1, all.length - 1) * (wide - LEFT - 2 * EDGE);
    y = value => floor - (value - low + spare) / (high - low + 2 * spare) * (floor - TOP);
    const label = `${count(all.length, 'point')} of ${metric}, ${count(steps.length, 'step')}`;
    const picture = draw('svg', { width: wide, height: HIGH, viewBox: `0 0 ${wide} ${HIGH}`, role: 'img', 'aria-label': label });
    for (const tick of ticks(low, high, 5)) picture.append(
      draw('line', { x1: LEFT, x2: wide, y1: y(tick), y2: y(tick), class: 'grid' }),
      draw('text', { x: LEFT - 6, y: y(tick) + 4, 'text-anchor': 'end' }, amount(metric, tick)));
    const days = Math.max(2, Math.min(6, Math.floor(wide / 160)));
    for (let day = 0; day < days; day++) {
      const place = Math.round(day / (days - 1) * (all.length - 1));
      picture.append(draw('text', { x: x(place), y: HIGH - 8, 'text-anchor': day === 0 ? 'start' : day === days - 1 ? 'end' : 'middle' },
        date(all[place].seconds).slice(0, 10)));
      if (all.length === 1) break;
    }
    const ends = [0, ...steps.map(step => step.at), all.length];
    ends.slice(0, -1).forEach((from, part) => {
      const middle = medianOf(all.slice(from, ends[part + 1]).map(point => point.value));
      picture.append(draw('line', { x1: x(from), x2: x(ends[part + 1] - 1), y1: y(middle), y2: y(middle), class: 'level' }));
    });
    const dense = (wide - LEFT) / all.length;
    all.forEach((point, place) => {
      if (point.low !== null) picture.append(draw('line', { x1: x(place), x2: x(place), y1: y(point.low), y2: y(point.high), class: 'whisker' }));
      picture.append(draw('circle', { cx: x(place), cy: y(point.value), r: dense > 6 ? 3 : 2, class: 'point' }));
    });
    steps.forEach((step, number) => {
      const word = step.environment ? '' : step.theta > 0 ? 'slower' : 'faster', middle = (x(step.at - 1) + x(step.at)) / 2;
      picture.append(draw('line', { x1: middle, x2: middle, y1: TOP - 6, y2: floor, class: `step ${word}` }),
        // Every other label stands lower, beside its line, so that neighbours do not cover each other.
        draw('text', { x: middle + (number % 2 ? (middle > wide - 90 ? -5 : 5) : 0), y: number % 2 ? TOP + 4 : TOP - 10, class: word,
          'text-anchor': middle > wide - 90 ? 'end' : number % 2 || middle < LEFT + 40 ? 'start' : 'middle' },
          percent(step.theta) + (step.environment ? ' (host)' : '')));
    });
    here = draw('circle', { r: 6, class: 'here', visibility: 'hidden' });
    picture.append(here);
    holder.replaceChildren(picture, tip);
    if (at >= 0) tell(at);
  }
  function tell(place) {
    at = Math.max(0, Math.min(all.length - 1, place));
    const point = all[at], wide = holder.clientWidth;
    here.setAttribute('cx', x(at));
    here.setAttribute('cy', y(point.value));
    here.setAttribute('visibility', 'visible');
    const step = steps.find(step => step.at === at);
    tip.replaceChildren(el('b', {}, amount(metric, point.value)),
      point.low === null ? '' : ` (${amount(metric, point.low)} to ${amount(metric, point.high)})`,
      el('div', {}, date(point.seconds)), el('div', {}, `${commit(point, 0)} → ${commit(point, 1)}`),
      point.ratio === null ? '' : el('div', {}, `in this run ${percent(point.ratio)}`, point.said ? ` (${point.said.verdict})` : ''),
      step ? el('div', {}, `step of ${percent(step.theta)} (${percent(step.low)} to ${percent(step.high)})`) : '',
      el('div', { class: 'hint' }, point.run_id));
    tip.hidden = false;
    const left = x(at) + 16, high = tip.offsetHeight;
    tip.style.left = `${Math.max(4, Math.min(left + tip.offsetWidth > wide ? x(at) - tip.offsetWidth - 8 : left, wide - tip.offsetWidth - 4))}px`;
    tip.style.top = `${y(point.value) > HIGH / 2 ? TOP : Math.max(TOP, floor - high)}px`;
  }
  function nearest(event) {
    const box = holder.firstChild.getBoundingClientRect(), span = x(all.length - 1) - x(0);
    tell(Math.round((event.clientX - box.left - x(0)) / (span || 1) * (all.length - 1)));
  }
  function leave() { at = -1; tip.hidden = true; here.setAttribute('visibility', 'hidden'); }
  holder.addEventListener('pointermove', nearest);
  holder.addEventListener('pointerdown', nearest);
  holder.addEventListener('pointerleave', event => { if (event.pointerType === 'mouse') leave(); });
  holder.addEventListener('keydown', event => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (way) { event.preventDefault(); tell(at < 0 ? all.length - 1 : at + way); }
  });
  holder.redraw = () => {
    const style = getComputedStyle(holder);
    draw_(Math.max(240, holder.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)));
  };
  return holder;
}
/** A commit's first characters, or a dash. */
const commit = (point, side) => {
  const name = [point.old_commit, point.new_commit][side];
  return /^[0-9a-f]{40}$/.test(name) ? name.slice(0, 10) : name || '–';
};
