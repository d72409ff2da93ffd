/**
 * The rights of a function (least privilege), as data: `cdk/privileges.ts` makes the policy of its role from it.
 *
 * Partition keys have the kind of row as a prefix, to which most rights are limited. Where several kinds of rows share a
 * partition (`S#<site>` holds devices, the state of the collection, and agents), rights are limited to attributes.
 */
import { ATTRIBUTES, PARTITIONS } from '../table/rows.ts';

type ItemAction = `${'Get' | 'BatchGet' | 'Put' | 'Update' | 'Delete' | 'ConditionCheck'}Item`;

export interface TableRight {
  actions: readonly ('Query' | ItemAction)[];
  /** Patterns of partition keys. */
  keys: readonly string[];
  /** The only attributes that a call may name, besides those of the key. */
  attributes?: readonly string[];
}

export interface Rights {
  table: readonly TableRight[];
  /**
   * Messages to the agents of all sites, each with the reason why it may be any agent: over a connection to the broker,
   * or one by one over HTTPS.
   */
  messages?: { over: 'connection' | 'https'; request?: string; control: string };
  /** Certificates of agents: to issue and to revoke them, or only to revoke them. */
  certificates?: 'issue' | 'revoke' | 'retire';
  /** To read the current agent release, and to presign URLs of its packages. */
  releases?: boolean;
  /** To enqueue tasks of the worker, for functions that change a collection or start batches. */
  tasks?: boolean;
  /** To read the client secret of the identity provider. */
  signInSecret?: boolean;
  /** To read the password at the mail server. */
  mailSecret?: boolean;
}

/** Partition keys, as patterns. */
export const KEYS = {
  tokens: `${PARTITIONS.token}*`,
  tokenList: PARTITIONS.tokenList,
  people: PARTITIONS.people,
  signIns: `${PARTITIONS.signIns}*`,
  site: `${PARTITIONS.site}*`,
  siteList: PARTITIONS.siteList,
  jobs: `${PARTITIONS.jobs}*`,
  results: `${PARTITIONS.results}*`,
  audit: `${PARTITIONS.audit}*`,
  codes: PARTITIONS.enrolmentCodes,
  batches: PARTITIONS.batches,
  runs: `${PARTITIONS.runs}*`,
  accessRequests: `${PARTITIONS.accessRequest}*`,
  idempotencyKeys: `${PARTITIONS.idempotencyKeys}*`,
  hooks: `${PARTITIONS.hooks}*`,
  monitoring: `${PARTITIONS.monitoring}*`,
  series: `${PARTITIONS.series}*`,
  probe: PARTITIONS.probe,
  setup: PARTITIONS.setup,
} as const;

/** The first read of every function that uses the table: see `functions/table/format.ts`. */
export const FORMAT_RIGHT: TableRight = { actions: ['GetItem'], keys: [KEYS.setup] };

/** Reading a token, its owner, and the tags of a site; and recording its use, without changing its rights. */
export const AUTHENTICATION: readonly TableRight[] = [
  { actions: ['GetItem'], keys: [KEYS.tokens, KEYS.people, KEYS.siteList] },
  { actions: ['UpdateItem'], keys: [KEYS.tokens], attributes: ['usedAt'] },
];

/**
 * Changing the state of a site with an entry in the journal of its collection: one statement, because one transaction writes
 * both, and IAM may evaluate them together.
 */
export const OBSERVATION: readonly TableRight[] = [
  {
    actions: ['PutItem'],
    keys: [KEYS.site, KEYS.monitoring],
    attributes: [...ATTRIBUTES.device, ...ATTRIBUTES.change],
  },
  { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.version },
];
