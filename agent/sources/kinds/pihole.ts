/** Pi-hole 6: the devices of its network table, with when it last saw them, and its leases. */
import * as z from 'zod';
import { parseJson } from '../../../shared/json.ts';
import { HttpUrl } from '../../config.ts';
import { below, JSON_BODY, observed, parseAnswer, rejectedLogin, rowsOf, Text, texts, UnixTime } from '../answers.ts';
import { defineSource, type SourceRequest } from '../source.ts';

const Settings = z.object({
  url: HttpUrl.describe('address of Pi-hole, such as http://192.168.1.5'),
  password: z.string().default('').describe('application password; none if Pi-hole has no password'),
});
const Address = z.object({ ip: Text, name: Text, lastSeen: UnixTime });
const Device = z.object({ hwaddr: Text, macVendor: Text, ips: rowsOf(Address).catch([]) });
const Lease = z.object(texts('hwaddr ip name'));
const Session = z.object({
  session: z.object({ valid: z.boolean(), totp: z.boolean().catch(false), sid: z.string().nullish() }),
});

export const pihole = defineSource({
  kind: 'pihole',
  title: 'Pi-hole 6',
  settings: Settings,
  secrets: ['password'],
  rights: 'An application password (Settings > Web interface / API). Pi-hole has no rights to choose from.',
  async *read(settings, request) {
    const { devices, leases } = await readTables(settings, request);
    // The "MAC" of an IPv6 lease is a DUID, and the table of devices has made-up ones (`ip-192.0.2.9`): no MACs.
    for (const { hwaddr, macVendor, ips } of devices) {
      const latest = ips.toSorted((a, b) => (b.lastSeen ?? 0) - (a.lastSeen ?? 0));
      yield* observed({
        mac: hwaddr,
        addresses: latest.map(({ ip }) => ip),
        hostName: latest.find(({ name }) => name)?.name,
        vendor: macVendor,
        lastSeen: latest[0]?.lastSeen,
      });
    }
    for (const { hwaddr, ip, name } of leases) yield* observed({ mac: hwaddr, addresses: [ip], hostName: name });
  },
});

/** Without these, Pi-hole answers with ten devices. */
const ALL = 'max_devices=9999&max_addresses=25';

/** In a session that ends at once, as Pi-hole has 16 places for them. */
async function readTables({ url, password }: z.infer<typeof Settings>, request: SourceRequest) {
  let session = await startSession(url, password, request);
  const get = async <Schema extends z.ZodType>(path: string, schema: Schema) => {
    const target = below(url, `api/${path}`);
    let answer = await request.http({ url: target, headers: session });
    if (answer.status === 401) {
      session = await startSession(url, password, request);
      answer = await request.http({ url: target, headers: session });
    }
    return parseAnswer(answer, target, schema);
  };
  try {
    const { devices } = await get(`network/devices?${ALL}`, z.object({ devices: rowsOf(Device) }));
    const { leases } = await get('dhcp/leases', z.object({ leases: rowsOf(Lease) }));
    return { devices, leases };
  } finally {
    await request.http({ url: below(url, 'api/auth'), method: 'DELETE', headers: session }).catch(() => null);
  }
}

/** The headers of a session; none where Pi-hole has no password. @throws {SourceFailure} */
async function startSession(url: string, password: string, request: SourceRequest): Promise<Record<string, string>> {
  const target = below(url, 'api/auth');
  const body = JSON.stringify({ password });
  const answer = await request.http({ url: target, method: 'POST', headers: JSON_BODY, body });
  // A rejected login has such a body too, with status 401.
  const { session } = Session.safeParse(parseJson(answer.body)).data ?? parseAnswer(answer, target, Session);
  if (!session.valid)
    throw rejectedLogin(url, session.totp ? ': with a second factor, use an application password' : '');
  return session.sid ? { 'x-ftl-sid': session.sid } : {};
}
