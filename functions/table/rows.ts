/**
 * Every kind of row in the one table: its keys, and the attributes on which rights depend. The stores make their keys
 * here; the roles of the functions (`cdk/privileges.ts`) follow from the same names. ARCHITECTURE.md shows the keys as a
 * table, and a test compares the two.
 */
import { type AgentId, type BatchId, type JobId, type SiteId, siteOfAgent, siteOfJob } from '../../shared/identity.ts';

/** Partition key and sort key. */
export interface Key {
  pk: string;
  sk: string;
}

/** Prefixes of partition keys; those without `#` are complete keys. The roles of most functions are limited to some of them. */
export const PARTITIONS = {
  site: 'S#',
  siteList: 'SITES',
  token: 'T#',
  tokenList: 'TOKENS',
  people: 'PEOPLE',
  jobs: 'J#',
  results: 'R#',
  batches: 'BATCHES',
  runs: 'B#',
  idempotencyKeys: 'K#',
  enrolmentCodes: 'CODES',
  signIns: 'I#',
  accessRequest: 'Q#',
  audit: 'L#',
  hooks: 'H#',
  monitoring: 'M#',
  series: 'V#',
  setup: 'SETUP',
  probe: 'PING',
} as const;

/** Prefixes of the sort keys of one kind of row, where a partition holds several kinds. */
export const PREFIXES = {
  device: 'D#',
  change: 'C#',
  changePart: 'Y#',
  ports: 'P#',
  agent: 'A#',
  site: 'SITE#',
  listedToken: 'N#',
  person: 'PERSON#',
  schedule: 'Z#',
  check: 'W#',
  template: 'E#',
} as const;

/** The partition of a site: its devices with their ports, the state and the journal of its collection, and its agents. */
export const sitePartition = (site: SiteId): string => PARTITIONS.site + site;
export const jobPartition = (site: SiteId): string => PARTITIONS.jobs + site;
export const resultPartition = (site: SiteId): string => PARTITIONS.results + site;
/** @param site null for batches */
export const runPartition = (site: SiteId | null): string =>
  site === null ? PARTITIONS.batches : PARTITIONS.runs + site;
export const hookPartition = (site: SiteId): string => PARTITIONS.hooks + site;
export const monitoringPartition = (site: SiteId): string => PARTITIONS.monitoring + site;
export const seriesPartition = (site: SiteId): string => PARTITIONS.series + site;
/** Rows about all sites. */
export const ALL_MONITORING = `${PARTITIONS.monitoring}*`;
/** @param site null for entries about all sites */
export const auditPartition = (site: SiteId | null): string => PARTITIONS.audit + (site ?? '*');

/** The key of each kind of row. */
export const rows = {
  /** @param key a MAC, `Internet`, or `~<uuid>` for a device without a MAC */
  device: (site: SiteId, key: string): Key => ({ pk: sitePartition(site), sk: PREFIXES.device + key }),
  collection: (site: SiteId): Key => ({ pk: sitePartition(site), sk: '#META' }),
  /** A change of the collection. Its 13 digits, enough for a time in ms until 2286, sort the keys by version. */
  change: (site: SiteId, version: number): Key => ({
    pk: sitePartition(site),
    sk: PREFIXES.change + String(version).padStart(13, '0'),
  }),
  /** Some of the devices of a change of many devices. @param id of the change, random */
  changePart: (site: SiteId, id: string, part: number): Key => ({
    pk: sitePartition(site),
    sk: `${PREFIXES.changePart}${id}#${String(part).padStart(5, '0')}`,
  }),
  /** The open ports of a device. @param key that of the device */
  ports: (site: SiteId, key: string): Key => ({ pk: sitePartition(site), sk: PREFIXES.ports + key }),
  agent: (agent: AgentId): Key => ({ pk: sitePartition(siteOfAgent(agent)), sk: PREFIXES.agent + agent }),
  site: (site: SiteId): Key => ({ pk: PARTITIONS.siteList, sk: PREFIXES.site + site }),
  token: (id: string): Key => ({ pk: PARTITIONS.token + id, sk: 'T' }),
  listedToken: (id: string): Key => ({ pk: PARTITIONS.tokenList, sk: PREFIXES.listedToken + id }),
  descendants: (ancestor: string): Key => ({ pk: PARTITIONS.token + ancestor, sk: 'DESCENDANTS' }),
  person: (id: string): Key => ({ pk: PARTITIONS.people, sk: PREFIXES.person + id }),
  job: (id: JobId): Key => ({ pk: jobPartition(siteOfJob(id)), sk: id }),
  /** The result of a job, when it is too large for the job's row. */
  result: (id: JobId): Key => ({ pk: resultPartition(siteOfJob(id)), sk: id }),
  /** The progress of a batch, or of a scan of a site. Its id begins with its time, which orders them. */
  run: (site: SiteId | null, id: string): Key => ({ pk: runPartition(site), sk: id }),
  /** The sites of a batch, which never change: there may be thousands. */
  batchSites: (id: BatchId): Key => ({ pk: PARTITIONS.runs + id, sk: 'SITES' }),
  idempotencyKey: (token: string, digest: string): Key => ({ pk: PARTITIONS.idempotencyKeys + token, sk: digest }),
  /** A step of a sign-in in progress. @param digest of the secret with which the browser takes the next step */
  signIn: (digest: string): Key => ({ pk: PARTITIONS.signIns + digest, sk: 'STEP' }),
  /** @param id of a code: the beginning of its digest */
  enrolmentCode: (id: string): Key => ({ pk: PARTITIONS.enrolmentCodes, sk: id }),
  /** @param id random, or the user code of a device */
  accessRequest: (id: string): Key => ({ pk: PARTITIONS.accessRequest + id, sk: 'Q' }),
  /** @param id begins with its time, which orders the entries */
  auditEntry: (site: SiteId | null, id: string): Key => ({ pk: auditPartition(site), sk: id }),
  hook: (site: SiteId, hook: string): Key => ({ pk: hookPartition(site), sk: hook }),
  schedule: (site: SiteId, id: string): Key => ({ pk: monitoringPartition(site), sk: PREFIXES.schedule + id }),
  check: (site: SiteId, id: string): Key => ({ pk: monitoringPartition(site), sk: PREFIXES.check + id }),
  /** The state of the site as a whole: lost agents, failing checks, outages, the internet. */
  siteState: (site: SiteId): Key => ({ pk: monitoringPartition(site), sk: 'STATE' }),
  /** The roll-out of the current release to the agents of all sites. */
  rollOut: (): Key => ({ pk: ALL_MONITORING, sk: 'ROLLOUT' }),
  /** In the same partition, which no single site has. */
  template: (name: string): Key => ({ pk: ALL_MONITORING, sk: PREFIXES.template + name }),
  /** Points of a series. @param span its level, where it was measured, and when it begins, so that queries return it in order */
  series: (site: SiteId, span: string): Key => ({ pk: seriesPartition(site), sk: span }),
  firstToken: (): Key => ({ pk: PARTITIONS.setup, sk: 'FIRST_TOKEN' }),
  /** The format of the table: see `format.ts`. */
  format: (): Key => ({ pk: PARTITIONS.setup, sk: 'FORMAT' }),
  /** Does not exist: read only to check that the table responds. */
  probe: (): Key => ({ pk: PARTITIONS.probe, sk: PARTITIONS.probe }),
};

