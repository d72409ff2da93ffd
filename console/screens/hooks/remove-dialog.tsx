/** Asks before a hook is removed. */
import type { Hook } from '../../../shared/api/hooks.ts';
import { useChange } from '../../api/queries.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './hooks.module.css';
import { texts } from './texts.ts';

interface Props {
  site: string;
  hook: Hook;
  onRemoved: () => void;
  onClose: () => void;
}

export function RemoveDialog({ site, hook, onRemoved, onClose }: Props) {
  const { mutate, isPending, error } = useChange('DELETE /hooks/{hook}');
  const remove = () =>
    mutate(
      { site, params: { hook: hook.id } },
      {
        onSuccess() {
          showToast(texts.removed);
          onRemoved();
        },
      },
    );
  return (
    <Dialog title={texts.removeTitle} onClose={onClose}>
      <p className={styles.wrap}>{texts.removeWhat(hook.url)}</p>
      {error === null ? null : <ProblemBox error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button look="danger" onClick={remove} disabled={isPending}>
          {texts.remove}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
