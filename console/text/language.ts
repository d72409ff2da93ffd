/** The language of the page, chosen before the first paint (`shell/first-paint.js`), so a change reloads the page. */
import { makeKeptStore } from '../ui/store.ts';

/** In the order of the choice. A test compares them with the files of `messages/`. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** Tests of texts run without a page, in English. */
const ofPage = globalThis.document?.documentElement.lang ?? '';
export const spoken: Language = Object.hasOwn(LANGUAGES, ofPage) ? (ofPage as Language) : 'en';

/** @param language null for the first of the browser's languages with texts */
export function chooseLanguage(language: Language | null): void {
  makeKeptStore('lanreach.language').set(language);
  window.location.reload();
}
