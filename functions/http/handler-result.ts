/** What a handler returns where plain JSON with status 200 is not enough. */

/** A result with a status, headers or a body of its own. */
export class HandlerResult {
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
