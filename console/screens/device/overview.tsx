/** The device at a glance: its presence, latency and latest events. */
import texts from 'messages:device';
import { Check } from 'lucide-react';
import { Link } from 'wouter';
import { lazyPart } from '../../shell/lazy-screen.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { pathOf } from '../devices/device.ts';
import styles from './device.module.css';
import { LatestRun } from './runs-tab.tsx';
import { useDeviceScreen } from './screen.ts';

const Lately = lazyPart(async () => ({ default: (await import('./history-tab.tsx')).Lately }));
const OverTime = lazyPart(() => import('./over-time.tsx'));

export function Overview() {
  const { site, device, history, mayEdit, tools, editor } = useDeviceScreen();
  const path = pathOf(site, device);
  return (
    <>
      {device.devIsNew === 1 && mayEdit ? (
        <div className="flex flex-wrap items-center justify-between gap-y-2 gap-x-3 px-4 py-2 rounded-card bg-new-soft">
          <p>{texts.newHint}</p>
          <Button onClick={() => editor.set({ devIsNew: 0 })}>
            <Check aria-hidden="true" />
            {texts.acknowledge}
          </Button>
        </div>
      ) : null}
      <OverTime />
      <div className={`${styles.halves} grid gap-4 items-start`}>
        <Card title={texts.lately}>
          {history.data === undefined ? null : <Lately events={history.data.events} />}
          <Link href={`${path}?tab=history`}>{texts.wholeHistory}</Link>
        </Card>
        {tools === null ? null : <LatestRun tools={tools} to={`${path}?tab=runs`} />}
      </div>
    </>
  );
}
