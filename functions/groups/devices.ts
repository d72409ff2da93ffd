/** The devices of all sites. */
import { changes } from '../../shared/api/changes.ts';
import { devices } from '../../shared/api/devices.ts';
import { metrics } from '../../shared/api/metrics.ts';
import { overview } from '../../shared/api/overview.ts';
import { search } from '../../shared/api/search.ts';
import { changesHandlers } from '../devices/change-handlers.ts';
import { devicesHandlers } from '../devices/handlers.ts';
import { searchHandlers } from '../devices/search-handlers.ts';
import { routesOf } from '../http/routes.ts';
import { metricsHandlers } from '../status/metrics-handlers.ts';
import { overviewHandlers } from '../status/overview-handlers.ts';
import type { Group } from './group.ts';
import { AUTHENTICATION, KEYS } from './rights.ts';

export const devicesGroup = {
  name: 'devices',
  description: 'The devices of all sites',
  memoryMb: 1024, // A third of it is for devices of whole collections: 400,000 of them.
  // An import of ten megabytes that waits for other changes of the site; a stream of events lasts two minutes.
  timeLimitS: 180,
  rights: {
    table: [
      ...AUTHENTICATION,
      { actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem'], keys: [KEYS.site] },
      // For the overview, the search and the metrics: all sites, or those of the token.
      { actions: ['Query', 'BatchGetItem'], keys: [KEYS.siteList] },
      // How checks, outages and the internet of each site stand, for the same.
      { actions: ['GetItem', 'Query'], keys: [KEYS.monitoring] },
      { actions: ['Query'], keys: [KEYS.series] },
      { actions: ['PutItem'], keys: [KEYS.audit] },
    ],
    hooks: true,
    messages: { over: 'https', control: 'After a deletion, the agents of any site are asked what they see.' },
    // Which agents could be newer, in the overview.
    releases: true,
  },
  routes: {
    devices: routesOf(devices, devicesHandlers),
    changes: routesOf(changes, changesHandlers),
    overview: routesOf(overview, overviewHandlers),
    search: routesOf(search, searchHandlers),
    metrics: routesOf(metrics, metricsHandlers),
  },
} as const satisfies Group;
