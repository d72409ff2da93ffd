/** What compiled messages call, and where a build keeps those of the page's language. */
import { spoken } from './language.ts';

/**
 * The first of the viewer's languages that the texts are in: `in 2 days` beside a German date would be read out wrongly
 * (WCAG 3.1.2). A viewer without any of them gets the form with the fewest surprises: the day before the month, 24 hours.
 */
export const language =
  globalThis.navigator?.languages?.find((one) => new Intl.Locale(one).language === spoken) ??
  (spoken === 'en' ? 'en-GB' : spoken);

const numbers = new Intl.NumberFormat(language);
const rules = new Intl.PluralRules(language);

export function numberText(value: number): string {
  return numbers.format(value);
}

/** The form that the language has for so many, such as `one`. */
export function pluralRule(count: number): Intl.LDMLPluralRule {
  return rules.select(count);
}

type Sections = Record<string, unknown>;

/** By the names of their sections. */
export const kept: Sections = {};

export function keep(sections: Sections): void {
  Object.assign(kept, sections);
}
