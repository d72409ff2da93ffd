/** The group that sends commands to agents, as the tools of assistants also do. */
import { batches } from '../../shared/api/batches.ts';
import { health } from '../../shared/api/health.ts';
import { jobs } from '../../shared/api/jobs.ts';
import { nettools } from '../../shared/api/nettools.ts';
import { scans } from '../../shared/api/scans.ts';
import { routesOf } from '../access/routes.ts';
import { mcpRoutes } from '../assistants/endpoint.ts';
import { batchesHandlers } from '../commands/batches/handlers.ts';
import { nettoolsHandlers } from '../commands/handlers.ts';
import { jobsHandlers } from '../commands/job-handlers.ts';
import { scansHandlers } from '../commands/scans/scan-handlers.ts';
import { healthHandlers } from '../status/health.ts';
import type { Group } from './group.ts';
import { AUTHENTICATION, KEYS, OBSERVATION } from './rights.ts';

export const commandsGroup = {
  name: 'commands',
  description: 'Commands for agents, and tools for assistants (Model Context Protocol)',
  memoryMb: 512, // Waiting is paid for by the megabyte. A third is for devices: 200,000 of them.
  // A request waits for 280 seconds at most, and then gets the address of its job; a stream of events lasts two minutes.
  timeLimitS: 300,
  rights: {
    table: [
      ...AUTHENTICATION,
      { actions: ['GetItem'], keys: [KEYS.probe] },
      // The sites of a selection, and those with a tag.
      { actions: ['GetItem', 'Query', 'BatchGetItem', 'ConditionCheckItem'], keys: [KEYS.siteList] },
      // Devices are read and renamed; no tool writes many of them, or deletes one.
      { actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem'], keys: [KEYS.site] },
      { actions: ['GetItem', 'PutItem', 'UpdateItem', 'Query', 'BatchGetItem'], keys: [KEYS.jobs] },
      { actions: ['GetItem', 'BatchGetItem'], keys: [KEYS.results] },
      // Batches and scans are started, read and stopped here; the worker writes their progress.
      { actions: ['GetItem', 'Query', 'PutItem'], keys: [KEYS.batches, KEYS.runs] },
      { actions: ['DeleteItem'], keys: [KEYS.runs] },
      { actions: ['UpdateItem'], keys: [KEYS.batches, KEYS.runs], attributes: ['cancelledAt', 'rev'] },
      { actions: ['GetItem', 'PutItem', 'DeleteItem'], keys: [KEYS.idempotencyKeys] },
      // Schedules, checks and series.
      { actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'], keys: [KEYS.monitoring] },
      ...OBSERVATION,
      { actions: ['Query'], keys: [KEYS.series] },
      { actions: ['PutItem'], keys: [KEYS.audit] },
    ],
    tasks: true,
    messages: {
      over: 'connection',
      request: 'Which agent gets a command is chosen for each request.',
      control: 'Commands of every agent can be cancelled.',
    },
  },
  routes: {
    nettools: routesOf(nettools, nettoolsHandlers),
    jobs: routesOf(jobs, jobsHandlers),
    batches: routesOf(batches, batchesHandlers),
    scans: routesOf(scans, scansHandlers),
    health: routesOf(health, healthHandlers),
    mcp: mcpRoutes(),
  },
} as const satisfies Group;
