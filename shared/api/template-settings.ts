/**
 * The settings of a site that templates set, each by a path such as `discovery.enabled`. Values set at the site stay; those
 * set by a template follow the templates, and return to the default when none of them sets the path any more.
 */
import type { TemplateSettings } from './parts.ts';
import { DISCOVERY_OFF, type Site, type SiteTemplates, USUAL_UPDATES } from './records.ts';

type Json = SiteTemplates['settings'][string];
type Settings = Pick<Site, 'timeZone' | 'updates' | 'policy' | 'discovery'>;

const USUAL: Settings = { timeZone: 'UTC', updates: USUAL_UPDATES, discovery: DISCOVERY_OFF };

export const SETTING_PATHS = [
  ...(['timeZone', 'policy', 'updates.mode', 'updates.window', 'discovery.enabled', 'discovery.networks'] as const),
  ...(['discovery.intervalSeconds', 'discovery.recognize', 'discovery.archiveRandomAfterDays'] as const),
  'discovery.acceptParents' as const,
] as const;
export type SettingPath = (typeof SETTING_PATHS)[number];
type SettingValues = { readonly [Path in SettingPath]?: Json };

/** The given settings, by path. */
export function valuesOf(
  settings: Omit<TemplateSettings, 'policy'> & { policy?: Site['policy'] | null },
): SettingValues {
  return Object.fromEntries(
    SETTING_PATHS.flatMap((path) => {
      const value = valueAt(settings, path);
      return value === undefined ? [] : [[path, value]];
    }),
  );
}

/** For equal paths the last template wins. */
export function merged(all: readonly TemplateSettings[]): SettingValues {
  return Object.assign({}, ...all.map(valuesOf));
}

/** A setting with a value, set at the site, that differs from the template. */
interface Differing {
  setting: SettingPath;
  site: Json;
  template: Json;
}

/** @param held the values last set by templates @returns the new settings, and the new `held` */
export function settle<S extends Settings>(
  site: S,
  wanted: SettingValues,
  held: Readonly<Record<string, Json>>,
): { site: S; held: Record<string, Json> } {
  let after = site;
  const kept: Record<string, Json> = {};
  for (const path of SETTING_PATHS) {
    const now = valueAt(site, path);
    const want = wanted[path];
    if (want === undefined) {
      if (held[path] !== undefined && isSame(now, held[path])) after = withValue(after, path, valueAt(USUAL, path));
    } else if (isTemplates(path, now, held[path]) || (held[path] !== undefined && isSame(now, want))) {
      kept[path] = want;
      after = withValue(after, path, want);
    } else if (held[path] !== undefined) kept[path] = held[path];
  }
  return { site: after, held: kept };
}

/** The settings that were set at the site and differ from its templates. */
export function differing(site: Settings, wanted: SettingValues, held: Readonly<Record<string, Json>>): Differing[] {
  return SETTING_PATHS.flatMap((setting): Differing[] => {
    const template = wanted[setting];
    const now = valueAt(site, setting);
    if (template === undefined || isSame(now, template) || isTemplates(setting, now, held[setting])) return [];
    return [{ setting, site: now ?? null, template }];
  });
}

/** Whether a template may set it: its value is still that of a template, or the default. */
function isTemplates(path: SettingPath, now: Json | undefined, held: Json | undefined): boolean {
  return isSame(now, held === undefined ? valueAt(USUAL, path) : held);
}

function valueAt(settings: object, path: string): Json | undefined {
  return path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], settings) as
    | Json
    | undefined;
}

function withValue<S extends object>(settings: S, path: string, value: Json | undefined): S {
  const [first = '', second] = path.split('.');
  const part = (settings as Record<string, object>)[first];
  const changed = second === undefined ? value : without({ ...part, [second]: value });
  return without({ ...settings, [first]: changed }) as S;
}

/** JSON has no undefined. */
function without<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

/** Equal as JSON, in any order of members. */
export function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

/** JSON with members sorted by name. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  );
}
