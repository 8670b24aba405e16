// Netron, which lays the whole graph out before it shows anything.
import { evaluate, heapOf, inBrowser, openSession, since, startPython, waitFor } from './browser.mjs';

const code = `
import sys, time, netron
print("address", "http://127.0.0.1:%d/" % netron.start(sys.argv[1], ("127.0.0.1", 0), browse=False)[1], flush=True)
time.sleep(86400)
`;
const elements = "document.querySelectorAll('svg .node').length";

/** Seconds from the start of the program to the picture, of these for the layout, and the heap. What was not done in time is null;
 * `leastLayout` is then how long the layout takes at least. */
export function measureNetron(model, limit) {
  return inBrowser(async (browser) => {
    const start = performance.now();
    const server = await startPython(['-c', code, model], (line) => /^address (.*)/.exec(line)?.[1]);
    try {
      // Otherwise it asks whether statistics may be sent, and waits for an answer.
      const consent = { name: 'consent', value: '1', url: server.url };
      const { session } = await openSession(browser, server.url, [consent]);
      // The elements are made and measured, then placed in a worker. The class of the body changes when they are shown.
      if (!(await waitFor(session, `${elements} > 0`, limit - since(start)))) return { first: null, layout: null, leastLayout: null };
      const made = since(start);
      const isShown = await waitFor(session, "document.body.classList.contains('default')", limit - made);
      if (!isShown) return { first: null, layout: null, leastLayout: since(start) - made };
      const first = since(start);
      return { first, layout: first - made, heap: await heapOf(session), drawn: await evaluate(session, elements) };
    } finally {
      server.stop();
    }
  });
}
