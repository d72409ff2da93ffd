/** Buttons that copy a text, or save it as a file. */
import common from 'messages:common';
import { Check, Copy, Download } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { IconButton } from './button.tsx';
import { saveFile } from './save-file.ts';
import { showToast } from './toast.tsx';

/** @param label such as `Copy the output` */
export function CopyButton({ label, text, icon = <Copy /> }: { label: string; text: string; icon?: ReactNode }) {
  const [copied, setCopied] = useState<string | null>(null);
  const isCopied = copied === text;
  return (
    <>
      <IconButton
        label={label}
        icon={isCopied ? <Check /> : icon}
        onClick={async () => {
          if (await copyText(text)) setCopied(text);
          else showToast(common.cannotCopy);
        }}
      />
      <span className="visually-hidden" aria-live="polite">
        {isCopied ? common.copied : ''}
      </span>
    </>
  );
}

interface FileProps {
  label: string;
  fileName: string;
  /** The media type. */
  type: string;
  text: string;
}

export function DownloadButton({ label, fileName, type, text }: FileProps) {
  return (
    <IconButton label={label} icon={<Download />} onClick={() => saveFile(fileName, new Blob([text], { type }))} />
  );
}

/** For menus: confirms with a toast. */
export async function copyAndTell(text: string, done = common.copied): Promise<void> {
  showToast((await copyText(text)) ? done : common.cannotCopy);
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Over plain HTTP a page has no clipboard, except on localhost; it can copy a selection. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
