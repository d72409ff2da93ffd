/** The functions of the cloud that answer no requests. On one machine, `local/` calls what they call. */
import { ATTRIBUTES } from '../table/rows.ts';
import type { CloudFunction } from './group.ts';
import { KEYS, OBSERVATION } from './rights.ts';

/** What belongs to a site, and is removed with it. */
const OF_A_SITE = [KEYS.jobs, KEYS.results, KEYS.hooks, KEYS.monitoring, KEYS.series];

export const background = {
  ingest: {
    name: 'ingest',
    description: 'Stores what agents say',
    memoryMb: 512,
    // Ten messages, of which one may be the first about a large site. What fails is tried again after six times as long.
    timeLimitS: 20,
    isQuiet: true,
    hasReserve: true,
    rights: {
      table: [
        { actions: ['GetItem', 'BatchGetItem'], keys: [KEYS.jobs] },
        // The result of a job; not its owner or its command.
        { actions: ['UpdateItem'], keys: [KEYS.jobs], attributes: ATTRIBUTES.outcome },
        // What an agent has run by its plan becomes a job with its result, as long as its site is there.
        { actions: ['PutItem'], keys: [KEYS.jobs], attributes: ATTRIBUTES.plannedJob },
        { actions: ['ConditionCheckItem'], keys: [KEYS.siteList] },
        { actions: ['UpdateItem'], keys: [KEYS.monitoring], attributes: ATTRIBUTES.lastTurn },
        { actions: ['UpdateItem'], keys: [KEYS.monitoring], attributes: ATTRIBUTES.scanProgress },
        { actions: ['PutItem'], keys: [KEYS.results], attributes: ATTRIBUTES.result },
        { actions: ['DeleteItem'], keys: [KEYS.results] }, // Of a job that was removed meanwhile.
        // The presence of an agent, as reported by itself and by the broker, and that a certificate before is retired; not
        // the agent's certificates.
        {
          actions: ['UpdateItem'],
          keys: [KEYS.site],
          attributes: [
            ...ATTRIBUTES.presence,
            ...ATTRIBUTES.connections,
            ...ATTRIBUTES.agentDetails,
            ...ATTRIBUTES.agentLimit,
          ],
        },
        { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.retirement },
        // Sightings of agents become changes of the collection.
        { actions: ['GetItem', 'Query'], keys: [KEYS.site] },
        ...OBSERVATION,
        // What port scans find.
        { actions: ['PutItem'], keys: [KEYS.site], attributes: ATTRIBUTES.ports },
        // The state of a site is changed with the journal's entry, and the plans of its agents are made.
        { actions: ['GetItem', 'Query', 'PutItem'], keys: [KEYS.monitoring] },
        // What it has measured.
        { actions: ['GetItem', 'Query', 'PutItem'], keys: [KEYS.series] },
        // The settings that an agent is told, and whether the site has another agent that is connected.
        { actions: ['GetItem'], keys: [KEYS.siteList] },
        // Which other sites went dark at the same time.
        { actions: ['Query'], keys: [KEYS.siteList] },
        { actions: ['UpdateItem'], keys: [KEYS.site, KEYS.siteList], attributes: ATTRIBUTES.staleness },
      ],
      messages: {
        over: 'connection',
        control: 'Every agent is told that its results are safe, and its settings.',
      },
      certificates: 'retire',
      // Which release agents are to become.
      releases: true,
      hooks: true,
    },
  },
  hooks: {
    name: 'hooks',
    callsItself: true,
    description: 'Tells the receivers of hooks what has happened',
    memoryMb: 256,
    timeLimitS: 60, // A turn of twenty seconds, and the attempt that has begun last, of ten, with the calls of the table around it.
    isQuiet: true,
    rights: {
      table: [
        // The journal, the names of devices, and how far a change of many devices has come.
        { actions: ['Query', 'GetItem'], keys: [KEYS.site] },
        { actions: ['Query', 'GetItem'], keys: [KEYS.hooks] },
        // By which clock quiet hours are.
        { actions: ['GetItem'], keys: [KEYS.siteList] },
        // How far a hook has come; not where it leads.
        { actions: ['UpdateItem'], keys: [KEYS.hooks], attributes: ATTRIBUTES.hookProgress },
      ],
      hooks: true,
    },
  },
  batches: {
    name: 'batches',
    description: 'Has many sites run a command, a few at a time',
    memoryMb: 512,
    timeLimitS: 60, // A turn of ten seconds, and the acknowledgements of what it has sent last.
    isQuiet: true,
    callsItself: true,
    rights: {
      table: [
        // How far a batch has come; not what it runs, or where.
        { actions: ['GetItem'], keys: [KEYS.batches, KEYS.batchSites] },
        { actions: ['UpdateItem'], keys: [KEYS.batches], attributes: ATTRIBUTES.batchProgress },
        // Whose command it is, and whether they may still use a site.
        { actions: ['GetItem'], keys: [KEYS.tokens, KEYS.people, KEYS.siteList] },
        // The agents of a site.
        { actions: ['Query'], keys: [KEYS.site] },
        { actions: ['GetItem', 'BatchGetItem', 'PutItem'], keys: [KEYS.jobs] },
        { actions: ['UpdateItem'], keys: [KEYS.jobs], attributes: [...ATTRIBUTES.end, 'startedAt'] },
        { actions: ['GetItem'], keys: [KEYS.results] },
      ],
      messages: {
        over: 'connection',
        request: 'Which agents get the command is chosen site by site.',
        control: 'Commands of every agent can be cancelled.',
      },
      batches: true,
    },
  },
  setup: {
    name: 'setup',
    description: 'Makes the first token, and returns it once',
    memoryMb: 512,
    timeLimitS: 30, // Less than the minute for which the AWS CLI waits for an answer.
    rights: {
      table: [
        { actions: ['GetItem'], keys: [KEYS.setup, KEYS.tokens, KEYS.siteList] },
        // One statement, because one transaction writes several of these keys, and IAM may evaluate them together.
        { actions: ['PutItem'], keys: [KEYS.setup, KEYS.siteList, KEYS.audit, KEYS.tokens, KEYS.tokenList] },
        { actions: ['DeleteItem'], keys: [KEYS.tokens, KEYS.tokenList] },
        // The empty collection of the first site.
        { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.collection },
      ],
    },
  },
  upkeep: {
    name: 'upkeep',
    description: 'Does once an hour what nobody asks for, such as removing deleted sites for good',
    memoryMb: 512,
    timeLimitS: 900, // As long as Lambda allows; the next hour goes on where this one has stopped.
    isQuiet: true,
    // First, those that the removal of a site needs.
    rights: {
      table: [
        { actions: ['GetItem', 'Query'], keys: [KEYS.siteList, KEYS.site] },
        { actions: ['Query'], keys: [KEYS.tokenList, ...OF_A_SITE] },
        { actions: ['GetItem'], keys: [KEYS.jobs] },
        { actions: ['BatchGetItem'], keys: [KEYS.tokens] },
        // Tokens lose the site, and those that had no other are removed.
        { actions: ['PutItem', 'DeleteItem'], keys: [KEYS.tokens, KEYS.tokenList] },
        // People lose their roles at it.
        { actions: ['Query', 'PutItem'], keys: [KEYS.people] },
        { actions: ['UpdateItem'], keys: [KEYS.jobs], attributes: ATTRIBUTES.end },
        { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.collection },
        { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.certificates },
        // Agents that are lost, of which no event of the broker has told.
        // What templates make, of which a request has left something.
        { actions: ['GetItem', 'PutItem', 'UpdateItem'], keys: [KEYS.monitoring] },
        { actions: ['GetItem', 'PutItem', 'UpdateItem'], keys: [KEYS.hooks] },
        { actions: ['UpdateItem'], keys: [KEYS.siteList], attributes: ATTRIBUTES.site },
        { actions: ['PutItem'], keys: [KEYS.audit] },
        { actions: ['UpdateItem'], keys: [KEYS.setup], attributes: ATTRIBUTES.upkeepTurn },
        ...OBSERVATION,
        { actions: ['DeleteItem', 'ConditionCheckItem'], keys: [KEYS.site, KEYS.siteList, ...OF_A_SITE] },
        // Scans that nobody waits for any longer are ended.
        { actions: ['UpdateItem'], keys: [KEYS.monitoring], attributes: ATTRIBUTES.scanProgress },
        // What is over is rolled up.
        { actions: ['GetItem', 'PutItem'], keys: [KEYS.series] },
      ],
      messages: { over: 'https', control: 'The agents of any site are told their plan when an address in it changes.' },
      certificates: 'revoke',
      releases: true,
      hooks: true,
    },
  },
} as const satisfies Record<string, CloudFunction>;
