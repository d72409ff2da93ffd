/** Functions that compiled messages call, and the messages of the page's language in a build. */
import { spoken } from './language.ts';

/**
 * The viewer's locale for the language of the texts: a screen reader would misread `in 2 days` beside a German date
 * (WCAG 3.1.2). The default is the least surprising: the day before the month, 24 hours.
 */
export const language =
  globalThis.navigator?.languages?.find((one) => new Intl.Locale(one).language === spoken) ??
  (spoken === 'en' ? 'en-GB' : spoken);

const numbers = new Intl.NumberFormat(language);
const rules = new Intl.PluralRules(language);

export function numberText(value: number): string {
  return numbers.format(value);
}

/** The plural category, such as `one`. */
export function pluralRule(count: number): Intl.LDMLPluralRule {
  return rules.select(count);
}

/** Texts by section. */
export const kept: Record<string, unknown> = {};

export function keep(sections: Record<string, unknown>): void {
  Object.assign(kept, sections);
}
