// Follower: what follows a viewer when a user does something there. The model beside it does.
import type { Viewer } from './viewer.svelte';

export interface Follower {
  toggled(from: Viewer, module: string, isOpen: boolean): Promise<void>;
  openAll(from: Viewer): Promise<void>;
  allClosed(from: Viewer): Promise<void>;
  constantsToggled(from: Viewer): Promise<void>;
  fitted(): void;
  moved(from: Viewer): void;
  /** Shows a node of the model beside. */
  show(from: Viewer, id: string): Promise<void>;
  selected(from: Viewer, id: string | null): Promise<void>;
}

