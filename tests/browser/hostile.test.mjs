// Text of a model is only text; a flat model of 100,000 nodes is shown in chunks.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, serve } from './harness.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test('names with markup, of 1 MB, and with control characters are harmless', async (t) => {
  const server = await serve(process.env.HOSTILE_MODEL);
  t.after(server.stop);
  const { page, context, errors } = await openPage(browser, server.url);
  let dialogs = 0;
  page.on('dialog', (dialog) => (++dialogs, dialog.dismiss()));
  await page.fill('input[type=search]', 'img');
  await page.press('input[type=search]', 'Enter');
  await page.waitForSelector('aside h1');
  assert.match(await page.locator('aside').innerText(), /<img src=x onerror=alert\(1\)>/);
  assert.equal(await page.locator('img, iframe, script:not([src])').count(), 0);
  await page.fill('input[type=search]', 'Long');
  await page.press('input[type=search]', 'Enter');
  await page.waitForFunction(() => document.querySelector('aside h1')?.textContent.includes('Long'));
  assert.ok((await page.content()).length < 1_000_000);
  await page.fill('input[type=search]', 'Bidi');
  await page.press('input[type=search]', 'Enter');
  await page.waitForFunction(() => document.querySelector('aside h1')?.textContent.includes('Bidi'));
  assert.ok((await page.locator('aside').innerText()).includes('\\u202e'));
  assert.equal(dialogs, 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a flat model of 100,000 nodes is usable', async (t) => {
  const server = await serve(process.env.FLAT_MODEL);
  t.after(server.stop);
  const { page, context, errors } = await openPage(browser, server.url);
  await page.waitForFunction(() => document.querySelectorAll('svg [data-kind=chunk]').length > 20);
  await page.locator('[data-kind=chunk] [data-action=toggle]').first().click();
  await page.waitForFunction(() => document.querySelectorAll('[data-kind=chunk][data-open]').length > 0);
  await page.fill('input[type=search]', 'node_99999');
  await page.press('input[type=search]', 'Enter');
  await page.waitForSelector('svg g.selected[data-id="n99999"]');
  assert.ok((await page.locator('svg g[data-id]').count()) < 3000); // only what is near is drawn
  assert.deepEqual(errors, []);
  await context.close();
});
