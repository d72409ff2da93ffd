/** Short messages about events, with a button such as to undo. Screen readers say them. */
import common from 'messages:common';
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { problemOf } from '../api/problem.ts';
import { Button, IconButton } from './button.tsx';
import { useShortcut } from './keys.ts';
import { makeStore } from './store.ts';

interface Toast {
  id: number;
  text: string;
  isBad: boolean;
  action: { label: string; run: () => void } | null;
  /** The rest of its time on the page. */
  leftMs: number;
}

const SHOWN_MS = 8_000;
/** Longer, because the person has to find the button. */
const SHOWN_WITH_ACTION_MS = 30_000;
const MAX_SHOWN = 4;
const TICK_MS = 500;

const toasts = makeStore<readonly Toast[]>([]);
let lastId = 0;

export function showToast(text: string, action: Toast['action'] = null): void {
  add({ text, isBad: false, action });
}

/** With the API's own message. */
export function showProblem(error: unknown): void {
  const { message, requestId: id } = problemOf(error);
  add({ text: id === null ? message : common.withRequestId({ message, id }), isBad: true, action: null });
}

export function dismissToasts(): void {
  toasts.set([]);
}

function add(toast: Omit<Toast, 'id' | 'leftMs'>): void {
  const leftMs = toast.action === null ? SHOWN_MS : SHOWN_WITH_ACTION_MS;
  toasts.set([...toasts.get(), { ...toast, id: ++lastId, leftMs }].slice(-MAX_SHOWN));
}

function age(): void {
  const older = toasts.get().map((toast) => ({ ...toast, leftMs: toast.leftMs - TICK_MS }));
  toasts.set(older.filter(({ leftMs }) => leftMs > 0));
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

/** Once in the page. Messages stay while the pointer or the focus is on them. */
export function ToastRegion() {
  const shown = toasts.use();
  const [isRead, setRead] = useState(false);
  const isEmpty = shown.length === 0;
  useEffect(() => {
    if (isEmpty) setRead(false);
    if (isEmpty || isRead) return undefined;
    const timer = window.setInterval(age, TICK_MS);
    return () => window.clearInterval(timer);
  }, [isEmpty, isRead]);
  const latest = shown.findLast(({ action }) => action !== null);
  useShortcut('z', common.toastAction({ label: latest?.action?.label ?? '' }), () => latest && act(latest), {
    isGlobal: true,
    when: latest !== undefined,
  });
  return (
    <section
      className="fixed grid right-4 bottom-[calc(16px_+_var(--bottom-bar)_+_var(--covered-below))] z-20 gap-2 w-[min(420px,calc(100vw_-_32px))]"
      aria-label={common.messages}
      aria-live="polite"
      onPointerEnter={() => setRead(true)}
      onPointerLeave={() => setRead(false)}
      onFocus={() => setRead(true)}
      onBlur={() => setRead(false)}
    >
      {shown.map((toast) => (
        <div
          key={toast.id}
          className={`flex items-center gap-2 pr-2 pl-3.5 py-2 border rounded-card bg-raised shadow-raised ${toast.isBad ? 'border-bad' : 'border-line'}`}
          role={toast.isBad ? 'alert' : undefined}
        >
          <div className="flex-1 min-w-0 wrap-anywhere" data-foreign>
            {toast.text}
          </div>
          {toast.action !== null && (
            <Button onClick={() => act(toast)} title={common.withKey({ label: toast.action.label, key: 'z' })}>
              {toast.action.label}
            </Button>
          )}
          <IconButton label={common.close} icon={<X />} onClick={() => dismiss(toast.id)} />
        </div>
      ))}
    </section>
  );
}

function act({ id, action }: Toast): void {
  dismiss(id);
  action?.run();
}
