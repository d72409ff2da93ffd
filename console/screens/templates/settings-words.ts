/** The settings of a template, and the values that sites have, in words. */
import texts from 'messages:templates';
import { type SETTING_PATHS, valuesOf } from '../../../shared/api/template-settings.ts';
import type { Template } from '../../../shared/api/templates.ts';

type SettingPath = (typeof SETTING_PATHS)[number];

export function settingsInWords(settings: Template['settings']): readonly (readonly [name: string, value: string])[] {
  return (Object.entries(valuesOf(settings)) as [SettingPath, unknown][]).map(([path, value]) => [
    texts.settingNames[path],
    valueText(path, value),
  ]);
}

const UPDATE_MODES: Readonly<Record<string, string>> = texts.updateModes;

export function valueText(path: SettingPath, value: unknown): string {
  if (value === null || value === undefined) return texts.unset;
  if (typeof value === 'boolean') return value ? texts.on : texts.off;
  if (path === 'updates.mode') return UPDATE_MODES[String(value)] ?? String(value);
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, part]) => `${name} ${Array.isArray(part) ? part.join(', ') : String(part)}`)
      .join(' · ');
  }
  return String(value);
}
