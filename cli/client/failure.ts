/** The ways in which a command can end, and their exit codes. */

export const EXIT_CODES = { failure: 1, usage: 2, auth: 3, notFound: 4, agentOffline: 5 } as const;
export type Ending = keyof typeof EXIT_CODES;

/** An expected failure. Its message is shown without a stack. */
export class Failure extends Error {
  override name = 'Failure';
  readonly ending: Ending;

  constructor(ending: Ending, message: string, options?: ErrorOptions) {
    super(message, options);
    this.ending = ending;
  }
}
