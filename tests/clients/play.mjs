// The page /play in headless Chromium: what a person does with it, and what they see.
//
//     node tests/clients/play.mjs BINARY [FOLDER for screenshots]        (make play-check does it all)
//
// Starts a server of its own. Every check must pass; the exit code says whether all did.
import { join } from 'node:path'
import { checks, equal, holds, overflows, ownServer, phone } from '../../scripts/browser.mjs'

const [binary, shots] = process.argv.slice(2)
const { url, ask, stop } = await ownServer(binary, 'play')
await ask('CREATE TABLE events (time DateTime, page String, country LowCardinality(String), ms UInt32, tags Array(String)) ENGINE = MergeTree ORDER BY time')
await ask("INSERT INTO events SELECT toDateTime('2026-11-01 00:00:00') + number * 37, concat('/', ['cart', 'home', 'search', 'product'][number % 4 + 1]), ['DE', 'FR', 'US'][number % 3 + 1], number * 7919 % 900, ['a', 'b'] FROM numbers(50000)")
await ask('CREATE DATABASE shop')
await ask('CREATE TABLE shop.a_rather_long_name_of_a_table (x UInt8) ENGINE = Memory')

const { check: checkUrl, finish } = await checks({
  viewport: { width: 1280, height: 800 },
  allowed: new RegExp(`^(${url}|data:|blob:|about:)`),
  // The statuses of errors, and the connection that a late one breaks, are as they should be.
  expected: /status of [45]|INCOMPLETE_CHUNKED/,
  shots,
})
const check = (name, options, work) => checkUrl(name, url + '/play', options, work)
const run = async (tab, query) => {
  await tab.fill('#query', query)
  await tab.press('#query', 'Control+Enter')
  await tab.waitForFunction(() => document.getElementById('run').textContent === 'Run' && document.getElementById('result').childElementCount + document.getElementById('status').textContent.length > 0)
}
const shot = async (tab, name) => { if (shots) await tab.screenshot({ path: join(shots, name + '.png') }) }
const GROUPS = 'SELECT page, country, count() AS views, round(avg(ms), 1) AS mean_ms\nFROM events\nGROUP BY page, country\nORDER BY views DESC, page, country'

