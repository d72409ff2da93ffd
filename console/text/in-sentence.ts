import { spoken } from './language.ts';

/** Languages whose nouns keep their capital within a sentence. */
const CAPITAL_NOUNS: readonly string[] = ['de'];

/** A label within a sentence: `name`, but `IP address`. */
export function inSentence(label: string): string {
  if (CAPITAL_NOUNS.includes(spoken)) return label;
  return label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
