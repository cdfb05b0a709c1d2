// Flame graph pages in headless Chromium: what a person does with them, and what they see.
//
//     node scripts/flamegraph_check.mjs PAGES [FOLDER for screenshots]        (make flame-check does it all)
//
// PAGES is where the example profile_demo wrote its pages. Every check must pass; the exit code says whether all did.
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checks, equal, holds, overflows, phone } from './browser.mjs'

const [pages, shots] = process.argv.slice(2)
const { check: checkUrl, finish } = await checks({ viewport: { width: 1280, height: 900 }, allowed: /^(file|data):/, shots })
const check = (name, page, options, work) => checkUrl(name, pathToFileURL(resolve(pages, page)).href, options, work)
const labels = tab => tab.$$eval('#graph text', list => list.map(text => text.textContent))
const over = (tab, label) => tab.locator('#graph g', { has: tab.locator('text', { hasText: label }) }).first()

await check('one profile', 'cpu.html', { fullPage: true }, async tab => {
  const names = await labels(tab)
  for (const name of ['all', 'query', 'decode', 'group', 'sort_names']) holds(names.some(n => n.includes(name)), `no frame ${name}: ${names}`)
  holds(/samples .*functions/.test(await tab.textContent('#summary')), await tab.textContent('#summary'))
  equal(await overflows(tab), 0, 'sideways scrolling')
  holds(await tab.$$eval('.list tbody tr', rows => rows.length) > 10, 'no list of functions')
})
await check('tooltip', 'cpu.html', {}, async tab => {
  await over(tab, 'sort_names').hover()
  const tip = await tab.textContent('#tip')
  holds(/sort_names/.test(tip) && /samples/.test(tip) && /% of all/.test(tip), tip)
})
await check('zoom and back', 'cpu.html', {}, async tab => {
  const before = (await tab.$$('#graph g')).length
  await over(tab, 'sort_names').click()
  holds(/sort_names/.test(await tab.textContent('#focus')), 'the focus is not named')
  const wide = await over(tab, 'sort_names').locator('rect').getAttribute('width')
  holds(+wide > 1200, `not as wide as the page: ${wide}`)
  holds(!(await labels(tab)).some(n => /decode/.test(n)), 'others are still drawn')
  if (shots) await tab.screenshot({ path: join(shots, 'zoomed.png') })
  await tab.keyboard.press('Escape')
  equal((await tab.$$('#graph g')).length, before, 'frames after the way back')
  await over(tab, 'sort_names').click()
  await tab.click('#reset')
  equal((await tab.$$('#graph g')).length, before, 'frames after reset')
})
await check('search', 'cpu.html', {}, async tab => {
  await tab.keyboard.press('/')
  await tab.keyboard.type('SORT')
  const share = parseFloat((await tab.textContent('#matched')).replace('matched ', ''))
  holds(share > 5 && share < 100, `matched ${share}`)
  holds((await tab.$$('g.match')).length > 0, 'nothing is marked')
  await tab.fill('#search', 'all')
  await tab.fill('#search', 'no such frame')
  equal(await tab.textContent('#matched'), 'matched 0.00 %', 'no match')
  await tab.fill('#search', 'sort')
})
await check('flipped', 'cpu.html', {}, async tab => {
  const y = async () => +await over(tab, 'query').locator('rect').getAttribute('y')
  const before = await y()
  await tab.click('#flip')
  holds(await y() !== before, 'the order of rows is the same')
})
await check('a list leads to its frames', 'cpu.html', {}, async tab => {
  await tab.click('.list tbody td')
  holds((await tab.$$('g.match')).length > 0, 'nothing is marked')
})
await check('dark', 'cpu.html', { colorScheme: 'dark', fullPage: true }, async tab => {
  const dark = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await tab.click('#theme')
  holds(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor) !== dark, 'the button changes nothing')
  await tab.click('#theme')
})
await check('names stay text', 'names.html', {}, async tab => {
  equal(await tab.title(), "Real flame graph of SELECT '<b>'", 'title')
  holds((await labels(tab)).includes('a<b>&"c"'), String(await labels(tab)))
  equal(await tab.$$eval('img', list => list.length), 0, 'images')
})
await check('a difference', 'difference.html', { fullPage: true }, async tab => {
  const names = await labels(tab)
  holds(names.some(n => n.startsWith('+ ') && n.includes('group_densely')), `nothing is marked as added: ${names}`)
  holds(names.some(n => n.startsWith('− ')), `nothing is marked as removed: ${names}`)
  const lists = await tab.$$eval('.list', list => list.map(e => [e.querySelector('h2').firstChild.textContent, e.textContent]))
  equal(lists.map(l => l[0]), ['Changed most', 'Added', 'Removed'], 'lists')
  holds(lists[1][1].includes('group_densely') && lists[2][1].includes('sort_names'), 'the lists lack what is in one profile only')
  equal(await overflows(tab), 0, 'sideways scrolling')
})
await check('both normalisations', 'difference.html', {}, async tab => {
  const tip = async () => { await tab.mouse.move(5, 5); await over(tab, 'decode').hover(); return tab.textContent('#tip') }
  const scaled = await tip()
  await tab.check('input[value=raw]')
  const raw = await tip()
  holds(/before: .*after: .*difference: /.test(raw) && raw !== scaled, `${scaled} / ${raw}`)
  holds(scaled.includes('(scaled)') && !raw.includes('(scaled)'), `${scaled} / ${raw}`)
})
await check('a difference in the dark', 'difference.html', { colorScheme: 'dark', fullPage: true }, async tab => {
  await over(tab, 'group_densely').hover()
  holds(/only in the second profile/.test(await tab.textContent('#tip')), await tab.textContent('#tip'))
})
await check('on a phone', 'cpu.html', phone, async tab => {
  equal(await overflows(tab), 0, 'sideways scrolling')
  await over(tab, 'group').tap()
  holds(await tab.isVisible('#focus'), 'a tap does not zoom')
  equal(await overflows(tab), 0, 'sideways scrolling')
})
await check('a difference on a phone', 'difference.html', { ...phone, fullPage: true }, async tab => {
  equal(await overflows(tab), 0, 'sideways scrolling')
})
process.exit(await finish())
