// The page of `thence view` in a real browser.
import assert from 'node:assert/strict';
import { after, before, beforeEach, afterEach, test } from 'node:test';
import { findSerious, launch, named, openPage, sample, serve } from './harness.mjs';

let browser, server, state;
before(async () => {
  browser = await launch();
  server = await serve(sample('bert12.dynamo.onnx'));
  state = (await openPage(browser, server.url)).context; // takes the token; later pages use its cookie
});
after(async () => {
  await browser.close();
  assert.equal(await server.stop(), 130);
});

let page, errors;
const home = () => new URL('/', server.url).href;
beforeEach(async () => {
  page = await state.newPage();
  errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(home());
  await page.waitForSelector('svg [data-id]');
});
afterEach(async () => {
  await page.close();
  assert.deepEqual(errors, []);
});

const toggle = (name) => named(page, name).locator('[data-action=toggle]').click();
const idOf = (name) => named(page, name).getAttribute('data-id');

test('a box opens and closes in place', async () => {
  const encoder = await idOf('encoder');
  const before = await page.locator(`[data-id="${encoder}"]`).boundingBox();
  await toggle('encoder');
  await page.waitForSelector(`[data-id="${encoder}"][data-open]`);
  const opened = await page.locator(`[data-id="${encoder}"]`).boundingBox();
  assert.ok(Math.abs(opened.y - before.y) < 3, `${before.y} ${opened.y}`); // does not jump
  await page.locator(`[data-id="${encoder}"] > [data-action=toggle]`).first().click();
  await page.waitForSelector(`[data-id="${encoder}"]:not([data-open])`);
});

test('repeated layers are a stack with one layer open', async () => {
  await toggle('encoder'); // its only content, the list and the stack, opens with it
  const stack = page.locator('[data-kind=stack][data-open]');
  await stack.waitFor();
  await page.getByText('1 / 12').waitFor();
  await stack.locator('[data-action=next]').click();
  await page.getByText('2 / 12').waitFor();
  assert.equal(await named(page, 'attention').count(), 1);
});

