// Headless Chromium for the checks of pages: `make play-check`, `make lab-check`, `make flame-check`, `make report-check`.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// The package lies where make has put it, not beside this file.
const { chromium } = createRequire(join(process.env.MODULES || process.cwd(), 'x.js'))('playwright-core')

/** A browser that asks nothing of the network by itself. */
const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
})

export const equal = (got, wanted, what) => { if (JSON.stringify(got) !== JSON.stringify(wanted)) throw new Error(`${what}: got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`) }
export const holds = (truth, what) => { if (!truth) throw new Error(what) }
/** Pixels that a page is wider than its window. */
export const overflows = tab => tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/**
 * Checks of pages, one tab each. `viewport`: the usual window; `allowed`: requests that a page may make; `expected`:
 * messages on the console that are as they should be; `shots`: a folder for a screenshot of each check.
 * `check(name, url, options, work)` counts; `finish()` says how many passed and ends the program.
 */
export async function checks({ viewport, allowed, expected = /^$/, shots }) {
  const browser = await launch()
  let passed = 0, failed = 0
  const problems = []
  if (shots) mkdirSync(shots, { recursive: true })

  async function check(name, url, options, work) {
    const context = await browser.newContext({ viewport, ...options })
    const tab = await context.newPage()
    tab.on('pageerror', error => problems.push(`${name}: ${error}`))
    tab.on('console', message => { if (message.type() === 'error' && !expected.test(message.text())) problems.push(`${name}: ${message.text()}`) })
    tab.on('request', request => { if (!allowed.test(request.url())) problems.push(`${name}: asks for ${request.url()}`) })
    try {
      await tab.goto(url)
      await work(tab)
      if (shots) await tab.screenshot({ path: join(shots, name.replaceAll(' ', '-') + '.png'), fullPage: !!options.fullPage })
      passed++
      console.log('ok     ', name)
    } catch (error) {
      failed++
      console.log('FAILED ', name + ':', String(error.message || error).split('\n').slice(0, 6).join('\n        '))
    } finally { await context.close() }
  }
  async function finish() {
    if (problems.length) { failed++; console.log('FAILED  the console:', problems.join('\n        ')) }
    await browser.close()
    console.log(`${passed} passed, ${failed} failed`)
    return failed ? 1 : 0
  }
  return { check, finish }
}

/** A server of a check's own, with a folder of its own: where it is, `ask` for statements, `stop`. */
export async function ownServer(binary, name) {
  const folder = mkdtempSync(join(tmpdir(), `entasis-${name}-`))
  const port = await new Promise(done => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => done(port))
    })
  })
  const url = `http://127.0.0.1:${port}`
  const server = spawn(binary, ['server', '--http-port', String(port), '--path', folder], { stdio: 'ignore' })
  for (let tries = 0; ; tries++) {
    try { if ((await fetch(url + '/ping')).ok) break } catch { if (tries > 200) throw new Error('the server does not answer') }
    await new Promise(done => setTimeout(done, 50))
  }
  const ask = async text => {
    const answer = await fetch(url, { method: 'POST', body: text })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.text()
  }
  const stop = async () => {
    server.kill('SIGTERM')
    await new Promise(done => server.on('exit', done))
    rmSync(folder, { recursive: true, force: true })
  }
  return { url, ask, stop }
}
