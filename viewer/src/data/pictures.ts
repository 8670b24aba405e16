// Opened boxes that were already asked for.
import type { DataSource } from './source';
import type { Picture } from './types';

const maxKept = 300;

export class Pictures {
  private readonly kept = new Map<string, Promise<Picture>>();

  constructor(private readonly source: DataSource) {}

  get = (box: string): Promise<Picture> => {
    const known = this.kept.get(box);
    if (known) return known;
    const picture = this.source.open(box);
    picture.catch(() => this.kept.delete(box));
    this.kept.set(box, picture);
    if (this.kept.size > maxKept) this.kept.delete(this.kept.keys().next().value!);
    return picture;
  };
}
