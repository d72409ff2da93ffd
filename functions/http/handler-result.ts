/** The result of a handler where plain JSON with status 200 is not enough. */
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
