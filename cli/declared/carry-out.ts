/** Does what a plan says, step by step, with the ETags of what it was made of. */
import { stringify } from 'csv-stringify/sync';
import { ApiError } from '../../client/errors.ts';
import type { Step } from '../../shared/declared/plan.ts';
import { isSame } from '../../shared/declared/settings.ts';
import type { Api } from '../client/api.ts';
import { Failure } from '../client/failure.ts';

/** A template is made at all its sites before the answer. */
const TEMPLATE_TIMEOUT_MS = 60_000;
const IMPORT_TIMEOUT_MS = 120_000;

interface Outcome {
  done: number;
  /** What has stopped it, and at which step; null when all is done. */
  stopped: { step: Step; error: ApiError | Failure } | null;
  /** Of hooks that were made without a secret of their own: shown once. */
  secrets: Record<string, string>;
  notes: string[];
}

export async function carryOut(client: Api, steps: readonly Step[]): Promise<Outcome> {
  const outcome: Outcome = { done: 0, stopped: null, secrets: {}, notes: [] };
  const added = new Map<string, Step[]>();
  for (const step of steps) {
    try {
      // New devices of a site come together, in place of the first of them.
      if (step.kind === 'device' && step.sign === '+') {
        const others = added.get(step.site);
        if (others === undefined) {
          const all = steps.filter((one) => one.kind === 'device' && one.sign === '+' && one.site === step.site);
          added.set(step.site, all);
          await addDevices(client, step.site, all);
        }
      } else await doStep(client, step, outcome);
      outcome.done++;
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof Failure)) throw error;
      return { ...outcome, stopped: { step, error } };
    }
  }
  return outcome;
}

async function doStep(client: Api, step: Step, outcome: Outcome): Promise<void> {
  switch (step.kind) {
    case 'site':
      return doSite(client, step);
    case 'template':
      return doTemplate(client, step, outcome);
    case 'schedule':
      return doSchedule(client, step);
    case 'check':
      return doCheck(client, step);
    case 'hook':
      return doHook(client, step, outcome);
    case 'device':
      return doDevice(client, step);
  }
}

type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;

const etagOf = (revision: number | null) => (revision === null ? undefined : `"${revision}"`);

async function doSite(client: Api, { sign, site, body, settings, revision }: StepOf<'site'>): Promise<void> {
  const params = { site };
  if (sign === '~') await client.ask('PATCH /sites/{site}', { params, body, ifMatch: etagOf(revision) });
  else await client.ask('POST /sites', { body: body as { id: string } });
  if (settings !== null) await client.ask('PATCH /sites/{site}', { params, body: settings });
}

async function doTemplate(client: Api, step: StepOf<'template'>, outcome: Outcome): Promise<void> {
  const { name, body, revision } = step;
  const question = { params: { template: name }, ifMatch: etagOf(revision), timeoutMs: TEMPLATE_TIMEOUT_MS };
  if (body === null) {
    const { isComplete } = await client.ask('DELETE /templates/{template}', question);
    if (!isComplete) outcome.notes.push(`What the template ${name} has made is removed within the hour.`);
    return;
  }
  if (revision === null) await requireNoTemplate(client, name);
  const { secrets, sites } = await client.ask('PUT /templates/{template}', { ...question, body: body as never });
  for (const [hook, secret] of Object.entries(secrets)) outcome.secrets[`template ${name}: ${hook}`] = secret;
  for (const { site, problem } of sites.others)
    outcome.notes.push(`The template ${name} is not made at ${site} yet: ${problem ?? 'it will be within the hour'}`);
}

/** One that somebody has made since the plan is not replaced. */
async function requireNoTemplate(client: Api, name: string): Promise<void> {
  const { templates } = await client.ask('GET /templates');
  if (templates.some((one) => one.name === name)) throw changedSince(`the template ${name} is there now`);
}

const changedSince = (what: string) =>
  new Failure('failure', `Somebody has changed it since the plan was made: ${what}`);

async function doSchedule(client: Api, { site, id, body }: StepOf<'schedule' | 'check' | 'hook'>): Promise<void> {
  if (id === null) await client.ask('POST /schedules', { site, body: body as never });
  else if (body === null) await client.ask('DELETE /schedules/{schedule}', { site, params: { schedule: id } });
  else await client.ask('PATCH /schedules/{schedule}', { site, params: { schedule: id }, body });
}

async function doCheck(client: Api, { site, id, body }: StepOf<'schedule' | 'check' | 'hook'>): Promise<void> {
  if (id === null) await client.ask('POST /checks', { site, body: body as never });
  else if (body === null) await client.ask('DELETE /checks/{check}', { site, params: { check: id } });
  else await client.ask('PATCH /checks/{check}', { site, params: { check: id }, body });
}

async function doHook(
  client: Api,
  { site, name, id, body }: StepOf<'schedule' | 'check' | 'hook'>,
  { secrets }: Outcome,
): Promise<void> {
  if (id === null) {
    const { secret } = await client.ask('POST /hooks', { site, body: body as never });
    if (!('secret' in (body ?? {}))) secrets[`${site}: ${name}`] = secret;
  } else if (body === null) await client.ask('DELETE /hooks/{hook}', { site, params: { hook: id } });
  else await client.ask('PATCH /hooks/{hook}', { site, params: { hook: id }, body });
}

async function doDevice(client: Api, { site, mac, edit, fields }: StepOf<'device'>): Promise<void> {
  const params = { mac };
  const { answer, etag } = await client.tagged('GET /devices/{mac}', { site, params });
  const record = answer as unknown as Record<string, unknown>;
  const other = fields.find(({ field, from }) => !isSame(record[field], from));
  if (other !== undefined) throw changedSince(`${other.field} is ${JSON.stringify(record[other.field])} now`);
  await client.ask('PATCH /devices/{mac}', { site, params, body: edit, ifMatch: etag });
}

async function addDevices(client: Api, site: string, steps: readonly Step[]): Promise<void> {
  const devices = steps.flatMap((step) => (step.kind === 'device' ? [{ devMac: step.mac, ...step.edit }] : []));
  // An empty cell would count as said: devices of which the same fields are said are a file.
  const bySet = new Map<string, object[]>();
  for (const device of devices) {
    const set = Object.keys(device).sort().join(',');
    bySet.set(set, [...(bySet.get(set) ?? []), device]);
  }
  for (const [set, alike] of bySet) {
    const csv = stringify(alike, { header: true, columns: set.split(',') });
    const body = { content: Buffer.from(csv).toString('base64') };
    const { skipped } = await client.ask('POST /devices/import', { site, body, timeoutMs: IMPORT_TIMEOUT_MS });
    const [first] = skipped;
    if (first !== undefined) throw new Failure('failure', `A device could not be added: ${first.reason}`);
  }
}
