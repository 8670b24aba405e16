// Data inside a report: everything was collected when the report was written.
import type { DataSource } from './source';
import type { Children, FlowDirection, Found, FoundNode, Model, NodeDetails, Picture, WeightStatistics } from './types';

/** What a report contains of one model. */
export interface ModelData {
  model: Model;
  depth: number;
  cut: boolean;
  open: Record<string, Picture>;
  children: Record<string, Children>;
  nodes: NodeDetails[];
  review: Found;
}
/** What corresponds to the modules and nodes of the main model. */
export interface Links {
  modules: Record<string, string>;
  nodes: Record<string, string[]>;
}
export interface ReportData extends ModelData {
  schema: string;
  other?: ModelData;
  links?: Links;
}

/** The same links for the model beside. */
export function invertLinks(links: Links): Links {
  const inverse: Links = { modules: {}, nodes: {} };
  for (const [id, other] of Object.entries(links.modules)) inverse.modules[other] = id;
  for (const [id, others] of Object.entries(links.nodes)) for (const other of others) (inverse.nodes[other] ??= []).push(id);
  return inverse;
}

/** Reads what base::pack_text() wrote: the size in groups of seven bits, then a zlib stream, in base 64. */
export async function unpack(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  let start = 0;
  while (bytes[start] >= 0x80) ++start;
  const stream = new Blob([bytes.subarray(start + 1)]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).text();
}

/** Sorted positions as ranges: first, last (not included), ... */
export function toRanges(positions: number[]): number[] {
  const ranges: number[] = [];
  for (const at of [...positions].sort((a, b) => a - b)) {
    if (ranges.length > 0 && ranges[ranges.length - 1] === at) ranges[ranges.length - 1] = at + 1;
    else ranges.push(at, at + 1);
  }
  return ranges;
}

function toRow(node: NodeDetails): FoundNode {
  const { name, op_type, module, level, confidence, reason } = node.row;
  return { id: node.id, name, op: op_type, path: module, level, confidence, reason };
}

function found(nodes: NodeDetails[]): Found {
  return { total: nodes.length, nodes: nodes.slice(0, 500).map(toRow), ranges: toRanges(nodes.map((node) => node.position)) };
}

function searchableText(node: NodeDetails): string {
  const { row } = node;
  const values = [...node.inputs, ...node.outputs].map((value) => value.name ?? '');
  const words = [row.name, row.op_type, row.module, row.module_class, row.semantic_type, row.component, ...values];
  return words.filter(Boolean).join('\n').toLowerCase();
}

export class EmbeddedSource implements DataSource {
  readonly hasExpressions = false;
  readonly hasWeights = false;
  readonly note: string;
  private readonly nodes = new Map<string, NodeDetails>();
  private readonly parents = new Map<string, string[]>(); // the boxes around each module

  constructor(
    private readonly data: ModelData,
    private readonly other: ModelData | null = null,
    private readonly links: Links = { modules: {}, nodes: {} },
  ) {
    this.note = data.cut
      ? `This report contains ${data.depth} levels of boxes; deeper ones were left out. Write it with --depth, or use thence view.`
      : '';
    for (const node of data.nodes) this.nodes.set(node.id, node);
    this.findParents('m0', ['m0']);
  }

  private findParents(box: string, around: string[]): void {
    for (const item of this.data.open[box]?.items ?? []) {
      const members = item.kind === 'stack' ? item.members : [item.id];
      const boxes = item.kind === 'stack' ? [...around, item.id] : around;
      for (const member of members) {
        if (item.kind === 'module' || item.kind === 'stack') this.parents.set(member, boxes);
        this.findParents(member, [...boxes, member]);
      }
    }
  }

  model = async () => this.data.model;
  hasBox = (box: string) => box in this.data.open;
  open = async (box: string) => {
    if (!this.hasBox(box)) throw new Error('This box was left out of the report.');
    return this.data.open[box];
  };
  children = async (module: string) => this.data.children[module] ?? { total: 0, modules: [] };
  node = async (id: string) => {
    const node = this.nodes.get(id);
    if (!node) throw new Error('This node was left out of the report.');
    return node;
  };
  locate = async (id: string) => this.nodes.get(id)?.boxes ?? this.parents.get(id) ?? [];
  search = async (text: string) => {
    const wanted = text.toLowerCase();
    return found(wanted ? this.data.nodes.filter((node) => searchableText(node).includes(wanted)) : []);
  };
  where = async (): Promise<Found> => {
    throw new Error('Expressions need thence view.');
  };
  review = async () => this.data.review;
  weights = async (): Promise<WeightStatistics> => {
    throw new Error('A report has no weights. Use thence view.');
  };
  beside = () => new EmbeddedSource(this.other!, this.data, invertLinks(this.links));
  counterparts = async (id: string) => {
    if (id.startsWith('n')) return this.links.nodes[id] ?? [];
    return id in this.links.modules ? [this.links.modules[id]] : [];
  };
  flow = async (start: string, direction: FlowDirection) => {
    const reached = new Set([start]);
    for (const id of reached) {
      const node = this.nodes.get(id);
      if (!node) continue;
      const next = direction === 'upstream' ? node.inputs.map((one) => one.node) : node.outputs.flatMap((one) => one.nodes ?? []);
      for (const other of next) if (other) reached.add(other);
    }
    return found([...reached].flatMap((id) => this.nodes.get(id) ?? []));
  };
}
