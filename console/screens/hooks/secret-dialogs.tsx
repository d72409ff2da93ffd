/** The signing secret of a hook: shown once, and replaced. */
import type { Hook } from '../../../shared/api/hooks.ts';
import { useChange } from '../../api/queries.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import styles from './hooks.module.css';
import { texts } from './texts.ts';

export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title={texts.secretTitle} onClose={onClose}>
      <div className={styles.form}>
        <p role="status">{texts.secretOnce}</p>
        <CopyLine label={texts.secret} text={secret} />
        <DialogActions>
          <Button look="primary" onClick={onClose}>
            {texts.done}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}

interface Props {
  site: string;
  hook: Hook;
  onMade: (secret: string) => void;
  onClose: () => void;
}

export function NewSecretDialog({ site, hook, onMade, onClose }: Props) {
  const { mutate, isPending, error } = useChange('PATCH /hooks/{hook}');
  const make = () =>
    mutate(
      { site, params: { hook: hook.id }, body: { secret: 'new' } },
      { onSuccess: ({ secret }) => (secret === null ? onClose() : onMade(secret)) },
    );
  // The answer has the secret, which nothing shows again.
  const close = isPending ? () => {} : onClose;
  return (
    <Dialog title={texts.newSecretTitle} onClose={close}>
      <p>{texts.newSecretWhat}</p>
      {error === null ? null : <ProblemBox error={error} />}
      <DialogActions>
        <Button onClick={close} disabled={isPending}>
          {common.cancel}
        </Button>
        <Button look="danger" onClick={make} disabled={isPending}>
          {texts.newSecret}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
