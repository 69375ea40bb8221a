/** An outside fault to play: for the next `times` requests of a sink that match `method`. */
export interface Fault {
  readonly sink: 'slack' | 'github';
  /** Slack: a Web API method (`chat.postMessage`). GitHub: an HTTP method, a path fragment, or both (`POST /comments`). Left out: all. */
  readonly method?: string | undefined;
  /**
   * `drop_after_write`: the request takes effect, the connection breaks before the answer.
   * `drop_before_write`: the connection breaks and nothing happened.
   * `status`: nothing happened, and this status, these headers and this error code are the answer.
   */
  readonly kind: 'drop_after_write' | 'drop_before_write' | 'status';
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly error?: string | undefined;
  readonly times: number;
}

/** The faults that are still to be played, oldest first. */
export class Faults {
  #waiting: { readonly fault: Fault; left: number }[] = [];

  add(fault: Fault): void {
    if (fault.times > 0) this.#waiting.push({ fault, left: fault.times });
  }

  /** Forgets all faults of a sink: the outage is over. */
  clear(sink: Fault['sink']): void {
    this.#waiting = this.#waiting.filter((entry) => entry.fault.sink !== sink);
  }

  /** The fault this request meets, used up once. */
  take(sink: Fault['sink'], request: string): Fault | undefined {
    const entry = this.#waiting.find(({ fault }) => fault.sink === sink && matches(fault.method, request));
    if (entry === undefined) return undefined;
    entry.left -= 1;
    this.#waiting = this.#waiting.filter(({ left }) => left > 0);
    return entry.fault;
  }
}

/** Every word of the pattern must be in the request, the method as a whole word: `POST` does not match `/POSTS`. */
function matches(pattern: string | undefined, request: string): boolean {
  if (pattern === undefined) return true;
  const words = request.split(' ');
  return pattern.split(' ').every((word) => (word.startsWith('/') ? request.includes(word) : words.includes(word)));
}
