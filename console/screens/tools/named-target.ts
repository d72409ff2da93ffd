/** The address of a device whose name was typed where an address is needed. */
import { ask } from '../../api/client.ts';

type Named = { ip: string } | { missing: 'device' } | { missing: 'address'; name: string };

const MAX_LOOKED_AT = 50;

/** One that has the name, in any letter case; else the only one that the text is a part of. */
export async function findByName(site: string, text: string): Promise<Named> {
  const { devices } = await ask('GET /devices', { site, query: { text, limit: MAX_LOOKED_AT } });
  const known = devices.flatMap((device) => ('devIP' in device ? [device] : []));
  const isNamed = ({ devName }: (typeof known)[number]) => String(devName).toLowerCase() === text.toLowerCase();
  const found = known.find(isNamed) ?? (known.length === 1 ? known[0] : undefined);
  if (found === undefined) return { missing: 'device' };
  return found.devIP === '' ? { missing: 'address', name: String(found.devName) } : { ip: String(found.devIP) };
}
