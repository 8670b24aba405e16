// Viewer: the state of the page, and everything that changes it.
import { Pictures } from '../data/pictures';
import type { DataSource } from '../data/source';
import type { FlowDirection, Found, Model, ModuleItem, NodeDetails } from '../data/types';
import { canOpen, isCounted, type CountedItem, type Item } from '../data/types';
import { LayoutClient, Obsolete } from '../layout/client';
import { firstMode, WordColours, type Theme } from './colours';
import { Colours } from './colours.svelte';
import type { Follower } from './follower';
import { fromFragment, toFragment } from './link';
import { fitPlace, revealPlace, zoomPlace, type Place } from './place';
import { countCommon } from './ranges';
import { buildScene, contentOf, type Placed, type Scene } from './scene';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import { cutTexts } from './text';
import { walk, type Arrow } from './walk';

const expression = /[=<>~]|\b(and|or|not)\b/;

export class Viewer {
  model = $state.raw<Model | null>(null);
  scene = $state.raw<Scene | null>(null);
  place = $state.raw<Place>({ x: 0, y: 0, scale: 1 });
  size = $state.raw({ width: 800, height: 600 });
  selected = $state<string | null>(null);
  details = $state.raw<NodeDetails | null>(null);
  theme = $state<Theme>('light');
  /** What corresponds to the selection of the model beside. */
  linked = $state.raw<readonly string[]>([]);
  searchText = $state('');
  found = $state.raw<Found | null>(null);
  foundAt = $state(-1);
  flow = $state.raw<{ found: Found; direction: FlowDirection; node: string } | null>(null);
  review = $state.raw<Found | null>(null);
  /** Whether Constant nodes are drawn. */
  constants = $state(false);
  message = $state('');
  busy = $state(false);

  readonly open = new SvelteSet<string>(['m0']);
  readonly members = new SvelteMap<string, string>();
  private readonly pictures: Pictures;
  private readonly layouts = new LayoutClient();
  private generation = 0;
  /** The items that are drawn closed. */
  readonly visible = $derived((this.scene?.items ?? []).filter(({ item, open }) => !open && isCounted(item)).map(({ item }) => item as CountedItem));
  readonly colours: Colours;
  /** Follows what a user does here; set if another model is beside. */
  follower: Follower | null = null;

  constructor(
    readonly source: DataSource,
    wordColours = new WordColours(),
  ) {
    this.colours = new Colours(this, wordColours);
    this.pictures = new Pictures(source);
  }

  // Start --------------------------------------------------------------------------------------------

  async load(): Promise<void> {
    this.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    this.model = await this.source.model();
    this.colours.set(firstMode(this.model));
  }

  /** Draws the view of a link, or the outermost boxes. */
  async start(fragment: string): Promise<void> {
    if (fromFragment(fragment)) {
      await this.restore(fragment);
    } else {
      await this.openSingles('m0');
      await this.draw();
      this.fit();
    }
    this.review = await this.source.review();
  }

  async restore(fragment: string): Promise<void> {
    const linked = fromFragment(fragment);
    if (!linked) return;
    this.open.clear();
    for (const id of ['m0', ...linked.open]) this.open.add(id);
    this.members.clear();
    for (const [stack, member] of linked.members) this.members.set(stack, member);
    this.colours.set(linked.colour);
    this.colours.filter(linked.words, linked.numbers);
    this.constants = linked.constants;
    await this.draw();
    if (linked.place) this.place = linked.place;
    else this.fit();
    await this.follower?.openAll(this);
    if (linked.search) await this.search(linked.search);
    if (linked.selected) await this.select(linked.selected);
    this.flow = null;
    if (linked.flow) await this.showFlow(linked.flow);
  }

  get fragment(): string {
    return toFragment({
      open: [...this.open].filter((id) => id !== 'm0'),
      members: [...this.members],
      selected: this.selected,
      colour: this.colours.mode,
      words: this.colours.words,
      numbers: this.colours.numbers,
      constants: this.constants,
      search: this.searchText,
      flow: this.flow?.node === this.selected ? (this.flow?.direction ?? null) : null,
      place: this.place,
    });
  }

  // The picture --------------------------------------------------------------------------------------

