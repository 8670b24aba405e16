// What the tests in a browser share: a server of `thence view`, and a page in headless Chromium.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const require = createRequire(join(root, 'viewer', 'package.json'));
const { chromium } = require('playwright-core');

export const program = process.env.THENCE_BIN ?? join(root, 'build/release/bin/thence');
export const sample = (name) => join(root, 'tests/models/sample', name);

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags });

/** Starts `thence view`, and gives its address and a function that ends it. */
export async function serve(model, ...more) {
  const server = spawn(program, ['view', model, '--no-open', '--quiet', ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    createInterface(server.stdout).once('line', resolve);
    server.on('exit', () => reject(new Error('the server ended')));
  });
  const stop = () => {
    server.kill('SIGINT');
    return ended;
  };
  return { url, stop, pid: server.pid };
}

/** A page whose errors fail the test: `errors` must stay empty. */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', ...options });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  await page.waitForSelector('svg [data-id]');
  return { page, context, errors };
}

export const box = (id) => `svg [data-id="${id}"]`;
/** The item with this name in the picture. */
export const named = (page, name) => page.locator(`svg g[data-name="${name}"]`).last();

export async function findSerious(page) {
  await page.addScriptTag({ path: require.resolve('axe-core/axe.min.js') }).catch(() => undefined);
  const results = await page.evaluate(async () => (await globalThis.axe.run()).violations);
  return results.filter((one) => one.impact === 'serious' || one.impact === 'critical').map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`);
}