/** Attributes that functions with few rights may write; they cannot write others of the same rows. */
export const ATTRIBUTES = {
  /** Of the collection, when a site is created, and when nothing of it can be restored any more. */
  collection: ['ver', 'verAt', 'counts', 'gone', 'born', 'staleSince', 'coverage'],
  /** Of the collection, when it changes. */
  version: ['ver', 'verAt', 'counts'],
  /** Of a device, also a deleted one. */
  device: ['d', 's', 'p', 'o', 'j', 'v', 'deletedAt', 'ttl'],
  /** Of an entry of a collection's journal, or of a part of one. */
  change: ['d', 'id', 'ttl'],
  /** Of the open ports of a device. */
  ports: ['d', 'id', 'v', 'ttl'],
  /** Of a site: its settings, whether it is deleted, how it is monitored, and whether it may have hooks. */
  site: ['d', 'gone', 'staleSince', 'coverage', 'hooked'],
  /** Of the whole table: the site at which the upkeep continues. */
  upkeepCursor: ['upkeepAfter'],
  /** Of a site and of its collection: since when they are deleted, and by which actor. Not one of a device. */
  deletion: ['gone', 'goneBy'],
  /** Of a site and of its collection: since when it is unmonitored, and what is monitored of it. */
  staleness: ['staleSince', 'coverage'],
  /** Of an agent: its certificates, and whether it was revoked or replaced. */
  certificates: ['certificate', 'key', 'next', 'provedAt', 'endsAt', 'revokedAt', 'formerSession', 'links'],
  /** Of an agent: which of its certificates was retired last. */
  retirement: ['retired'],
  /** Of an agent: the last state that it reported, and what the broker reports about its connection. */
  presence: ['presence', 'session', 'since', 'link', 'linkAt', 'linkEnded'],
  /** Of an agent: its connections of the last days, and their hosts. Written together with its presence. */
  connections: ['links', 'holders'],
  /** Of an agent: what else it reports about itself, such as its programs. */
  agentDetails: ['d'],
  /** Of an agent: the plan that it was last sent. */
  plan: ['plan'],
  /** Of an agent: until when its sightings are limited. */
  agentLimit: ['limitedUntil'],
  /** Of a job: its result, and the summary for lists. */
  outcome: ['state', 'startedAt', 'endedAt', 'reason', 'result', 'resultRow', 'summary'],
  /** Of a run: its progress, and whether it is cancelled. Not what it runs, or where. */
  runProgress: ['p', 'rev', 'cancelledAt'],
  /** Of a job of a plan, which is stored when it has ended. */
  plannedJob: [
    ...(['agent', 'actor', 'command', 'createdAt', 'leaseUntil', 'ttl'] as const),
    ...(['state', 'startedAt', 'endedAt', 'reason', 'result', 'resultRow', 'summary'] as const),
  ],
  /** Of a schedule: how its last run went. Not what it runs. */
  lastTurn: ['last', 'lastTurn'],
  /** Of the result of a job in a row of its own. */
  result: ['result', 'ttl'],
  /** Of a job that ends without a result. */
  end: ['state', 'endedAt', 'reason'],
  /** Of a hook: its progress and its deliveries. Not where they are sent. */
  hookProgress: ['p', 'rev', 'by'],
} as const satisfies Record<string, readonly string[]>;
