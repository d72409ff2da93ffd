/** What recorded devices say of themselves, and what they are: see the heads of the files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Observation, ObservationSource } from '../../shared/agent/observations.ts';
import { Kind } from '../../shared/recognition/kinds.ts';

export interface Recorded {
  /** By which document or report the labels hold. */
  fact: string;
  observations: Observation[];
  random: boolean;
  mac?: string;
  /** Null where what it says does not tell. */
  kind: Kind | null;
  vendor?: string;
  model?: string;
  name?: string;
}

/** A device is a fact, its observations (source, blank, text), and after `=` what it is. `#` begins a comment. */
export function recordedDevices(file: string): Recorded[] {
  const text = readFileSync(join(import.meta.dirname, '../fixtures/observations', `${file}.txt`), 'utf8');
  return text
    .replaceAll(/^#.*\n/gm, '')
    .split(/\n(?=\S)/)
    .map((device) => {
      const [fact = '', ...lines] = device.trimEnd().split('\n  ');
      const [kind = '', ...labels] = lines.pop()?.replace('= ', '').split(' | ') ?? [];
      return {
        ...Object.fromEntries(labels.map(wordAndRest)),
        random: labels.includes('random'),
        fact,
        observations: lines.map((line) => {
          const [source, value] = wordAndRest(line);
          return { source: ObservationSource.parse(source), value, at: 1_767_225_600_000 };
        }),
        kind: kind === 'unknown' ? null : Kind.parse(kind),
      };
    });
}

function wordAndRest(line: string): [word: string, rest: string] {
  const [word = '', ...rest] = line.split(' ');
  return [word, rest.join(' ')];
}
