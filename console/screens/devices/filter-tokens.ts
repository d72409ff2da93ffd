/** The filters of a view as tokens, and the proposals of the filter field for the typed text. */
import texts from 'messages:devices';
import type { Facets } from '../../../shared/api/device-list.ts';
import type { CategoryCounts } from '../../../shared/device.ts';
import { numberText } from '../../text/format.ts';
import type { Suggestion } from '../../ui/combobox.tsx';
import { type DeviceView, NO_FILTER, parsePort, TABS } from './view.ts';

const NAMES = ['status', 'type', 'group', 'vendor', 'watch', 'port'] as const;
type Name = (typeof NAMES)[number];

interface Token {
  name: Name;
  /** Such as `Camera`. */
  value: string;
  /** The view without it. */
  without: Partial<DeviceView>;
}

export interface Proposal extends Suggestion {
  /** The change of the view when it is taken; a text is put into the field instead. */
  becomes: Partial<DeviceView> | string;
}

/** More would be slow to read. */
const MAX_VALUES = 12;
const MAX_OF_EACH = 4;

export function tokensOf(view: DeviceView): Token[] {
  return NAMES.flatMap((name) => {
    const value = view[name];
    if (value === NO_FILTER[name]) return [];
    return [{ name, value: shownValue(name, String(value)), without: { [name]: NO_FILTER[name] } }];
  });
}

/** Parses `type:cam`, in English or the language of the page. */
function parse(typed: string): { name: Name; rest: string } | null {
  const [, word = '', rest = ''] = /^\s*([^\s:]+)\s*:\s*(.*)$/s.exec(typed) ?? [];
  const name = NAMES.find((one) => [one, fold(texts.filterNames[one])].includes(fold(word)));
  return name === undefined ? null : { name, rest: rest.trim() };
}

/** Whether the typed text starts with the name of a filter. */
export function isNamed(typed: string): boolean {
  return parse(typed) !== null;
}

/** @param facets the values in use; undefined while they are loading */
export function proposalsFor(typed: string, facets: Facets | undefined, counts: CategoryCounts | null): Proposal[] {
  const named = parse(typed);
  if (named !== null) return valuesOf(named.name, named.rest, facets, counts).slice(0, MAX_VALUES);
  const wanted = fold(typed.trim());
  const names = NAMES.filter((name) => fold(texts.filterNames[name]).startsWith(wanted)).map(
    (name): Proposal => ({
      value: `${name}:`,
      label: `${texts.filterNames[name]}:`,
      about: texts.filterHints[name],
      becomes: `${fold(texts.filterNames[name])}:`,
    }),
  );
  if (wanted === '') return names;
  const values = (['status', 'type', 'group', 'vendor'] as const).flatMap((name) =>
    valuesOf(name, wanted, facets, counts).slice(0, MAX_OF_EACH),
  );
  return [...names, ...values];
}

function valuesOf(name: Name, typed: string, facets: Facets | undefined, counts: CategoryCounts | null): Proposal[] {
  const wanted = fold(typed);
  const proposal = (value: string, count: number | null, change: Partial<DeviceView>): Proposal => ({
    value: `${name}:${value}`,
    label: `${texts.filterNames[name]}: ${shownValue(name, value)}`,
    ...(count === null ? {} : { about: numberText(count) }),
    becomes: { ...change, text: '' },
  });
  const fits = (value: string) => fold(shownValue(name, value)).includes(wanted);
  switch (name) {
    case 'status':
      return TABS.filter((tab) => tab !== NO_FILTER.status && fits(tab)).map((status) =>
        proposal(status, (status === 'deleted' ? null : counts?.[status]) ?? null, { status }),
      );
    case 'watch':
      return (['watched', 'unknown'] as const).filter(fits).map((watch) => proposal(watch, null, { watch }));
    case 'port': {
      const port = parsePort(typed);
      return port === null ? [] : [proposal(String(port), null, { port })];
    }
    default:
      return (facets?.[name].values ?? [])
        .filter(({ value }) => fits(value))
        .map(({ value, count }) => proposal(value, count, { [name]: value }));
  }
}

function shownValue(name: Name, value: string): string {
  if (name === 'status') return texts.tabs[value as keyof typeof texts.tabs];
  if (name === 'watch') return texts.watchValues[value as keyof typeof texts.watchValues];
  return value || texts.without;
}

const fold = (text: string) => text.toLocaleLowerCase();
