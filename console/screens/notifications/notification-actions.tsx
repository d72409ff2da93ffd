/** The menu of a notification, and its dialogs. */
import common from 'messages:common';
import texts from 'messages:notifications';
import { KeyRound, Pencil, Power, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Delivery, Hook } from '../../../shared/api/hooks.ts';
import { ask } from '../../api/client.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { EditNotification } from './notification-form.tsx';
import { titleOf } from './services.tsx';
import { TestResult } from './test-result.tsx';

type Shown = 'nothing' | 'edit' | 'new-secret' | 'remove' | { secret: string };

export function useActions({ site, hook, onRemoved }: { site: string; hook: Hook; onRemoved?: () => void }) {
  const [shown, show] = useState<Shown>('nothing');
  const [test, setTest] = useState<Delivery | null>(null);
  const testing = useChange('POST /hooks/{hook}/test');
  const changing = useChange('PATCH /hooks/{hook}');
  const params = { hook: hook.id };
  const close = () => show('nothing');
  const sendTest = () => testing.mutate({ site, params }, { onSuccess: setTest, onError: showProblem });
  const toggle = () =>
    changing.mutate(
      { site, params, body: { enabled: !hook.enabled } },
      { onSuccess: ({ enabled }) => showToast(enabled ? texts.turnedOn : texts.turnedOff), onError: showProblem },
    );
  const items = [
    ...(hook.enabled ? [{ label: texts.test, icon: <Send />, run: sendTest, isDisabled: testing.isPending }] : []),
    { label: common.edit, icon: <Pencil />, run: () => show('edit') },
    { label: hook.enabled ? texts.turnOff : texts.turnOn, icon: <Power />, run: toggle },
    ...(hook.format === 'json' ? [{ label: texts.newSecret, icon: <KeyRound />, run: () => show('new-secret') }] : []),
    { label: texts.remove, icon: <Trash2 />, isDanger: true, run: () => show('remove') },
  ];
  return {
    menu: <Menu label={texts.actionsOf({ name: titleOf(hook) })} items={items} />,
    testResult: (
      <div
        role="status"
        className="text-sm wrap-anywhere empty:hidden [&>span]:items-baseline [&>span]:whitespace-normal"
      >
        {test && <TestResult result={test} />}
      </div>
    ),
    sendTest,
    isTesting: testing.isPending,
    edit: () => show('edit'),
    dialogs: (
      <>
        {shown === 'edit' ? <EditNotification site={site} hook={hook} onClose={close} /> : null}
        {shown === 'new-secret' ? (
          <ConfirmDialog
            title={texts.newSecretTitle}
            submit={texts.newSecret}
            send={() => ask('PATCH /hooks/{hook}', { site, params, body: { secret: 'new' } })}
            onDone={({ secret }) => show(secret === null ? 'nothing' : { secret })}
            onClose={close}
          >
            <p>{texts.newSecretWhat}</p>
          </ConfirmDialog>
        ) : null}
        {shown === 'remove' ? (
          <ConfirmDialog
            title={texts.removeTitle({ name: titleOf(hook) })}
            submit={texts.remove}
            send={() => ask('DELETE /hooks/{hook}', { site, params })}
            toast={texts.removed}
            onDone={onRemoved ?? close}
            onClose={close}
          >
            <p className="wrap-anywhere">{texts.removeWhat}</p>
          </ConfirmDialog>
        ) : null}
        {typeof shown === 'object' ? <SecretDialog secret={shown.secret} onClose={close} /> : null}
      </>
    ),
  };
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
