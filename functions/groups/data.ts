/** The group without commands and credentials: devices, the state of the sites, schedules, checks and series. */
import { changes } from '../../shared/api/changes.ts';
import { checks } from '../../shared/api/checks.ts';
import { devices } from '../../shared/api/devices.ts';
import { metrics } from '../../shared/api/metrics.ts';
import { overview } from '../../shared/api/overview.ts';
import { reports } from '../../shared/api/reports.ts';
import { schedules } from '../../shared/api/schedules.ts';
import { search } from '../../shared/api/search.ts';
import { series } from '../../shared/api/series.ts';
import { shared } from '../../shared/api/shares.ts';
import { routesOf } from '../access/routes.ts';
import { changesHandlers } from '../devices/change-handlers.ts';
import { devicesHandlers } from '../devices/handlers.ts';
import { searchHandlers } from '../devices/search-handlers.ts';
import { checksHandlers } from '../monitoring/checks/check-handlers.ts';
import { reportsHandlers } from '../monitoring/reports/report-handlers.ts';
import { schedulesHandlers } from '../monitoring/schedules/schedule-handlers.ts';
import { seriesHandlers } from '../monitoring/series/series-handlers.ts';
import { metricsHandlers } from '../status/metrics-handlers.ts';
import { overviewHandlers } from '../status/overview-handlers.ts';
import { sharedHandlers } from '../status/shared-handlers.ts';
import type { Group } from './group.ts';
import { AUTHENTICATION, KEYS, OBSERVATION } from './rights.ts';

export const dataGroup = {
  name: 'data',
  description: 'Devices, schedules, checks and series',
  memoryMb: 1024, // A third is for devices: 400,000 of them.
  // For an import of ten megabytes that waits for other changes of the site; a stream of events lasts two minutes.
  timeLimitS: 180,
  rights: {
    table: [
      ...AUTHENTICATION,
      { actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem'], keys: [KEYS.site] },
      // A schedule or a check is added while its site exists.
      { actions: ['Query', 'BatchGetItem', 'ConditionCheckItem'], keys: [KEYS.siteList] },
      { actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'], keys: [KEYS.monitoring] },
      // Changes of the state of a site are recorded in the journal of its collection.
      ...OBSERVATION,
      { actions: ['Query'], keys: [KEYS.series] },
      { actions: ['PutItem'], keys: [KEYS.audit] },
    ],
    tasks: true,
    messages: {
      over: 'https',
      control: 'The agents of any site get their plan when it changes, and report their devices after a deletion.',
    },
    releases: true, // For available updates, in the overview.
  },
  routes: {
    devices: routesOf(devices, devicesHandlers),
    changes: routesOf(changes, changesHandlers),
    overview: routesOf(overview, overviewHandlers),
    shared: routesOf(shared, sharedHandlers),
    search: routesOf(search, searchHandlers),
    metrics: routesOf(metrics, metricsHandlers),
    schedules: routesOf(schedules, schedulesHandlers),
    checks: routesOf(checks, checksHandlers),
    series: routesOf(series, seriesHandlers),
    reports: routesOf(reports, reportsHandlers),
  },
} as const satisfies Group;
