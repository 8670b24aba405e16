// The edges of a box that close a cycle, which boxes may have between them although nodes have not. They are laid out reversed.

/** For each edge, whether it leads back to an item from which a search in depth came. The others have no cycle. */
export function findBackEdges(items: number, edges: [number, number][]): boolean[] {
  const outgoing: number[][] = Array.from({ length: items }, () => []);
  edges.forEach(([from], i) => outgoing[from].push(i));
  const isBack = edges.map(([from, to]) => from === to);
  const state = new Uint8Array(items); // 1: on the path of the search, 2: done
  const next = new Int32Array(items);
  for (let start = 0; start < items; ++start) {
    const path = state[start] === 0 ? [start] : [];
    while (path.length > 0) {
      const item = path[path.length - 1];
      state[item] = 1;
      if (next[item] === outgoing[item].length) {
        state[item] = 2;
        path.pop();
        continue;
      }
      const edge = outgoing[item][next[item]++];
      const to = edges[edge][1];
      if (state[to] === 1) isBack[edge] = true;
      else if (state[to] === 0) path.push(to);
    }
  }
  return isBack;
}
