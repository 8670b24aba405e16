// Asks the worker for layouts. Results are cached by the request; obsolete requests end with their worker.
import type { LayoutRequest, LayoutResult } from './layout';
import LayoutWorker from './worker?worker&inline';

interface Waiting {
  resolve(result: LayoutResult): void;
  reject(error: Error): void;
}

export class Obsolete extends Error {}

const maxCached = 500;

export class LayoutClient {
  private worker: Worker | null = null;
  private next = 0;
  private readonly waiting = new Map<number, Waiting>();
  private readonly cache = new Map<string, Promise<LayoutResult>>();

  run(request: LayoutRequest): Promise<LayoutResult> {
    const key = JSON.stringify(request);
    const known = this.cache.get(key);
    if (known) return known;
    const result = this.send(request);
    result.catch(() => this.cache.delete(key));
    this.cache.set(key, result);
    if (this.cache.size > maxCached) this.cache.delete(this.cache.keys().next().value!);
    return result;
  }

  /** Ends everything that still runs. */
  cancel(): void {
    if (this.waiting.size === 0) return;
    this.worker?.terminate();
    this.worker = null;
    for (const one of this.waiting.values()) one.reject(new Obsolete());
    this.waiting.clear();
  }

  private send(request: LayoutRequest): Promise<LayoutResult> {
    this.worker ??= this.start();
    const number = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.worker!.postMessage({ number, request });
    });
  }

  private start(): Worker {
    const worker = new LayoutWorker();
    worker.onmessage = (event: MessageEvent<{ number: number; result?: LayoutResult; error?: string }>) => {
      const { number, result, error } = event.data;
      const one = this.waiting.get(number);
      this.waiting.delete(number);
      if (result) one?.resolve(result);
      else one?.reject(new Error(error));
    };
    return worker;
  }
}
