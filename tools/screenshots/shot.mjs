// shot.mjs URL FILE [--theme dark] [--size 1400x900] [--do SCRIPT]: a picture of a page in headless Chromium. SCRIPT is a list
// of steps separated by ";": open NAME, select NAME, key NAME, type TEXT, colour MODE, wait MS.
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

const require = createRequire(new URL('../../viewer/package.json', import.meta.url));
const { chromium } = require('playwright-core');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { theme: { type: 'string', default: 'light' }, size: { type: 'string', default: '1400x900' }, do: { type: 'string', default: '' } },
});
const [width, height] = values.size.split('x').map(Number);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
});
const page = await browser.newPage({ viewport: { width, height }, colorScheme: values.theme });
page.on('console', (message) => message.type() === 'error' && console.error('page:', message.text()));
page.on('pageerror', (error) => console.error('page:', error.message));
await page.goto(positionals[0]);
await page.waitForSelector('svg [data-id]');
const steps = {
  open: (name) => page.dblclick(`[data-name="${name}"] > rect.shape:not(.back)`, { position: { x: 4, y: 10 } }),
  select: (name) => page.click(`[data-name="${name}"] > rect.shape:not(.back)`, { position: { x: 4, y: 10 } }),
  key: (name) => page.keyboard.press(name),
  type: (text) => page.fill('input[type=search]', text),
  colour: (mode) => page.selectOption('select', mode),
  wait: (time) => page.waitForTimeout(Number(time)),
};
for (const step of values.do.split(';').map((one) => one.trim()).filter(Boolean)) {
  const [name, ...rest] = step.split(' ');
  await steps[name](rest.join(' '));
  await page.waitForTimeout(350);
}
await page.screenshot({ path: positionals[1] });
await browser.close();
