/**
 * The codes of the API as sentences in the language of the page. The API's English sentence replaces a code that is missing
 * (an older agent) or unknown (a newer service).
 */
import type { ChangeSentence } from '../../shared/api/changes.ts';
import { changeText, ENGLISH_CHANGES, summaryText } from '../../shared/change-text.ts';
import { ENGLISH_OBSERVED, type Observed, type ObservedType, observedText } from '../../shared/event-text.ts';
import { ENGLISH_REASONS, textOfCode } from '../../shared/reason-text.ts';
import type { Reason } from '../../shared/reasons.ts';
import type { AnswerOf } from '../api/client.ts';
import { inLanguage } from './language.ts';
import { german } from './said-texts.de.ts';

export const saidTexts = inLanguage(
  { reasons: ENGLISH_REASONS, observed: ENGLISH_OBSERVED, changes: ENGLISH_CHANGES },
  german,
);
const { reasons, observed, changes } = saidTexts;

export function reasonText(reason: string | null, code: Reason | undefined): string | null {
  return (code && textOfCode(reasons, code)) ?? reason;
}

/** @param name of the device, if any; empty where the name precedes the sentence */
export function observedSentence(type: ObservedType, event: Observed, name: string | null): string {
  return observedText(type, event, name, observed);
}

/** A sentence about a device, such as "was offline for 3 min; is down again". */
export function sentenceText(sentence: ChangeSentence): string {
  return changeText(sentence, changes) ?? sentence.text;
}

export function summarySentence({ summary, summaryCodes }: Pick<AnswerOf<'GET /changes'>, 'summary' | 'summaryCodes'>) {
  return summaryText(summaryCodes, changes) ?? summary;
}
