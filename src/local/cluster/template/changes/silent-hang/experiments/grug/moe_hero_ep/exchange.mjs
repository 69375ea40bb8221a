import { Link } from './links.mjs';

const ROUNDS = 8;
const ROUND_MS = 13.75;
const LANES = 2;
const CREDITS = 100;

/** A lane that takes a credit for each transfer, so that a slow receiver is never flooded. */
class CreditedLane {
  #link = new Link();
  #credits = CREDITS;
  #waiting = [];
  #returns;

  constructor(returns) {
    this.#returns = returns;
  }

  async transfer(durationMs) {
    if (this.#credits === 0) await new Promise((resolve) => this.#waiting.push(resolve));
    this.#credits -= 1;
    await this.#link.transfer(durationMs);
    if (this.#returns) this.#giveBack();
  }

  #giveBack() {
    this.#credits += 1;
    this.#waiting.shift()?.();
  }
}

/** Makes the all-to-all exchange of a run: eight rounds over two credited lanes that work at the same time. */
export function allToAll(pace) {
  const lanes = Array.from({ length: LANES }, (_, lane) => new CreditedLane(lane === 0));
  return async () => {
    const rounds = Array.from({ length: ROUNDS }, (_, round) => lanes[round % LANES].transfer(ROUND_MS * pace));
    await Promise.all(rounds);
  };
}
