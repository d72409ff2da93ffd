/** Every kind of source. */
import type { SourceKind } from './source.ts';

export const SOURCE_KINDS: readonly SourceKind[] = [];
