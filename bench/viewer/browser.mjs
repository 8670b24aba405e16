// What the measurements of all viewers share: a program that serves a page, and questions to the page.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { launch } from '../../tests/browser/harness.mjs';

export const python = process.env.THENCE_PYTHON ?? '.venv/bin/python';
export const packages = '.venv-viewers';
export const viewport = { width: 1280, height: 800 };

export const since = (start) => (performance.now() - start) / 1000;
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Starts a Python program with the packages of other viewers; `address` gives the page's address for the line that has it. */
export async function startPython(given, address) {
  const server = spawn(python, given, { env: { ...process.env, PYTHONPATH: packages, PYTHONUNBUFFERED: '1' }, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    createInterface(server.stdout).on('line', (line) => address(line) && resolve(address(line)));
    server.on('exit', () => reject(new Error(`${given.join(' ').slice(0, 80)} ended`)));
  });
  return { url, stop: () => server.kill() };
}

/** A page that is asked through the browser's protocol, because a page may forbid window.eval, which playwright needs. */
export async function openSession(browser, url, cookies = []) {
  const context = await browser.newContext({ viewport });
  await context.addCookies(cookies);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await page.goto(url, { waitUntil: 'commit' });
  return { page, session };
}

export async function evaluate(session, expression) {
  const { result } = await session.send('Runtime.evaluate', { expression, returnByValue: true });
  return result.value;
}

/** Asks until the answer is true. False after `limit` seconds, also if the page computes without end. */
export async function waitFor(session, expression, limit) {
  const start = performance.now();
  while (since(start) < limit) {
    const answer = evaluate(session, expression).catch(() => false);
    if (await Promise.race([answer, pause(1000 * (limit - since(start))).then(() => false)])) return true;
    await pause(50);
  }
  return false;
}

/** Bytes of the page's JavaScript heap, without its workers. */
export async function heapOf(session) {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize;
}

/** Runs `measure` in a browser of its own: a page that computes without end is ended with its browser. */
export async function inBrowser(measure) {
  const browser = await launch();
  try {
    return await measure(browser);
  } finally {
    await browser.close();
  }
}
