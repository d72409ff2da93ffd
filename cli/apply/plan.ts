/** What makes all as a file says: the service answers the steps, and the requests that it answered carry them out. */
import pLimit from 'p-limit';
import { ApiError } from '../../client/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Api } from '../client/api.ts';
import { Failure } from '../client/failure.ts';
import { devicesOf, deviceUnits } from './devices.ts';
import { type SitesFile, unusable } from './read-file.ts';
import type { Unit } from './unit.ts';

/** Requests that are made at the same time. */
const AT_ONCE = 4;
/** A template is made at all its sites before the answer, and a site as far as one request comes. */
const APPLY_TIMEOUT_MS = 60_000;

/** A setting that a site has of its own, where a template of the file says something else: no step changes it. */
interface OwnSetting {
  site: SiteId;
  template: string;
  setting: string;
  own: unknown;
  other: unknown;
}

interface Plan {
  units: Unit[];
  ownSettings: OwnSetting[];
}

/**
 * @param path of the file, for what is wrong in it
 * @throws {Failure} that names each field that the service refuses
 */
export async function planOf(client: Api, path: string, file: SitesFile): Promise<Plan> {
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
      dryRun(`sites.${i}`, () => siteUnit(client, id, body, null)),
    ),
  );
  const removed = prune.templates ? await removalsOf(client, templates) : [];
  const made = await Promise.all(
    templates.map(({ name, ...body }, i) => dryRun(`templates.${i}`, () => templateUnit(client, name, body))),
  );
  const pruned = (['schedules', 'checks', 'hooks'] as const).filter((list) => prune[list]).join(',');
  const parts = await Promise.all(
    sites.map(({ id, schedules, checks, hooks }, i) => {
      if (schedules === undefined && checks === undefined && hooks === undefined) return null;
      return dryRun(`sites.${i}`, () => siteUnit(client, id, { schedules, checks, hooks }, pruned));
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
  const given = new Map(sites.map(({ id, settings: own }) => [id, own]));
  return {
    units: all.filter((unit) => unit !== null).filter(({ steps }) => steps.length > 0),
    ownSettings: made
      .flatMap((one) => one?.ownSettings ?? [])
      .filter(({ site, setting }) => !has(given.get(site), setting)),
  };
}

/** Whether the file itself gives a site a setting, such as `discovery.enabled`. */
function has(settings: unknown, path: string): boolean {
  const value = path
    .split('.')
    .reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], settings);
  return value !== undefined;
}

/** @param prune lists of parts, with commas; null for a body of settings */
async function siteUnit(client: Api, site: SiteId, body: object, prune: string | null): Promise<Unit> {
  const query = prune ? { prune } : {};
  const question = { params: { site }, body: body as never, timeoutMs: APPLY_TIMEOUT_MS };
  const planned = await client.tagged('PUT /sites/{site}', { ...question, query: { ...query, dryRun: 'true' } });
  const isSettings = prune === null;
  return {
    // A site that is to be added stands in the answer to both requests about it.
    steps: planned.answer.steps.filter(({ kind }) => (kind === 'site') === isSettings),
    async carryOut() {
      const secrets: Record<string, string> = {};
      let done = 0;
      for (;;) {
        const ifMatch = isSettings ? planned.etag : undefined;
        const answer = await client.ask('PUT /sites/{site}', { ...question, query, ifMatch });
        done += answer.steps.length;
        for (const [hook, secret] of Object.entries(answer.secrets)) secrets[`${site}: ${hook}`] = secret;
        if (answer.failed !== null) return { secrets, refused: { done, why: `${site}: ${answer.failed}` } };
        if (answer.isComplete) return { secrets };
      }
    },
  };
}

async function templateUnit(
  client: Api,
  template: string,
  body: object,
): Promise<{ unit: Unit; ownSettings: OwnSetting[] }> {
  const question = { params: { template }, body: body as never, timeoutMs: APPLY_TIMEOUT_MS };
  const { answer: planned, etag } = await client.tagged('PUT /templates/{template}', {
    ...question,
    query: { dryRun: 'true' },
  });
  const carryOut = async () => {
    const { secrets, sites } = await client.ask('PUT /templates/{template}', { ...question, ifMatch: etag });
    return {
      secrets: Object.fromEntries(
        Object.entries(secrets).map(([hook, secret]) => [`template ${template}: ${hook}`, secret]),
      ),
      notes: sites.others.map(
        ({ site, problem }) =>
          `The template ${template} is not made at ${site} yet: ${problem ?? 'it will be within the hour'}`,
      ),
    };
  };
  const ownSettings = planned.sites.differing.flatMap(({ site, settings }) =>
    settings.map(({ setting, site: own, template: other }) => ({ site, template, setting, own, other })),
  );
  return { unit: { steps: planned.steps ?? [], carryOut }, ownSettings };
}

/** What cannot be read cannot be compared, and would be missing in a file by which others are removed. */
export function requireReadable(what: string, unreadable: readonly { id: string; problem: string }[]): void {
  const [first] = unreadable;
  if (first !== undefined) throw new Failure('failure', `A ${what} cannot be read: ${first.id}: ${first.problem}`);
}

/** What removes the templates that the file does not name. */
async function removalsOf(client: Api, named: SitesFile['templates']): Promise<Unit[]> {
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
