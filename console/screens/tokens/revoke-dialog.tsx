/** Asks before a token is revoked, and says afterwards what it has started that goes on. */
import { Link } from 'wouter';
import type { Token } from '../../../shared/api/records.ts';
import { useChange } from '../../api/queries.ts';
import { signOut } from '../../api/session.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';
import { texts } from './texts.ts';
import styles from './tokens.module.css';

interface Props {
  token: Token;
  /** Whether it is the token of this session. */
  isOwn: boolean;
  onClose: () => void;
}

export function RevokeDialog({ token: { id, name }, isOwn, onClose }: Props) {
  const { mutate, isPending, error, data } = useChange('DELETE /tokens/{id}');
  const revoke = () =>
    mutate(
      { params: { id } },
      {
        onSuccess({ running, truncated }) {
          if (isOwn) return signOut('refused');
          if (running.length > 0 || truncated) return;
          showToast(texts.revoked(name));
          onClose();
        },
      },
    );
  if (data !== undefined) return <Revoked name={name} {...data} onClose={onClose} />;
  return (
    <Dialog title={texts.revokeTitle} onClose={onClose}>
      <p data-foreign className={styles.wrap}>
        {texts.revokeWhat(name)}
      </p>
      {isOwn ? (
        <p role="alert" className={styles.warning}>
          {texts.revokeOwn}
        </p>
      ) : null}
      {error === null ? null : <ProblemBox error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button look="danger" onClick={revoke} disabled={isPending}>
          {texts.revoke}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface RevokedProps {
  name: string;
  running: readonly string[];
  truncated: boolean;
  onClose: () => void;
}

function Revoked({ name, running, truncated, onClose }: RevokedProps) {
  return (
    <Dialog title={texts.revoked(name)} onClose={onClose}>
      <p>{texts.goesOn(running.length)}</p>
      <ul className={styles.jobs}>
        {running.map((job) => (
          <li key={job}>
            <Link href={`/sites/${job.slice(0, job.indexOf('.'))}/jobs/${job}`}>{job}</Link>
          </li>
        ))}
      </ul>
      {truncated ? <p>{texts.goesOnMore}</p> : null}
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {common.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
