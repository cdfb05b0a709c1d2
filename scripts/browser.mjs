// Headless Chromium for the checks of pages: `make play-check` and `make flame-check`.
import { createRequire } from 'node:module'
import { join } from 'node:path'

// The package lies where make has put it, not beside this file.
const { chromium } = createRequire(join(process.env.MODULES || process.cwd(), 'x.js'))('playwright-core')

/** A browser that asks nothing of the network by itself. */
export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
})
