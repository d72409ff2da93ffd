/** Exports of lists that grow with time: the entries of a time span, page by page, as CSV or newline-delimited JSON. */
import type { ExportFormat } from '../../shared/api/export.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import { timeOfUuid } from '../../shared/identity.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import { type CsvCells, csvHeader, csvRows } from './csv-text.ts';
import { invalid } from './errors.ts';
import { HandlerResult } from './handler-result.ts';
import { StreamedFile } from './streamed-file.ts';

/** From `since`, inclusive, to `until`, exclusive; either may be absent. */
interface Span {
  since?: Date | undefined;
  until?: Date | undefined;
}

/** The newest entries first. `next` is the UUIDv7 before which the next page begins; null at the end. */
interface ExportPage<Entry> {
  entries: Entry[];
  unreadable: Unreadable[];
  next: string | null;
}

export interface Exported<Entry> {
  /** Of the file, without its extension. */
  name: string;
  /** @param before a UUIDv7, or the beginning of one; undefined for the newest page */
  read(before: string | undefined): Promise<ExportPage<Entry>>;
  timeOf(entry: Entry): string;
  /** The columns of CSV, besides the `problem` of an unreadable entry. */
  columns: readonly string[];
  cellsOf(entry: Entry): CsvCells;
}

/** Entries in memory at a time. */
export const EXPORT_PAGE = 500;

/** @throws {ServiceError} `validation_failed` when the span ends before it begins */
export function exportOf<Entry>(
  exported: Exported<Entry>,
  { format, bom, ...span }: { format: ExportFormat; bom: boolean } & Span,
): HandlerResult {
  if (span.since !== undefined && span.until !== undefined && span.since > span.until)
    throw invalid('query.until', 'expected a time that is not before since');
  const pieces = () => (format === 'csv' ? csvPieces(exported, span, bom) : ndjsonPieces(exported, span));
  const file = new StreamedFile(pieces, format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson');
  return new HandlerResult(file, {
    headers: { 'Content-Disposition': `attachment; filename=${exported.name}.${format}` },
  });
}

async function* csvPieces<Entry>(exported: Exported<Entry>, span: Span, bom: boolean): AsyncGenerator<string> {
  const columns = [...exported.columns, 'problem'];
  let header = csvHeader(columns, bom);
  for await (const { entries, unreadable } of pagesWithin(exported, span)) {
    yield header + csvRows(columns, [...entries.map(exported.cellsOf), ...unreadable]);
    header = '';
  }
}

async function* ndjsonPieces<Entry>(exported: Exported<Entry>, span: Span): AsyncGenerator<string> {
  for await (const { entries, unreadable } of pagesWithin(exported, span)) {
    // Even if it is empty: the status is sent with the first piece.
    yield [...entries, ...unreadable].map((entry) => `${JSON.stringify(entry)}\n`).join('');
  }
}

async function* pagesWithin<Entry>(
  { read, timeOf }: Exported<Entry>,
  { since, until }: Span,
): AsyncGenerator<Pick<ExportPage<Entry>, 'entries' | 'unreadable'>> {
  const [from, to] = [since?.getTime() ?? 0, until?.getTime() ?? Number.POSITIVE_INFINITY];
  const isWithin = (time: number) => from <= time && time < to;
  let before = until === undefined ? undefined : firstIdAt(until);
  for (;;) {
    const { entries, unreadable, next } = await read(before);
    yield {
      entries: entries.filter((entry) => isWithin(Date.parse(timeOf(entry)))),
      unreadable: unreadable.filter(({ id }) => isWithin(timeOfId(id))),
    };
    // Pages are ordered by ids, and the time of a job is set a moment after its id: a minute is ample.
    if (next === null || timeOfId(next) < from - MINUTE_MS) return;
    before = next;
  }
}

/** Sorts before every UUIDv7 of this time and later: they begin with 48 bits of Unix time (RFC 9562). */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** The time in a UUIDv7. The id of a job has its site in front. */
export const timeOfId = (id: string): number => timeOfUuid(id.slice(id.indexOf('.') + 1));
