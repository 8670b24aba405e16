// Screenshots of the main views, compared with stored ones. REBASE=1 stores new ones; look at them before you commit them.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch, named, openPage, sample, serve } from './harness.mjs';
import { compare, difference } from './pixels.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'screenshots');
const { BASE_MODEL, DERIVED_MODEL } = process.env;
let browser, blank;
before(async () => {
  browser = await launch();
  blank = await browser.newPage();
});
after(() => browser.close());

/** Opens a page, lets `act` bring it into a state, and takes a picture of it. */
async function picture(t, model, options, colorScheme, act) {
  const server = await serve(model, ...options);
  t.after(server.stop);
  const { page, context, errors } = await openPage(browser, server.url, { viewport: { width: 1200, height: 760 }, colorScheme });
  t.after(() => context.close());
  await act(page);
  await page.waitForTimeout(600); // the picture is painted again after it has moved
  assert.deepEqual(errors, []);
  return page.screenshot();
}

const openEncoder = async (page) => {
  await named(page, 'encoder').locator('[data-action=toggle]').click();
  await page.waitForSelector('[data-kind=stack][data-open]');
};

for (const theme of ['light', 'dark'])
  test(`a text encoder with an open layer, ${theme}`, async (t) => {
    await compare(blank, await picture(t, sample('bert12.dynamo.onnx'), [], theme, openEncoder), join(folder, `encoder-${theme}.png`));
  });

test('an image classifier', async (t) => {
  await compare(blank, await picture(t, sample('resnet.dynamo.onnx'), [], 'light', (page) => page.selectOption('select', 'flops')), join(folder, 'classifier.png'));
});

for (const theme of ['light', 'dark'])
  test(`a model and its optimised form side by side, ${theme}`, async (t) => {
    const act = async (page) => {
      await page.locator('section.pane').last().locator('svg g[data-name=encoder] [data-action=toggle]').first().click();
      await page.locator('section.pane').first().locator('[data-kind=stack][data-open]').waitFor();
    };
    await compare(blank, await picture(t, DERIVED_MODEL, ['--ancestor', BASE_MODEL], theme, act), join(folder, `pair-${theme}.png`));
  });

test('the comparison sees a difference', async (t) => {
  const one = await picture(t, sample('bert12.dynamo.onnx'), [], 'light', async () => undefined);
  const other = await picture(t, sample('bert12.dynamo.onnx'), [], 'light', openEncoder);
  assert.ok((await difference(blank, one, other)) > 0.04);
  assert.equal(await difference(blank, one, one), 0);
});
