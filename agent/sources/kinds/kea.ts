/** Kea by its HTTP interface, in pages: each DHCP server has a port of its own, and a Control Agent before 3.1.8 is one for all. */
import * as z from 'zod';
import { parseJson } from '../../../shared/json.ts';
import { HttpUrl } from '../../config.ts';
import { defineSource, LOCKOUT_MS, SourceFailure, type SourceObservation, type SourceRequest } from '../source.ts';
import { bytesIn, macOfDuid, seenByRenewal } from './leases.ts';

const Settings = z.object({
  url: HttpUrl.describe('the HTTP control socket of kea-dhcp4, or a Control Agent: http://127.0.0.1:8000'),
  url6: HttpUrl.optional().describe('the same of kea-dhcp6'),
  user: z.string().min(1).optional().describe('where it requires authentication'),
  password: z.string().optional().describe('of that user'),
});
type Settings = z.output<typeof Settings>;

export const kea = defineSource({
  kind: 'kea',
  title: 'Kea (HTTP)',
  settings: Settings,
  secrets: ['password'],
  rights:
    'The hook libdhcp_lease_cmds.so, and the commands lease4-get-page and lease6-get-page: with the hook RBAC, a user with access "read".',
  async *read(settings, request) {
    yield* pages(settings, settings.url, 4, request);
    if (settings.url6 !== undefined) yield* pages(settings, settings.url6, 6, request);
  },
});

const PAGE = 1_000;
/** More than MAX_ROWS rows are not read. */
const MAX_PAGES = 20;

const Answer = z.object({ result: z.int(), text: z.string().optional(), arguments: z.unknown().optional() });
const Page = z.object({ leases: z.array(z.unknown()) });
const Lease = z.object({
  'ip-address': z.string(),
  'hw-address': z.string().optional(),
  duid: z.string().optional(),
  hostname: z.string().optional(),
  type: z.string().optional(),
  cltt: z.number(),
  'valid-lft': z.number(),
  state: z.int(),
});

/** Kea's results: found, not supported, nothing found. */
const [OK, UNSUPPORTED, EMPTY] = [0, 2, 3];

async function* pages(settings: Settings, url: string, family: 4 | 6, request: SourceRequest) {
  let from = 'start';
  for (let page = 0; page < MAX_PAGES; page++) {
    const command = { command: `lease${family}-get-page`, arguments: { from, limit: PAGE } };
    const { result, text = '', arguments: found } = await send(settings, url, command, `dhcp${family}`, request);
    if (result === EMPTY) return;
    if (result === UNSUPPORTED)
      throw new SourceFailure('Kea does not offer its leases: load the hook libdhcp_lease_cmds.so');
    if (result !== OK) throw new SourceFailure(`Kea answered: ${text.slice(0, 120)}`);
    const { leases } = Page.parse(found);
    for (const each of leases) {
      const lease = Lease.safeParse(each);
      const host = lease.success ? hostOf(lease.data, request.now()) : null;
      if (host !== null) yield host;
    }
    const last = z.object({ 'ip-address': z.string() }).safeParse(leases.at(-1)).data?.['ip-address'];
    if (leases.length < PAGE || last === undefined || last === from) return;
    from = last;
  }
}

/** A Control Agent needs the name of the service; a server itself, since 2.7.2, does not. */
async function send(settings: Settings, url: string, command: object, service: string, request: SourceRequest) {
  const way = `service of ${url}`;
  const withService = { ...command, service: [service] };
  if (request.memory.has(way)) return answerTo(settings, url, withService, request);
  const answer = await answerTo(settings, url, command, request);
  if (answer.result !== UNSUPPORTED) return answer;
  const other = await answerTo(settings, url, withService, request);
  if (other.result !== UNSUPPORTED) request.memory.set(way, service);
  return other;
}

async function answerTo({ user, password = '' }: Settings, url: string, command: object, request: SourceRequest) {
  const { status, body } = await request.http({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(command),
    basic: user === undefined ? undefined : { user, password },
  });
  if (status === 401) throw new SourceFailure('Kea rejects the user or the password (401)', { waitMs: LOCKOUT_MS });
  const json = parseJson(body);
  // An array with one element; without authentication, or by a socket, a plain object.
  const answer = Answer.safeParse(Array.isArray(json) ? json[0] : json);
  if (answer.success) return answer.data;
  throw new SourceFailure(`${new URL(url).host} does not answer as Kea does (status ${status})`);
}

/** Active, or registered by a client that chose its IPv6 address itself. */
const HELD = new Set([0, 4]);

function hostOf(lease: z.output<typeof Lease>, now: number): SourceObservation | null {
  const { cltt, 'valid-lft': lifetime, 'hw-address': card } = lease;
  const mac = card || macOfDuid(bytesIn(lease.duid ?? ''));
  const isHeld = HELD.has(lease.state) && (cltt + lifetime) * 1000 >= now;
  // A delegated prefix is no address of its router.
  if (!mac || !isHeld || lease.type === 'IA_PD') return null;
  return { mac, addresses: [lease['ip-address']], hostName: lease.hostname, lastSeen: seenByRenewal(cltt, lifetime) };
}
