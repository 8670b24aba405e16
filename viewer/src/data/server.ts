// Data from the server of `thence view`.
import { escapeDirections } from '../view/text';
import type { DataSource } from './source';
import type { Children, FlowDirection, Found, Model, NodeDetails, Picture, WeightStatistics } from './types';

async function ask<T>(question: string, parameters: Record<string, string> = {}): Promise<T> {
  const query = new URLSearchParams(parameters).toString();
  let response: Response;
  try {
    response = await fetch(`/api/${question}${query ? `?${query}` : ''}`);
  } catch {
    throw new Error('The server does not answer. Start thence view again.');
  }
  if (response.ok) return JSON.parse(escapeDirections(await response.text())) as T;
  if (response.headers.get('content-type')?.startsWith('application/json')) {
    const { error, hint } = (await response.json()) as { error: string; hint: string };
    throw new Error(hint ? `${error} (${hint})` : error);
  }
  throw new Error(await response.text());
}

export class ServerSource implements DataSource {
  readonly hasExpressions = true;
  readonly hasWeights = true;
  readonly note = '';

  constructor(private readonly side: 'main' | 'other' = 'main') {}

  private ask<T>(question: string, parameters: Record<string, string> = {}): Promise<T> {
    return ask<T>(question, this.side === 'other' ? { ...parameters, side: 'other' } : parameters);
  }

  model = () => this.ask<Model>('model');
  open = (box: string) => this.ask<Picture>('open', { id: box });
  hasBox = () => true;
  children = (module: string) => this.ask<Children>('children', { id: module });
  node = (id: string) => this.ask<NodeDetails>('node', { id });
  locate = async (id: string) => (await this.ask<{ boxes: string[] }>('locate', { id })).boxes;
  search = (text: string) => this.ask<Found>('search', { text });
  where = (expression: string) => this.ask<Found>('where', { text: expression });
  review = () => this.ask<Found>('review');
  flow = (node: string, direction: FlowDirection) => this.ask<Found>('flow', { id: node, direction });
  weights = (node: string, input: number) => this.ask<WeightStatistics>('weights', { id: node, input: String(input) });
  beside = () => new ServerSource('other');
  counterparts = async (id: string) => (await this.ask<{ ids: string[] }>('counterparts', { id })).ids;
}
