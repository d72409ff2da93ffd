/** The REST API of NetBox: lists page by page, and many objects in one write. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { backOffMs } from '../../shared/async.ts';
import { parseJson } from '../../shared/json.ts';
import { oneLine, startOf } from '../../shared/text.ts';
import { Failure } from '../client/failure.ts';

/** A list such as `dcim/devices`. */
export type List = `${string}/${string}`;

export interface NetBox {
  /** The version of NetBox, such as `4.2.3`. */
  version(): Promise<string>;
  /** Every object of a list that the query leaves. A value that is a list means any of them. */
  list<Schema extends z.ZodType>(
    list: List,
    schema: Schema,
    query?: Readonly<Record<string, string | readonly string[]>>,
  ): Promise<z.output<Schema>[]>;
  /**
   * Makes or changes objects, all of them or none.
   * @returns them as they are now, or why NetBox refuses them
   */
  write(
    method: 'POST' | 'PATCH',
    list: List,
    objects: readonly object[],
  ): Promise<WrittenObject[] | { refused: string }>;
}

export interface NetBoxAccess {
  /** Without a slash at its end. */
  url: string;
  token: string;
  /** Ends everything: a request that is under way, and a wait between two. */
  signal: AbortSignal;
  fetch?: (request: Request) => Promise<Response>;
  wait?: (ms: number) => Promise<unknown>;
}

const Written = z.looseObject({ id: z.int() });
type WrittenObject = z.infer<typeof Written>;
const Page = z.object({ count: z.int(), results: z.array(z.unknown()) });

/** As many values of a query as fit into a URL. */
export const IN_QUERY = 50;
const PAGE = 200;
/** More objects than any list of one site has. */
const MOST_OBJECTS = 200_000;
/** A page of devices is some hundred kilobytes. */
const MOST_BYTES = 32 * 1024 * 1024;
const REQUEST_WITHIN_MS = 60_000;
const TRIES = 6;
const BACK_OFF = { firstMs: 500, longestMs: 30_000, least: 0.5 } as const;
/** The longest `Retry-After` that is followed; who is told to wait for longer tries again by hand. */
const LONGEST_WAIT_MS = 120_000;

export function openNetBox({ url, token, signal, fetch: send = fetch, wait = sleepOr(signal) }: NetBoxAccess): NetBox {
  /** Since 4.5, tokens of another kind are sent in another way. */
  const authorization = token.startsWith('nbt_') ? `Bearer ${token}` : `Token ${token}`;

  async function ask(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const isLast = tries === TRIES;
      const answer = await once(method, path, body).catch((error: unknown) => {
        // Whether it was carried out is not known: the next run sees what there is.
        if (signal.aborted)
          throw new Failure('failure', 'The time is over. What was written stays; the next run goes on');
        if (isLast || method === 'POST') throw unreachable(url, error);
        return null;
      });
      // 429 says that nothing was done; after the others a POST may have been carried out.
      const isTemporary = answer !== null && (answer.status === 429 || (method !== 'POST' && answer.status >= 502));
      if (answer !== null && (!isTemporary || isLast)) return answer;
      const waitMs = answer?.retryAfterMs ?? backOffMs(tries - 1, BACK_OFF);
      if (waitMs > LONGEST_WAIT_MS)
        throw new Failure('failure', `${url} wants to be left alone for ${waitMs / 1000} s`);
      await wait(waitMs);
    }
  }

  async function once(method: string, path: string, body: unknown): Promise<Answer> {
    const request = new Request(`${url}/api/${path}`, {
      method,
      headers: { authorization, accept: 'application/json', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error', // The token goes only to the URL that the operator gave.
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_WITHIN_MS)]),
    });
    const response = await send(request);
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const retryAfterMs = Number.isFinite(seconds) ? Math.max(seconds * 1000, 0) : undefined;
    return { status: response.status, retryAfterMs, text: await textOf(response) };
  }

  return {
    async version() {
      const { status, text } = await ask('GET', 'status/');
      const found = z.object({ 'netbox-version': z.string() }).safeParse(parseJson(text));
      if (status === 200 && found.success) return found.data['netbox-version'];
      throw unexpected(url, status, text);
    },

    async list(list, schema, query = {}) {
      const found: z.output<typeof schema>[] = [];
      for (let offset = 0; ; ) {
        const search = new URLSearchParams({ limit: String(PAGE), offset: String(offset), ordering: 'id' });
        for (const [name, values] of Object.entries(query)) for (const one of [values].flat()) search.append(name, one);
        // Not by the link to the next page: behind a proxy it may lead elsewhere.
        const { status, text } = await ask('GET', `${list}/?${search}`);
        const page = Page.safeParse(parseJson(text));
        const parsed = z.array(schema).safeParse(page.data?.results);
        if (status !== 200 || !page.success || !parsed.success) throw unexpected(url, status, text);
        found.push(...parsed.data);
        offset += parsed.data.length; // NetBox may allow less than was asked for.
        if (parsed.data.length === 0 || offset >= page.data.count) return found;
        if (offset > MOST_OBJECTS) throw new Failure('failure', `${url} lists more than can be compared in ${list}`);
      }
    },

    async write(method, list, objects) {
      const { status, text } = await ask(method, `${list}/`, objects);
      const written = z.array(Written).safeParse(parseJson(text));
      if ((status === 200 || status === 201) && written.success && written.data.length === objects.length) {
        return written.data;
      }
      if (status === 400) return { refused: reasonIn(text) };
      throw unexpected(url, status, text);
    },
  };
}

interface Answer {
  status: number;
  retryAfterMs: number | undefined;
  text: string;
}

function sleepOr(signal: AbortSignal) {
  return (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
}

async function textOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw new Failure('failure', 'NetBox answers with more than fits');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** What NetBox says is wrong, with the names of its fields. */
function reasonIn(text: string): string {
  const json = parseJson(text);
  const [first] = [json].flat().filter((one) => typeof one === 'object' && one !== null && Object.keys(one).length > 0);
  const said = Object.entries((first ?? {}) as Record<string, unknown>).map(
    ([field, why]) => `${field}: ${[why].flat()}`,
  );
  return startOf(oneLine(said.join('; ') || text), 300);
}

function unexpected(url: string, status: number, text: string): Failure {
  const said = startOf(oneLine(text), 200);
  if (status === 401 || status === 403)
    return new Failure('auth', `NetBox refuses the token, or what it may do: ${said}`);
  return new Failure('failure', `${url} answered with status ${status}; is this the URL of NetBox? ${said}`);
}

function unreachable(url: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Failure('failure', `Cannot reach ${url}: ${why}. The same command goes on where this one stopped`, {
    cause: error,
  });
}
