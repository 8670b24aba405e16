// `thence report`: one file, from disk, without network.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch, named, openPage, program, sample } from './harness.mjs';

let browser, folder;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), 'report-'));
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

function write(model, ...more) {
  const file = join(folder, 'report.html');
  execFileSync(program, ['report', sample(model), '--quiet', '-o', file, ...more]);
  return file;
}

async function open(file) {
  const requests = [];
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, offline: true });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const errors = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('svg [data-id]');
  return { page, requests, errors, context };
}

test('a report works from disk without network', async () => {
  const file = write('bert12.torchscript.onnx');
  const { page, requests, errors, context } = await open(file);
  await named(page, 'encoder').locator('[data-action=toggle]').click();
  await page.getByText('1 / 12').waitFor();
  await page.fill('input[type=search]', 'layer.11.output.dense');
  await page.press('input[type=search]', 'Enter');
  await page.getByText('12 / 12').waitFor();
  await page.waitForSelector('aside h1');
  assert.match(await page.locator('aside').innerText(), /encoder\.layer\.11\.output\.dense/);
  await page.getByRole('button', { name: 'Downstream' }).click();
  await page.getByRole('button', { name: /Clear/ }).waitFor();
  await page.getByRole('tab', { name: /Review/ }).click();
  assert.deepEqual(errors, []);
  assert.deepEqual(requests.filter((url) => !/^(file|blob|data):/.test(url)), []);
  await context.close();
});

test('a report has a policy by hashes, and its data is compressed', () => {
  const text = readFileSync(write('bert12.torchscript.onnx'), 'utf8');
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)[1];
  assert.match(policy, /default-src 'none'; script-src 'sha256-/);
  assert.doesNotMatch(policy, /unsafe|https?:/);
  assert.ok(statSync(join(folder, 'report.html')).size < 600_000);
});

test('a report that is cut at a depth says so', async () => {
  const { page, errors, context } = await open(write('bert12.torchscript.onnx', '--depth', '2'));
  assert.match(await page.getByRole('status').innerText(), /2 levels/);
  await named(page, 'embeddings').locator('[data-action=toggle]').click();
  await named(page, 'LayerNorm').waitFor();
  assert.equal(await named(page, 'LayerNorm').locator('[data-action=toggle]').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});
