/** The nodes of the simulated region: room for one gang. All others wait in the order in which they came, all or nothing. */
export class Nodes {
  #held = false;
  readonly #queue: { readonly take: () => void }[] = [];

  /** Resolves when the nodes are the caller's, who must release them. Rejects when the signal is aborted first. */
  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#held) {
      this.#held = true;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const entry = {
        take: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(entry), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.push(entry);
    });
  }

  release(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#held = false;
    else next.take();
  }
}
