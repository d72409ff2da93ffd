/** Which commands were about a device: its addresses stand in what was asked. */
import type { Job } from '../../../shared/api/jobs.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';

type Named = Pick<OneDevice, 'devLastIP' | 'devPrimaryIPv4' | 'devPrimaryIPv6' | 'devMac' | 'devFQDN' | 'joined'>;

/** Everything by which a command may have named the device, in small letters. */
export function namesOf(device: Named): ReadonlySet<string> {
  const { devLastIP, devPrimaryIPv4, devPrimaryIPv6, devMac, devFQDN, joined } = device;
  const names = [devLastIP, devPrimaryIPv4, devPrimaryIPv6, devMac, devFQDN, ...joined.map(({ mac }) => mac)];
  return new Set(names.filter((name) => name !== '').map((name) => name.toLowerCase()));
}

export function isAbout({ request }: Pick<Job, 'request'>, names: ReadonlySet<string>): boolean {
  return Object.entries(request).some(
    ([field, value]) => field !== 'tool' && typeof value === 'string' && names.has(value.toLowerCase()),
  );
}
