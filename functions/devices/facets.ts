/** `GET /devices/facets`: the values by which the devices of a site can be filtered. */
import {
  type Facet,
  type Facets,
  FILTERED_FIELDS,
  MAX_FACET_VALUES,
  MAX_FILTER_LENGTH,
} from '../../shared/api/device-list.ts';
import type { devices as operations } from '../../shared/api/devices.ts';
import { inCategory } from '../../shared/device.ts';
import type { Handlers } from '../http/call.ts';
import { inSlices } from '../table/slices.ts';
import { NOT_WATCHED, type SiteWatch, seenIn } from './collection/coverage-row.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';
import { withEtag } from './one-device.ts';

export const facetHandlers: Pick<Handlers<typeof operations, DevicesContext>, 'deviceFacets'> = {
  async deviceFacets({ devices }, { site }) {
    const { snapshot, watch } = await devices.read(site);
    return withEtag({ success: true, ...(await facetsOf(snapshot, watch)) });
  },
};

type FilterName = keyof typeof FILTERED_FIELDS;
const FILTERS = Object.entries(FILTERED_FIELDS) as [FilterName, (typeof FILTERED_FIELDS)[FilterName]][];

/** Cached with the snapshot, and counted again for each coverage. */
export async function facetsOf(snapshot: Snapshot, watch: SiteWatch = NOT_WATCHED): Promise<Facets> {
  const values = snapshot.derive('facets', async (devices) => {
    const counts = {
      type: new Map<string, number>(),
      group: new Map<string, number>(),
      vendor: new Map<string, number>(),
      model: new Map<string, number>(),
    };
    let named = 0;
    for await (const slice of inSlices(devices)) {
      for (const { record, byPerson = [] } of slice) {
        if (!inCategory('my', record)) continue;
        if (record.devName !== '' && byPerson.includes('devName')) named++;
        for (const [filter, field] of FILTERS)
          counts[filter].set(record[field], (counts[filter].get(record[field]) ?? 0) + 1);
      }
    }
    return {
      type: facetOf(counts.type),
      group: facetOf(counts.group),
      vendor: facetOf(counts.vendor),
      model: facetOf(counts.model),
      named,
    };
  });
  return { ...(await values), ...(await seenIn(snapshot, watch)) };
}

function facetOf(counts: ReadonlyMap<string, number>): Facet {
  const values = [...counts]
    .filter(([value]) => value.length <= MAX_FILTER_LENGTH)
    .sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (a < b ? -1 : 1))
    .slice(0, MAX_FACET_VALUES)
    .map(([value, count]) => ({ value, count }));
  return { values, truncated: values.length < counts.size };
}
