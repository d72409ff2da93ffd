/** A line of the list of what was found. */
import { useEffect, useRef } from 'react';
import { statusTexts } from '../text/texts.ts';
import { toneOf } from '../ui/device-state.tsx';
import { KeyCaps } from '../ui/key-caps.tsx';
import { KindIcon } from '../ui/kind-icon.tsx';
import { StatusShape } from '../ui/status.tsx';
import type { Choice } from './choices.ts';
import styles from './palette.module.css';

interface Props {
  id: string;
  choice: Choice;
  isActive: boolean;
  /** Whether a key shows what else can be done with it. */
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
      className={styles.option}
      onPointerMove={isActive ? undefined : onPoint}
      onClick={onChoose}
    >
      <span className={styles.icon}>
        {type !== undefined ? <KindIcon type={type} /> : Icon === undefined ? null : <Icon aria-hidden="true" />}
      </span>
      <span className={styles.label} data-foreign>
        {label}
      </span>
      {device === undefined || group !== 'devices' ? null : (
        <span className={styles.state} title={statusTexts[device.status]}>
          <StatusShape tone={toneOf(device)} />
        </span>
      )}
      <span className={styles.hint} data-foreign>
        {hint}
      </span>
      {keys === undefined ? null : <KeyCaps keys={keys} />}
      {hasMore && isActive ? (
        <span className={styles.further}>
          <KeyCaps keys="ArrowRight" />
        </span>
      ) : null}
    </div>
  );
}
