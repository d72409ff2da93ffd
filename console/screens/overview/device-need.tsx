/** A device that is down, or new. */
import common from 'messages:common';
import deviceTexts from 'messages:devices';
import texts from 'messages:overview';
import { BellOff, Check, Pencil, Power } from 'lucide-react';
import { type FormEvent, type RefCallback, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { canWake } from '../../commands/device-commands.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Time } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { type Device, type Edit, pathOf, titleOf } from '../devices/device.ts';
import { useTools } from '../devices/use-tools.ts';
import { NeedRow } from './card-head.tsx';

interface Props {
  site: string;
  status: 'down' | 'new';
  device: Device;
  /** It needs no attention any more. */
  onDone: () => void;
}

export function DeviceNeed({ site, status, device, onDone }: Props) {
  const rights = useRights();
  const tools = useTools(site);
  const change = useChange('PATCH /devices');
  const [isNaming, setNaming] = useState(false);
  const opener = useReturnOfFocus(isNaming);
  const { devLastConnection, devFirstConnection } = device;
  const [name, path] = [titleOf(device), pathOf(site, device)];
  const mayWrite = rights.may('devices:write');
  const mayWake = status === 'down' && rights.may('nettools:run') && canWake(device);

  const send = (set: Edit) => change.mutateAsync({ site, body: { devices: [device.key], set } });
  async function edit(set: Edit, before: Edit, done: string): Promise<void> {
    try {
      await send(set);
      showToast(done, { label: common.undo, run: () => void send(before).catch(showProblem) });
      onDone();
    } catch (error) {
      showProblem(error);
    }
  }

  if (isNaming) {
    const { devName } = device;
    return (
      <li className="py-1.5">
        <NameForm
          name={devName}
          onName={(chosen) =>
            void edit({ devName: chosen, devIsNew: 0 }, { devName, devIsNew: 1 }, texts.named({ name: chosen }))
          }
          onClose={() => setNaming(false)}
        />
      </li>
    );
  }
  return (
    <NeedRow
      tone={status === 'down' ? 'bad' : 'new'}
      name={
        <Link href={path} title={name} className="inline-block max-w-full align-bottom truncate leading-6" data-foreign>
          {name}
        </Link>
      }
      actions={
        <>
          {mayWake ? (
            <Button onClick={() => tools.start('wake', [device])}>
              <Power aria-hidden="true" />
              <span>{deviceTexts.actions.wake}</span>
            </Button>
          ) : null}
          {!mayWrite ? (
            <LinkButton to={path}>{texts.open}</LinkButton>
          ) : status === 'down' ? (
            <Button
              disabled={change.isPending}
              onClick={() => void edit({ devAlertDown: 0 }, { devAlertDown: 1 }, texts.alertOff({ name }))}
            >
              <BellOff aria-hidden="true" />
              <span>{texts.turnAlertOff}</span>
            </Button>
          ) : (
            <>
              <Button ref={opener} onClick={() => setNaming(true)}>
                <Pencil aria-hidden="true" />
                <span>{texts.name}</span>
              </Button>
              <Button
                disabled={change.isPending}
                onClick={() => void edit({ devIsNew: 0 }, { devIsNew: 1 }, deviceTexts.acknowledged({ count: 1 }))}
              >
                <Check aria-hidden="true" />
                <span>{deviceTexts.actions.acknowledge}</span>
              </Button>
            </>
          )}
        </>
      }
    >
      {status === 'down' ? texts.downLastSeen : texts.newFirstSeen}{' '}
      <Time at={status === 'down' ? devLastConnection : devFirstConnection} />
    </NeedRow>
  );
}

/** For the button that opens the form: gives it the focus back when the form closes. */
function useReturnOfFocus(isOpen: boolean): RefCallback<HTMLButtonElement> {
  const isOwed = useRef(false);
  useLayoutEffect(() => {
    if (isOpen) isOwed.current = true;
  }, [isOpen]);
  return useCallback((button) => {
    if (button === null || !isOwed.current) return;
    isOwed.current = false;
    button.focus();
  }, []);
}

interface FormProps {
  name: string;
  onName: (name: string) => void;
  onClose: () => void;
}

function NameForm({ name, onName, onClose }: FormProps) {
  const [value, setValue] = useState(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value.trim() !== '') onName(value.trim());
  };
  return (
    <form
      className="flex flex-wrap gap-2 [&>div]:flex-[0_1_320px]"
      onSubmit={submit}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <TextField
        label={texts.nameOf({ name })}
        isLabelHidden
        autoFocus
        maxLength={255}
        value={value}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setValue(target.value)}
      />
      <Button type="submit" look="primary">
        {common.save}
      </Button>
      <Button onClick={onClose}>{common.cancel}</Button>
    </form>
  );
}
