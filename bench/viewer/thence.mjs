// `thence view`: the first picture, a box that opens, and frames per second while a picture moves.
import { serve } from '../../tests/browser/harness.mjs';
import { heapOf, inBrowser, since, viewport } from './browser.mjs';

async function withPage(model, measure) {
  return inBrowser(async (browser) => {
    const start = performance.now();
    const server = await serve(model);
    try {
      const page = await browser.newPage({ viewport });
      await page.goto(server.url);
      await page.waitForSelector('svg [data-id]');
      return await measure(page, since(start));
    } finally {
      await server.stop();
    }
  });
}

/** Seconds from the start of the program to the first picture, the heap then, and seconds to open the box `module`. */
export function measureThence(model, module) {
  return withPage(model, async (page, first) => {
    const heap = await heapOf(await page.context().newCDPSession(page));
    return { first, heap, opened: module ? await openBox(page, module) : null };
  });
}

/** Opens a box, and with it the boxes that are alone in it, until nodes are drawn. */
async function openBox(page, module) {
  const start = performance.now();
  await page.locator(`svg g[data-name="${module}"] > [data-action=toggle]`).click();
  await page.waitForSelector('svg [data-kind=node]');
  return since(start);
}

// At this scale, wide.onnx with its boxes open fits into the window.
const wideScale = 0.085;

/** Opens the boxes of wide.onnx, and moves the picture for two seconds: visible nodes, boxes and edges, and frames per second. */
export function measureFrames(model) {
  return withPage(model, async (page) => {
    const boxes = await page.locator('svg g[data-kind=module]').evaluateAll((all) => all.map((one) => one.dataset.id));
    await page.evaluate((fragment) => (location.hash = fragment), `open=${boxes.join(',')}&colour=role&at=20,20,${wideScale}`);
    await page.waitForFunction((count) => document.querySelectorAll('svg [data-open]').length === count, boxes.length);
    await page.waitForTimeout(1000); // painted again at the new scale
    return { elements: await page.evaluate(countVisible), frames: await page.evaluate(countFrames) };
  });
}

// Runs in the page.
function countVisible() {
  const window = document.querySelector('[data-graph]').getBoundingClientRect();
  const isVisible = (element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return right > window.left && left < window.right && bottom > window.top && top < window.bottom;
  };
  return [...document.querySelectorAll('svg g[data-id], svg path.edge')].filter(isVisible).length;
}

// Runs in the page: it becomes larger and smaller, a little in each frame.
function countFrames() {
  const graph = document.querySelector('[data-graph]');
  const start = performance.now();
  let frames = 0;
  return new Promise((resolve) => {
    const step = () => {
      ++frames;
      graph.dispatchEvent(new WheelEvent('wheel', { deltaY: frames % 2 ? 20 : -20, clientX: 600, clientY: 400, bubbles: true, cancelable: true }));
      if (performance.now() - start < 2000) requestAnimationFrame(step);
      else resolve((1000 * frames) / (performance.now() - start));
    };
    requestAnimationFrame(step);
  });
}
