/** The time span of a screen's charts, and whether they are tables; both are in its address. */
import texts from 'messages:chart';
import { ChartLine, Table2 } from 'lucide-react';
import { Button } from '../button.tsx';
import { useHashQuery } from '../hash-location.ts';
import styles from './chart.module.css';
import { isSpanName, SPAN_NAMES, type SpanName } from './time-span.ts';

export interface ChartChoice {
  span: SpanName;
  isTable: boolean;
  choose: (changed: { span?: SpanName; isTable?: boolean }) => void;
}

export function useChartChoice(first: SpanName): ChartChoice {
  const [query, setQuery] = useHashQuery();
  const given = query.get('span');
  const isTable = query.get('as') === 'table';
  return {
    span: isSpanName(given) ? given : first,
    isTable,
    choose(changed) {
      const next = new URLSearchParams(query);
      if (changed.span !== undefined) next.set('span', changed.span);
      if (changed.isTable === true) next.set('as', 'table');
      if (changed.isTable === false) next.delete('as');
      setQuery(next, { replace: true });
    },
  };
}

export function SpanChoice({ choice: { span, isTable, choose } }: { choice: ChartChoice }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 max-480:[&>fieldset]:basis-full max-480:[&>fieldset]:justify-between">
      <fieldset
        className={`${styles.spans} flex flex-wrap gap-0.5 min-w-0 m-0 p-0.5 border-0 rounded-control bg-sunken [&_button]:min-h-[calc(var(--control-height)_-_4px)] [&_button]:px-2.25 [&_button]:text-muted [&_button]:font-normal max-700:[&_button]:px-1.25`}
      >
        <legend className="visually-hidden">{texts.span}</legend>
        {SPAN_NAMES.map((name) => (
          <Button key={name} aria-pressed={name === span} look="quiet" onClick={() => choose({ span: name })}>
            {texts.spans[name]}
          </Button>
        ))}
      </fieldset>
      <Button onClick={() => choose({ isTable: !isTable })} icon={isTable ? <ChartLine /> : <Table2 />}>
        {isTable ? texts.asChart : texts.table}
      </Button>
    </div>
  );
}
