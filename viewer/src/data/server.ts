// Data from the server of `thence view`.
import { escapeDirections } from '../view/text';
import type { DataSource } from './source';
import type { Children, FlowDirection, Found, Model, NodeDetails, Picture } from './types';

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
  readonly note = '';

  model = () => ask<Model>('model');
  open = (box: string) => ask<Picture>('open', { id: box });
  hasBox = () => true;
  children = (module: string) => ask<Children>('children', { id: module });
  node = (id: string) => ask<NodeDetails>('node', { id });
  locate = async (id: string) => (await ask<{ boxes: string[] }>('locate', { id })).boxes;
  search = (text: string) => ask<Found>('search', { text });
  where = (expression: string) => ask<Found>('where', { text: expression });
  review = () => ask<Found>('review');
  flow = (node: string, direction: FlowDirection) => ask<Found>('flow', { id: node, direction });
}
