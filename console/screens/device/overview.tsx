/** The device at a glance: how much it is there, how fast it answers, and what happened lately. */
import texts from 'messages:device';
import { Check } from 'lucide-react';
import { Link } from 'wouter';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Answered, type Loadable } from '../../ui/state.tsx';
import { showProblem } from '../../ui/toast.tsx';
import styles from './device.module.css';
import { Lately } from './history-tab.tsx';
import { OverTime } from './over-time.tsx';
import { LatestRun } from './runs-tab.tsx';
import { useDeviceEditor } from './use-device.ts';
import type { History } from './use-history.ts';
import type { DeviceTools } from './use-tools.ts';

interface Props {
  site: string;
  device: OneDevice;
  history: Loadable<History>;
  mayEdit: boolean;
  tools: DeviceTools | null;
}

export function Overview({ site, device, history, mayEdit, tools }: Props) {
  const path = `/sites/${site}/devices/${encodeURIComponent(device.key)}`;
  return (
    <>
      {device.devIsNew === 1 && mayEdit ? <NewNote site={site} device={device} /> : null}
      <Answered of={history}>
        {(known) => <OverTime {...{ site, device }} history={known} mayRun={tools !== null} />}
      </Answered>
      <div className={`${styles.halves} grid gap-4 items-start`}>
        <Card title={texts.lately}>
          {history.data === undefined ? null : <Lately events={history.data.events} />}
          <Link href={`${path}?tab=history`}>{texts.wholeHistory}</Link>
        </Card>
        {tools === null ? null : <LatestRun {...{ site, device, tools }} to={`${path}?tab=runs`} />}
      </div>
    </>
  );
}

function NewNote({ site, device }: { site: string; device: OneDevice }) {
  const editor = useDeviceEditor(site, device.key);
  return (
    <div className="flex flex-wrap items-center justify-between gap-y-2 gap-x-3 px-4 py-2 rounded-card bg-new-soft">
      <p>{texts.newHint}</p>
      <Button onClick={() => void editor.set({ devIsNew: 0 }).catch(showProblem)}>
        <Check aria-hidden="true" />
        {texts.acknowledge}
      </Button>
    </div>
  );
}
