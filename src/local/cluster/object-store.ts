import { type Dirent, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface StoredObject {
  readonly key: string;
  readonly size: number;
}

/** A folder as object store: `s3://bucket/key` is `<root>/bucket/key`. Partial writes live outside every bucket. */
export class ObjectStore {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
    mkdirSync(root, { recursive: true });
  }

  /** All objects whose key starts with the prefix, by key. */
  list(prefix: string): readonly StoredObject[] {
    const path = this.#pathOf(prefix);
    const folder = prefix.endsWith('/') ? path : dirname(path);
    const found: StoredObject[] = [];
    this.#walk(folder, found);
    return found.filter((object) => object.key.startsWith(prefix)).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  }

  #walk(folder: string, found: StoredObject[]): void {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) this.#walk(path, found);
      else {
        const size = sizeOf(path);
        if (size !== null) found.push({ key: this.#urlOf(path), size });
      }
    }
  }

  /** The bytes of an object, or null when there is none. */
  read(url: string): Buffer | null {
    try {
      return readFileSync(this.#pathOf(url));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  put(url: string, text: string): void {
    const path = this.#pathOf(url);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  remove(url: string): void {
    rmSync(this.#pathOf(url), { recursive: true, force: true });
  }

  move(from: string, to: string): void {
    const target = this.#pathOf(to);
    mkdirSync(dirname(target), { recursive: true });
    renameSync(this.#pathOf(from), target);
  }

  #pathOf(url: string): string {
    const match = /^s3:\/\/([A-Za-z0-9][A-Za-z0-9-]*)(\/.*)?$/.exec(url);
    const key = match?.[2] ?? '/';
    if (match === null || key.split('/').includes('..')) throw new RangeError(`invalid object url: ${url}`);
    return join(this.root, match[1] ?? '', key);
  }

  #urlOf(path: string): string {
    return `s3://${path.slice(this.root.length + 1)}`;
  }
}

/** Files come and go while a trainer works: one that is gone between two looks is simply not there. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR';
}
