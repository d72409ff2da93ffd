/** Proxmox VE: the network cards of its guests, and their addresses where the guest agent says them. */
import * as z from 'zod';
import { parseMac } from '../../../shared/network.ts';
import { HttpUrl } from '../../config.ts';
import { below, HeaderText, observed, parsed, requestJson, rowsOf, StatusFailure, Text, texts } from '../answers.ts';
import { defineSource } from '../source.ts';

const TokenId = z.string().regex(/^[\x21-\x7e]+@[\w.-]+![\w.-]+$/, 'expected user@realm!name');
/** Each needs two requests. */
const MAX_GUESTS = 500;

const Guest = z.object({
  type: z.enum(['qemu', 'lxc']),
  vmid: z.int().min(1),
  node: z.string().regex(/^[\w-][\w.-]{0,62}$/),
  name: Text,
  status: Text,
  template: z.union([z.number(), z.boolean()]).catch(0),
});
type Guest = z.infer<typeof Guest>;
const Card = z.object({
  ...texts('hwaddr hardware-address inet inet6'),
  'ip-addresses': rowsOf(z.object(texts('ip-address'))).catch([]),
});
const AgentCards = z.object({ result: rowsOf(Card) }).transform(({ result }) => result);
const Answer = z.object({ data: z.unknown() });

export const proxmox = defineSource({
  kind: 'proxmox',
  title: 'Proxmox VE',
  settings: z.object({
    url: HttpUrl.describe('address of a node, such as https://192.168.1.10:8006'),
    token: TokenId.describe('id of an API token, user@realm!name'),
    secret: HeaderText.describe('value of this token'),
  }),
  secrets: ['secret'],
  rights:
    'An API token with VM.Audit on /vms; for addresses VM.GuestAgent.Audit too (VM.Monitor up to version 8). With privilege separation the token needs them itself.',
  async *read({ url, token, secret }, request) {
    const headers = { authorization: `PVEAPIToken=${token}=${secret}` };
    const get = async <Schema extends z.ZodType>(path: string, data: Schema) => {
      const answer = await requestJson(request, { url: below(url, `api2/json/${path}`), headers }, Answer);
      return parsed(data, answer.data, path);
    };
    const all = await get('cluster/resources?type=vm', rowsOf(Guest));
    const isOn = ({ status }: Guest) => status === 'running';
    const guests = all.filter(({ template }) => !template).sort((a, b) => Number(isOn(b)) - Number(isOn(a)));
    for (const guest of guests.slice(0, MAX_GUESTS)) {
      const path = `nodes/${guest.node}/${guest.type}/${guest.vmid}`;
      const config = await get(`${path}/config`, z.record(z.string(), z.unknown())).catch(without({}, GONE));
      const [list, shape] = guest.type === 'qemu' ? QEMU : LXC;
      const live = isOn(guest) ? await get(`${path}/${list}`, shape).catch(without([], [...GONE, 403])) : [];
      for (const { mac, isCut } of cardsOf(config)) {
        const card = live.find((each) => parseMac(each.hwaddr || each['hardware-address'] || '') === mac);
        const addresses = card && [card.inet, card.inet6, ...card['ip-addresses'].map((each) => each['ip-address'])];
        yield* observed({
          mac,
          addresses: addresses?.map((address) => address?.split('/')[0]),
          givenName: guest.name,
          // A guest that runs has answered.
          lastSeen: card === undefined || isCut ? undefined : request.now(),
        });
      }
    }
  },
});

const QEMU = ['agent/network-get-interfaces', AgentCards] as const;
const LXC = ['interfaces', rowsOf(Card)] as const;

/** The guest agent does not run; the guest was removed; its node is out of reach. */
const GONE = [404, 500, 595, 596];

/** @throws errors other than these statuses */
function without<Nothing>(nothing: Nothing, statuses: readonly number[]) {
  return (error: unknown): Nothing => {
    if (error instanceof StatusFailure && statuses.includes(error.status)) return nothing;
    throw error;
  };
}

/** The cards of `net0: "virtio=BC:24:11:AA:BB:01,bridge=vmbr0"` or `net0: "name=eth0,hwaddr=BC:24:11:AA:BB:02,ip=dhcp"`. */
function cardsOf(config: Readonly<Record<string, unknown>>) {
  return Object.entries(config).flatMap(([key, value]) => {
    if (!/^net\d{1,2}$/.test(key) || typeof value !== 'string') return [];
    const mac = parseMac(/=((?:[\da-f]{2}:){5}[\da-f]{2})(?:,|$)/i.exec(value)?.[1] ?? '');
    return mac === null ? [] : [{ mac, isCut: /,link_down=1(?:,|$)/.test(value) }];
  });
}
