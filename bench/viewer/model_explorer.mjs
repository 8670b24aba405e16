// Model Explorer, which shows closed layers first, as `thence view` does. An extension reads ONNX files.
import { createServer } from 'node:net';
import { heapOf, inBrowser, openSession, since, startPython, waitFor } from './browser.mjs';

// The graph is drawn with WebGL. The spinner disappears when the first picture is there.
const isDrawn = "document.querySelector('webgl-renderer canvas') !== null && document.querySelector('mat-spinner') === null";

/** Seconds from the start of the program to the first picture, and the heap then; null if there is no picture. `error` is then what
 * the page failed with, if it did not just take too long. */
export function measureModelExplorer(model, limit) {
  return inBrowser(async (browser) => {
    const port = await freePort();
    const start = performance.now();
    const given = ['-m', 'model_explorer', model, '--extensions=model_explorer_onnx', '--no_open_in_browser', '--host=127.0.0.1', `--port=${port}`];
    const server = await startPython(given, (line) => line.startsWith('http://') && line);
    try {
      const { page, session } = await openSession(browser, server.url);
      const failed = new Promise((resolve) => page.on('pageerror', (error) => resolve(error.message)));
      const error = await Promise.race([failed, waitFor(session, isDrawn, limit - since(start)).then(() => null)]);
      const first = since(start);
      if (error !== null || first >= limit) return { first: null, heap: null, error };
      return { first, heap: await heapOf(session), error };
    } finally {
      server.stop();
    }
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
