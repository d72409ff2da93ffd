/** The last speed tests as a table. */
import texts from 'messages:internet';
import { useState } from 'react';
import { measuredText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Card } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { mbpsText } from '../overview/mbps-text.ts';
import styles from './internet.module.css';
import { isSlow, type SpeedTest, usual } from './speeds.ts';

const STEP = 8;

export function History({ tests }: { tests: readonly SpeedTest[] }) {
  const [count, setCount] = useState(STEP);
  if (tests.length === 0) return null;
  const usualDown = usual(tests.map(({ downMbps }) => downMbps));
  const value = (of: number | null) => (of === null ? texts.nothing : mbpsText(of));
  return (
    <Card title={texts.history}>
      <table
        className={`${styles.tests} w-full border-collapse text-sm [&_th]:text-muted [&_th]:text-xs [&_th]:font-normal [&_tr:last-child_td]:border-b-0`}
      >
        <caption className="visually-hidden">{texts.historyOf}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.when}</th>
            <th scope="col">{texts.down}</th>
            <th scope="col">{texts.up}</th>
            <th scope="col">{texts.ping}</th>
          </tr>
        </thead>
        <tbody>
          {tests
            .toReversed()
            .slice(0, count)
            .map((test) => (
              <tr key={test.at}>
                <td>
                  <Time at={new Date(test.at).toISOString()} />
                </td>
                <td>
                  {value(test.downMbps)} {isSlow(test, usualDown) ? <Chip tone="warn">{texts.slow}</Chip> : null}
                </td>
                <td>{value(test.upMbps)}</td>
                <td>{test.pingMs === null ? texts.nothing : texts.ms({ value: measuredText(test.pingMs) })}</td>
              </tr>
            ))}
        </tbody>
      </table>
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