  /** Lays the open boxes out again. The item `fixed` keeps its place on the screen. */
  private async draw(fixed?: string): Promise<void> {
    const generation = ++this.generation;
    this.layouts.cancel();
    this.busy = true;
    try {
      const scene = await buildScene(
        { open: this.pictures.get, layout: (request) => this.layouts.run(request) },
        { open: this.open, members: this.members, constants: this.constants },
      );
      if (generation !== this.generation) return;
      const before = fixed && this.find(fixed);
      this.scene = scene;
      const after = fixed && this.find(fixed);
      if (before && after) {
        const { x, y, scale } = this.place;
        this.place = { x: x + (before.x + before.width / 2 - after.x - after.width / 2) * scale, y: y + (before.y - after.y) * scale, scale };
      }
      this.message = '';
    } catch (error) {
      if (!(error instanceof Obsolete)) this.message = error instanceof Error ? error.message : String(error);
    } finally {
      if (generation === this.generation) this.busy = false;
    }
  }

  find(id: string): Placed | undefined {
    return this.scene?.items.find((placed) => placed.item.id === id);
  }

  /** A box whose only content is another box opens with it: its picture would show nothing new. */
  private async openSingles(box: string): Promise<void> {
    const { items } = await this.pictures.get(box);
    const counted = items.filter(isCounted);
    if (counted.length !== 1 || !canOpen(counted[0]) || !this.canShow(counted[0])) return;
    this.open.add(counted[0].id);
    await this.openSingles(contentOf(counted[0], this));
  }

  canShow(item: Item): boolean {
    return canOpen(item) && this.source.hasBox(contentOf(item, this));
  }

  async toggle(item: Item): Promise<void> {
    if (!canOpen(item)) return;
    if (this.open.has(item.id)) {
      this.open.delete(item.id);
    } else {
      if (!this.canShow(item)) {
        this.message = 'This box was left out of the report.';
        return;
      }
      this.open.add(item.id);
      await this.openSingles(contentOf(item, this));
    }
    await this.draw(item.id);
    await this.follower?.toggled(this, contentOf(item, this), this.open.has(item.id));
  }

  async toggleConstants(): Promise<void> {
    this.constants = !this.constants;
    await this.draw(this.selected ?? undefined);
    await this.follower?.constantsToggled(this);
  }

  /** Shows another member of a stack. */
  async step(item: Item, by: number): Promise<void> {
    if (item.kind !== 'stack') return;
    const at = item.members.indexOf(contentOf(item, this));
    const next = item.members[(at + by + item.members.length) % item.members.length];
    this.members.set(item.id, next);
    if (this.open.has(item.id)) await this.openSingles(next);
    await this.draw(item.id);
    await this.follower?.toggled(this, next, this.open.has(item.id));
  }

  async closeAll(): Promise<void> {
    this.open.clear();
    this.open.add('m0');
    await this.openSingles('m0');
    await this.draw();
    this.fit();
    await this.follower?.allClosed(this);
  }

  async withoutFollower(act: () => Promise<void>): Promise<void> {
    const { follower } = this;
    this.follower = null;
    await act();
    this.follower = follower;
  }

  /** The boxes that are open inside an open box, outermost first. */
  openInside(box: string): string[] {
    const inside = (this.scene?.items ?? []).filter((placed) => placed.open && placed.box === box).map(({ item }) => contentOf(item, this));
    return inside.flatMap((one) => [one, ...this.openInside(one)]);
  }

  /** Opens or closes the box of a module, which corresponds to one of the model beside. */
  async setOpen(module: string, isOpen: boolean): Promise<void> {
    const boxes = await this.source.locate(module);
    const around = boxes.at(-1)?.startsWith('s') ? boxes.at(-1)! : module;
    if (isOpen) {
      this.openAround(boxes, module);
      this.open.add(around);
      await this.openSingles(module);
    } else {
      this.open.delete(around);
    }
    await this.draw();
  }

  // Where the picture is -----------------------------------------------------------------------------

  fit(): void {
    if (this.scene && this.scene.width > 0) this.place = fitPlace(this.scene, this.size);
    this.follower?.fitted();
  }

  zoom(factor: number, x = this.size.width / 2, y = this.size.height / 2): void {
    this.place = zoomPlace(this.place, factor, x, y);
    this.follower?.moved(this);
  }

  pan(x: number, y: number): void {
    this.place = { ...this.place, x: this.place.x + x, y: this.place.y + y };
    this.follower?.moved(this);
  }

  private reveal(id: string): void {
    const placed = this.find(id);
    if (placed) this.place = revealPlace(this.place, this.size, placed);
    this.follower?.moved(this);
  }

  // Selection ----------------------------------------------------------------------------------------

  /** Selects what is already drawn. */
  async select(id: string | null): Promise<void> {
    this.selected = id;
    this.details = null;
    this.linked = [];
    void this.follower?.selected(this, id);
    if (!id?.startsWith('n')) return;
    try {
      const details = await this.source.node(id);
      if (this.selected === id) this.details = cutTexts(details);
    } catch (error) {
      this.message = error instanceof Error ? error.message : String(error);
    }
  }

