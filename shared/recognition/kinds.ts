/** The kinds of devices that recognition distinguishes. */
import * as z from 'zod';
import { KIND_IDS, KINDS } from './kind-table.ts';

export { KINDS, kindOfType } from './kind-table.ts';

export const Kind = z.enum(KIND_IDS);
export type Kind = z.infer<typeof Kind>;

/** The icon of a kind in the format of NetAlertX's devIcon: HTML in base64. Empty without a kind. */
export function iconOf(kind: Kind | null): string {
  return kind === null ? '' : btoa(`<i class="fa fa-${KINDS[kind].icon}"></i>`);
}
