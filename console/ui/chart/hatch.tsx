/** The pattern of what nobody knows. */

export function Hatch({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="1.5" height="6" className="fill-control-line opacity-40" />
      </pattern>
    </defs>
  );
}
