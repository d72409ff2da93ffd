/** The text format of Prometheus, version 0.0.4. */

export const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/** All samples of one metric. */
export interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: Sample[];
}

export interface Sample {
  /** Of a histogram: appended to the name of the metric. */
  suffix?: '_bucket' | '_sum' | '_count';
  labels?: Readonly<Record<string, string>>;
  value: number;
}

/** A metric without labels. */
export function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: 'gauge', samples: [{ value }] };
}

export const formatFamilies = (families: readonly Family[]): string => families.map(formatFamily).join('');

function formatFamily({ name, help, type, samples }: Family): string {
  const lines = samples.map(
    ({ suffix = '', labels = {}, value }) => `${name}${suffix}${formatLabels(labels)} ${formatValue(value)}\n`,
  );
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
