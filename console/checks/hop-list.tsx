/** The way to another site, hop by hop. */
import { checkTexts } from './check-texts.ts';

export function HopList({ hops }: { hops: readonly string[] }) {
  if (hops.length === 0) return <p className="text-muted">{checkTexts.noPath}</p>;
  return (
    <ol className="ps-6 list-decimal">
      {hops.map((hop, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: its place identifies a hop
        <li key={i}>{hop === '' ? <span className="text-muted">{checkTexts.silentHop}</span> : <code>{hop}</code>}</li>
      ))}
    </ol>
  );
}
