/** Writes the file that says how things are. Secrets are not in it: in their places stand variables of the environment. */
import { stringify } from 'yaml';
import type { Client } from '../../client/client.ts';
import { type Check, checkFields } from '../../shared/api/checks.ts';
import { hookFields } from '../../shared/api/hooks.ts';
import { DISCOVERY_OFF, type Site, USUAL_UPDATES } from '../../shared/api/records.ts';
import { type Schedule, scheduleFields } from '../../shared/api/schedules.ts';
import { isSame } from '../../shared/api/template-settings.ts';
import type { Template } from '../../shared/api/templates.ts';
import type { DeviceRecord } from '../../shared/device.ts';
import { TOOL } from '../../shared/tools/list.ts';
import { requireTagged } from '../client/tagged-sites.ts';
import { DEVICE_FIELD, devicesOf } from './devices.ts';
import { requireReadable } from './plan.ts';

/** @param selection of sites; undefined for all @param hasDevices whether what is said of devices is in it */
export async function exported(client: Client, selection: string | undefined, hasDevices: boolean): Promise<string> {
  const query = selection === undefined ? {} : { sites: selection };
  const [{ templates, unreadable }, { sites }] = await Promise.all([
    client.ask('GET /templates'),
    client.ask('GET /sites', { query }),
  ]);
  requireReadable('template', unreadable);
  if (selection !== undefined) requireTagged(sites, selection.split(','));
  const shown = [];
  for (const site of sites) shown.push(await siteOf(client, site, hasDevices));
  return stringify({ templates: templates.map(templateOf), sites: shown }, { lineWidth: 0 });
}

async function siteOf(client: Client, site: Site, hasDevices: boolean): Promise<object> {
  const of = { site: site.id };
  const [planned, checks, hooks] = await Promise.all([
    client.ask('GET /schedules', of),
    client.ask('GET /checks', of),
    client.ask('GET /hooks', of),
  ]);
  requireReadable(`schedule of ${site.id}`, planned.unreadable);
  requireReadable(`check of ${site.id}`, checks.unreadable);
  requireReadable(`hook of ${site.id}`, hooks.unreadable);
  const own = <Part extends { origin?: string | undefined }>(all: readonly Part[]) =>
    all.filter(({ origin }) => origin === undefined);
  const named = own(hooks.hooks).filter(({ name }) => name !== null);
  const devices = hasDevices ? [...(await devicesOf(client, site.id))].flatMap(deviceOf) : [];
  return filled({
    ...{ id: site.id, name: site.name, tags: site.tags, settings: settingsOf(site) },
    schedules: own(planned.schedules).map(scheduleOf),
    checks: own(checks.checks).map(checkOf),
    hooks: named.map((hook) => hookOf(hook, `${site.id} ${hook.name}`)),
    devices,
  });
}

/** The settings made at the site: those of a template belong to the template. */
function settingsOf({ timeZone, reachableAt, updates, policy, discovery, templates }: Site): object {
  const isOwn = (path: string, value: unknown, usual: unknown) =>
    !isSame(value, usual) && !isSame(value, templates?.settings[path]);
  const given = (prefix: string, part: object, usual: object) =>
    filled(
      Object.fromEntries(
        Object.entries(part).filter(([name, value]) =>
          isOwn(`${prefix}.${name}`, value, (usual as Record<string, unknown>)[name]),
        ),
      ),
    );
  return filled({
    timeZone: isOwn('timeZone', timeZone, 'UTC') ? timeZone : undefined,
    reachableAt: reachableAt ?? undefined,
    policy: isOwn('policy', policy, undefined) ? policy : undefined,
    updates: given('updates', updates, USUAL_UPDATES),
    discovery: given('discovery', discovery, DISCOVERY_OFF),
  });
}

function templateOf({ name, tags, settings, schedules, checks, hooks }: Template): object {
  return filled({
    ...{ name, tags, settings, schedules, checks },
    hooks: hooks.map((hook) => hookOf(hook, `${name} ${hook.name}`)),
  });
}

const scheduleOf = (schedule: Schedule) => said(scheduleFields, { ...schedule, arguments: argumentsOf(schedule) });
const checkOf = (check: Check) => said(checkFields, check);
const hookOf = (hook: object, where: string) => said(hookFields, { ...hook, url: `\${${variableOf(where)}}` });

/** The fields of a request for a command, as a file says them. */
function argumentsOf({ tool, request }: Pick<Schedule, 'tool' | 'request'>): object {
  const values = request as Readonly<Record<string, unknown>>;
  const named = Object.entries(TOOL[tool].arguments).map(([name, { field }]) => [field, values[name]]);
  return Object.fromEntries(named.filter(([, value]) => value !== null && value !== undefined));
}

/** `LANREACH_HOOK_CABIN_PHONES` */
function variableOf(where: string): string {
  const words = where
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
  return `LANREACH_HOOK_${words}`;
}

/** Only what says something; nothing of a device of which nothing is said. */
function deviceOf([mac, record]: [string, DeviceRecord]): object[] {
  const said = Object.entries(DEVICE_FIELD).flatMap(([name, field]) => {
    const value = record[field];
    if (value === '' || value === 0) return [];
    return [[name, value === 1 ? true : value]];
  });
  return said.length === 0 ? [] : [{ mac, ...Object.fromEntries(said) }];
}

/** What a part is when nothing is said. */
const USUAL: Readonly<Record<string, unknown>> = {
  ...{
    enabled: true,
    everySeconds: 60,
    agents: 'auto',
    jitterSeconds: 60,
    startWithinSeconds: 600,
    skipRandomMacs: false,
  },
};

/** Of a part what a file can say. */
function said(fields: object, part: Readonly<Record<string, unknown>>): object {
  const values = Object.keys(fields).map((name) => [name, part[name] ?? undefined] as const);
  return Object.fromEntries(values.filter(([name, value]) => value !== undefined && value !== USUAL[name]));
}

/** Without what is empty. */
function filled(fields: Record<string, unknown>): object {
  const isEmpty = (value: unknown) =>
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}
