/** The longest name of an agent. */
const MOST = 32;

/** The name of an agent, from the first label of a host name. */
export function nameFrom(hostName: string): string {
  const [label = ''] = hostName.toLowerCase().split('.');
  const name = label.replace(/[^a-z0-9]+/g, '-').replace(/^-/, '');
  return name.slice(0, MOST).replace(/-+$/, '') || 'host';
}
