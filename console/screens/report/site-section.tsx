/** The report of one site, in the words of e-mails and of the command line. */
import type { SiteReport } from '../../../shared/api/reports.ts';
import { type ReportSection, reportSections, reportWords } from '../../../shared/report-text.ts';
import { spoken } from '../../text/language.ts';
import { reasonText, summarySentence } from '../../text/said-texts.ts';
import { Table } from '../../ui/table.tsx';

/** Of a list in the report; the answer has no more. */
const ALL_ROWS = 200;
const words = reportWords(spoken);

/** @param period its days; on paper each site stands alone */
export function SiteSection({ report, period }: { report: SiteReport; period: string }) {
  const { site, name, devices, isPartial } = report;
  const sections = reportSections(report, spoken, {
    most: ALL_ROWS,
    reasonOf: ({ why, reasonCode }) => reasonText(why, reasonCode),
  });
  return (
    <section
      className="grid gap-4 min-w-0 print:break-after-page print:last:break-after-auto"
      aria-labelledby={`report-${site}`}
    >
      <header className="grid gap-1">
        <h2 id={`report-${site}`} className="text-lg wrap-anywhere" data-foreign>
          {name}
        </h2>
        <p>
          {period} · {words.devices(devices)} · {summarySentence(report)}
        </p>
      </header>
      {isPartial ? <p className="note">{words.partial}</p> : null}
      {sections.map((section) => (
        <Part key={section.title} site={site} {...section} />
      ))}
    </section>
  );
}

function Part({ site, title, headings, rows, note }: ReportSection & { site: string }) {
  const columns = headings.map((heading, i) => ({
    heading,
    cell: ({ cells }: { cells: readonly string[] }) => (
      <span className="wrap-anywhere" data-foreign>
        {cells[i] || '–'}
      </span>
    ),
  }));
  return (
    <div className="grid gap-2 min-w-0">
      <h3 className="text-md">{title}</h3>
      {rows.length === 0 ? null : (
        <Table
          // Of several sites on one page.
          label={`${title}, ${site}`}
          columns={columns}
          rows={rows.map((cells, place) => ({ cells, place }))}
          keyOf={({ place }) => String(place)}
        />
      )}
      {note === null ? null : <p className="text-muted">{note}</p>}
    </div>
  );
}
