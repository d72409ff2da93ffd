/** The routes to everywhere, as Windows and macOS print them. */
import { formatIp, parseIp } from '../../shared/network.ts';

export interface DefaultRoute {
  gateway: string;
  /** The address of this host from which it is asked; null where that is not printed. */
  from: string | null;
}

export const WINDOWS_ROUTES = { program: 'route', ipv4: ['print', '-4', '0.0.0.0'], ipv6: ['print', '-6'] } as const;

/**
 * From what `route print -4` of Windows prints, the best first. Routes without a gateway, whose words each language has for
 * itself, and those that are only kept for later, which have four columns, are left out.
 */
export function windowsDefaultRoutes(stdout: string): DefaultRoute[] {
  const found = stdout.split('\n').flatMap((line) => {
    const [network, mask, gateway = '', from = '', metric = '', ...more] = line.trim().split(/\s+/, 6);
    if (network !== '0.0.0.0' || mask !== '0.0.0.0' || more.length > 0) return [];
    const isRoute = parseIp(gateway)?.family === 4 && parseIp(from)?.family === 4 && /^\d{1,5}$/.test(metric);
    return isRoute ? [{ gateway, from, metric: Number(metric) }] : [];
  });
  return found.sort((a, b) => a.metric - b.metric).map(({ gateway, from }) => ({ gateway, from }));
}

/** From what `route print -6` prints: number of the interface, metric, network, gateway. With the number as the zone. */
export function windowsIpv6Gateway(stdout: string): string | null {
  for (const [, index, gateway = ''] of stdout.matchAll(/^\s*(\d{1,5})\s+\d{1,5}\s+::\/0\s+(\S+)\s*$/gm)) {
    const address = parseIp(/^fe[89ab]/i.test(gateway) ? `${gateway.split('%')[0]}%${index}` : gateway);
    if (address?.family === 6) return formatIp(address);
  }
  return null;
}

export const MACOS_ROUTE = { program: 'route', args: ['-n', 'get', 'default'] } as const;

/** From what `route -n get default` of macOS prints. */
export function macosGateway(stdout: string): string | null {
  const gateway = /^\s*gateway: (\S{1,60})\s*$/m.exec(stdout)?.[1] ?? '';
  return parseIp(gateway) === null ? null : gateway;
}
