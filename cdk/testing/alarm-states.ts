/** Decides as CloudWatch does which alarms are raised by given values of metrics. */
import { ofType, type Resources } from './policy.ts';

/** A value for each period of five minutes; undefined where there is no data. */
export type Values = readonly (number | undefined)[];

/**
 * Values by the names of metrics. After the name may stand a part of a dimension: `Errors Ingest`. All others have no data.
 */
export type Series = Readonly<Record<string, Values>>;

interface MetricIdentity {
  MetricName: string;
  Dimensions?: { Value: string }[];
}

/** An alarm of one metric, or of an expression over several. */
interface AlarmProperties extends MetricIdentity {
  AlarmName: string;
  Threshold: number;
  EvaluationPeriods: number;
  DatapointsToAlarm: number;
  TreatMissingData: string;
  ComparisonOperator: string;
  Metrics?: { Id: string; Expression?: string; MetricStat?: { Metric: MetricIdentity }; ReturnData?: boolean }[];
}

/**
 * @param quota what SERVICE_QUOTA is of every metric
 * @returns the names of the alarms that are raised in any of the periods, without the name of the stack
 */
export function raisedBy(series: Series, resources: Resources, quota = 10): string[] {
  const periods = raisedInTurn(series, resources, quota);
  return [...new Set(periods.flat())].sort();
}

/** @returns the names of the alarms that are raised in each of the periods */
export function raisedInTurn(series: Series, resources: Resources, quota = 10): string[][] {
  const periods = Math.max(...Object.values(series).map(({ length }) => length));
  const states = ofType(resources, 'AWS::CloudWatch::Alarm')
    .map(([, { Properties }]) => Properties as unknown as AlarmProperties)
    .map((alarm) => ({
      name: alarm.AlarmName.replace(/^LanReach-\w+-/, ''),
      raised: whenRaised(alarm, series, periods, quota),
    }));
  return Array.from({ length: periods }, (_, at) =>
    states.flatMap(({ name, raised }) => (raised[at] ? [name] : [])).sort(),
  );
}

function whenRaised(alarm: AlarmProperties, series: Series, periods: number, quota: number): boolean[] {
  if (alarm.TreatMissingData !== 'notBreaching' || alarm.ComparisonOperator !== 'GreaterThanOrEqualToThreshold') {
    throw new Error(`not known here how ${alarm.AlarmName} is evaluated`);
  }
  const isBreaching = Array.from({ length: periods }, (_, at) => {
    const value = evaluate(alarm, series, at, quota);
    return Number.isFinite(value) && value >= alarm.Threshold;
  });
  return isBreaching.map((_, at) => {
    const latest = isBreaching.slice(Math.max(0, at + 1 - alarm.EvaluationPeriods), at + 1);
    return latest.filter(Boolean).length >= alarm.DatapointsToAlarm;
  });
}

/** @returns NaN where there is no value */
function evaluate(alarm: AlarmProperties, series: Series, at: number, quota: number): number {
  const read = (metric: MetricIdentity) => valuesOf(metric, series)[at] ?? Number.NaN;
  if (alarm.Metrics === undefined) return read(alarm);
  const inputs = alarm.Metrics.flatMap(({ Id, MetricStat }) =>
    MetricStat === undefined ? [] : [[Id, read(MetricStat.Metric)] as const],
  );
  const expression = alarm.Metrics.find(({ Expression }) => Expression !== undefined)?.Expression ?? '';
  const functions = {
    FILL: (value: number, filler: number) => (Number.isNaN(value) ? filler : value),
    IF: (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise),
    SERVICE_QUOTA: () => quota,
  };
  const names = { ...functions, ...Object.fromEntries(inputs) };
  // Metric maths has the operators of JavaScript, as far as it is used here.
  return new Function(...Object.keys(names), `return ${expression}`)(...Object.values(names));
}

function valuesOf({ MetricName, Dimensions = [] }: MetricIdentity, series: Series): Values {
  const found = Object.entries(series).find(([key]) => {
    const [name, part = ''] = key.split(' ');
    return name === MetricName && (part === '' || Dimensions.some(({ Value }) => Value.includes(part)));
  });
  return found?.[1] ?? [];
}
