// The order of the items in each row, so that few edges cross: sweeps by barycentres, then exchanges of neighbours (Gansner et al.,
// "A Technique for Drawing Directed Graphs"). dagre's own sweeps build a graph for each row, which takes most of the time of a layout.

/** What dagre knows of a graph whose edges all lead from one row to the next. */
export interface RowGraph {
  nodes(): string[];
  node(name: string): { rank?: number; order?: number };
  edges(): { v: string; w: string; name?: string }[];
  edge(edge: { v: string; w: string; name?: string }): { weight?: number };
}
interface Links {
  to: number[];
  weights: number[];
}
interface Rows {
  rows: number[][]; // items from left to right
  at: Int32Array; // the place of each item in its row
  above: Links[];
  below: Links[];
}

// Sweeps without an improvement before the search ends.
const maxIdleSweeps = 4;
// Rounds of exchanges after the sweeps; few graphs improve after the first two.
const maxExchanges = 8;

/** Sets `order` of all nodes. */
export function orderRows(graph: RowGraph): void {
  const names = graph.nodes();
  const made = readRows(graph, names);
  let best = made.rows.map((row) => [...row]);
  let least = countCrossings(made);
  for (let sweep = 0, idle = 0; least > 0 && idle < maxIdleSweeps; ++sweep, ++idle) {
    sweepRows(made, sweep % 2 === 0, sweep % 4 >= 2);
    const crossings = countCrossings(made);
    if (crossings >= least) continue;
    [least, idle] = [crossings, -1];
    best = made.rows.map((row) => [...row]);
  }
  made.rows = best;
  best.forEach((row) => setPlaces(made, row));
  if (least > 0) exchangeNeighbours(made);
  made.rows.forEach((row) => row.forEach((item, i) => (graph.node(names[item]).order = i)));
}

/** Items from left to right as a search in depth finds them, which keeps what belongs together side by side. */
function readRows(graph: RowGraph, names: string[]): Rows {
  const numbers = new Map(names.map((name, i) => [name, i]));
  const links = (): Links[] => names.map(() => ({ to: [], weights: [] }));
  const made: Rows = { rows: [], at: new Int32Array(names.length), above: links(), below: links() };
  for (const edge of graph.edges()) {
    const [from, to, weight] = [numbers.get(edge.v)!, numbers.get(edge.w)!, graph.edge(edge).weight ?? 1];
    made.below[from].to.push(to);
    made.below[from].weights.push(weight);
    made.above[to].to.push(from);
    made.above[to].weights.push(weight);
  }
  const ranks = names.map((name) => graph.node(name).rank ?? 0);
  const seen = new Uint8Array(names.length);
  const byRank = names.map((_, i) => i).sort((a, b) => ranks[a] - ranks[b]);
  for (const start of byRank) {
    const stack = [start];
    while (stack.length > 0) {
      const item = stack.pop()!;
      if (seen[item]) continue;
      seen[item] = 1;
      (made.rows[ranks[item]] ??= []).push(item);
      for (let i = made.below[item].to.length - 1; i >= 0; --i) stack.push(made.below[item].to[i]);
    }
  }
  made.rows = Array.from(made.rows, (row) => row ?? []);
  made.rows.forEach((row) => setPlaces(made, row));
  return made;
}

function setPlaces(made: Rows, row: number[]): void {
  row.forEach((item, i) => (made.at[item] = i));
}

/** Sorts each row by the mean place of its neighbours in the row before it. Items without neighbours keep their places. */
function sweepRows(made: Rows, isDownwards: boolean, isFromRight: boolean): void {
  const { rows, at } = made;
  const neighbours = isDownwards ? made.above : made.below;
  for (let i = 1; i < rows.length; ++i) {
    const row = isDownwards ? rows[i] : rows[rows.length - 1 - i];
    if (row.length < 2) continue;
    const tie = isFromRight ? -1 : 1;
    const linked = row.filter((item) => neighbours[item].to.length > 0).map((item) => ({ item, mean: meanPlace(neighbours[item], at) }));
    linked.sort((a, b) => a.mean - b.mean || tie * (at[a.item] - at[b.item]));
    let next = 0;
    row.forEach((item, place) => {
      if (neighbours[item].to.length > 0) row[place] = linked[next++].item;
    });
    setPlaces(made, row);
  }
}

function meanPlace({ to, weights }: Links, at: Int32Array): number {
  let [sum, weight] = [0, 0];
  for (let i = 0; i < to.length; ++i) {
    sum += weights[i] * at[to[i]];
    weight += weights[i];
  }
  return weight > 0 ? sum / weight : at[to[0]];
}

/** Crossings of all edges between rows, by their weights, with a tree of sums (Barth et al., "Bilayer Cross Counting"). */
function countCrossings({ rows, at, below }: Rows): number {
  let crossings = 0;
  for (let i = 0; i + 1 < rows.length; ++i) {
    if (rows[i].length < 2 || rows[i + 1].length < 2) continue;
    let size = 1;
    while (size < rows[i + 1].length) size *= 2;
    const sums = new Float64Array(2 * size);
    for (const item of rows[i]) {
      const { to, weights } = below[item];
      for (let j = 0; j < to.length; ++j)
        for (let place = size + at[to[j]]; place > 1; place >>= 1) if (place % 2 === 0) crossings += weights[j] * sums[place + 1];
      for (let j = 0; j < to.length; ++j) for (let place = size + at[to[j]]; place > 0; place >>= 1) sums[place] += weights[j];
    }
  }
  return crossings;
}

/** Exchanges neighbours while that removes crossings. */
function exchangeNeighbours(made: Rows): void {
  const { rows, at } = made;
  for (let round = 0, changed = true; changed && round < maxExchanges; ++round) {
    changed = false;
    for (const row of rows)
      for (let i = 0; i + 1 < row.length; ++i) {
        const [left, right] = [row[i], row[i + 1]];
        if (gain(made.above[left], made.above[right], at) + gain(made.below[left], made.below[right], at) <= 0) continue;
        [row[i], row[i + 1]] = [right, left];
        [at[left], at[right]] = [i + 1, i];
        changed = true;
      }
  }
}

/** Crossings that an exchange of two neighbours removes, minus those that it adds, on one side of their row. */
function gain(left: Links, right: Links, at: Int32Array): number {
  let sum = 0;
  for (let i = 0; i < left.to.length; ++i)
    for (let j = 0; j < right.to.length; ++j) sum += left.weights[i] * right.weights[j] * Math.sign(at[left.to[i]] - at[right.to[j]]);
  return sum;
}
