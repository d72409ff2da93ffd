/** Suggestions for the fields of a device. */
import type { Facet } from '../../shared/api/device-list.ts';
import { KIND_IDS, KINDS } from '../../shared/recognition/kind-table.ts';

const LABELS: readonly string[] = KIND_IDS.map((kind) => KINDS[kind].label);

export function valuesInUse(facet: Facet | undefined): string[] {
  return (facet?.values ?? []).map(({ value }) => value).filter((value) => value !== '');
}

/** The known kinds, which have an icon, and the custom types of the site. */
export function proposedTypes(facet: Facet | undefined): string[] {
  const known = new Set(LABELS.map((label) => label.toLowerCase()));
  return [...LABELS, ...valuesInUse(facet).filter((type) => !known.has(type.toLowerCase()))].toSorted((a, b) =>
    a.localeCompare(b),
  );
}
