/** A part of the page. Texts are never markup: the names in them come from devices. */
export function element(
  tag: string,
  attributes: Record<string, string> = {},
  ...content: (Node | string)[]
): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}
