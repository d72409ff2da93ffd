/** The route to everywhere, as macOS prints it. */
import { parseIp } from '../../shared/network.ts';

export const MACOS_ROUTE = { program: 'route', args: ['-n', 'get', 'default'] } as const;

/** From what `route -n get default` of macOS prints. */
export function macosGateway(stdout: string): string | null {
  const gateway = /^\s*gateway: (\S{1,60})\s*$/m.exec(stdout)?.[1] ?? '';
  return parseIp(gateway) === null ? null : gateway;
}
