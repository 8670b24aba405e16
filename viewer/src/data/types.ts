// The answers of the core (src/serve/view_data.h), as the page reads them.

export interface Summary {
  nodes: number;
  parameters: number;
  bytes: number;
  flops: number;
  flops_partial?: boolean;
  confidence: number;
  /** Nodes by level: high, medium, low, none. */
  levels: [number, number, number, number];
  sources: Record<string, number>;
  /** Microseconds of one run, with a profile. */
  time_us?: number;
  /** The relative error of a module, with a drift report; of the module alone; whether it is over the threshold. */
  drift?: number | 'inf';
  drift_added?: number | 'inf';
  drift_over?: boolean;
  /** Nodes that differ from the other model, and by kind. */
  changed?: number;
  changes?: Record<string, number>;
  /** Positions of its nodes: first, last (not included), first, last, ... */
  ranges: number[];
}

export interface Role {
  role?: string | null;
  component?: string | null;
  class?: string;
  path?: string;
}

export interface ModuleItem extends Summary, Role {
  kind: 'module';
  id: string;
  name: string;
  submodules?: number;
  unknown?: boolean;
}
export interface NodeItem extends Summary, Role {
  kind: 'node';
  id: string;
  name: string;
  op: string;
}
export interface StackItem extends Summary, Role {
  kind: 'stack';
  id: string;
  name: string;
  members: string[];
}
export interface ChunkItem extends Summary, Role {
  kind: 'chunk';
  id: string;
  name: string;
}
export interface ValueItem {
  kind: 'input' | 'output';
  id: string;
  name: string;
  shape: string;
}
export type CountedItem = ModuleItem | NodeItem | StackItem | ChunkItem;
export type Item = CountedItem | ValueItem;

export function isCounted(item: Item): item is CountedItem {
  return item.kind !== 'input' && item.kind !== 'output';
}
export function canOpen(item: Item): boolean {
  return item.kind === 'module' || item.kind === 'stack' || item.kind === 'chunk';
}

/** [from, to, number of tensors, label] */
export type Edge = [number, number, number, string];
/** [item, number of tensors] */
export type End = [number, number];

/** An opened box. */
export interface Picture {
  id: string;
  items: Item[];
  edges: Edge[];
  inputs: End[];
  outputs: End[];
}

export interface Overlays {
  time?: { file: string; runtime: string; runs: number; total_us: number; without_node_us: number };
  drift?: { file: string; reference: string };
  comparison?: { with: 'ancestor' | 'diff'; side: 'before' | 'after' };
}

export interface Model {
  schema: string;
  file: string;
  producer: string;
  strategy: string;
  label: string;
  modules: number;
  has_classes: boolean;
  overlays: Overlays;
  root: ModuleItem;
}

export interface FoundNode {
  id: string;
  name: string;
  op: string;
  path: string | null;
  level: string;
  confidence: number;
  reason: string | null;
}
export interface Found {
  total: number;
  nodes: FoundNode[];
  ranges: number[];
}

export interface Evidence {
  source: string;
  module: string | null;
  call: number;
  strength: string;
  accepted: boolean;
  why: string;
}
export interface ValueDetails {
  name?: string;
  shape?: string;
  node?: string;
  nodes?: string[];
  from?: 'input' | 'initializer';
  /** Whether statistics of its numbers can be asked for. */
  numbers?: boolean;
  tensor?: string;
}
export interface NodeDetails {
  id: string;
  position: number;
  row: {
    graph: string;
    index: number;
    name: string;
    op_type: string;
    domain: string;
    module: string | null;
    module_class: string | null;
    module_kind: 'module' | 'scope' | null;
    call: number;
    modules: string[];
    weight_owner: string | null;
    tag: string | null;
    proof?: string | null;
    semantic_type: string | null;
    component: string | null;
    source: string | null;
    confidence: number;
    level: string;
    reason: string | null;
  };
  explanation: {
    inferred: boolean;
    rule: string;
    evidence: Evidence[];
    flops: number | string | null;
    source_lines: { file: string; line: number; function: string; code: string | null }[];
  };
  rule_text: string;
  attributes: { name: string; value: string }[];
  inputs: ValueDetails[];
  outputs: ValueDetails[];
  time_us?: number;
  differences?: { kind: string; detail: string }[];
  counterparts?: { id: string; name: string; op: string }[];
  boxes: string[];
}

/** The numbers of a weight. */
export interface WeightStatistics {
  name: string;
  type: string;
  shape: number[];
  elements: number;
  /** Those that the other numbers are of: all, or equally spaced ones. */
  counted: number;
  zeros: number;
  not_finite: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  deviation: number | null;
  /** Counts of equal parts of the range from min to max. */
  histogram: number[];
}

export interface Children {
  total: number;
  modules: ModuleItem[];
}

export type FlowDirection = 'upstream' | 'downstream';
