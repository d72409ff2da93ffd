/** The key of a device within its site. */
import { parseMac } from './addresses.ts';

/** The WAN side of a site's router, which has no MAC of its own. Accepted as a device and as a parent. */
export const INTERNET = 'Internet';

/** The key of a device without a MAC, in the stored collection and the topology. */
const KEY_WITHOUT_MAC = /^~[0-9a-f-]{1,36}$/;

/** The MAC in canonical form, or `Internet`; null when the text is neither. Any notation, any letter case. */
export function parseDeviceMac(text: string): string | null {
  return parseMac(text) ?? (text.toLowerCase() === INTERNET.toLowerCase() ? INTERNET : null);
}

/** The key of a device within its site: its MAC, `Internet`, or `~<uuid>`. Null when the text can be none of these. */
export function parseDeviceKey(text: string): string | null {
  return KEY_WITHOUT_MAC.test(text) ? text : parseDeviceMac(text);
}
