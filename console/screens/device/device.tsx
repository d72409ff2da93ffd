/** One device: what it is, where, since when, and what can be done with it. */
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { problemOf } from '../../api/problem.ts';
import { useRights } from '../../api/rights.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { DeviceActions } from './actions.tsx';
import styles from './device.module.css';
import { Facts } from './facts.tsx';
import { Identity } from './identity.tsx';
import { NameHeading } from './name-heading.tsx';
import { OtherMacs } from './other-macs.tsx';
import { OverTime } from './over-time.tsx';
import { EarlierValues, RecentEvents } from './past.tsx';
import { Ports } from './ports.tsx';
import { RunTools, useDeviceTools } from './run-tools.tsx';
import { SeenBy } from './seen-by.tsx';
import { StateLine } from './state-line.tsx';
import { texts } from './texts.ts';
import { useDevice } from './use-device.ts';
import { useHistory } from './use-history.ts';

interface Props {
  site: string;
  /** The key of the device. */
  id: string;
}

export default function Device({ site, id }: Props) {
  const device = useDevice(site, id);
  if (device.error !== null && problemOf(device.error).code === 'not_found') return <Gone site={site} id={id} />;
  if (device.data !== undefined) return <Known site={site} device={device.data} />;
  return (
    <Page title={id}>
      <Answered of={device}>{() => null}</Answered>
    </Page>
  );
}

function Gone({ site, id }: Props) {
  return (
    <Page title={id}>
      <Empty title={texts.gone}>
        <p>{texts.goneHint}</p>
        <LinkButton to={eventsOf(site, id)}>{texts.whatHappened}</LinkButton>
        <LinkButton to={`/sites/${site}/devices`}>{texts.toDevices}</LinkButton>
      </Empty>
    </Page>
  );
}

function Known({ site, device }: { site: string; device: OneDevice }) {
  const rights = useRights();
  const history = useHistory(site, device.key);
  const toolset = useDeviceTools(site, device);
  const mayRun = rights.may('nettools:run');
  const mayEdit = rights.may('devices:write');
  return (
    <Page
      title={device.devName === '' ? texts.noName : device.devName}
      heading={<NameHeading site={site} device={device} mayEdit={mayEdit} />}
      actions={mayEdit ? <DeviceActions site={site} device={device} /> : undefined}
    >
      <StateLine device={device} events={history.data?.events ?? []} showsMarks={!mayEdit} />
      <Answered of={history}>{(past) => <OverTime {...{ site, device, mayRun }} history={past} />}</Answered>
      <div className={styles.columns}>
        <div className={styles.column}>
          <Identity {...{ site, device, mayEdit }} />
          <Facts site={site} device={device} />
          <OtherMacs {...{ site, device, mayEdit }} />
          <SeenBy device={device} />
          {history.data === undefined ? null : <EarlierValues events={history.data.events} />}
        </div>
        <div className={styles.column}>
          {mayRun ? <RunTools device={device} tools={toolset} /> : null}
          <Ports site={site} device={device} mayRun={mayRun} onScan={toolset.scanFast} />
          {history.data === undefined ? null : (
            <RecentEvents site={site} events={history.data.events} to={eventsOf(site, device.key)} />
          )}
        </div>
      </div>
    </Page>
  );
}

function eventsOf(site: string, key: string): string {
  return `/sites/${site}/events?device=${encodeURIComponent(key)}`;
}
