/** The last speed tests, each with its values. */
import { useState } from 'react';
import { measuredText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Card } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { isSlow, type SpeedTest, usual } from './speeds.ts';
import { texts } from './texts.ts';

const STEP = 8;

export function History({ tests }: { tests: readonly SpeedTest[] }) {
  const [count, setCount] = useState(STEP);
  if (tests.length === 0) return null;
  const usualDown = usual(tests.map(({ downMbps }) => downMbps));
  const value = (of: number | null) => (of === null ? texts.nothing : measuredText(of));
  return (
    <Card title={texts.history}>
      <Table
        label={texts.historyOf}
        rows={tests.toReversed().slice(0, count)}
        keyOf={({ at }) => String(at)}
        columns={[
          { heading: texts.when, cell: ({ at }) => <Time at={new Date(at).toISOString()} /> },
          {
            heading: `${texts.down}, ${texts.unit}`,
            cell: (test) => (
              <>
                {value(test.downMbps)} {isSlow(test, usualDown) ? <Chip tone="warn">{texts.slow}</Chip> : null}
              </>
            ),
          },
          { heading: `${texts.up}, ${texts.unit}`, cell: ({ upMbps }) => value(upMbps) },
          { heading: `${texts.ping}, ms`, cell: ({ pingMs }) => value(pingMs) },
        ]}
      />
      {tests.length > count ? (
        <div>
          <Button look="quiet" onClick={() => setCount(count + STEP * 4)}>
            {texts.earlier}
          </Button>
        </div>
      ) : null}
    </Card>
  );
}
