import { Link } from './links.mjs';

const ROUNDS = 8;
const ROUND_MS = 13.75;
const LANES = 2;

/** Makes the all-to-all exchange of a run: eight rounds, spread over two lanes that work at the same time. */
export function allToAll(pace) {
  const lanes = Array.from({ length: LANES }, () => new Link());
  return async () => {
    const rounds = Array.from({ length: ROUNDS }, (_, round) => lanes[round % LANES].transfer(ROUND_MS * pace));
    await Promise.all(rounds);
  };
}