await check('a first look', {}, async tab => {
  holds(/^\d+\.\d+/.test(await tab.textContent('#version')) || await tab.waitForFunction(() => /\d/.test(document.getElementById('version').textContent)), 'no version')
  await tab.waitForSelector('nav button')
  equal(await tab.$$eval('nav button', list => list.map(b => b.textContent)), ['events', 'a_rather_long_name_of_a_table'], 'tables')
  equal(await overflows(tab), 0, 'sideways scrolling')
  await shot(tab, 'start')
})
await check('a result', {}, async tab => {
  await run(tab, GROUPS)
  equal(await tab.$$eval('tbody tr', rows => rows.length), 12, 'rows')
  holds(/12 rows/.test(await tab.textContent('#status')), 'status: ' + await tab.textContent('#status'))
  holds(/ s| ms/.test(await tab.textContent('#status')), 'no time')
  await shot(tab, 'result')
})
await check('a table is a click away', {}, async tab => {
  await tab.click('nav button >> text=events')
  await tab.waitForSelector('tbody tr')
  equal(await tab.$$eval('tbody tr', rows => rows.length), 100, 'rows')
  holds((await tab.inputValue('#query')).includes('events'), 'the query is not shown')
  await shot(tab, 'table')
})
await check('an error shows its place', {}, async tab => {
  await run(tab, 'SELECT page,\n       cuont() AS n\nFROM events')
  const text = await tab.textContent('.error')
  holds(text.includes('cuont') && text.includes('UNKNOWN_FUNCTION'), text)
  equal(await tab.evaluate(() => document.getElementById('query').selectionStart), 'SELECT page,\n       '.length, 'cursor')
  await shot(tab, 'error')
})
await check('a late error', {}, async tab => {
  await run(tab, 'SELECT number, throwIf(number = 400000) FROM numbers(1000000) SETTINGS max_threads = 1')
  holds((await tab.textContent('.error')).includes('FUNCTION_THROW_IF'), await tab.textContent('.error'))
})
await check('a long result', {}, async tab => {
  await run(tab, 'SELECT number AS n, toString(cityHash64(number)) AS hash, repeat(toString(number), 40) AS long FROM numbers(20000)')
  holds((await tab.textContent('#result')).includes('5000'), 'no word of the rows left out')
  equal(await overflows(tab), 0, 'sideways scrolling')
  await shot(tab, 'long')
})
await check('a wide result', {}, async tab => {
  await run(tab, 'SELECT * FROM system.settings, (SELECT * FROM system.one) AS o LIMIT 30')
  equal(await overflows(tab), 0, 'sideways scrolling')
  await shot(tab, 'wide')
})
await check('values of all kinds', {}, async tab => {
  await run(tab, "SELECT NULL AS nothing, [1, 2] AS list, map('k', 1) AS pairs, (1, 'x') AS pair, '<b>not bold</b>' AS markup, 18446744073709551615 AS big, 'two\\nlines' AS lines, true AS yes, toDate('2026-11-21') AS day, '' AS empty")
  const cells = await tab.$$eval('tbody td', list => list.map(td => td.textContent))
  holds(cells.includes('18446744073709551615'), 'a large number lost digits: ' + cells)
  holds(cells.includes('<b>not bold</b>'), 'markup was not shown as text')
  await shot(tab, 'values')
})
await check('no rows, no columns', {}, async tab => {
  await run(tab, 'SELECT 1 AS one WHERE 0')
  holds(/0 rows/.test(await tab.textContent('#status')), await tab.textContent('#status'))
  await run(tab, 'CREATE TABLE made (x UInt8) ENGINE = Memory')
  await tab.waitForFunction(() => document.getElementById('tables').textContent.includes('made'))
  await shot(tab, 'created')
})
await check('other formats', {}, async tab => {
  await run(tab, 'SELECT page, count() AS n FROM events GROUP BY page ORDER BY page FORMAT Vertical')
  holds((await tab.textContent('pre.raw')).includes('Row 1'), 'no text')
  await shot(tab, 'vertical')
})
await check('a plan with its times is drawn', {}, async tab => {
  await run(tab, 'EXPLAIN ANALYZE SELECT country, count() AS c, avg(ms) FROM events WHERE page = \'/cart\' AND time > \'2026-11-05\' GROUP BY country ORDER BY c DESC')
  await tab.waitForSelector('.plan tbody tr')
  const names = await tab.$$eval('.plan td.step', list => list.map(e => e.textContent))
  holds(names[0] === 'Result' && names.at(-1) === 'MergeTree', names.join(' '))
  const facts = await tab.$$eval('.plan td.facts', list => list.map(e => e.textContent))
  holds(/granules \d+ of \d+/.test(facts.at(-1)), facts.at(-1))
  holds((await tab.$$eval('.plan .bar', list => Math.max(...list.map(e => e.offsetWidth)))) > 100, 'no bar')
  await shot(tab, 'plan')
})
await check('a selection runs alone', {}, async tab => {
  await tab.fill('#query', 'SELECT 1 AS first;\nSELECT 2 AS second')
  await tab.evaluate(() => { const q = document.getElementById('query'); q.focus(); q.setSelectionRange(19, 37) })
  await tab.press('#query', 'Control+Enter')
  await tab.waitForSelector('tbody td.n')
  equal(await tab.textContent('tbody td.n'), '2', 'the selection')
})
await check('progress and cancelling', {}, async tab => {
  await tab.fill('#query', 'SELECT count() FROM numbers(1000000000000) WHERE number % 7 = 8')
  await tab.click('#run')
  await tab.waitForFunction(() => /read/.test(document.getElementById('status').textContent), null, { timeout: 10000 })
  equal(await tab.textContent('#run'), 'Cancel', 'the button')
  await shot(tab, 'running')
  await tab.click('#run')
  await tab.waitForSelector('.error')
  equal(await tab.textContent('#run'), 'Run', 'the button')
  await new Promise(done => setTimeout(done, 500))
  equal((await ask("SELECT count() FROM system.processes WHERE query LIKE '%1000000000000%' AND query NOT LIKE '%processes%'")).trim(), '0', 'statements that go on')
})
await check('the address keeps the query', {}, async tab => {
  await run(tab, 'SELECT 42 AS answer')
  const address = tab.url()
  await tab.goto('about:blank')
  await tab.goto(address)
  equal(await tab.inputValue('#query'), 'SELECT 42 AS answer', 'the query')
})
await check('dark', { colorScheme: 'dark' }, async tab => {
  await run(tab, GROUPS)
  await shot(tab, 'dark')
  const light = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await tab.click('#theme')
  holds(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor) !== light, 'the button changes nothing')
  await shot(tab, 'dark-to-light')
})
await check('on a phone', phone, async tab => {
  await tab.fill('#query', GROUPS)
  await tab.tap('#run')
  await tab.waitForSelector('tbody tr')
  equal(await overflows(tab), 0, 'sideways scrolling')
  await shot(tab, 'phone')
  const heights = await tab.$$eval('button:not(nav button), input', list => list.filter(e => e.offsetParent).map(e => [e.id, e.offsetHeight]))
  holds(heights.every(([, height]) => height >= 32), 'too small for a finger: ' + JSON.stringify(heights))
})
await check('tables on a phone', phone, async tab => {
  await tab.tap('#menu')
  await tab.waitForSelector('nav button >> text=events', { state: 'visible', timeout: 2000 })
  await shot(tab, 'phone-tables')
  await tab.tap('nav button >> text=events')
  await tab.waitForSelector('tbody tr')
  holds(!await tab.isVisible('nav'), 'the list stays open')
  await shot(tab, 'phone-table')
})
await check('an error on a phone', { ...phone, colorScheme: 'dark' }, async tab => {
  await tab.fill('#query', 'SELECT a_name_that_is_rather_long_and_does_not_exist_anywhere_at_all, count() FROM events GROUP BY page')
  await tab.tap('#run')
  await tab.waitForSelector('.error')
  equal(await overflows(tab), 0, 'sideways scrolling')
  await shot(tab, 'phone-error')
})
const failed = await finish()
await stop()
process.exit(failed)
