// bench/viewer.mjs [MODEL...]: how fast the page of `thence view` is in headless Chromium. For each model: seconds from the start
// of the program to the first picture, for opening the first box that shows more nodes (and how many), the JavaScript heap, and frames per second
// while the picture moves. Without models, it measures a flat one and one with layers, of 100,000 nodes each.
// Then the same browser opens the same file with Netron (tools/viewers), which lays the whole graph out: seconds from the start of the
// program to its first picture, and its heap. After NETRON_SECONDS (default 120) it is given up.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { launch, serve } from '../tests/browser/harness.mjs';

const python = process.env.THENCE_PYTHON ?? '.venv/bin/python';
const makeModels = `
import sys, onnx
from onnx import TensorProto, helper
def save(path, names):
    nodes = [helper.make_node("Relu", [f"v{i}"], [f"v{i+1}"], name=name) for i, name in enumerate(names)]
    ends = [helper.make_tensor_value_info(v, TensorProto.FLOAT, [1]) for v in ("v0", f"v{len(names)}")]
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:])), path)
save(sys.argv[1] + "/flat.onnx", [f"n{i}" for i in range(100_000)])
save(sys.argv[1] + "/layers.onnx", [f"/encoder/layer.{i // 1000}/block.{i // 500 % 2}/Relu_{i}" for i in range(100_000)])
`;

async function heapOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize;
}

// Opens the first closed box, again and again, until more nodes are drawn. Null if no closed box is left.
async function openBox(page) {
  for (let depth = 0; depth < 6; ++depth) {
    const drawn = await page.locator('svg [data-kind=node]').count();
    const button = page.locator('svg g[data-id]:not([data-open]) > [data-action=toggle]').first();
    if ((await button.count()) === 0) return null;
    const open = await page.locator('svg [data-open]').count();
    const start = performance.now();
    await button.click();
    await page.waitForFunction((before) => document.querySelectorAll('svg [data-open]').length > before, open);
    const seconds = (performance.now() - start) / 1000;
    const nodes = (await page.locator('svg [data-kind=node]').count()) - drawn;
    if (nodes > 0) return { seconds, nodes };
  }
  return null;
}

async function framesPerSecond(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const graph = document.querySelector('[data-graph]');
        const start = performance.now();
        let frames = 0;
        const step = () => {
          ++frames;
          graph.dispatchEvent(new WheelEvent('wheel', { deltaY: frames % 2 ? 20 : -20, clientX: 600, clientY: 400, bubbles: true, cancelable: true }));
          if (performance.now() - start < 2000) requestAnimationFrame(step);
          else resolve((1000 * frames) / (performance.now() - start));
        };
        requestAnimationFrame(step);
      }),
  );
}

async function measureThence(browser, model) {
  const start = performance.now();
  const server = await serve(model);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(server.url);
  await page.waitForSelector('svg [data-id]');
  const first = (performance.now() - start) / 1000;
  const heap = await heapOf(page);
  const opened = await openBox(page);
  const frames = await framesPerSecond(page);
  await page.close();
  await server.stop();
  return { first, heap, opened, frames };
}

const viewers = '.venv-viewers';
const netronLimit = 1000 * Number(process.env.NETRON_SECONDS ?? 120);
const netronCode = `
import sys, time, netron
print("port", netron.start(sys.argv[1], ("127.0.0.1", 0), browse=False)[1], flush=True)
time.sleep(86400)
`;

// Netron forbids window.eval, which playwright needs; the protocol of the browser does not.
async function evaluateInNetron(session, expression) {
  const { result } = await session.send('Runtime.evaluate', { expression, returnByValue: true });
  return result.value;
}

async function measureNetron(browser, model) {
  const start = performance.now();
  const server = spawn(python, ['-c', netronCode, model], { env: { ...process.env, PYTHONPATH: viewers }, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const port = await new Promise((resolve, reject) => {
      createInterface(server.stdout).on('line', (line) => line.startsWith('port ') && resolve(line.slice(5)));
      server.on('exit', () => reject(new Error('Netron ended')));
    });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await page.goto(`http://127.0.0.1:${port}/`, { waitUntil: 'commit' });
    let drawn = 0;
    // It asks once whether statistics may be sent, and whether a large model shall be drawn; the button continues.
    const look = "(() => { const button = document.querySelector('#message-button'); if (button && button.offsetParent) button.click(); return document.querySelectorAll('svg .node').length; })()";
    while (drawn === 0 && performance.now() - start < netronLimit) {
      const answer = evaluateInNetron(session, look).catch(() => 0);
      const left = netronLimit - (performance.now() - start);
      drawn = (await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, left, 0))])) ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    if (drawn === 0) return null;
    const first = (performance.now() - start) / 1000;
    await session.send('HeapProfiler.collectGarbage');
    const heap = (await session.send('Runtime.getHeapUsage')).usedSize;
    return { first, heap, drawn };
  } finally {
    server.kill();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
let models = process.argv.slice(2);
if (models.length === 0) {
  execFileSync(python, ['-c', makeModels, folder]);
  models = ['flat', 'layers'].map((name) => join(folder, `${name}.onnx`));
}
const browser = await launch();
for (const model of models) {
  const { first, heap, opened, frames } = await measureThence(browser, model);
  console.log(`${model.split('/').pop()}: first picture ${first.toFixed(2)} s, heap ${(heap / 1e6).toFixed(1)} MB, ${opened ? `${opened.nodes} more nodes drawn in ${opened.seconds.toFixed(2)} s` : 'no closed box left'}, ${frames.toFixed(0)} frames/s`);
  if (!existsSync(viewers)) {
    console.log(`${viewers} is missing: tools/setup bench installs Netron, which this compares with`);
    continue;
  }
  const other = await launch(); // a page that computes without end is ended with its browser
  const netron = await measureNetron(other, model);
  await other.close();
  console.log(
    netron
      ? `${model.split('/').pop()}: Netron: first picture ${netron.first.toFixed(2)} s (${(first / netron.first).toFixed(3)}x), heap ${(netron.heap / 1e6).toFixed(1)} MB, ${netron.drawn} elements of class node`
      : `${model.split('/').pop()}: Netron: no picture after ${netronLimit / 1000} s (below ${((1000 * first) / netronLimit).toFixed(3)}x)`,
  );
}
await browser.close();
rmSync(folder, { recursive: true });
