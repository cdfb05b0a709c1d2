// The page /lab in headless Chromium: a history with known steps, and what a person sees and does with it.
//
//     node scripts/lab_history_check.mjs BINARY [FOLDER for screenshots]        (make lab-check does it all)
//
// Starts a server of its own. Every check must pass; the exit code says whether all did.
import { execFileSync } from 'node:child_process'
import { checks, equal, holds, overflows, ownServer, phone } from './browser.mjs'

const [binary, shots] = process.argv.slice(2)
const { url, ask, stop } = await ownServer(binary, 'lab')
const { check: checkUrl, finish } = await checks({
  viewport: { width: 1300, height: 900 },
  allowed: new RegExp(`^(${url}|data:|about:)`),
  // Statuses of errors: a server without the tables, a user without the right password.
  expected: /status of [45]/,
  shots,
})
const check = (name, hash, options, work) => checkUrl(name, `${url}/lab${hash}`, options, async tab => {
  await tab.waitForSelector('html[data-usable]', { timeout: 60000 })
  await work(tab)
})

await check('nothing yet', '', {}, async tab => {
  holds((await tab.textContent('#nothing')).includes(`entasis lab compare --left git:main~1 --right git:main --store ${url}`), 'no word of how to fill it')
})

// 120 runs of 24 queries. Query 2 gets slower by 6 % at run 70 and faster by 9 % at run 100; from run 40 on, the machine is
// slower by 4 %; every tenth run has fresh processes, and so intervals.
const QUERIES = 24, RUNS = 120
// The laboratory itself makes its tables.
execFileSync(binary, ['lab', 'runs', '--store', url])
const run = "concat('compare-', leftPad(toString(r), 4, '0'))", time = "toDateTime('2026-03-01 00:00:00', 'UTC') + r * 7200"
const test = "concat(['aggregation', 'hash_join', 'sorting', 'a.dotted <b>name</b>'][q % 4 + 1], if(q < 4, '', toString(intDiv(q, 4))))"
const steps = 'if(r >= 40, log(1.04), 0) + if(q = 2 and r + side > 70, log(1.06), 0) + if(q = 2 and r + side > 100, -log(1.09), 0)'
const normal = 'sqrt(-2 * log((sipHash64(number, 3) + 1) / 18446744073709551616.)) * cos(2 * pi() * sipHash64(number, 4) / 18446744073709551616.)'
const commit = r => `lower(concat(leftPad(hex(sipHash64(${r})), 16, '0'), leftPad(hex(sipHash64(${r}, 1)), 24, '0')))`
await ask(`INSERT INTO lab.run (run_id, updated, time, kind, host, cpu, old_commit, new_commit, arguments) SELECT ${run}, now64(3), ${time}, 'compare', 'a host', 'A processor of 2 cores', ${commit('r')}, ${commit('r + 1')}, [] FROM (SELECT number AS r FROM numbers(${RUNS}))`)
await ask(`INSERT INTO lab.query (run_id, unit, test, query_index, query_hash, text, updated) SELECT ${run}, q, ${test}, q, 1000 + q, concat('SELECT k, count() FROM t WHERE a < \\'</script>\\' AND q = ', toString(q), ' GROUP BY k'), now64(3) FROM (SELECT number AS q, ${RUNS - 1} AS r FROM numbers(${QUERIES}))`)
for (const [metric, base, noise] of [['client_time', 0.05, 0.01], ['memory', 3e7, 0.001]]) await ask(`
  INSERT INTO lab.measure (run_id, time, test, query_index, query_hash, side, process, run, metric, value) SELECT ${run}, ${time}, ${test}, q, 1000 + q, if(side = 1, 'new', 'old'), process, 0, '${metric}', ${base} * (1 + q) * exp(${noise} * ${normal} + ${metric === 'memory' ? 0 : steps})
  FROM (SELECT number, number % 2 AS side, intDiv(number, 2) % 9 AS process, intDiv(number, 18) % ${QUERIES} AS q, intDiv(number, ${18 * QUERIES}) AS r FROM numbers(${18 * QUERIES * RUNS}))
  WHERE process = 0 OR r % 10 = 0`)
await ask(`
  INSERT INTO lab.verdict (run_id, time, kind, cpu, test, query_index, query_hash, metric, new, theta, low, high, mde, verdict, class, updated)
  SELECT run_id, time, 'compare', 'A processor of 2 cores', test, query_index, query_hash, metric, avgIf(value, side = 'new') AS n,
    log(n / avgIf(value, side = 'old')) AS theta, theta - 0.01, theta + 0.01, 0.02, multiIf(theta > 0.04, 'slower', theta < -0.04, 'faster', query_hash % 3 = 0, 'equivalent', 'undecided'), '', now64(3)
  FROM lab.measure GROUP BY run_id, time, test, query_index, query_hash, metric`)
// Of another engine, so no series.
await ask(`INSERT INTO lab.run (run_id, updated, time, kind, host, cpu, old, new, arguments) SELECT 'compare-other', now64(3), now64(3), 'compare', 'a host', 'A processor of 2 cores', 'entasis', 'duckdb', []`)
await ask(`INSERT INTO lab.verdict (run_id, time, kind, cpu, test, query_index, query_hash, metric, new, verdict, updated) SELECT 'compare-other', now64(3), 'compare', 'A processor of 2 cores', 'other', 0, 1, 'client_time', 1, 'slower', now64(3)`)

