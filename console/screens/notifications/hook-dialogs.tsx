/** What is asked and shown about a hook: before it is removed, before its secret is replaced, and the new secret, once. */
import type { Hook } from '../../../shared/api/hooks.ts';
import { ask } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { FormDialog, useConfirmation } from '../../ui/form.tsx';
import { texts } from './texts.ts';

interface Props {
  site: string;
  hook: Hook;
  onClose: () => void;
}

export function RemoveDialog({ site, hook, onRemoved, onClose }: Props & { onRemoved: () => void }) {
  const form = useConfirmation({
    send: () => ask('DELETE /hooks/{hook}', { site, params: { hook: hook.id } }),
    toast: texts.removed,
    onDone: onRemoved,
  });
  return (
    <FormDialog form={form} title={texts.removeTitle} submit={texts.remove} look="danger" onClose={onClose}>
      <p className="wrap">{texts.removeWhat(hook.url)}</p>
    </FormDialog>
  );
}

export function NewSecretDialog({ site, hook, onMade, onClose }: Props & { onMade: (secret: string) => void }) {
  const form = useConfirmation({
    send: () => ask('PATCH /hooks/{hook}', { site, params: { hook: hook.id }, body: { secret: 'new' } }),
    onDone: ({ secret }) => (secret === null ? onClose() : onMade(secret)),
  });
  return (
    <FormDialog form={form} title={texts.newSecretTitle} submit={texts.newSecret} look="danger" onClose={onClose}>
      <p>{texts.newSecretWhat}</p>
    </FormDialog>
  );
}

export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title={texts.secretTitle} onClose={onClose}>
      <p role="status">{texts.secretOnce}</p>
      <CopyLine label={texts.secret} text={secret} />
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {texts.done}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
