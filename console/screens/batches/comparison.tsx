/** Compares the results of the sites: differences, figures and failures. */
import texts from 'messages:batches';
import { useState } from 'react';
import type { Batch } from '../../../shared/api/batches.ts';
import type { AnswerOf } from '../../api/client.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { measuredText, numberText } from '../../text/format.ts';
import { Chip } from '../../ui/chip.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './batches.module.css';
import { whyText } from './site-state.tsx';

const GROUPS = `${styles.groups} grid [&_li:first-child]:pt-0 [&_li:last-child]:pb-0 [&_li:last-child]:border-b-0`;

type Compared = AnswerOf<'GET /batches/{id}/comparison'>;
type NameOf = (site: string) => string;

const NUMBERS: Readonly<Record<string, string>> = texts.numbersOf;

/** Sites in a line; the others on demand. */
const NAMED = 6;

export function Comparison({ batch: { id, endedAt, counts }, nameOf }: { batch: Batch; nameOf: NameOf }) {
  const when = counts.succeeded + counts.failed + counts.skipped > 1;
  const isOver = endedAt !== null;
  const { data, error } = useAnswer(
    'GET /batches/{id}/comparison',
    { params: { id }, ...(isOver ? { query: { limit: 500 } } : {}) },
    { everyMs: isOver ? 0 : POLL_MS.lively, when },
  );
  if (error !== null && data === undefined) return <ProblemBox error={error} />;
  if (data === undefined || (data.compared === 0 && data.failures.length === 0)) return null;
  // The figure of a single site stands in its line.
  const measured = data.numbers.filter(({ count }) => count > 1);
  return (
    <section aria-label={texts.comparison} className="grid gap-2">
      <h2>{texts.comparison}</h2>
      <div className="card grid gap-4 p-4">
        <Answers compared={data} nameOf={nameOf} />
        {data.differing.length === 0 ? null : <Differing compared={data} nameOf={nameOf} />}
        {measured.length === 0 ? null : <Numbers numbers={measured} nameOf={nameOf} />}
        {data.failures.length === 0 ? null : <Failures compared={data} nameOf={nameOf} />}
      </div>
    </section>
  );
}

function Answers({ compared: { groups, moreGroups }, nameOf }: { compared: Compared; nameOf: NameOf }) {
  const [first] = groups;
  if (first === undefined) return null;
  const isSame = groups.length === 1;
  return (
    <div className="grid gap-2">
      <h3>{isSame ? texts.same({ count: first.count }) : texts.differ({ answers: groups.length + moreGroups })}</h3>
      <ul className={GROUPS}>
        {groups.map((group, i) => (
          <li key={group.parts.join('\n')} data-odd={i > 0 || undefined}>
            <span className="flex flex-wrap gap-y-0.5 gap-x-3 content-start">
              {group.parts.length === 0 ? <span className="text-muted">{texts.noParts}</span> : null}
              {group.parts.map((part) => (
                <code key={part} data-foreign>
                  {part}
                </code>
              ))}
            </span>
            {isSame ? null : (
              <span className="[&_strong]:font-[550]">
                <strong>{texts.sitesOf({ count: group.count })}</strong> <Named {...group} nameOf={nameOf} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {moreGroups === 0 ? null : <p className="text-muted">{texts.moreAnswers({ count: moreGroups })}</p>}
    </div>
  );
}

function Differing({ compared: { differing, compared }, nameOf }: { compared: Compared; nameOf: NameOf }) {
  const columns: Column<Compared['differing'][number]>[] = [
    { heading: texts.part, cell: ({ part }) => <code data-foreign>{part}</code> },
    { heading: texts.has, cell: ({ count, sites }) => <Side count={count} sites={sites} nameOf={nameOf} /> },
    {
      heading: texts.lacks,
      cell: ({ count, missing }) => <Side count={compared - count} sites={missing} nameOf={nameOf} />,
    },
  ];
  return (
    <details className={styles.fold}>
      <summary>{texts.differing}</summary>
      <Table label={texts.differing} columns={columns} rows={differing} keyOf={({ part }) => part} />
    </details>
  );
}

function Numbers({ numbers, nameOf }: { numbers: Compared['numbers']; nameOf: NameOf }) {
  const at = (value: number, site: string) => (
    <>
      {measuredText(value)}{' '}
      <span className="text-muted" data-foreign>
        {nameOf(site)}
      </span>
    </>
  );
  const columns: Column<Compared['numbers'][number]>[] = [
    { heading: texts.number, cell: ({ name }) => NUMBERS[name] ?? name },
    { heading: texts.lowest, cell: ({ min, lowest }) => at(min, lowest) },
    { heading: texts.median, cell: ({ median }) => measuredText(median) },
    { heading: texts.highest, cell: ({ max, highest }) => at(max, highest) },
  ];
  return (
    <div className="grid gap-2">
      <h3>{texts.numbers}</h3>
      <Table label={texts.numbers} columns={columns} rows={numbers} keyOf={({ name }) => name} />
    </div>
  );
}

function Failures({ compared: { failures }, nameOf }: { compared: Compared; nameOf: NameOf }) {
  return (
    <div className="grid gap-2">
      <h3>{texts.failures}</h3>
      <ul className={GROUPS}>
        {failures.map(({ reason, message, count, sites }) => (
          <li key={`${reason} ${message}`}>
            <span data-foreign>{whyText(reason, message)}</span>
            <span className="[&_strong]:font-[550]">
              <strong>{texts.sitesOf({ count })}</strong> <Named count={count} sites={sites} nameOf={nameOf} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Side({ count, sites, nameOf }: { count: number; sites: readonly string[]; nameOf: NameOf }) {
  return (
    <span>
      {numberText(count)} <Named count={count} sites={sites} nameOf={nameOf} />
    </span>
  );
}

function Named({ count, sites, nameOf }: { count: number; sites: readonly string[]; nameOf: NameOf }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? sites : sites.slice(0, NAMED);
  const left = count - shown.length;
  return (
    <span className="inline-flex flex-wrap items-center gap-1 min-w-0">
      {shown.map((site) => (
        <Chip key={site}>{nameOf(site)}</Chip>
      ))}
      {left === 0 ? null : sites.length > shown.length ? (
        <button
          type="button"
          className="min-h-6 px-1 py-0 border-0 bg-transparent text-accent text-xs underline cursor-pointer"
          onClick={() => setOpen(true)}
        >
          {texts.more({ count: left })}
        </button>
      ) : (
        <span className="text-muted">{texts.more({ count: left })}</span>
      )}
    </span>
  );
}
