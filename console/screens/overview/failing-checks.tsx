/** The failing checks of a site. */
import texts from 'messages:overview';
import { Link } from 'wouter';
import { useAnswer } from '../../api/queries.ts';
import { reasonText } from '../../text/said-texts.ts';
import { Card } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Rows, Since, SMALL } from './card-head.tsx';
import styles from './overview.module.css';

const MOST = 5;

export function FailingChecks({ site }: { site: string }) {
  const { data } = useAnswer('GET /checks', { site });
  const failing = data?.checks.filter(({ state, enabled }) => enabled && state === 'down') ?? [];
  if (failing.length === 0) return null;
  return (
    <Card title={texts.failing}>
      <Rows>
        {failing.slice(0, MOST).map(({ id, label, since, reason, reasonCode }) => (
          <li key={id} className={`${styles.change} [&_strong]:font-[550]`}>
            <Link href={`/sites/${site}/checks/${id}`}>
              <Status tone="bad">
                <span data-foreign>{label}</span>
              </Status>
            </Link>
            <span className={SMALL} data-foreign>
              {reasonText(reason, reasonCode)}
            </span>
            <span className={SMALL}>
              <Since at={since} />
            </span>
          </li>
        ))}
      </Rows>
    </Card>
  );
}
