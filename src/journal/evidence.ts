import type { Database } from './database.js';
import { digestOf } from './digest.js';

/** What decisions rest on, stored once by digest. Only scrubbed text may be given. */
export class Evidence {
  private readonly insert;
  private readonly select;

  constructor(database: Database) {
    this.insert = database.prepare('INSERT INTO evidence (digest, body, stored_at) VALUES (?, ?, ?) ON CONFLICT (digest) DO NOTHING');
    this.select = database.prepare('SELECT body, stored_at FROM evidence WHERE digest = ?');
  }

  keep(body: string, at: Date): string {
    const digest = digestOf(body);
    this.insert.run(digest, body, at.toISOString());
    return digest;
  }

  read(digest: string): { readonly body: string; readonly storedAt: Date } | undefined {
    const row = this.select.get(digest) as { body: string; stored_at: string } | undefined;
    return row === undefined ? undefined : { body: row.body, storedAt: new Date(row.stored_at) };
  }
}
