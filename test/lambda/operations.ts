/** Every operation of the API, and the event of a request for each of them, made of its example. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Operation, Operations } from '../../shared/api/operation.ts';
import { tables } from '../../shared/api/tables.ts';
import * as plan from '../lab/plan.ts';
import { proxyEvent, STAGE } from './gateway.ts';

/** By name. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.values<Operations>(tables).flatMap((table) => Object.entries(table)),
);

/** The parts of a request. Those that are given take the place of the ones of the example. */
export interface RequestParts {
  token?: string;
  /** Sent where the operation is about one site. */
  site?: string;
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
}

/** Instead of an example that names a host of some LAN, which these tests must not reach, or that tests less. */
const INSTEAD_OF_EXAMPLE: Record<string, RequestParts> = {
  wakeOnLan: { body: { devMac: '00:1E:06:77:01:60' } },
  traceroute: { body: { devLastIP: '127.0.0.1' } },
  nmap: { body: { scan: '127.0.0.1', mode: 'fast' } },
  triggerScan: { body: { type: 'NMAP', scan: '127.0.0.1' } },
  nslookup: { body: { devLastIP: `nas.${plan.DOMAIN}` } },
  searchDevices: { body: { query: 'küche' } },
  addSchedule: { body: { name: 'monthly', tool: 'interfaces', everySeconds: 30 * 86_400 } },
  exportDevicesAs: { params: { format: 'csv' } },
};

/** The event of a request for an operation, which is that of its example apart from the given parts. */
export function eventFor(name: string, given: RequestParts = {}): APIGatewayProxyEvent {
  const operation = operations.get(name);
  if (operation === undefined) throw new Error(`there is no operation called ${name}`);
  if (operation.isCommand && 'body' in operation.example && INSTEAD_OF_EXAMPLE[name]?.body === undefined) {
    throw new Error(`the example of ${name} may name a host outside: give another target in ${import.meta.filename}`);
  }
  const { params = {}, query = {}, body } = { ...operation.example, ...INSTEAD_OF_EXAMPLE[name], ...given };
  const sent = body === undefined ? null : encodedBody(operation, body as object);
  const headers: [string, string][] = [
    ['Accept', '*/*'],
    ['Accept-Encoding', 'gzip, deflate, br'],
    ['User-Agent', 'curl/8.5.0'],
  ];
  if (given.token !== undefined) headers.push(['Authorization', `Bearer ${given.token}`]);
  if (given.site !== undefined && operation.perSite) headers.push(['X-Site', given.site]);
  if (sent !== null) headers.push(['Content-Type', sent.type]);
  const request = {
    method: operation.method,
    path: operation.path.replace(/\{(\w+)\}/g, (_, parameter: string) => encodeURIComponent(params[parameter] ?? '')),
    query: new URLSearchParams(query),
    headers,
    body: sent?.bytes ?? Buffer.alloc(0),
  };
  return proxyEvent(request, { stage: STAGE });
}

const BOUNDARY = '----WebKitFormBoundaryq7R3yFbT9vXcL0aZ';

/** JSON, or a form where the operation takes its `content` as a file too: so that a body in bytes is among them. */
function encodedBody({ upload }: Operation, body: object): { type: string; bytes: Buffer } {
  if (upload === undefined || !('content' in body)) {
    return { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) };
  }
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${upload}"; filename="devices.csv"\r\nContent-Type: text/csv\r\n\r\n`;
  const bytes = [
    Buffer.from(head),
    Buffer.from(String(body.content), 'base64'),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ];
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, bytes: Buffer.concat(bytes) };
}
