/** Names of agents that are made of host names. */

/** Longest name. */
const MOST = 32;

/** The first label of a host name, as the name of an agent. */
export function nameFrom(hostName: string): string {
  const [label = ''] = hostName.toLowerCase().split('.');
  const name = label.replace(/[^a-z0-9]+/g, '-').replace(/^-/, '');
  return name.slice(0, MOST).replace(/-+$/, '') || 'host';
}
