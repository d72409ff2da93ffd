/** What the command line says of batches. */
import type { Batch, BatchSite } from '../../shared/api/batches.ts';
import type { Comparison } from '../../shared/comparison.ts';
import type { ResultSummary } from '../../shared/tools/summary.ts';
import { type Cell, muted, type Text, table, time } from '../client/text.ts';
import { withReason, wordsOf } from './run-text.ts';

/** Failures come first. */
const ORDER: readonly BatchSite['state'][] = [
  ...(['lost', 'failed', 'expired', 'interrupted', 'cancelled', 'skipped'] as const),
  ...(['waiting', 'queued', 'accepted', 'running', 'succeeded'] as const),
];

export function sitesText(results: readonly BatchSite[]): Text {
  const ordered = [...results].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  return table(['SITE', 'RESULT', 'ANSWER', 'TOOK', 'AGENT', 'RUN'], ordered.map(row), 2);
}

function row({ site, state: known, reason, message, summary, startedAt, endedAt, agent, job }: BatchSite): Cell[] {
  const took =
    startedAt === null || endedAt === null ? '' : `${(Date.parse(endedAt) - Date.parse(startedAt)) / 1_000} s`;
  return [site, withReason(known, reason), message ?? summaryText(summary), took, agent ?? '', muted(job ?? '')];
}

/** A summary in a few words. */
function summaryText(summary: ResultSummary | null): string {
  const { answers, answerCount = 0, reached, hops, rttMs, downloadMbps, uploadMbps, pingMs, ...counts } = summary ?? {};
  const more = answerCount - (answers?.length ?? 0);
  const parts = [
    ...(answers === undefined ? [] : [answers.length === 0 ? 'nothing' : answers.join(', ')]),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(reached === undefined ? [] : [`${reached ? 'reached' : 'not reached'}, ${hops ?? 0} hops`]),
    ...(reached === true && rttMs !== undefined ? [`${rttMs} ms`] : []),
    ...(downloadMbps === undefined ? [] : [`${downloadMbps} Mbit/s down, ${uploadMbps} up, ${pingMs} ms`]),
    ...Object.entries(counts).map(([name, value]) => `${value} ${WORDS[name] ?? name}`),
  ];
  return parts.join(', ');
}

const WORDS: Readonly<Record<string, string>> = {
  openPorts: 'open ports',
  devices: 'devices online',
  awakeAfterMs: 'ms until awake',
};

/** Such as `done: 198 of 200 succeeded, 2 failed`. */
export function standText({ state: known, reason, total, counts }: Batch): string {
  const { succeeded, ...others } = counts;
  const rest = Object.entries(others).filter(([, count]) => count > 0);
  const parts = [`${succeeded} of ${total} succeeded`, ...rest.map(([name, count]) => `${count} ${name}`)];
  return `${known}${reason === null ? '' : ` (${reason})`}: ${parts.join(', ')}`;
}

export function comparisonText({ groups, moreGroups, differing, numbers, failures }: Comparison): Text {
  const some = ({ count, sites }: { count: number; sites: readonly string[] }) =>
    `${sites.join(', ')}${count > sites.length ? `, and ${count - sites.length} more` : ''}`;
  const parts: Text[] = [];
  if (groups.length > 0) {
    const rows = groups.map((group) => [group.parts.join(', ') || 'nothing', group.count, some(group)]);
    parts.push(table(['ANSWER', 'SITES', 'WHICH'], rows));
  }
  if (moreGroups > 0) parts.push(`… and ${moreGroups} other answers\n`);
  // Where each answer is one thing, the groups have said it.
  if (groups.some((group) => group.parts.length > 1) && differing.length > 0) {
    const rows = differing.map((one) => [one.part, one.count, some(one), one.missing.join(', ')]);
    parts.push('\n', table(['DIFFERS', 'SITES', 'HAVE IT', 'LACK IT'], rows));
  }
  if (numbers.length > 0) {
    const rows = numbers.map(({ name, min, median, max, lowest, highest, count }) => {
      return [name, min, median, max, `${lowest} … ${highest}`, count];
    });
    parts.push('\n', table(['MEASURED', 'MIN', 'MEDIAN', 'MAX', 'AT', 'SITES'], rows));
  }
  if (failures.length > 0) {
    const rows = failures.map((one) => [one.reason, one.count, one.message ?? '', some(one)]);
    parts.push('\n', table(['NO RESULT', 'SITES', 'WHY', 'WHICH'], rows));
  }
  return parts.length === 0 ? 'Nothing to compare.\n' : parts;
}

export function batchRow({ id, tool, request, sites, total, counts, createdAt, state: known, reason }: Batch): Cell[] {
  const where = sites === '*' ? 'all' : sites.join(', ');
  const stands = [withReason(known, reason), `${counts.succeeded}/${total}`];
  return [wordsOf({ tool, request }), ...stands, where, time(createdAt), muted(id)];
}