const found = tab => tab.textContent('#found').then(text => parseInt(text))
const STEPPED = '#sorting.2.client_time'
await check('the list', '', {}, async tab => {
  equal(await tab.textContent('#sentence'), '24 series of client_time, up to 120 runs', 'sentence')
  equal(await tab.textContent('#status'), '2 steps, and 24 where all queries of a host moved at once', 'steps')
  equal(await found(tab), QUERIES, 'series')
  holds((await tab.$$('#series svg.spark polyline')).length > 10, 'no spark lines')
  equal(await overflows(tab), 0, 'sideways scrolling')
})
await check('filters', '', {}, async tab => {
  await tab.fill('#search', 'hash_j')
  equal(await found(tab), 6, 'tests by name')
  await tab.fill('#search', '')
  await tab.check('#stepped')
  equal(await tab.$$eval('#series tbody a', list => list.map(a => [a.textContent, a.getAttribute('href')])), [['sorting #2', STEPPED]], 'with steps')
  await tab.uncheck('#stepped')
  await tab.selectOption('#word', 'equivalent')
  holds(await found(tab) > 3 && await found(tab) < QUERIES, 'by verdict')
  await tab.selectOption('#metric', 'memory')
  await tab.waitForFunction(() => /series of memory/.test(document.getElementById('sentence').textContent))
  await tab.waitForFunction(() => document.getElementById('status').textContent === '0 steps')
})
await check('a series', STEPPED, { viewport: { width: 1300, height: 1400 } }, async tab => {
  const texts = await tab.$$eval('.chart text.slower, .chart text.faster', list => list.map(e => [e.getAttribute('class'), parseFloat(e.textContent.replace('−', '-'))]))
  equal(texts.map(([word]) => word), ['slower', 'faster'], 'steps')
  holds(Math.abs(texts[0][1] - 6) < 1.5 && Math.abs(texts[1][1] + 8.3) < 1.5, `sizes: ${texts}`)
  equal((await tab.$$('.chart circle.point')).length, RUNS, 'points')
  equal((await tab.$$('.chart .whisker')).length, RUNS / 10, 'intervals')
  equal((await tab.$$('.chart .step')).length, 3, 'marks: two steps and the one of the host')
  holds((await tab.textContent('#query pre.text')).includes("a < '</script>' AND q = 2"), 'no text')
  const whose = await tab.$$eval('table[aria-label=Steps] tbody tr', list => list.map(row => row.lastChild.textContent))
  equal(whose, ['query', 'query', 'host'], 'latest first')
  equal(await overflows(tab), 0, 'sideways scrolling')
})
await check('what a point is', STEPPED, {}, async tab => {
  const box = await (await tab.$('.chart svg')).boundingBox()
  await tab.mouse.move(box.x + box.width * 0.6, box.y + 100)
  const text = await tab.textContent('.tip')
  holds(/ms/.test(text) && /2026-03-0\d/.test(text) && /[0-9a-f]{10} → [0-9a-f]{10}/.test(text) && /compare-00\d\d/.test(text), text)
  await tab.focus('.chart')
  await tab.keyboard.press('ArrowLeft')
  holds(await tab.textContent('.tip') !== text, 'the key moves to another point')
  await tab.mouse.move(5, 5)
  holds(!await tab.isVisible('.tip'), 'it stays')
})
await check('the way back and other metrics', STEPPED, {}, async tab => {
  await tab.click('.metrics a')
  await tab.waitForFunction(() => /\.memory$/.test(location.hash) && /MB/.test(document.querySelector('.chart')?.textContent))
  await tab.waitForSelector('text=No step.')
  await tab.keyboard.press('Escape')
  await tab.waitForSelector('#series', { state: 'visible' })
  await tab.goto(`${url}/lab#there.9.client_time`)
  await tab.waitForSelector('text=There is no series there.9.client_time')
})
await check('a name with dots', '#a.dotted%20%3Cb%3Ename%3C%2Fb%3E.3.client_time', {}, async tab => {
  holds((await tab.textContent('#query-name')).startsWith('a.dotted <b>name</b> #3'), await tab.textContent('#query-name'))
})
await check('who may not', '', {}, async tab => {
  await tab.fill('#user', 'nobody')
  await tab.press('#user', 'Tab')
  await tab.waitForFunction(() => /does not let this user in/.test(document.getElementById('trouble').textContent))
})
await check('list on a phone', '', phone, async tab => equal(await overflows(tab), 0, 'sideways scrolling'))
await check('series on a phone', STEPPED, { ...phone, colorScheme: 'dark', fullPage: true }, async tab => {
  equal(await overflows(tab), 0, 'sideways scrolling')
  const box = await (await tab.$('.chart svg')).boundingBox()
  await tab.touchscreen.tap(box.x + box.width * 0.7, box.y + 100)
  holds(await tab.isVisible('.tip'), 'a tap tells nothing')
  const background = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
  equal(background, 'rgb(25, 24, 23)', 'dark')
})
const failed = await finish()
await stop()
process.exit(failed)
