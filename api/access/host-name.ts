/** Names of agents and sites that are made of host names. */

/** Longest name. */
const MOST = 32;

/** The first label of a host name, as the name of an agent or a site. */
export function nameFrom(hostName: string): string {
  const [label = ''] = hostName.toLowerCase().split('.');
  return cut(label.replace(/[^a-z0-9]+/g, '-').replace(/^-/, ''), MOST) || 'host';
}

/** The name with something behind it that tells it from others; as it is for the first of them. */
export function numbered(name: string, n: number | string): string {
  return n === 1 ? name : `${cut(name, MOST - 1 - String(n).length)}-${n}`;
}

function cut(name: string, length: number): string {
  return name.slice(0, length).replace(/-+$/, '');
}
