// Runs layouts outside the thread that draws.
import { layoutBox, type LayoutRequest } from './layout';

self.onmessage = (event: MessageEvent<{ number: number; request: LayoutRequest }>) => {
  const { number, request } = event.data;
  try {
    self.postMessage({ number, result: layoutBox(request) });
  } catch (error) {
    self.postMessage({ number, error: String(error) });
  }
};
