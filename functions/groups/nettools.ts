/** Commands for agents. */
import { batches } from '../../shared/api/batches.ts';
import { health } from '../../shared/api/health.ts';
import { jobs } from '../../shared/api/jobs.ts';
import { nettools } from '../../shared/api/nettools.ts';
import { batchesHandlers } from '../commands/batches/handlers.ts';
import { nettoolsHandlers } from '../commands/handlers.ts';
import { jobsHandlers } from '../commands/job-handlers.ts';
import { routesOf } from '../http/routes.ts';
import { healthHandlers } from '../status/health.ts';
import { ATTRIBUTES } from '../table/rows.ts';
import type { Group } from './group.ts';
import { AUTHENTICATION, BATCHES, KEYS } from './rights.ts';

export const nettoolsGroup = {
  name: 'nettools',
  description: 'Commands for agents',
  memoryMb: 512, // Half would do for commands, but to wake a device by its name reads its collection.
  timeLimitS: 300, // A request is held for 280 seconds at most, a stream of events for two minutes.
  rights: {
    table: [
      ...AUTHENTICATION,
      { actions: ['GetItem'], keys: [KEYS.siteList, KEYS.probe] },
      // The sites of a selection, and those with a tag.
      { actions: ['Query'], keys: [KEYS.siteList] },
      // Devices are looked up by name; the change of a writer that is gone is closed before, which moves the version on.
      { actions: ['GetItem', 'Query'], keys: [KEYS.site] },
      { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.version },
      { actions: ['GetItem', 'PutItem', 'UpdateItem', 'Query', 'BatchGetItem'], keys: [KEYS.jobs] },
      { actions: ['GetItem', 'BatchGetItem'], keys: [KEYS.results] },
      ...BATCHES,
      { actions: ['GetItem', 'PutItem', 'DeleteItem'], keys: [KEYS.idempotencyKeys] },
      { actions: ['PutItem'], keys: [KEYS.audit] },
    ],
    messages: {
      over: 'connection',
      request: 'Which agent gets a command is chosen for each request.',
      control: 'Commands of every agent can be cancelled.',
    },
    batches: true,
  },
  routes: {
    nettools: routesOf(nettools, nettoolsHandlers),
    jobs: routesOf(jobs, jobsHandlers),
    batches: routesOf(batches, batchesHandlers),
    health: routesOf(health, healthHandlers),
  },
} as const satisfies Group;
