/** Reads the text format of Prometheus (version 0.0.4), and accepts nothing that its documentation does not allow. */

export interface ParsedSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface ParsedFamily {
  type: string;
  help: string;
  samples: ParsedSample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/s;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/;
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[+-]Inf|NaN)$/i;
const SUFFIXES = { histogram: ['_bucket', '_sum', '_count'], counter: [''], gauge: [''] } as Record<string, string[]>;

/**
 * @returns the families by name
 * @throws {Error} for text that is not in the format: also for samples without HELP and TYPE, samples of one family that
 *   do not stand together, a series that occurs twice, and histograms whose buckets do not add up
 */
export function parsePrometheusText(text: string): Map<string, ParsedFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, ParsedFamily>();
  const series = new Set<string>();
  let helped: string | null = null;
  let current: { name: string; family: ParsedFamily } | null = null;
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/s.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (!NAME.test(name) || families.has(name)) throw new Error(`an invalid or repeated family: ${line}`);
      if (/\\(?![\\n])/.test(rest.replaceAll('\\\\', ''))) throw new Error(`an unknown escape: ${line}`);
      current = { name, family: { type: '', help: rest, samples: [] } };
      families.set(name, current.family);
      helped = name;
    } else if (keyword === 'TYPE') {
      if (helped !== name || current === null) throw new Error(`TYPE does not follow HELP: ${line}`);
      if (!(rest in SUFFIXES)) throw new Error(`an unknown type: ${line}`);
      current.family.type = rest;
      helped = null;
    } else {
      const sample = parseSample(line);
      const ofFamily = SUFFIXES[current?.family.type ?? '']?.map((suffix) => `${current?.name}${suffix}`) ?? [];
      if (!ofFamily.includes(sample.name)) throw new Error(`a sample outside of its family: ${line}`);
      const id = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      if (series.has(id)) throw new Error(`a series that occurs twice: ${line}`);
      series.add(id);
      current?.family.samples.push(sample);
    }
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkHistogram(name, family);
  return families;
}

function parseSample(line: string): ParsedSample {
  const [, name = '', inner, value = ''] = SAMPLE.exec(line) ?? [];
  if (name === '' || !NUMBER.test(value)) throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  for (let rest = inner ?? ''; rest !== ''; ) {
    const [all = '', label = '', escaped = ''] = LABEL.exec(rest) ?? [];
    if (all === '' || Object.hasOwn(labels, label)) throw new Error(`invalid labels: ${line}`);
    labels[label] = escaped.replace(/\\([\\"n])/g, (_, one: string) => (one === 'n' ? '\n' : one));
    rest = rest.slice(all.length);
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

function checkHistogram(name: string, { samples }: ParsedFamily): void {
  const seriesOf = new Map<string, { buckets: [number, number][]; count?: number; sum?: number }>();
  for (const { name: full, labels, value } of samples) {
    const { le, ...others } = labels;
    const key = JSON.stringify(others);
    const series = seriesOf.get(key) ?? { buckets: [] };
    seriesOf.set(key, series);
    if (full === `${name}_bucket`) series.buckets.push([le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), value]);
    else if (full === `${name}_count`) series.count = value;
    else series.sum = value;
  }
  for (const [key, { buckets, count, sum }] of seriesOf) {
    const grows = buckets.every(([le, value], i) => {
      const [before, fewer] = buckets[i - 1] ?? [Number.NEGATIVE_INFINITY, 0];
      return le > before && value >= fewer;
    });
    const last = buckets.at(-1);
    if (!grows || last?.[0] !== Number.POSITIVE_INFINITY || last[1] !== count || sum === undefined) {
      throw new Error(`a histogram that does not add up: ${name} ${key}`);
    }
  }
}

/** The value of one series; undefined when there is none. */
export function sampleValue(
  families: Map<string, ParsedFamily>,
  family: string,
  labels: Record<string, string> = {},
  suffix = '',
): number | undefined {
  return families
    .get(family)
    ?.samples.find(
      (sample) =>
        sample.name === `${family}${suffix}` &&
        Object.entries(labels).every(([name, value]) => sample.labels[name] === value),
    )?.value;
}
