/** By what the device is connected: its parent, the parent of that, and so on. */
import { useQuery } from '@tanstack/react-query';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { ask } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';

interface Parent {
  key: string;
  /** The key where there is no name. */
  name: string;
  /** Whether there is a device of this key. */
  isKnown: boolean;
}

/** Longer chains are cut: parents that people have entered may even go round. */
const MOST = 6;
const FRESH_MS = 60_000;

/** The nearest first; undefined until it is known. */
export function useParents(site: string, { devParentMAC }: Pick<OneDevice, 'devParentMAC'>): Parent[] | undefined {
  const { data } = useQuery({
    queryKey: ['parents', site, devParentMAC],
    queryFn: ({ signal }) => parentsFrom(site, devParentMAC, signal),
    enabled: devParentMAC !== '',
    staleTime: FRESH_MS,
  });
  return data;
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
