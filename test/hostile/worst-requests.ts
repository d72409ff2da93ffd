/** The requests with a valid token that keep the server busy for the longest, or need the most memory. */

const MB = 1024 * 1024;

export interface WorstRequest {
  name: string;
  method: string;
  path: string;
  body: Buffer;
  contentType: string;
  /** The expected status of the response. */
  status: number;
  /** How many of them in parallel; default: one. */
  atOnce?: number;
  changes?: boolean;
}

/** None of them changes anything. */
export function worstRequests(): WorstRequest[] {
  const hostile = Array.from({ length: 100 }, (_, i) => `*0*0*0*0*0*0*0*.${i}`);
  return [
    dryRun('5.2 million rows', `devName\n${'a\n'.repeat(5_200_000)}`, 413),
    dryRun('200,000 rows', `devName\n${'a\n'.repeat(200_000)}`, 200),
    dryRun('9.9 MB of wrong rows', `devMac\n${'x\n'.repeat(4_950_000)}`, 413),
    dryRun('200,000 wrong rows', `devMac\n${'x\n'.repeat(200_000)}`, 200),
    dryRun('9.9 MB of blank lines', `devMac\n${'\n'.repeat(9_900_000)}`, 200),
    dryRun('9.9 MB in one cell', `devName\n${'a'.repeat(9_900_000)}`, 400),
    dryRun('9.9 MB of cells in one row', `devName\n${','.repeat(9_900_000)}`, 400),
    dryRun('9.9 MB of names of columns', `devName${',a'.repeat(4_900_000)}`, 400),
    json('7.5 MB of NULs in base64', 'POST', '/devices/import?dryRun=true', 400, () => ({
      content: Buffer.alloc(7.4 * MB).toString('base64'),
    })),
    text(
      '10 MB of broken base64',
      'POST',
      '/devices/import?dryRun=true',
      400,
      `{"content":"${'a '.repeat(5_200_000)}"}`,
    ),
    text('4 million levels of JSON', 'POST', '/devices/import?dryRun=true', 400, '['.repeat(4_000_000)),
    text('5 million values in JSON', 'POST', '/devices/import?dryRun=true', 400, `[${'1,'.repeat(5_000_000)}1]`),
    form('9.9 MB of fields in a form', filled('', `${PART}\r\n`), 400),
    form('9.9 MB that look like the end of a form', filled(PART, `\r\n--${BOUNDARY.slice(1)}`), 400),
    json('4.9 million scopes', 'POST', '/tokens', 413, () => token(4_900_000)),
    json('30,000 scopes', 'POST', '/tokens', 400, () => token(30_000)),
    json('100,000 wrong MACs', 'DELETE', '/devices?dryRun=true', 400, () => ({ macs: many(100_000, 'wrong') })),
    json('100,000 numbers for MACs', 'DELETE', '/devices?dryRun=true', 400, () => ({ macs: many(100_000, 1) })),
    json('100 hostile patterns', 'DELETE', '/devices?dryRun=true', 400, () => ({ macs: hostile })),
    json('20 hostile patterns', 'DELETE', '/devices?dryRun=true', 200, () => ({ macs: hostile.slice(0, 20) })),
    {
      ...json('20 hostile patterns, five times at once', 'DELETE', '/devices?dryRun=true', 200, () => ({
        macs: hostile.slice(0, 20),
      })),
      atOnce: 5,
    },
    {
      ...dryRun('200,000 rows, four times at once', `devName\n${'a\n'.repeat(200_000)}`, 200),
      atOnce: 4,
    },
  ];
}

const token = (scopes: number) => ({ name: 'worst', sites: '*', scopes: many(scopes, 1) });
const many = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);

const BOUNDARY = 'lanreach-bench-boundary';
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n`;

/** 9.9 MB of a repeated text. */
function filled(start: string, piece: string): string {
  return start + piece.repeat((9_900_000 - start.length) / piece.length);
}

function form(name: string, content: string, status: number, path = '/devices/import?dryRun=true'): WorstRequest {
  const contentType = `multipart/form-data; boundary=${BOUNDARY}`;
  return { name, method: 'POST', path, body: Buffer.from(content), contentType, status };
}

export function upload(name: string, query: string, csv: string, status: number): WorstRequest {
  return form(name, `${PART}${csv}\r\n--${BOUNDARY}--\r\n`, status, `/devices/import${query}`);
}

function dryRun(name: string, csv: string, status: number): WorstRequest {
  return upload(`dry run of an import: ${name}`, '?dryRun=true', csv, status);
}

function text(name: string, method: string, path: string, status: number, content: string): WorstRequest {
  return { name, method, path, body: Buffer.from(content), contentType: 'application/json', status };
}

export function json(name: string, method: string, path: string, status: number, value: () => unknown): WorstRequest {
  return text(name, method, path, status, JSON.stringify(value()));
}
