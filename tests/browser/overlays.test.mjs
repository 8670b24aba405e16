// Other files in the page: two models side by side, times, drift, and the numbers of a weight.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, named, openPage, serve } from './harness.mjs';

const { BASE_MODEL, DERIVED_MODEL, PROFILE, DRIFT } = process.env;
let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const panes = (page) => [page.locator('section.pane').first(), page.locator('section.pane').last()];
const inPane = (pane, name) => pane.locator(`svg g[data-name="${name}"]`).last();
const place = async (locator) => (await locator.boundingBox()) ?? assert.fail('not drawn');

async function start(t, model, ...options) {
  const server = await serve(model, ...options);
  t.after(server.stop);
  const opened = await openPage(browser, server.url);
  t.after(() => opened.context.close());
  return opened;
}

test('an ancestor is shown beside the model, and both open, move and select together', async (t) => {
  const { page, errors } = await start(t, DERIVED_MODEL, '--ancestor', BASE_MODEL);
  const [left, right] = panes(page);
  await inPane(left, 'encoder').waitFor();
  assert.match(await left.locator('h2').first().innerText(), /^Ancestor/);
  assert.equal(await page.locator('select').inputValue(), 'change');
  await inPane(right, 'encoder').locator('[data-action=toggle]').click();
  for (const pane of [left, right]) await pane.locator('[data-kind=stack][data-open]').waitFor();
  await right.locator('[data-kind=stack] [data-action=next]').click();
  for (const pane of [left, right]) await pane.getByText(/^2 \/ \d+$/).waitFor();
  // The same box is at the same height on both sides, also after a movement.
  await page.waitForTimeout(300);
  const graph = await place(right.locator('[data-graph]'));
  await page.mouse.move(graph.x + 200, graph.y + 300);
  await page.mouse.down();
  await page.mouse.move(graph.x + 200, graph.y + 220, { steps: 4 });
  await page.mouse.up();
  const centre = graph.y + graph.height / 2;
  const distances = await page.evaluate((middle) => {
    const boxes = [...document.querySelectorAll('section.pane')].map((pane) => new Map([...pane.querySelectorAll('svg g[data-id][data-kind=module], svg g[data-kind=stack]')].map((one) => [one.dataset.name, one.getBoundingClientRect()])));
    const common = [...boxes[0].keys()].filter((name) => boxes[1].has(name));
    return common.map((name) => ({ name, far: Math.abs(boxes[1].get(name).top + boxes[1].get(name).height / 2 - middle), apart: Math.abs(boxes[0].get(name).top - boxes[1].get(name).top) })).sort((a, b) => a.far - b.far);
  }, centre);
  assert.ok(distances[0].apart < 60, JSON.stringify(distances.slice(0, 3)));
  await inPane(right, 'pooler').locator('rect.shape').first().click({ position: { x: 6, y: 26 } });
  await left.locator('svg g.linked[data-name=pooler]').waitFor();
  assert.match(await page.locator('aside').innerText(), /differences/);
  await inPane(left, 'encoder').first().locator('[data-action=toggle]').first().click();
  await right.locator('svg g[data-name=encoder]:not([data-open])').waitFor();
  assert.deepEqual(errors, []);
});

test('a node shows its proof and what it was made from, and leads there', async (t) => {
  const { page, errors } = await start(t, DERIVED_MODEL, '--ancestor', BASE_MODEL);
  await page.fill('input[type=search]', 'SkipLayerNormalization');
  await page.press('input[type=search]', 'Enter');
  await page.getByRole('heading', { name: 'In the other model' }).waitFor();
  const details = await page.locator('aside').innerText();
  for (const part of ['proof', 'Differences', 'fused', 'transferred']) assert.ok(details.includes(part), part);
  await page.locator('aside').getByRole('button', { name: 'show', exact: true }).first().click();
  await panes(page)[0].locator('svg g.selected').waitFor();
  await panes(page)[1].locator('svg g.linked').first().waitFor();
  assert.deepEqual(errors, []);
});

test('a second model is compared, in both themes and restored by a link', async (t) => {
  const { page, context, errors } = await start(t, BASE_MODEL, '--diff', DERIVED_MODEL);
  const [left, right] = panes(page);
  assert.match(await left.locator('h2').first().innerText(), /^Before/);
  await inPane(left, 'encoder').locator('[data-action=toggle]').click();
  await right.locator('[data-kind=stack][data-open]').waitFor();
  const legend = page.getByRole('region', { name: 'Legend' });
  await legend.getByRole('button', { name: /fused/ }).click();
  for (const pane of [left, right]) await pane.locator('svg g.dim').first().waitFor();
  await page.waitForTimeout(400);
  const again = await context.newPage();
  await again.goto(page.url());
  for (const pane of panes(again)) await pane.locator('[data-kind=stack][data-open]').waitFor();
  await page.getByRole('button', { name: 'Dark' }).click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.deepEqual(errors, []);
});

test('times and drift are colours, lines of boxes, and rows', async (t) => {
  const { page, errors } = await start(t, BASE_MODEL, '--profile', PROFILE, '--drift', DRIFT);
  assert.equal(await page.locator('select').inputValue(), 'drift');
  await named(page, 'encoder').getByText('drift 2.5e-1').waitFor();
  await page.selectOption('select', 'time');
  await named(page, 'encoder').getByText(/^[\d.]+ (µs|ms)$/).waitFor();
  assert.match(await page.getByRole('treeitem').nth(1).innerText(), /[\d.]+ (µs|ms)/);
  await named(page, 'encoder').locator('rect.shape').first().click({ position: { x: 6, y: 26 } });
  await page.getByText('over the threshold').waitFor();
  assert.match(await page.locator('aside').innerText(), /time\s+[\d.]+ (µs|ms) per run, [\d.]+%/);
  assert.deepEqual(errors, []);
});

test('the numbers of a weight are read on request', async (t) => {
  const { page, errors } = await start(t, BASE_MODEL);
  await page.fill('input[type=search]', "op_type = 'Gemm' or op_type = 'MatMul'");
  await page.press('input[type=search]', 'Enter');
  await page.getByRole('button', { name: 'numbers' }).first().click();
  await page.locator('[data-weights] rect').first().waitFor();
  const text = await page.locator('[data-weights]').first().innerText();
  for (const part of ['elements', 'zeros', 'mean']) assert.ok(text.includes(part), text);
  assert.deepEqual(errors, []);
});
