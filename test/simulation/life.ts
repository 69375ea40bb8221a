/** The bot is dead: whatever it was about to do is not done. */
export class Died extends Error {
  override readonly name = 'Died';
}

/** One life of the bot, from a start to a kill. What happens to it after its death happens to nobody. */
export class Life {
  dead = false;

  constructor(
    readonly number: number,
    private readonly trueNow: () => number,
    private readonly skewMs: () => number,
    /** Whether the bot dies here. */
    private readonly diesAt: (point: string) => boolean,
    private readonly onDeath: (point: string) => void,
  ) {}

  readonly now = (): Date => new Date(this.trueNow() + this.skewMs());

  /** A point at which the bot may die. Throws for a bot that is dead. */
  pass(point: string): void {
    if (this.dead) throw new Died(point);
    if (this.diesAt(point)) this.kill(point);
  }

  /** Ends this life here and now. */
  kill(point: string): never {
    this.end(point);
    throw new Died(point);
  }

  /** As `kill`, from outside. */
  end(point: string): void {
    if (this.dead) return;
    this.dead = true;
    this.onDeath(point);
  }

  /** What is awaited by a dead bot never comes. */
  while<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => {
          if (!this.dead) resolve(value);
        },
        (fault) => {
          if (!this.dead) reject(fault);
        },
      );
    });
  }
}
