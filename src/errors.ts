/** A fault of ours or the machine's. A refusal is a `Decision`, a doubt is a `Reading`; neither is thrown. */
export abstract class OpsError extends Error {
  abstract readonly code: string;
  /** The process exit code when this fault ends a command. */
  readonly exitCode: number = 1;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The fleet file or the environment is not usable: nothing was started. */
export class FleetError extends OpsError {
  readonly code = 'fleet';
  override readonly exitCode = 2;
}

/** The command line is not understood. */
export class UsageError extends OpsError {
  readonly code = 'usage';
  override readonly exitCode = 2;
}
