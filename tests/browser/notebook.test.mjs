// A notebook that nbconvert rendered: its views work in frames without an origin, from disk, without network.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch } from './harness.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test('views of a notebook open boxes, and cannot reach the notebook', async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(pathToFileURL(process.env.NOTEBOOK).href, { waitUntil: 'commit' });
  const frames = page.locator('iframe[sandbox]');
  await frames.nth(1).waitFor();
  assert.equal(await frames.count(), 2);
  const single = frames.nth(0).contentFrame();
  await single.locator('svg g[data-name=encoder] [data-action=toggle]').first().click();
  await single.locator('[data-kind=stack][data-open]').waitFor();
  await single.locator('input[type=search]').fill('pooler');
  await single.locator('input[type=search]').press('Enter');
  await single.locator('aside h1').waitFor();
  const pair = frames.nth(1).contentFrame();
  await pair.locator('section.pane svg [data-id]').first().waitFor();
  assert.equal(await pair.locator('section.pane').count(), 2);
  const isApart = await single.locator('body').evaluate(() => {
    try {
      return !globalThis.parent.document;
    } catch {
      return true;
    }
  });
  assert.ok(isApart);
  assert.deepEqual(errors.filter((text) => !/require|MathJax|mermaid/i.test(text)), []); // of nbconvert's own page, offline
  await context.close();
});