test('search finds text and steps through the results', async () => {
  await page.keyboard.press('/');
  await page.keyboard.type('layer.3.attention.self.query');
  await page.getByRole('button', { name: 'Next result' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForSelector('aside h1');
  assert.match(await page.locator('aside').innerText(), /encoder\.layer\.3\.attention\.self\.query/);
  assert.match(await page.locator('[role=search]').innerText(), /1 \/ \d+/);
  await page.keyboard.press('Enter');
  await page.getByText(/^2 \/ \d+$/).waitFor();
  await page.getByText('4 / 12').waitFor(); // the stack shows the layer of the result
});

test('search understands expressions, and reports their errors', async () => {
  await page.fill('input[type=search]', "op_type = 'Softmax' and layer_id = -1");
  await page.getByRole('tab', { name: 'Found 1' }).waitFor();
  await page.fill('input[type=search]', 'op_type =');
  await page.getByRole('status').waitFor();
  assert.match(await page.getByRole('status').innerText(), /expected/);
  errors.length = 0; // the answer 400 is also in the console
});

test('a node shows its evidence, rule, and neighbours', async () => {
  await page.fill('input[type=search]', 'layer.0.attention.self.query');
  await page.press('input[type=search]', 'Enter');
  await page.waitForSelector('aside h1');
  const text = await page.locator('aside').innerText();
  for (const part of ['dynamo_metadata', 'strongest_source', 'high', 'Inputs', 'thence query']) assert.ok(text.includes(part), part);
  await page.getByRole('button', { name: 'producer' }).first().click();
  await page.getByRole('button', { name: /consumer/ }).first().waitFor();
  await page.getByRole('button', { name: 'Upstream' }).click();
  await page.getByRole('button', { name: /Clear \(\d+\)/ }).waitFor();
});

test('the keyboard walks the graph and opens boxes', async () => {
  await page.locator('[data-graph]').focus();
  await page.keyboard.press('ArrowDown');
  const first = await page.locator('svg g.selected').getAttribute('data-id');
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction((id) => document.querySelector('svg g.selected')?.dataset.id !== id, first);
  await toggle('pooler'); // also selects nothing: the keyboard keeps its place
  await named(page, 'pooler').first().waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('Enter opens the selected box, i goes into it, Backspace leaves', async () => {
  const id = await idOf('embeddings');
  await page.click(`[data-id="${id}"] > rect.shape`, { position: { x: 5, y: 30 } });
  await page.locator('[data-graph]').focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector(`[data-id="${id}"][data-open]`);
  await page.keyboard.press('i');
  await page.waitForFunction((outer) => document.querySelector('svg g.selected')?.dataset.id !== outer, id);
  await page.keyboard.press('Backspace');
  await page.waitForFunction((outer) => document.querySelector('svg g.selected')?.dataset.id === outer, id);
});

test('colours have a legend that filters', async () => {
  const legend = page.getByRole('region', { name: 'Legend' });
  await legend.getByRole('button', { name: /embedding/ }).click();
  await page.waitForSelector('svg g.dim');
  assert.equal(await named(page, 'embeddings').getAttribute('class').then((name) => name.includes('dim')), false);
  await legend.getByRole('button', { name: 'Show all' }).click();
  await page.waitForFunction(() => !document.querySelector('svg g.dim'));
  for (const mode of ['class', 'confidence', 'source', 'parameters', 'flops', 'bytes']) await page.selectOption('select', mode);
  await legend.getByLabel('from').fill('0.9');
  await page.waitForSelector('svg g.dim');
});

test('a link restores the view', async () => {
  await toggle('encoder');
  await page.waitForSelector('[data-kind=stack][data-open]');
  await page.locator('[data-kind=stack] [data-action=next]').click();
  await page.selectOption('select', 'class');
  await page.getByRole('region', { name: 'Legend' }).getByRole('button', { name: /BertPooler/ }).click();
  await page.waitForTimeout(400);
  const link = page.url();
  const other = await state.newPage();
  await other.goto(link);
  await other.getByText('2 / 12').waitFor();
  assert.equal(await other.locator('select').inputValue(), 'class');
  await other.waitForSelector('svg g.dim[data-name=embeddings]');
  assert.equal(await other.locator('svg g.dim[data-name=pooler]').count(), 0);
  await other.close();
});

test('the tree selects modules, by mouse and by keyboard', async () => {
  const tree = page.getByRole('tree');
  await tree.getByRole('treeitem').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await tree.locator('[aria-level="3"]').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForSelector('svg g.selected');
  assert.match(await page.locator('aside').innerText(), /encoder/);
});

test('the tree follows what is selected in the picture', async () => {
  await named(page, 'encoder').dblclick(); // with the only box inside it, and the first layer
  await named(page, 'attention').click();
  const row = page.getByRole('tree').locator('[aria-selected=true]');
  await row.getByText('attention', { exact: true }).waitFor();
  assert.equal(await row.count(), 1);
  assert.equal(await row.getAttribute('aria-level'), '5');
});

test('the picture is saved as SVG and PNG', async () => {
  for (const [kind, start] of [['SVG', '<svg'], ['PNG', '\u0089PNG']]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: kind, exact: true }).click()]);
    const chunks = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    assert.equal(bytes.subarray(0, 4).toString('latin1'), start);
    assert.ok(bytes.length > 2000);
  }
});

test('nothing serious is wrong for assistive technology, in either theme, also at 200% zoom', async () => {
  await page.addInitScript(() => undefined);
  const policyFree = await browser.newContext({ viewport: { width: 1024, height: 700 }, bypassCSP: true, storageState: await state.storageState() });
  for (const colorScheme of ['light', 'dark']) {
    const tested = await policyFree.newPage();
    await tested.emulateMedia({ colorScheme });
    await tested.goto(home());
    await tested.waitForSelector('svg [data-id]');
    await tested.fill('input[type=search]', 'query');
    await tested.press('input[type=search]', 'Enter');
    await tested.waitForSelector('aside h1');
    assert.deepEqual(await findSerious(tested), []);
    await tested.setViewportSize({ width: 640, height: 400 }); // 1280x800 at 200%
    assert.ok((await tested.locator('[data-graph]').boundingBox()).width > 150);
    assert.deepEqual(await findSerious(tested), []);
    await tested.close();
  }
  await policyFree.close();
});
