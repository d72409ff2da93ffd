/** What agents do by themselves, and what they have measured. */
import { checks } from '../../shared/api/checks.ts';
import { scans } from '../../shared/api/scans.ts';
import { schedules } from '../../shared/api/schedules.ts';
import { series } from '../../shared/api/series.ts';
import { scansHandlers } from '../commands/scans/scan-handlers.ts';
import { routesOf } from '../http/routes.ts';
import { checksHandlers } from '../monitoring/checks/check-handlers.ts';
import { schedulesHandlers } from '../monitoring/schedules/schedule-handlers.ts';
import { seriesHandlers } from '../monitoring/series/series-handlers.ts';
import type { Group } from './group.ts';
import { AUTHENTICATION, KEYS, OBSERVATION } from './rights.ts';

export const monitorsGroup = {
  name: 'monitors',
  description: 'Schedules, checks and series',
  memoryMb: 512,
  timeLimitS: 60,
  rights: {
    table: [
      ...AUTHENTICATION,
      // Devices by their names and addresses, their journal for presence, and the agents.
      { actions: ['GetItem', 'Query'], keys: [KEYS.site] },
      { actions: ['GetItem', 'Query', 'BatchGetItem'], keys: [KEYS.siteList] },
      { actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'], keys: [KEYS.monitoring] },
      // What follows for the state of a site is told in the journal of its collection.
      ...OBSERVATION,
      // A schedule, a check or a scan is added on the condition that its site is there.
      { actions: ['ConditionCheckItem'], keys: [KEYS.siteList] },
      { actions: ['GetItem', 'Query'], keys: [KEYS.series] },
      // The shards of a scan are jobs.
      { actions: ['GetItem', 'Query'], keys: [KEYS.jobs, KEYS.results] },
      { actions: ['PutItem'], keys: [KEYS.audit] },
    ],
    hooks: true,
    messages: { over: 'https', control: 'The agents of any site are told their plan when it changes.' },
  },
  routes: {
    schedules: routesOf(schedules, schedulesHandlers),
    checks: routesOf(checks, checksHandlers),
    series: routesOf(series, seriesHandlers),
    scans: routesOf(scans, scansHandlers),
  },
} as const satisfies Group;
