/** How sure a judgement is, in words: a percentage would claim to be measured. */
import { inLanguage } from './language.ts';

const words = inLanguage(
  { certain: 'certain', veryLikely: 'very likely', likely: 'likely' },
  { certain: 'sicher', veryLikely: 'sehr wahrscheinlich', likely: 'wahrscheinlich' },
);

export function confidenceText(confidence: number): string {
  if (confidence >= 0.95) return words.certain;
  if (confidence >= 0.8) return words.veryLikely;
  return words.likely;
}
