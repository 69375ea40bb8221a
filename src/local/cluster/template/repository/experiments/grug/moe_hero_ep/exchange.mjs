import { Link } from './links.mjs';

const ROUNDS = 8;
const ROUND_MS = 13.75;

/** Makes the all-to-all exchange of a run: eight rounds over one link, each waiting for the one before it. */
export function allToAll(pace) {
  const link = new Link();
  return async () => {
    for (let round = 0; round < ROUNDS; round += 1) await link.transfer(ROUND_MS * pace);
  };
}
