/** How sure a judgement is, in words: a percentage would claim to be measured. */
import words from 'messages:confidence';

export function confidenceText(confidence: number): string {
  if (confidence >= 0.95) return words.certain;
  if (confidence >= 0.8) return words.veryLikely;
  return words.likely;
}
