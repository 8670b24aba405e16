// bench/viewer.mjs [--nodes 100000] [--rounds 3] [--limit 300]: the page of `thence view`, compared with Netron and Model Explorer
// (tools/viewers) in the same headless Chromium, on the same files (bench/viewer/models.py).
// Prints for each file the seconds from the start of each program to its first picture, the JavaScript heap of the page then, the
// seconds to open a box of 500 nodes, and the frames per second of a picture that moves. `thence view` runs --rounds times, the
// median counts; the others, which take minutes, run once, and are given up after --limit seconds. A ratio is then an upper limit.
// A viewer whose page fails with an error is not compared.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packages, python } from './viewer/browser.mjs';
import { measureModelExplorer } from './viewer/model_explorer.mjs';
import { measureNetron } from './viewer/netron.mjs';
import { measureFrames, measureThence } from './viewer/thence.mjs';

const bars = { netronFirst: 0.5, explorerFirst: 0.15, explorerHeap: 0.3, opened: 0.1 };

const { values } = parseArgs({
  options: { nodes: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '3' }, limit: { type: 'string', default: '300' } },
});
const [nodes, rounds, limit] = [values.nodes, values.rounds, values.limit].map(Number);

const seconds = (value) => `${value.toFixed(2)} s`;
const megabytes = (value) => `${(value / 1e6).toFixed(1)} MB`;
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

/** `theirs` is null if they were given up: then `least` is what they take at least. */
function compare(what, unit, ours, who, theirs, bar, least = null) {
  const ratio = ours / (theirs ?? least ?? NaN);
  const verdict = Number.isNaN(ratio) ? `not compared (bar ${bar}x)` : `${theirs === null ? 'below ' : ''}${ratio.toPrecision(2)}x (bar ${bar}x, ${ratio <= bar ? 'ok' : 'OVER'})`;
  console.log(`  ${what.padEnd(18)} thence ${unit(ours).padStart(9)}  ${who.padEnd(14)} ${(theirs === null ? `none in ${limit} s` : unit(theirs)).padStart(14)}  ${verdict}`);
}

async function repeat(model, module) {
  const runs = [];
  for (let i = 0; i < rounds; ++i) runs.push(await measureThence(model, module));
  const middle = (what) => median(runs.map((run) => run[what]));
  return { first: middle('first'), heap: middle('heap'), opened: middle('opened') };
}

async function compareFile(model, name, module) {
  console.log(`${name}: ${nodes.toLocaleString('en')} nodes`);
  const ours = await repeat(model, module);
  if (!existsSync(packages)) {
    console.log(`  first picture ${seconds(ours.first)}, heap ${megabytes(ours.heap)}; ${packages} is missing: tools/setup bench installs the other viewers`);
    return;
  }
  const netron = await measureNetron(model, limit);
  compare('first picture', seconds, ours.first, 'Netron', netron.first, bars.netronFirst, limit);
  const explorer = await measureModelExplorer(model, limit);
  if (explorer.error) console.log(`  Model Explorer fails: ${explorer.error}; thence: first picture ${seconds(ours.first)}, heap ${megabytes(ours.heap)}`);
  else {
    compare('first picture', seconds, ours.first, 'Model Explorer', explorer.first, bars.explorerFirst, limit);
    compare('heap', megabytes, ours.heap, 'Model Explorer', explorer.heap, bars.explorerHeap);
  }
  if (module) compare('a box of 500 opens', seconds, ours.opened, 'Netron, layout', netron.layout, bars.opened, netron.leastLayout);
  if (netron.first) console.log(`  Netron: ${netron.drawn} elements of class node, heap ${megabytes(netron.heap)}`);
}

const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
try {
  execFileSync(python, ['bench/viewer/models.py', folder, String(nodes)]);
  await compareFile(join(folder, 'flat.onnx'), 'flat', null);
  await compareFile(join(folder, 'layers.onnx'), 'layers', 'encoder');
  const { elements, frames } = await measureFrames(join(folder, 'wide.onnx'));
  console.log(`wide: ${frames.toFixed(0)} frames/s with ${elements.toLocaleString('en')} visible nodes, boxes and edges`);
} finally {
  rmSync(folder, { recursive: true });
}
