/** A confidence in words: a percentage would look measured. */
import words from 'messages:confidence';

export function confidenceText(confidence: number): string {
  if (confidence >= 0.95) return words.certain;
  if (confidence >= 0.8) return words.veryLikely;
  return words.likely;
}
