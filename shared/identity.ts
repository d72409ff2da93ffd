/** Ids of sites, agents, tokens and jobs. DynamoDB keys and MQTT topics contain them, so few characters are allowed. */
import * as z from 'zod';
import { NAME, TAG_REF } from './site-ref.ts';
import { matching } from './text-schemas.ts';
import { SCOPES } from './words.ts';

export { tagOfRef } from './site-ref.ts';
export { SCOPES } from './words.ts';

const Name = matching(32, NAME, 'expected 1 to 32 lower-case letters, digits and inner hyphens');

export const SiteId = Name.meta({
  id: 'SiteId',
  description: 'A site: one LAN, or a group of LANs that one team manages.',
});
export type SiteId = z.infer<typeof SiteId>;

/** Groups sites: whatever is assigned to a tag applies to all sites that have it. */
export const Tag = Name.meta({ id: 'Tag', description: 'A tag of sites, such as `customers`.' });
export type Tag = z.infer<typeof Tag>;

export const SiteRef = matching(
  TAG_REF.length + 32,
  /^(?:tag:)?[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
  'expected the id of a site, or tag:<tag> for all sites with that tag',
).meta({ id: 'SiteRef', description: 'The id of a site, or `tag:<tag>` for all sites with that tag.' });
export type SiteRef = z.infer<typeof SiteRef>;

export const AgentName = Name.meta({ id: 'AgentName', description: 'The name of an agent within its site.' });

/** Without syntax that the SQL of IoT Core rules would interpret differently. */
const AGENT_ID = '[a-z0-9-]{1,32}:[a-z0-9-]{1,32}';

/** `<site>:<name>`. Unique within a deployment. */
export const AgentId = z
  .string()
  .max(65)
  .regex(new RegExp(`^${AGENT_ID}$`))
  .meta({ id: 'AgentId', description: 'An agent: `<site>:<name>`.' });
export type AgentId = z.infer<typeof AgentId>;

export function agentId(site: SiteId, name: string): AgentId {
  return `${site}:${name}`;
}

/** The name of a deployment, which distinguishes several of them in one region of an AWS account. */
const STAGE = /^[a-z][a-z0-9]{0,15}$/;
export const Stage = z
  .string()
  .regex(STAGE, { error: 'expected up to 16 lower-case letters and digits, of which the first is a letter' })
  .meta({ id: 'Stage', description: 'The name of the deployment that an agent belongs to.' });
export type Stage = z.infer<typeof Stage>;

/** The stage of a deployment on one machine. */
export const LOCAL_STAGE = 'local';

/**
 * `<stage>:<site>:<name>`: the MQTT client id of an agent, its IoT thing name (which allows letters, digits, `:`, `_` and
 * `-`, but no dot), and the common name of its certificate on one machine. Unique at a broker that several deployments
 * share, as AgentId is not. The template type keeps the two apart.
 */
export type ClientId = `${string}:${string}:${string}`;

export function clientIdOf(stage: Stage, agent: AgentId): ClientId {
  return `${stage}:${agent}` as ClientId;
}

/** The stage and the agent of a client id; null for any other text. */
export function readClientId(text: string): { stage: Stage; agent: AgentId } | null {
  const stage = text.slice(0, Math.max(0, text.indexOf(':')));
  const agent = AgentId.safeParse(text.slice(stage.length + 1));
  return STAGE.test(stage) && agent.success ? { stage, agent: agent.data } : null;
}

/** A regular expression for the client ids of all agents of a stage. */
export function clientIdPattern(stage: Stage): string {
  return `^${clientIdOf(stage, AGENT_ID)}$`;
}

/** The site an agent belongs to. Always taken from the authenticated agent id, never from a payload. */
export function siteOfAgent(agent: AgentId): SiteId {
  return agent.slice(0, agent.indexOf(':'));
}

/** The name of an agent within its site. */
export function nameOfAgent(agent: AgentId): string {
  return agent.slice(agent.indexOf(':') + 1);
}

const UUID_V7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

/** `<site>.<UUIDv7>`: contains the key of the job's row, and sorts by the time of its creation within a site. */
export const JobId = matching(
  69,
  new RegExp(`^[a-z0-9-]{1,32}\\.${UUID_V7}$`),
  'expected the id of a job, as the API returned it',
).meta({ id: 'JobId', description: 'An accepted command.' });
export type JobId = z.infer<typeof JobId>;

export function siteOfJob(job: JobId): SiteId {
  return job.slice(0, job.indexOf('.'));
}

/** When a job was created (Unix, ms): the timestamp in its UUIDv7 (RFC 9562). */
export function timeOfJob(job: JobId): number {
  return timeOfUuid(job.slice(job.indexOf('.') + 1));
}

export function timeOfUuid(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}

/** A UUIDv7. The batch's job at a site is `<site>.<batch>`. */
export const BatchId = matching(
  36,
  new RegExp(`^${UUID_V7}$`),
  'expected the id of a batch, as the API returned it',
).meta({ id: 'BatchId', description: 'A command at many sites at once.' });
export type BatchId = z.infer<typeof BatchId>;

export function jobOfBatch(site: SiteId, batch: BatchId): JobId {
  return `${site}.${batch}`;
}

export const Scope = z.enum(SCOPES).meta({ id: 'Scope', description: 'What a token may do.' });
export type Scope = z.infer<typeof Scope>;
