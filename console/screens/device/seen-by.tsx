/** What each agent says of the device. */
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { Card } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './device.module.css';
import { texts } from './texts.ts';

export function SeenBy({ device }: { device: OneDevice }) {
  return (
    <Card title={texts.seenBy}>
      {device.seenBy.length === 0 ? (
        <p className={styles.empty}>{texts.seenByNobody}</p>
      ) : (
        <Table
          label={texts.agents}
          rows={device.seenBy}
          keyOf={({ agent }) => agent}
          columns={[
            { heading: texts.agent, cell: ({ agent }) => agent },
            {
              heading: texts.state,
              cell: ({ online }) => (
                <Status tone={online ? 'good' : 'calm'}>{online ? texts.sees : texts.seesNot}</Status>
              ),
            },
            { heading: texts.sinceWhen, cell: ({ since }) => <Time at={since} /> },
          ]}
        />
      )}
    </Card>
  );
}
