/** A link between racks: transfers over one link follow each other. Times are milliseconds, already scaled by the pace. */
export class Link {
  #freeAt = 0;

  /** Resolves when this transfer, and all asked for before it, are over. */
  async transfer(durationMs) {
    this.#freeAt = Math.max(performance.now(), this.#freeAt) + durationMs;
    await until(this.#freeAt);
  }
}

async function until(instant) {
  const leftMs = instant - performance.now();
  if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
}
