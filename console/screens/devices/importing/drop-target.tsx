/** Takes a file that is dragged onto the page, over which a hint appears. */
import importTexts from 'messages:import';
import { useEffect, useEffectEvent, useState } from 'react';

interface Props {
  onFile: (file: File) => void;
  when: boolean;
  /** Whether a file is taken now. The browser gets no other one either: it would open it in place of the page. */
  isTaken: boolean;
}

/** While a file is over the page, browsers fire `dragover` at least every 350 ms. */
const SILENCE_MS = 700;

export function DropTarget({ onFile, when, isTaken }: Props) {
  const [isOver, setOver] = useState(false);
  const drop = useEffectEvent((file: File) => {
    if (isTaken) onFile(file);
  });
  const effect = useEffectEvent(() => (isTaken ? 'copy' : 'none'));
  useEffect(() => {
    if (!when) return undefined;
    let timer = 0;
    const onDragOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = effect();
      setOver(true);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setOver(false), SILENCE_MS);
    };
    const onDropped = (event: DragEvent) => {
      const file = event.dataTransfer?.files[0];
      if (file === undefined) return;
      event.preventDefault();
      window.clearTimeout(timer);
      setOver(false);
      drop(file);
    };
    window.addEventListener('dragover', onDragOver);
    window.addEventListener('drop', onDropped);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener('dragover', onDragOver);
      window.removeEventListener('drop', onDropped);
    };
  }, [when]);
  if (!isOver || !isTaken) return null;
  return (
    <div className="fixed grid inset-3 z-25 place-content-center border-2 border-dashed border-accent rounded-[16px] bg-[color-mix(in_srgb,var(--background)_88%,transparent)] text-[1.3rem] pointer-events-none">
      {importTexts.drop}
    </div>
  );
}