  /** Opens the boxes around a module or node, and selects it. */
  async show(id: string): Promise<void> {
    try {
      const boxes = await this.source.locate(id);
      if (this.openAround(boxes, id)) {
        await this.draw();
        await this.follower?.openAll(this);
      }
      if (id.startsWith('n') && !this.find(id) && !this.constants) await this.toggleConstants();
      const drawn = this.find(id) ? id : ([...boxes].reverse().find((box) => this.find(box)) ?? null);
      await this.select(id.startsWith('n') ? id : drawn);
      if (drawn) this.reveal(drawn);
    } catch (error) {
      this.message = error instanceof Error ? error.message : String(error);
    }
  }

  /** Opens boxes, and shows the right members of stacks. Whether something changed. */
  private openAround(boxes: string[], id: string): boolean {
    const chain = [...boxes, id];
    let changed = false;
    for (const [i, box] of boxes.entries()) {
      if (!this.open.has(box)) changed = true;
      this.open.add(box);
      if (!box.startsWith('s') || this.members.get(box) === chain[i + 1]) continue;
      this.members.set(box, chain[i + 1]);
      changed = true;
    }
    return changed;
  }

  /** Selects here what corresponds to the selection of the model beside, or the innermost visible box around it. */
  async link(ids: string[]): Promise<void> {
    this.selected = null;
    this.details = null;
    const linked: string[] = [];
    for (const id of ids) {
      const chain = [...(await this.locate(id)), id];
      const drawn = chain.reverse().find((one) => this.find(one));
      if (drawn) linked.push(drawn);
    }
    this.linked = linked;
  }

  get selectedItem(): Item | null {
    return (this.selected && this.find(this.selected)?.item) || null;
  }

  async walk(arrow: Arrow): Promise<void> {
    if (!this.scene) return;
    const next = walk(this.scene, this.selected ?? '', arrow);
    if (next === null) return;
    await this.select(next);
    this.reveal(next);
  }

  /** To the box around the selected item. */
  async leave(): Promise<void> {
    const box = this.selected && this.find(this.selected)?.box;
    if (!box || box === 'm0') return;
    const around = this.scene!.items.find(({ item, open }) => open && contentOf(item, this) === box);
    if (!around) return;
    await this.select(around.item.id);
    this.reveal(around.item.id);
  }

  /** To the first item inside the selected box, which opens. */
  async enter(): Promise<void> {
    const item = this.selectedItem;
    if (!item || !canOpen(item)) return;
    if (!this.open.has(item.id)) await this.toggle(item);
    const box = contentOf(item, this);
    const first = this.scene!.items.find((placed) => placed.box === box);
    if (first) await this.select(first.item.id);
  }

  // Sets of nodes ------------------------------------------------------------------------------------

  async search(text: string): Promise<void> {
    this.searchText = text;
    this.foundAt = -1;
    this.message = '';
    if (!text.trim()) {
      this.found = null;
      return;
    }
    try {
      const byExpression = this.source.hasExpressions && expression.test(text);
      const found = await (byExpression ? this.source.where(text) : this.source.search(text.trim()));
      if (this.searchText === text) this.found = found;
    } catch (error) {
      this.found = null;
      this.message = error instanceof Error ? error.message : String(error);
    }
  }

  async stepFound(by: number): Promise<void> {
    const count = this.found?.nodes.length ?? 0;
    if (count === 0) return;
    this.foundAt = this.foundAt < 0 ? (by > 0 ? 0 : count - 1) : (this.foundAt + by + count) % count;
    await this.show(this.found!.nodes[this.foundAt].id);
  }

  async showFlow(direction: FlowDirection): Promise<void> {
    if (!this.selected?.startsWith('n')) return;
    if (this.flow?.direction === direction && this.flow.node === this.selected) {
      this.flow = null;
      return;
    }
    const node = this.selected;
    this.flow = { found: await this.source.flow(node, direction), direction, node };
  }

  /** The number of marked nodes in an item; null if nothing is marked. */
  marked(item: CountedItem): number | null {
    const set = this.flow?.found ?? this.found;
    return set ? countCommon(item.ranges, set.ranges) : null;
  }

  /** The boxes around a module or node, outermost first; none if that is unknown. */
  locate(id: string): Promise<string[]> {
    return this.source.locate(id).catch(() => []);
  }

  children(module: ModuleItem): Promise<ModuleItem[]> {
    return this.source.children(module.id).then((children) => children.modules);
  }
}
