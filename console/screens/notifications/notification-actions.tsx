/** The actions on a notification. */
import common from 'messages:common';
import texts from 'messages:notifications';
import { KeyRound, Pencil, Power, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Delivery, Hook } from '../../../shared/api/hooks.ts';
import { ask } from '../../api/client.ts';
import { useChange } from '../../api/queries.ts';
import type { Action } from '../../ui/action.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { KEYS } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { EditNotification } from './notification-form.tsx';
import { titleOf } from './services.tsx';
import { TestResult } from './test-result.tsx';

/** What can be done with a notification, the most usual first, and the result of a test. */
export function useActions({ site, hook, onRemoved }: { site: string; hook: Hook; onRemoved?: () => void }) {
  const [test, setTest] = useState<Delivery | null>(null);
  const testing = useChange('POST /hooks/{hook}/test');
  const changing = useChange('PATCH /hooks/{hook}');
  const question = { site, params: { hook: hook.id } };
  const sendTest = () => testing.mutate(question, { onSuccess: setTest, onError: showProblem });
  const toggle = () =>
    changing.mutate(
      { ...question, body: { enabled: !hook.enabled } },
      { onSuccess: ({ enabled }) => showToast(enabled ? texts.turnedOn : texts.turnedOff), onError: showProblem },
    );
  const editing = (close: () => void) => <EditNotification site={site} hook={hook} onClose={close} />;
  const newSecret = (close: () => void) => <NewSecret question={question} onClose={close} />;
  const removal = (close: () => void) => (
    <ConfirmDialog
      title={texts.removeTitle({ name: titleOf(hook) })}
      submit={texts.remove}
      send={() => ask('DELETE /hooks/{hook}', question)}
      toast={texts.removed}
      onDone={onRemoved ?? close}
      onClose={close}
    >
      <p className="wrap-anywhere">{texts.removeWhat}</p>
    </ConfirmDialog>
  );
  const first: readonly Action[] = [
    ...(hook.enabled ? [{ label: texts.test, icon: <Send />, run: sendTest, isDisabled: testing.isPending }] : []),
    { label: common.edit, icon: <Pencil />, keys: KEYS.edit, dialog: editing },
  ];
  const others: readonly Action[] = [
    { label: hook.enabled ? texts.turnOff : texts.turnOn, icon: <Power />, run: toggle },
    ...(hook.format === 'json' ? [{ label: texts.newSecret, icon: <KeyRound />, dialog: newSecret }] : []),
    { label: texts.remove, icon: <Trash2 />, isDanger: true, dialog: removal },
  ];
  return {
    first,
    menu: <Menu label={texts.actionsOf({ name: titleOf(hook) })} items={[...first, ...others]} />,
    testResult: (
      <div
        role="status"
        className="text-sm wrap-anywhere empty:hidden [&>span]:items-baseline [&>span]:whitespace-normal"
      >
        {test && <TestResult result={test} />}
      </div>
    ),
  };
}

interface SecretProps {
  question: { site: string; params: { hook: string } };
  onClose: () => void;
}

function NewSecret({ question, onClose }: SecretProps) {
  const [secret, show] = useState<string | null>(null);
  if (secret !== null) return <SecretDialog secret={secret} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={texts.newSecretTitle}
      submit={texts.newSecret}
      send={() => ask('PATCH /hooks/{hook}', { ...question, body: { secret: 'new' } })}
      onDone={({ secret: made }) => (made === null ? onClose() : show(made))}
      onClose={onClose}
    >
      <p>{texts.newSecretWhat}</p>
    </ConfirmDialog>
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
