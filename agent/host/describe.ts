/** The description of this host in the presence message. */
import { hostname, networkInterfaces, version } from 'node:os';
import type { AgentHost } from '../../shared/agent/host.ts';
import { systemFile } from './platform.ts';

/** Limits of the presence schema. */
const MAX = { name: 253, platform: 100, addresses: 20 };
/** Constant, because a changed presence is published. */
const STARTED_AT = Math.round(Date.now() - process.uptime() * 1000);

export function describeHost(interfaces = networkInterfaces(), release = systemFile('/etc/os-release')): AgentHost {
  const addresses = Object.values(interfaces)
    .flatMap((own) => own ?? [])
    .filter(({ internal, address }) => !internal && !/^(?:fe80:|169\.254\.)/i.test(address))
    .sort((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address);
  return {
    name: hostname().slice(0, MAX.name),
    platform: (/^PRETTY_NAME="?([^"\n]+)"?$/m.exec(release)?.[1] ?? version()).slice(0, MAX.platform),
    addresses: [...new Set(addresses)].slice(0, MAX.addresses),
    startedAt: STARTED_AT,
  };
}
