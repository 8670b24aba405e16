// Compares a screenshot with the stored one. Browsers and fonts differ a little between machines, so both are compared in cells:
// the average colour of each cell may differ a little, and that of a few cells may differ more.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const cell = 16; // pixels
const maxDifference = 24; // of 255, in each colour of a cell
const maxShare = 0.04; // of the cells may differ by more

/** The average colours of the cells of a PNG, decoded by the page. */
async function cellsOf(page, png) {
  return page.evaluate(
    async ({ data, size }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = Math.ceil(image.width / size);
      canvas.height = Math.ceil(image.height / size);
      const context = canvas.getContext('2d');
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      return { width: image.width, height: image.height, cells: [...context.getImageData(0, 0, canvas.width, canvas.height).data] };
    },
    { data: png.toString('base64'), size: cell },
  );
}

/** The share of cells in which two pictures differ. */
export async function difference(page, one, other) {
  const [a, b] = [await cellsOf(page, one), await cellsOf(page, other)];
  assert.deepEqual([a.width, a.height], [b.width, b.height]);
  let differing = 0;
  for (let i = 0; i < a.cells.length; i += 4)
    if ([0, 1, 2].some((colour) => Math.abs(a.cells[i + colour] - b.cells[i + colour]) > maxDifference)) ++differing;
  return differing / (a.cells.length / 4);
}

/** `blank` is a page without a content security policy. REBASE=1 stores the screenshot instead. */
export async function compare(blank, png, file) {
  if (process.env.REBASE === '1' || !existsSync(file)) {
    assert.equal(process.env.REBASE, '1', `${file} does not exist; REBASE=1 writes it`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, png);
    return;
  }
  const share = await difference(blank, png, readFileSync(file));
  if (share > maxShare) writeFileSync(file.replace(/\.png$/, '.actual.png'), png);
  assert.ok(share <= maxShare, `${file}: ${(100 * share).toFixed(1)}% of the cells differ; look at .actual.png beside it`);
}
