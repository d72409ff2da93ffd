/** Edits a text of the device where it stands. */
import common from 'messages:common';
import texts from 'messages:device';
import fieldLabels from 'messages:deviceFields';
import { type FormEvent, type RefCallback, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FieldInput, nowIs, useEditing } from './editing.tsx';
import type { TextField } from './merge-edit.ts';
import { useDeviceScreen } from './screen.ts';

export function InPlace({ field, onEnd }: { field: TextField; onEnd: () => void }) {
  const { device } = useDeviceScreen();
  const [value, setValue] = useState(device[field]);
  const { read, conflict, problem, isBusy, save } = useEditing(onEnd);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const input = box.current?.querySelector<HTMLInputElement>('input, textarea');
    input?.focus();
    input?.select();
  }, []);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (value === read[field] && conflict === null) onEnd();
    else void save({ [field]: value });
  }

  return (
    <form
      className="grid gap-2 min-w-0"
      onSubmit={submit}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onEnd();
      }}
    >
      <div ref={box}>
        <FieldInput
          field={field}
          isLabelHidden
          value={value}
          error={problem?.fields.find(({ path }) => path === field)?.message ?? problem?.message}
          onChange={setValue}
        />
      </div>
      {conflict === null ? null : (
        <p className="px-2 py-1.5 rounded-control bg-warn-soft text-sm wrap-anywhere" role="alert" data-foreign>
          {texts.conflict({ fields: fieldLabels[field] })} {nowIs(read[field])}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={isBusy}>
          {common.save}
        </Button>
        <Button onClick={onEnd}>{common.cancel}</Button>
      </div>
    </form>
  );
}

/**
 * For the button that opens the form: gives it the focus back when the form closes, or gives it to the button that
 * replaces it once there is a value.
 */
export function useReturnOfFocus(isOpen: boolean): RefCallback<HTMLButtonElement> {
  const opener = useRef<HTMLButtonElement>(null);
  const isOwed = useRef(false);
  useLayoutEffect(() => {
    if (isOpen) isOwed.current = true;
  }, [isOpen]);
  return useCallback((button) => {
    // React clears the reference before it removes the button.
    if (button === null) isOwed.current = document.activeElement === opener.current;
    else if (isOwed.current) button.focus();
    opener.current = button;
  }, []);
}
