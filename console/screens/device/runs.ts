/** The names by which commands may have addressed a device. */
import type { OneDevice } from '../../../shared/api/one-device.ts';

type Named = Pick<OneDevice, 'devLastIP' | 'devPrimaryIPv4' | 'devPrimaryIPv6' | 'devMac' | 'devFQDN' | 'joined'>;

/** The API accepts no more characters. */
const MOST = 300;

/** Addresses and names for `about` of `GET /jobs`: the MAC first, and as many as fit. */
export function namesOf(device: Named): string {
  const { devLastIP, devPrimaryIPv4, devPrimaryIPv6, devMac, devFQDN, joined } = device;
  const names = new Set([devMac, devLastIP, devPrimaryIPv4, devPrimaryIPv6, devFQDN, ...joined.map(({ mac }) => mac)]);
  let about = '';
  for (const name of names) {
    if (name === '' || name.includes(',')) continue;
    const more = about === '' ? name : `${about},${name}`;
    if (more.length <= MOST) about = more;
  }
  return about;
}
