/**
 * The codes of the API as sentences in the language of the page. The API's English sentence replaces a code that is missing
 * (an older agent) or unknown (a newer service).
 */
import ofPage from 'messages:said';
import type { ChangeSentence, SentencePart, SummaryPart } from '../../shared/api/changes.ts';
import { addressChain, changeText, editText, quoted } from '../../shared/change-text.ts';
import {
  isObserved,
  lengthText,
  macsOf,
  numberOf,
  type Observed,
  type ObservedType,
  observedText,
  portText,
  textOf,
} from '../../shared/event-text.ts';
import { textOfCode } from '../../shared/reason-text.ts';
import type { Reason } from '../../shared/reasons.ts';
import type { AnswerOf } from '../api/client.ts';
import { fieldName } from './device-fields.ts';

export function saidIn(texts: typeof ofPage) {
  const listed = (all: readonly string[], more: number) => texts.listed({ names: all.join(', '), more });
  const portOf = (detail: Observed['detail']) => portText(detail, texts.portAt);

  function reason(of: Reason): string | null {
    const values: Readonly<Record<string, string | number | undefined>> = 'values' in of ? of.values : {};
    const { port, complaint, end, same, sites } = values;
    const text = textOfCode(texts.reasons, { code: of.code, values: { ...values, isAll: same === sites } });
    if (of.code === 'pings-unanswered')
      return [text, complaint, end && texts.pathEnds({ end })].filter(Boolean).join('; ');
    return text === null || port === undefined || of.code === 'port-silent' ? text : texts.atPort({ port, text });
  }

  function predicate(type: ObservedType, event: Observed): string {
    const numbers = ['count', 'days', 'downMbps', 'usualMbps', 'back', 'still', 'seconds', 'more'] as const;
    const counts = Object.fromEntries(numbers.map((name) => [name, Math.max(0, numberOf(event, name))]));
    const { count, seconds = 0, more = 0 } = counts;
    const why = (event.reasonCode && reason(event.reasonCode)) ?? (textOf(event, 'reason') || textOf(event, 'why'));
    const values = {
      ...event.detail,
      ...counts,
      count: count || (event.count ?? 0),
      from: textOf(event, 'from') || texts.unknown,
      macs: macsOf(event, texts.macsAnd, texts.macsMore),
      port: more > 0 ? texts.morePorts({ count: more }) : texts.port({ port: portOf(event.detail) }),
      after: seconds === 0 ? '' : texts.after({ length: lengthText(seconds) }),
      because: why === '' ? '' : type === 'internet-back' ? ` (${why})` : `: ${why}`,
      inTurns: event.detail?.why !== undefined,
    };
    return textOfCode(texts.observed, { code: type, values }) ?? type;
  }

  /** A part of a sentence about a device. */
  function part(of: SentencePart): string | null {
    const { parts } = texts;
    switch (of.code) {
      case 'happened': {
        const { type, times, again, ...event } = of.values;
        const did = isObserved(type) ? predicate(type, event) : textOfCode(texts.happened, { code: type });
        return (again ? texts.again({ type }) : (did ?? type)) + texts.often({ times });
      }
      case 'ports-opened':
      case 'ports-closed': {
        const { ports, more, end } = of.values;
        return parts[of.code]({ count: ports.length, names: listed(ports.map(portOf), more), end });
      }
      case 'address':
      case 'public-address':
        return parts[of.code]({ names: addressChain(of.values.chain, texts.none) });
      case 'named':
        return parts.named({ names: quoted(of.values.name) });
      case 'renamed': {
        const names = of.values.chain.map((name) => (name === '' ? texts.noName : quoted(name)));
        return parts.renamed({ names: names.join(' → ') });
      }
      case 'edited': {
        const edits = of.values.fields.map((one) => `${fieldName(one.field)} ${editText(one, texts.edit)}`);
        return parts.edited({ names: edits.length === 0 ? texts.otherColumns : listed(edits, of.values.more) });
      }
      case 'many': {
        const { type } = of.values;
        return parts.many({ ...of.values, did: textOfCode(texts.happenedToMany, { code: type }) ?? type });
      }
      case 'conflict':
      case 'conflict-over':
        return textOfCode(parts, of);
      default: {
        const was = textOfCode(texts.lasting, of);
        return was && texts.lasted({ was, times: of.values.times, length: lengthText(of.values.seconds) });
      }
    }
  }

  function summary(all: readonly SummaryPart[]): string | null {
    const said = all.map(({ code, values: { count, seconds = 0 } }) => {
      const text = textOfCode(texts.counted, { code, values: { count } });
      const total = seconds === 0 ? '' : texts.total({ length: lengthText(seconds), isOne: count === 1 });
      return text === null ? null : text + total;
    });
    return said.includes(null) ? null : `${said.length === 0 ? texts.nothing : said.join(', ')}.`;
  }

  return {
    reasonText: (text: string | null, code: Reason | undefined) => (code && reason(code)) ?? text,
    /** @param name of the device, if any; empty where the name precedes the sentence */
    observedSentence: (type: ObservedType, event: Observed, name: string | null) =>
      observedText(type, event, name, predicate(type, event), texts.agent),
    /** A sentence about a device, such as "was offline for 3 min; is down again". */
    sentenceText: (sentence: ChangeSentence) => changeText(sentence, part) ?? sentence.text,
    summarySentence: ({ summary: text, summaryCodes }: Pick<AnswerOf<'GET /changes'>, 'summary' | 'summaryCodes'>) =>
      (summaryCodes && summary(summaryCodes)) ?? text,
  };
}

export const { reasonText, observedSentence, sentenceText, summarySentence } = saidIn(ofPage);
