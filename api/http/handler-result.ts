/** The answer of a handler, if plain JSON with status 200 is not enough. */

/** An answer with a status, headers or a body of its own. */
export class Answer {
  readonly body: unknown;
  readonly status: number;
  readonly headers: Record<string, string>;

  /** @param body JSON, an `EncodedBody`, a `StreamedFile`, or an `EventStream` */
  constructor(
    body: unknown,
    { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
  ) {
    this.body = body;
    this.status = status;
    this.headers = headers;
  }
}
