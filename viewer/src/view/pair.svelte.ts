// Pair: two models side by side. Boxes of modules with the same path open and close together, the pictures move
// together, and what is selected on one side is marked on the other.
import { align, anchorsOf, keyOf, type Anchors } from './align';
import type { Follower } from './follower';
import { fitPlace } from './place';
import { contentOf } from './scene';
import type { Viewer } from './viewer.svelte';

export class Pair implements Follower {
  active = $state.raw<Viewer>() as Viewer;
  private readonly mainAnchors: Anchors;
  private readonly otherAnchors: Anchors;

  constructor(
    readonly main: Viewer,
    readonly other: Viewer,
  ) {
    this.active = main;
    this.mainAnchors = $derived(anchorsOf(main.scene?.items ?? []));
    this.otherAnchors = $derived(anchorsOf(other.scene?.items ?? []));
    main.follower = this;
    other.follower = this;
  }

  beside(viewer: Viewer): Viewer {
    return viewer === this.main ? this.other : this.main;
  }
  /** In the order in which they were made. */
  get inOrder(): Viewer[] {
    return this.main.model?.overlays.comparison?.side === 'before' ? [this.main, this.other] : [this.other, this.main];
  }

  /** Gives both the colours, the filter and the theme of the active one. */
  mirror(): void {
    const from = this.active;
    const to = this.beside(from);
    to.theme = from.theme;
    to.colours.mode = from.colours.mode;
    to.colours.words = from.colours.words;
    to.colours.numbers = from.colours.numbers;
  }

  async toggled(from: Viewer, module: string, isOpen: boolean): Promise<void> {
    const to = this.beside(from);
    const all = isOpen ? [module, ...from.openInside(module)] : [module];
    for (const one of all) for (const id of await from.source.counterparts(one)) await to.setOpen(id, isOpen);
    const box = from.scene?.items.find(({ item }) => contentOf(item, from) === module);
    this.moved(from, box ? keyOf(box.item) : null);
  }

  async openAll(from: Viewer): Promise<void> {
    for (const { item, open, depth } of from.scene?.items ?? [])
      if (open && depth === 0) await this.toggled(from, contentOf(item, from), true);
  }

  async allClosed(from: Viewer): Promise<void> {
    const to = this.beside(from);
    if (to.open.size > 1) await to.withoutFollower(() => to.closeAll());
  }

  async constantsToggled(from: Viewer): Promise<void> {
    const to = this.beside(from);
    if (to.constants !== from.constants) await to.withoutFollower(() => to.toggleConstants());
  }

  /** Both from the top, at the same scale. */
  fitted(): void {
    const scenes = [this.main, this.other].flatMap((one) => (one.scene && one.scene.width > 0 ? [{ one, scene: one.scene }] : []));
    const scale = Math.min(...scenes.map(({ one, scene }) => fitPlace(scene, one.size).scale));
    for (const { one, scene } of scenes) one.place = fitPlace(scene, one.size, scale);
  }

  moved(from: Viewer, box: string | null = null): void {
    const isMain = from === this.main;
    const [ours, theirs] = isMain ? [this.mainAnchors, this.otherAnchors] : [this.otherAnchors, this.mainAnchors];
    const to = this.beside(from);
    const place = align(from.place, from.size, to.size, ours, theirs, box);
    if (place) to.place = place;
  }

  async show(from: Viewer, id: string): Promise<void> {
    this.active = this.beside(from);
    await this.active.show(id);
  }

  async selected(from: Viewer, id: string | null): Promise<void> {
    const item = id === null ? undefined : from.find(id)?.item;
    const asked = item ? contentOf(item, from) : id;
    const ids = asked === null || /^[ioc]/.test(asked) ? [] : await from.source.counterparts(asked);
    if (from.selected === id) await this.beside(from).link(ids);
  }
}
