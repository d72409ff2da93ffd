/** The enumerations of the API. Separate from their schemas, so that programs that must start fast need not load zod. */

/** What can happen to a device. */
export const EVENT_TYPES = [
  'new', // it was not known before
  'online',
  'offline',
  'down', // offline, with an alert for that enabled
  'found', // many at once, by the first scan of a network, so they are no news
  'ip-changed',
  'conflict', // another device claims the same address, or it hands out addresses beside another one
  'renamed',
  'edited', // another field has changed
  'archived',
  'deleted',
  'restored', // brought back after it was deleted
  'imported', // added by an import
  'joined', // other MACs now belong to this device: joined by a person, or a randomized one by its name
  'split', // MACs that were joined with it are separate devices again
  'port-opened', // a port scan found a port open that the scan before it found closed
  'port-closed',
  'check-down', // a check has failed twice in a row, at each agent that runs it
  'check-up',
  'certificate-ending',
  'route-changed', // the route to another site
  'agent-lost', // an agent is no longer connected
  'agent-back',
  'agent-update-failed', // an agent failed to update; the roll-out stops
  'site-dark', // the last connected agent of the site is lost
  'site-back',
  'internet-lost', // reported when it is back, unless another agent is connected
  'internet-back',
  'address-changed', // the public address of the site
  'speed-low', // far below the usual
  'speed-normal',
  'outage', // several devices went offline at once
  'outage-over',
  'turn-missed', // a schedule was not run at its time
] as const;

/** Those that matter most. */
export const IMPORTANT_EVENTS = [
  ...(['new', 'down', 'conflict', 'port-opened', 'check-down', 'check-up', 'certificate-ending'] as const),
  ...(['agent-update-failed', 'site-dark', 'site-back', 'internet-lost', 'internet-back'] as const),
  ...(['speed-low', 'outage', 'outage-over', 'turn-missed'] as const),
] as const satisfies readonly (typeof EVENT_TYPES)[number][];

/** Roles of people at sites; each includes those before it. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;

export const TOKEN_PURPOSES = [
  'api',
  'session', // of a person who has signed in
  'mcp', // of an assistant, accepted only at /mcp
  'share', // of a link for anyone, accepted only at /shared
] as const;

export const FINAL_STATES = ['succeeded', 'failed', 'cancelled', 'expired', 'interrupted', 'lost'] as const;
export const JOB_STATES = ['queued', 'accepted', 'running', ...FINAL_STATES] as const;

/** States of a batch of commands at many sites, and of one of its sites. */
export const BATCH_STATES = ['running', 'stopping', 'done', 'stopped'] as const;
export const BATCH_REASONS = ['cancelled', 'too_many_failures', 'deadline_passed', 'forbidden'] as const;
export const BATCH_SITE_STATES = ['waiting', ...JOB_STATES, 'skipped'] as const;

export function isFinal(state: (typeof JOB_STATES)[number]): state is (typeof FINAL_STATES)[number] {
  return (FINAL_STATES as readonly string[]).includes(state);
}

export const HOOK_FORMATS = [
  'json',
  'slack',
  'discord',
  'ntfy',
  'teams', // Microsoft Teams: a workflow that takes a webhook
  'telegram', // sendMessage of a bot, with `chat_id` in the query
  'gotify', // /message, with `token` in the query
  'pushover', // /1/messages.json, with `token` and `user` in the query
  'apprise', // /notify/<key> of the Apprise API, with `tag` in the query
  'email', // mailto:<address>, by the SMTP server of the operator
] as const;
export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;

export const SCOPES = ['devices:read', 'devices:write', 'nettools:run', 'admin'] as const;

/** Why a person who returned from the identity provider was not signed in. */
export const SIGN_IN_FAILURES = [
  'refused', // by the provider, or cancelled by the person
  'expired', // started more than ten minutes ago, or already completed
  'invalid', // the response does not prove the person's identity
  'unreachable', // the provider does not respond properly
  'no-role', // the person has no role
  'disabled', // an administrator has disabled the person
] as const;

/** Filters of the list of devices: the categories, and two names that other systems use for them. */
export const STATUS_FILTERS = [
  'online',
  'offline',
  'down',
  'archived',
  'favorites',
  'new',
  'my',
  'connected',
  'all',
] as const;
/** The categories of the totals, in the order of the response. */
export const TOTALS_ORDER = ['my', 'online', 'favorites', 'new', 'down', 'archived'] as const;

export const SORT_COLUMNS = [
  'mac',
  'name',
  'ip',
  'type',
  'vendor',
  'group',
  'status',
  'lastConnection',
  'firstConnection',
] as const;
export const DEVICE_SORTS = [...SORT_COLUMNS, ...SORT_COLUMNS.map((column) => `-${column}` as const)] as const;

export const UPDATE_MODES = ['off', 'notify', 'auto'] as const;
export const NMAP_MODES = ['fast', 'normal', 'detail', 'skipdiscovery'] as const;
export const NMAP_PROTOCOLS = ['tcp', 'udp'] as const;
export const SCAN_TYPES = ['ARPSCAN', 'NMAPDEV', 'NMAP'] as const;
export const RESOLUTION_NAMES = ['raw', '5m', '1h', '1d'] as const;
/** Languages of reports by e-mail. */
export const REPORT_LANGUAGES = ['en', 'de'] as const;
export const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

/** How long a deleted device can be restored. */
export const RESTORABLE_DAYS = 30;

/** Names that discovery gives to devices whose name it cannot determine. */
export const UNKNOWN_NAMES: readonly string[] = ['(unknown)', '(name not found)'];
