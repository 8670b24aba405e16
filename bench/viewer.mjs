// bench/viewer.mjs [MODEL...]: how fast the page of `thence view` is in headless Chromium. For each model: seconds from the start
// of the program to the first picture, for opening the first box that shows more nodes (and how many), the JavaScript heap, and frames per second
// while the picture moves. Without models, it measures a flat one and one with layers, of 100,000 nodes each.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
}
await browser.close();
rmSync(folder, { recursive: true });
