/** One result of the search. */
import statusTexts from 'messages:status';
import { useEffect, useRef } from 'react';
import { toneOf } from '../ui/device-state.tsx';
import { KeyCaps } from '../ui/key-caps.tsx';
import { KindIcon } from '../ui/kind-icon.tsx';
import { StatusShape } from '../ui/status.tsx';
import type { Choice } from './choices.ts';

interface Props {
  id: string;
  choice: Choice;
  isActive: boolean;
  /** Whether a key shows its verbs. */
  hasMore: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

export function PaletteOption({ id, choice, isActive, hasMore, onPoint, onChoose }: Props) {
  const { label, hint, icon: Icon, type, keys, device, group } = choice;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isActive}
      className="flex items-center gap-2.5 min-h-8.5 px-2 py-1 rounded-control text-sm cursor-pointer aria-selected:bg-selected max-800:min-h-11"
      onPointerMove={isActive ? undefined : onPoint}
      onClick={onChoose}
    >
      <span className="inline-flex flex-none justify-center w-5 [&_svg]:size-4.5 [&_svg]:stroke-[1.75] [&_svg]:text-muted">
        {type !== undefined ? <KindIcon type={type} /> : Icon === undefined ? null : <Icon aria-hidden="true" />}
      </span>
      <span className="flex-initial max-w-[60%] truncate" data-foreign>
        {label}
      </span>
      {device === undefined || group !== 'devices' ? null : (
        <span className="inline-flex flex-none [&_svg]:size-2.25" title={statusTexts[device.status]}>
          <StatusShape tone={toneOf(device)} />
        </span>
      )}
      <span className="flex-[1_1_0] text-muted text-xs text-end truncate" data-foreign>
        {hint}
      </span>
      {keys === undefined ? null : <KeyCaps keys={keys} />}
      {hasMore && isActive ? (
        <span className="max-800:hidden">
          <KeyCaps keys="ArrowRight" />
        </span>
      ) : null}
    </div>
  );
}
