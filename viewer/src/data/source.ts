// DataSource: all that the page asks. Implementations: the server of `thence view`, and the data inside a report.
import type { Children, FlowDirection, Found, Model, NodeDetails, Picture, WeightStatistics } from './types';

export interface DataSource {
  /** Whether search understands the expressions of `thence query --where`. */
  readonly hasExpressions: boolean;
  /** Whether the numbers of weights can be asked for. */
  readonly hasWeights: boolean;
  /** Text about what is missing; empty if everything can be shown. */
  readonly note: string;
  model(): Promise<Model>;
  open(box: string): Promise<Picture>;
  /** False for a box that was left out of a report. */
  hasBox(box: string): boolean;
  children(module: string): Promise<Children>;
  node(id: string): Promise<NodeDetails>;
  /** The boxes to open so that a module or node is visible, outermost first. */
  locate(id: string): Promise<string[]>;
  search(text: string): Promise<Found>;
  where(expression: string): Promise<Found>;
  review(): Promise<Found>;
  flow(node: string, direction: FlowDirection): Promise<Found>;
  /** The numbers of the weight that an input of a node reads. */
  weights(node: string, input: number): Promise<WeightStatistics>;
  /** The model beside this one; only if the model has a comparison. */
  beside(): DataSource;
  /** The modules or nodes of the model beside that correspond to a module or node. */
  counterparts(id: string): Promise<string[]>;
}
