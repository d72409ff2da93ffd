/** What the sources of an agent have of a device: its maker and its model, as they are. */
import type { Rule } from '../rule.ts';

export const SOURCE_RULES: readonly Rule[] = [
  { source: 'source-maker', pattern: /.+/, vendor: '$&' },
  { source: 'source-model', pattern: /.+/, model: '$&' },
];
