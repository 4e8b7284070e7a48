// A name's colour follows from the name, so it is the same in every report.
//
// The hues are those of Okabe and Ito and of Paul Tol, told apart by people with any kind of
// colour vision. The automatic phases have fixed ones. Where two names of a page would share a
// colour, the one with less time takes the next free one.

const PHASES: Record<string, string> = {
  step: "#b4bfca",
  data: "#e69f00",
  forward: "#56b4e9",
  backward: "#2f6fb5",
  optimizer: "#24a37a",
  evaluation: "#cc79a7",
  communication: "#d55e00",
};

const COLOURS = [
  "#44aa99", "#882255", "#ddcc77", "#117733", "#cc6677", "#aa4499", "#999933", "#332288",
  "#f0e442", "#8c6d46", "#b39ddb", "#ee8866", "#bbcc33", "#661100", "#ffaabb", "#006d6f",
];

/** FNV-1a: the same number for the same name, everywhere. */
export function hash(name: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) {
    value = Math.imul(value ^ name.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}

/** One colour per name; `order` gives indexes of names, those with most time first. */
export function colours(names: string[], order: number[]): string[] {
  const taken = new Set<number>();
  const out: string[] = new Array(names.length);
  for (const index of order) {
    const phase = Object.hasOwn(PHASES, names[index]) ? PHASES[names[index]] : undefined;
    if (phase) {
      out[index] = phase;
      continue;
    }
    const first = hash(names[index]) % COLOURS.length;
    let place = first;
    for (let tries = 0; taken.has(place) && tries < COLOURS.length; tries++) place = (place + 1) % COLOURS.length;
    taken.add(place);
    if (taken.size === COLOURS.length) taken.clear();
    out[index] = COLOURS[place];
  }
  return out;
}

/** Black or white, whichever is read better on a colour. */
export function inkOn(colour: string): string {
  const part = (from: number) => {
    const value = parseInt(colour.slice(from, from + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
  return luminance > 0.2 ? "#10151c" : "#ffffff";
}

/** Colours of the page that the drawing shares with it. */
export interface Theme {
  ink: string;
  muted: string;
  grid: string;
  ground: string;
  curve: string;
  accent: string;
}

/** Those in force: light or dark. */
export function theme(element: Element): Theme {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    ink: read("--ink"),
    muted: read("--muted"),
    grid: read("--grid"),
    ground: read("--ground"),
    curve: read("--curve"),
    accent: read("--accent"),
  };
}
