/** The file with the settings of a deployment, which is no part of the repository: see "Settings" in DEPLOY.md. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

export const SETTINGS_FILE = 'lanreach.settings.json';

/** Names of settings and their values; null for one that is left out on purpose. */
export type GivenSettings = Record<string, unknown>;

/** Invalid settings. The message names each of them. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** @throws {SettingsError} when the file is none of JSON */
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

/** Those that are set, without what the CDK keeps beside them. */
export function givenSettings(context: Record<string, unknown>): [name: string, value: unknown][] {
  return Object.entries(context).filter(
    ([name, value]) => !NOT_A_SETTING.test(name) && value !== undefined && value !== null,
  );
}

/** Longer values are told by their digest, because an output has to be short. */
const SHOWN_LENGTH = 100;

/** What an output of the stack says of the settings with which it was deployed. */
export function describeSettings(context: Record<string, unknown>): string {
  const described = givenSettings(context).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const digest = () => `sha256:${createHash('sha256').update(text).digest('hex')}`;
    return [name, text.length <= SHOWN_LENGTH ? text : digest()];
  });
  return JSON.stringify(Object.fromEntries(described.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))));
}

/**
 * A setting that the file has lost would be lost by the next deployment as well, with the alarms, the sign-in or the table that
 * hang on it. One that is null is left out on purpose.
 * @param deployed an output as {@link describeSettings} makes it
 * @returns the names and values of those that are missing
 */
export function lostSettings(deployed: string, now: GivenSettings): [name: string, value: string][] {
  const before = z.record(z.string(), z.string()).parse(JSON.parse(deployed));
  return Object.entries(before).filter(([name]) => now[name] === undefined);
}
