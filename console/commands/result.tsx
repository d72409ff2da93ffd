/** The parsed result of a command: by the table that its tool declares, otherwise by the shape of the result. */
import { Fragment, useMemo, useState } from 'react';
import type { Job } from '../../shared/api/jobs.ts';
import { TOOL } from '../../shared/tools/list.ts';
import { clockText, numberText } from '../text/format.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton, DownloadButton } from '../ui/copy-button.tsx';
import { Table } from '../ui/table.tsx';
import styles from './command-view.module.css';
import { fileNameOf, requestText } from './job-texts.ts';
import { type Block, blocksOf, declaredTable, type Lines } from './result-blocks.ts';
import { commandTexts } from './texts.ts';

const ROWS_AT_ONCE = 200;

export default function Result({ job }: { job: Job }) {
  const json = useMemo(() => JSON.stringify(job.result, null, 2), [job.result]);
  const blocks = useMemo(() => resultBlocks(job), [job]);
  // Tells the tables of two runs of the same command apart.
  const name = `${job.tool} ${requestText(job)}, ${clockText(new Date(job.createdAt))}`;
  return (
    <div className={styles.part}>
      <div className={styles.partHead}>
        <span className={styles.partTitle}>{commandTexts.result}</span>
        <CopyButton label={commandTexts.copyResult} text={json} />
        <DownloadButton
          label={commandTexts.downloadResult}
          fileName={`${fileNameOf(job)}.json`}
          type="application/json"
          text={json}
        />
      </div>
      {blocks.map((block, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of one result never change their order
        <BlockView key={i} block={block} of={name} />
      ))}
    </div>
  );
}

function resultBlocks(job: Job): Block[] {
  const tool = TOOL[job.tool];
  const command = tool.command.safeParse(job.request);
  const answer =
    tool.cli.table === undefined || !command.success
      ? null
      : tool.toAnswer({ output: job.output ?? '', result: job.result }, command.data);
  if (tool.cli.table !== undefined && answer !== null) return [declaredTable(tool.cli.table(answer))];
  return blocksOf(job.result, commandTexts.words);
}

/** @param of what the result is of, for the name of the table */
function BlockView({ block, of }: { block: Block; of: string }) {
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  if (block.kind === 'facts') {
    return (
      <dl className={styles.facts}>
        {block.facts.map(({ name, lines }) => (
          <Fact key={name} name={name} lines={lines} />
        ))}
      </dl>
    );
  }
  if (block.kind === 'ports') {
    return (
      <details>
        <summary>{commandTexts.portsTried(block.count)}</summary>
        <p className={styles.folded} data-foreign>
          <Breakable text={block.text} />
        </p>
      </details>
    );
  }
  const { title, headings, rows } = block;
  return (
    <>
      {title === null ? null : <div className={styles.tableTitle}>{title}</div>}
      <Table
        label={commandTexts.resultOf(title ?? commandTexts.result, of)}
        columns={headings.map((heading, i) => ({
          heading,
          cell: ({ cells }: { cells: Lines[] }) => <Cell lines={cells[i] ?? []} />,
        }))}
        rows={rows.slice(0, shown).map((cells, i) => ({ key: String(i), cells }))}
        keyOf={({ key }) => key}
      />
      {rows.length > shown ? (
        <Button onClick={() => setShown(shown + ROWS_AT_ONCE)}>
          {commandTexts.moreRows(numberText(rows.length - shown))}
        </Button>
      ) : null}
    </>
  );
}

function Fact({ name, lines }: { name: string; lines: Lines }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Cell lines={lines} />
      </dd>
    </>
  );
}

function Cell({ lines }: { lines: Lines }) {
  if (lines.length === 0) return commandTexts.nothing;
  return lines.map((line, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be the same, and their order never changes
    <div key={i} data-foreign>
      <Breakable text={line} />
    </div>
  ));
}

/** A list without blanks, such as one of ports, breaks behind its commas. */
function Breakable({ text }: { text: string }) {
  return text.split(/(?<=,)/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change their order
    <Fragment key={i}>
      {i === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ));
}
