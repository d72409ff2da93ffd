/** What each agent says of the device. */
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { texts } from '../../text/texts.ts';
import { Card } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './device.module.css';

export function SeenBy({ device }: { device: OneDevice }) {
  return (
    <Card title={texts.device.seenBy}>
      {device.seenBy.length === 0 ? (
        <p className={styles.empty}>{texts.device.seenByNobody}</p>
      ) : (
        <Table
          label={texts.device.agents}
          rows={device.seenBy}
          keyOf={({ agent }) => agent}
          columns={[
            { heading: texts.device.agent, cell: ({ agent }) => agent },
            {
              heading: texts.device.state,
              cell: ({ online }) => (
                <Status tone={online ? 'good' : 'calm'}>{online ? texts.device.sees : texts.device.seesNot}</Status>
              ),
            },
            { heading: texts.device.sinceWhen, cell: ({ since }) => <Time at={since} /> },
          ]}
        />
      )}
    </Card>
  );
}
