import { spoken } from './language.ts';

/** A label within a sentence: `name`, but `IP address`. German nouns keep their capital. */
export function inSentence(label: string): string {
  if (spoken === 'de') return label;
  return label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
