// Tables: sorted by a click on a head, rows drawn as they are scrolled to. A row has a fixed height, so
// that the place of each is known without drawing it.
const ROW = 32, WHOLE = 16, AROUND = 12, collator = new Intl.Collator('en', { numeric: true });

/**
 * A table of `rows`. A column has a `title`, perhaps a `hint`, a `width` in pixels (the one without takes
 * what is left), `value` to sort by, and `cell`, the content of a row's cell (without one: the value).
 * `sort` is `[column, descending]`. Answers the element; its `fill(rows)` replaces the rows.
 */
function table(label, columns, rows, sort) {
  const least = columns.reduce((sum, column) => sum + (column.width || 260), 0);
  const heads = columns.map((column, at) => el('th', { scope: 'col', class: column.number ? 'number' : '' },
    column.value ? el('button', { title: column.hint, onclick: () => order(at) }, column.title) : el('span', { title: column.hint }, column.title)));
  const body = el('tbody');
  const grid = el('table', { style: `min-width:${least}px`, 'aria-label': label },
    el('colgroup', {}, columns.map(column => el('col', column.width ? { style: `width:${column.width}px` } : {}))),
    el('thead', {}, el('tr', {}, heads)), body);
  const box = el('div', { class: 'box', tabindex: 0, role: 'region', 'aria-label': label }, grid);
  // A table without texts need not be as wide as the page.
  if (!columns.some(column => column.class === 'code')) box.style.maxWidth = `${least + 60}px`;
  let sorted = [], from = -1, to = -1, [key, down] = sort || [-1, false];

  function row(item, at) {
    const cells = columns.map(column => {
      const content = column.cell ? column.cell(item) : column.value(item);
      const cell = el('td', { class: column.number ? 'number' : column.class || '' });
      cell.append(content ?? '');
      if (typeof content === 'string' && !column.number) cell.title = content;
      return cell;
    });
    return el('tr', { 'aria-rowindex': at + 2 }, cells);
  }
  const spacer = high => el('tr', { class: 'spacer', 'aria-hidden': 'true' },
    el('td', { colspan: columns.length, style: `height:${high}px` }));

  function show(all) {
    let first = 0, last = sorted.length;
    if (!all && last > WHOLE) {
      const high = box.clientHeight || 460;
      first = Math.max(0, Math.floor(box.scrollTop / ROW) - AROUND);
      last = Math.min(last, Math.ceil((box.scrollTop + high) / ROW) + AROUND);
    }
    if (first === from && last === to) return;
    [from, to] = [first, last];
    // What has the focus keeps it while it is in sight.
    const held = body.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
    const drawn = sorted.slice(first, last).map((item, at) => row(item, first + at));
    if (first) drawn.unshift(spacer(first * ROW));
    if (last < sorted.length) drawn.push(spacer((sorted.length - last) * ROW));
    if (!sorted.length) drawn.push(el('tr', {}, el('td', { colspan: columns.length }, 'No row')));
    body.replaceChildren(...drawn);
    if (held) body.querySelector(`a[href="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
  }
  function arrange(rows) {
    sorted = [...rows];
    const value = columns[key]?.value;
    // What has no value comes last, whichever way.
    const none = x => x === null || x === undefined || x === '' || Number.isNaN(x);
    if (value) sorted.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (none(x) || none(y)) return none(x) - none(y);
      const way = typeof x === 'string' ? collator.compare(x, y) : x - y;
      return down ? -way : way;
    });
    heads.forEach((head, at) => {
      if (at === key) head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    box.classList.toggle('tall', sorted.length > WHOLE);
    grid.setAttribute('aria-rowcount', sorted.length + 1);
    from = -1;
    show(false);
  }
  function order(at) {
    // Numbers are first wanted from the largest on.
    down = at === key ? !down : !!columns[at].number;
    key = at;
    box.scrollTop = 0;
    arrange(sorted);
  }
  let waiting = false;
  box.addEventListener('scroll', () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; show(false); });
  });
  // Paper has no scrolling, but it has an end.
  addEventListener('beforeprint', () => show(sorted.length <= 500));
  addEventListener('afterprint', () => { from = -1; show(false); });
  box.fill = rows => { box.scrollTop = 0; arrange(rows); };
  arrange(rows);
  return box;
}
