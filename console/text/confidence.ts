/** How sure a judgement is, in words: a percentage would claim to be measured. */
export function confidenceText(confidence: number): string {
  if (confidence >= 0.95) return 'certain';
  if (confidence >= 0.8) return 'very likely';
  return 'likely';
}
