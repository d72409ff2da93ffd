/** The devices of a site, with the fields that the map shows. */
import type { AnswerOf } from '../../api/client.ts';
import { keyOf, POLL_MS, useAnswer } from '../../api/queries.ts';
import { calledText } from '../../text/called.ts';
import { INTERNET, type TopologyDevice } from './tree.ts';

export type Topology = AnswerOf<'GET /devices/network/topology'>;
type Link = Topology['links'][number];

const ROUTE = 'GET /devices/network/topology';
const questionOf = (site: string, at: string | null) =>
  ({ site, query: { fields: 'all', ...(at === null ? {} : { at }) } }) as const;
export const topologyKey = (site: string) => keyOf(ROUTE, questionOf(site, null));

/** @param at ISO 8601: the devices at that time; null: now */
export function useTopology(site: string, at: string | null) {
  return useAnswer(ROUTE, questionOf(site, at), { everyMs: at === null ? POLL_MS.usual : 0 });
}

/** Without the parents that are no devices of the site. */
export function devicesOf({ nodes, links }: Topology): TopologyDevice[] {
  const above = new Map(links.map((link) => [link.target, link]));
  return nodes.flatMap(({ id, name, vendor, ip = '', type = '', status }) => {
    if (status === undefined) return [];
    const { source: parent = '', port: parentPort = '' }: Partial<Link> = above.get(id) ?? {};
    const named = { devName: name, devVendor: vendor, devType: type, devMac: id.startsWith('~') ? '' : id };
    return [
      { key: id, name: id === INTERNET ? name || INTERNET : calledText(named), ip, type, status, parent, parentPort },
    ];
  });
}

/** @param parent empty: none */
export function moved(topology: Topology | undefined, key: string, parent: string, port: string) {
  if (topology === undefined) return undefined;
  const others = topology.links.filter(({ target }) => target !== key);
  return { ...topology, links: parent === '' ? others : [...others, { source: parent, target: key, port }] };
}
