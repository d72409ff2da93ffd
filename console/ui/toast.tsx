/** Short messages about what has just happened, with a way to undo it. A screen reader says them. */
import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { Button, IconButton } from './button.tsx';
import styles from './toast.module.css';

interface Toast {
  id: number;
  text: string;
  isBad: boolean;
  action: { label: string; run: () => void } | null;
}

const SHOWN_MS = 8_000;
/** Somebody has to find the button first. */
const SHOWN_WITH_ACTION_MS = 30_000;
const MAX_SHOWN = 4;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

export function showToast(text: string, action: Toast['action'] = null): void {
  add({ text, isBad: false, action });
}

/** Says in the API's own words what has failed. */
export function showProblem(error: unknown): void {
  const { message, requestId } = problemOf(error);
  add({
    text: requestId === null ? message : texts.common.withRequestId(message, requestId),
    isBad: true,
    action: null,
  });
}

function add(toast: Omit<Toast, 'id'>): void {
  const id = ++lastId;
  set([...toasts, { ...toast, id }].slice(-MAX_SHOWN));
  window.setTimeout(() => dismiss(id), toast.action === null ? SHOWN_MS : SHOWN_WITH_ACTION_MS);
}

function dismiss(id: number): void {
  set(toasts.filter((toast) => toast.id !== id));
}

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Stands once in the page. */
export function ToastRegion() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <section className={styles.region} aria-label={texts.common.messages} aria-live="polite">
      {shown.map(({ id, text, isBad, action }) => (
        <div key={id} className={`${styles.toast} ${isBad ? styles.bad : ''}`} role={isBad ? 'alert' : undefined}>
          <div className={styles.text} data-foreign>
            {text}
          </div>
          {action === null ? null : (
            <Button
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton label={texts.common.close} onClick={() => dismiss(id)}>
            <X />
          </IconButton>
        </div>
      ))}
    </section>
  );
}
