// Making elements: text is always text, never markup.

/** An element with properties, attributes (names with a dash) and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Record<string, unknown> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") made.setAttribute(name, String(value));
    else Object.assign(made, { [name]: value });
  }
  made.append(...children);
  return made;
}

/** A button with a short face, a name for those who don't see it, and a key. */
export function button(face: string, title: string, onclick: () => void): HTMLButtonElement {
  return element("button", { type: "button", title, "aria-label": title, onclick }, face);
}
