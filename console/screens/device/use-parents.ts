/** The chain of parents by which the device is connected. */
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';

interface Parent {
  key: string;
  /** The key where there is no name. */
  name: string;
  /** Whether there is a device of this key. */
  isKnown: boolean;
}

/** Longer chains are cut; those that people have entered may even be circular. */
const MOST = 6;
const FRESH_MS = 60_000;

/** The nearest first; undefined until it is known. */
export function useParents(site: string, first: string): Parent[] | undefined {
  return useQuery({
    queryKey: ['parents', site, first],
    queryFn: ({ signal }) => parentsFrom(site, first, signal),
    staleTime: FRESH_MS,
  }).data;
}

async function parentsFrom(site: string, first: string, signal: AbortSignal): Promise<Parent[]> {
  const parents: Parent[] = [];
  let key = first;
  while (key !== '' && parents.length < MOST && parents.every((parent) => parent.key !== key)) {
    try {
      const device = await ask('GET /devices/{mac}', { site, params: { mac: key }, signal });
      parents.push({ key, name: device.devName === '' ? key : device.devName, isKnown: true });
      key = device.devParentMAC;
    } catch (error) {
      if (problemOf(error).code !== 'not_found') throw error;
      parents.push({ key, name: key, isKnown: false });
      break;
    }
  }
  return parents;
}
