/** What makes all as a file says: the service answers the steps, and the requests that it answered carry them out. */
import pLimit from 'p-limit';
import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { Failure } from '../client/failure.ts';
import { devicesOf, deviceUnits } from './devices.ts';
import { type SitesFile, unusable } from './read-file.ts';
import type { Unit } from './unit.ts';

/** Requests that are made at the same time. */
const AT_ONCE = 4;
/** A template is made at all its sites before the answer, and a site as far as one request comes. */
const APPLY_TIMEOUT_MS = 60_000;

interface Plan {
  units: Unit[];
  /** What sites have of their own, where a template of the file says something else: no step changes it. */
  notes: string[];
}

/**
 * @param path of the file, for what is wrong in it
 * @throws {Failure} that names each field that the service refuses
 */
export async function planOf(client: Client, path: string, file: SitesFile): Promise<Plan> {
  const faults: string[] = [];
  let omitted = 0;
  const limit = pLimit(AT_ONCE);
  /** Null when something is wrong with it. */
  const dryRun = <Answer>(prefix: string, ask: () => Promise<Answer>) =>
    limit(async () => {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error;
        faults.push(...error.fields.map((one) => `${[prefix, one.path].filter(Boolean).join('.')}: ${one.message}`));
        omitted += error.fieldsOmitted;
        return null;
      }
    });

  const { templates, sites, prune } = file;
  const settings = await Promise.all(
    sites.map(({ id, schedules, checks, hooks, devices, ...body }, i) =>
      dryRun(`sites.${i}`, () => siteUnit(client, id, body, ['site'])),
    ),
  );
  const removed = prune.templates ? await removalsOf(client, templates) : [];
  const made = await Promise.all(
    templates.map((template, i) => dryRun(`templates.${i}`, () => templateUnit(client, template, file))),
  );
  const pruned = (['schedules', 'checks', 'hooks'] as const).filter((list) => prune[list]);
  const parts = await Promise.all(
    sites.map(({ id, schedules, checks, hooks }, i) => {
      if (schedules === undefined && checks === undefined && hooks === undefined) return null;
      return dryRun(`sites.${i}`, () =>
        siteUnit(client, id, { schedules, checks, hooks, prune: pruned }, ['schedule', 'check', 'hook']),
      );
    }),
  );
  const devices = await Promise.all(
    sites.map(({ id, devices = [] }, i) => {
      const isNew = settings[i]?.steps[0]?.sign === '+';
      if (devices.length === 0 || settings[i] === null) return [];
      return limit(async () => deviceUnits(client, id, devices, isNew ? new Map() : await devicesOf(client, id)));
    }),
  );
  if (faults.length > 0) throw unusable(path, faults, omitted);
  const ofSites = sites.flatMap((_, i) => [parts[i] ?? [], devices[i] ?? []].flat());
  const all = [...settings, ...removed, ...made.map((one) => one?.unit ?? null), ...ofSites];
  return {
    units: all.filter((unit) => unit !== null).filter(({ steps }) => steps.length > 0),
    notes: made.flatMap((one) => one?.notes ?? []),
  };
}

/** Whether the file itself gives a site a setting, such as `discovery.enabled`. */
function gives({ sites }: SitesFile, site: SiteId, setting: string): boolean {
  const settings = sites.find(({ id }) => id === site)?.settings;
  return (
    setting.split('.').reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], settings) !==
    undefined
  );
}

/** @param kinds which of the steps: a site that is to be added stands in the answers to both requests about it */
async function siteUnit(client: Client, site: SiteId, body: object, kinds: readonly string[]): Promise<Unit> {
  const question = { params: { site }, body: body as never, timeoutMs: APPLY_TIMEOUT_MS };
  const planned = await client.tagged('PUT /sites/{site}', { ...question, query: { dryRun: 'true' } });
  const ifMatch = kinds.includes('site') ? planned.etag : undefined;
  return {
    steps: planned.answer.steps.filter(({ kind }) => kinds.includes(kind)),
    async carryOut() {
      const secrets: Record<string, string> = {};
      for (let done = 0; ; ) {
        const answer = await client.ask('PUT /sites/{site}', { ...question, ifMatch });
        done += answer.steps.length;
        for (const [hook, secret] of Object.entries(answer.secrets)) secrets[`${site}: ${hook}`] = secret;
        if (answer.failed !== null) return { secrets, refused: { done, why: `${site}: ${answer.failed}` } };
        if (answer.isComplete) return { secrets };
      }
    },
  };
}

async function templateUnit(
  client: Client,
  { name, ...body }: SitesFile['templates'][number],
  file: SitesFile,
): Promise<{ unit: Unit; notes: string[] }> {
  const question = { params: { template: name }, body: body as never, timeoutMs: APPLY_TIMEOUT_MS };
  const request = client.tagged('PUT /templates/{template}', { ...question, query: { dryRun: 'true' } });
  const { answer: planned, etag } = await request;
  const carryOut = async () => {
    const { secrets, sites } = await client.ask('PUT /templates/{template}', { ...question, ifMatch: etag });
    const titled = Object.entries(secrets).map(([hook, secret]) => [`template ${name}: ${hook}`, secret]);
    const notes = sites.others.map(({ site, problem }) => {
      return `The template ${name} is not made at ${site} yet: ${problem ?? 'it will be within the hour'}`;
    });
    return { secrets: Object.fromEntries(titled) as Record<string, string>, notes };
  };
  const notes = planned.sites.differing.flatMap(({ site, settings }) =>
    settings
      .filter(({ setting }) => !gives(file, site, setting))
      .map((one) => {
        const [own, other] = [one.site, one.template].map((value) => JSON.stringify(value));
        return `${site} keeps its own ${one.setting} ${own}; the template ${name} says ${other}`;
      }),
  );
  return { unit: { steps: planned.steps ?? [], carryOut }, notes };
}

/** What cannot be read cannot be compared, and would be missing in a file by which others are removed. */
export function requireReadable(what: string, unreadable: readonly { id: string; problem: string }[]): void {
  const [first] = unreadable;
  if (first !== undefined) throw new Failure('failure', `A ${what} cannot be read: ${first.id}: ${first.problem}`);
}

/** What removes the templates that the file does not name. */
async function removalsOf(client: Client, named: SitesFile['templates']): Promise<Unit[]> {
  const { templates, unreadable } = await client.ask('GET /templates');
  requireReadable('template', unreadable);
  const others = templates.filter(({ name }) => !named.some((one) => one.name === name));
  return others.map(({ name, revision }) => ({
    steps: [{ sign: '-', kind: 'template', name, fields: [] }],
    async carryOut() {
      const question = { params: { template: name }, ifMatch: `"${revision}"`, timeoutMs: APPLY_TIMEOUT_MS };
      const { isComplete } = await client.ask('DELETE /templates/{template}', question);
      return isComplete ? {} : { notes: [`What the template ${name} has made is removed within the hour.`] };
    },
  }));
}
