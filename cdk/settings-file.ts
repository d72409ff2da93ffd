/** The file with the settings of a deployment, outside the repository: see "Settings" in DEPLOY.md. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

export const SETTINGS_FILE = 'lanreach.settings.json';

/** Names and values of settings; null for one that is omitted on purpose. */
export type GivenSettings = Record<string, unknown>;

/** Invalid settings. The message names each of them. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** @throws {SettingsError} if the file is not JSON */
export function readSettingsFile(root: string): GivenSettings {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(join(root, SETTINGS_FILE), 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new SettingsError(`${SETTINGS_FILE}: expected a JSON object such as {"alarmEmail": "you@example.org"}`);
  }
}

/** Context keys of the CDK itself: `@aws-cdk/core:…`, `aws:cdk:…`, `availability-zones:account=…`. */
const NOT_A_SETTING = /[^A-Za-z0-9]/;

/** The settings with a value, without the context of the CDK. */
export function givenSettings(context: Record<string, unknown>): [name: string, value: unknown][] {
  return Object.entries(context).filter(
    ([name, value]) => !NOT_A_SETTING.test(name) && value !== undefined && value !== null,
  );
}

/** An output must be short: longer values are replaced by their digest. */
const SHOWN_LENGTH = 100;

/** The deployed settings, for an output of the stack. */
export function describeSettings(context: Record<string, unknown>): string {
  const described = givenSettings(context).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const digest = () => `sha256:${createHash('sha256').update(text).digest('hex')}`;
    return [name, text.length <= SHOWN_LENGTH ? text : digest()];
  });
  return JSON.stringify(Object.fromEntries(described.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))));
}

/**
 * The deployed settings that the file lacks, names and values: the next deployment would lose them, with their alarms, sign-in
 * or table. A setting that is null is omitted on purpose.
 * @param deployed an output of {@link describeSettings}
 */
export function lostSettings(deployed: string, now: GivenSettings): [name: string, value: string][] {
  const before = z.record(z.string(), z.string()).parse(JSON.parse(deployed));
  return Object.entries(before).filter(([name]) => now[name] === undefined);
}
