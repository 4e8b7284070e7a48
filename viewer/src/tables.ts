// Tables of spans: a branch folds, a heading sorts, a name finds its spans in the timeline.
// Without this they are markup with all rows.

import { element } from "./element";

/** Longer tables open with their small branches folded. */
const MOST_ROWS = 24;
/** A branch below this part of the run is small. */
const SMALL_RATIO = 0.1;

/** A row with the rows inside of it. */
interface Branch {
  row: HTMLTableRowElement;
  inside: Branch[];
  isFolded: boolean;
}

/** Makes a table answer to clicks and keys; `find` shows a name's spans. */
export function enliven(table: HTMLTableElement, find: (name: string) => void): void {
  const body = table.tBodies[0];
  label(table);
  const roots = branches([...body.rows]);
  const show = () => {
    const rows: HTMLTableRowElement[] = [];
    const walk = (branch: Branch, isHidden: boolean) => {
      branch.row.hidden = isHidden;
      rows.push(branch.row);
      for (const child of branch.inside) walk(child, isHidden || branch.isFolded);
    };
    for (const root of roots) walk(root, false);
    body.append(...rows);
  };
  for (const branch of all(roots)) {
    name(branch.row, find);
    if (branch.inside.length > 0) fold(branch, body.rows.length > MOST_ROWS && isSmall(branch), show);
    else branch.row.cells[0].prepend(element("span", { className: "leaf" }));
  }
  [...table.tHead!.rows[0].cells].forEach((heading, column) => {
    if (column > 0) sort(heading, column, roots, show);
  });
  show();
}

/** Whether a branch has a share, and a small one. */
function isSmall(branch: Branch): boolean {
  const share = branch.row.querySelector<HTMLElement>("td:has(.share)")?.dataset.v;
  return share !== undefined && Number(share) < SMALL_RATIO;
}

/** Tells each number its heading, which stands beside it where the window is too narrow for columns. */
export function label(table: HTMLTableElement): void {
  const headings = [...table.tHead!.rows[0].cells].map((cell) => cell.textContent ?? "");
  table.classList.add("labelled");
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, column) => {
      if (column > 0) cell.dataset.heading = headings[column];
    });
  }
}

/** Rows by their depth, which is the number in their class. */
function branches(rows: HTMLTableRowElement[]): Branch[] {
  const roots: Branch[] = [];
  const path: Branch[] = [];
  for (const row of rows) {
    const depth = Number(/\bd(\d+)/.exec(row.className)?.[1] ?? 0);
    const branch: Branch = { row, inside: [], isFolded: false };
    // The deepest class stands for all that is deeper.
    path.length = Math.min(depth, path.length);
    (path.at(-1)?.inside ?? roots).push(branch);
    path.push(branch);
  }
  return roots;
}

function* all(branches: Branch[]): Generator<Branch> {
  for (const branch of branches) {
    yield branch;
    yield* all(branch.inside);
  }
}

function name(row: HTMLTableRowElement, find: (name: string) => void): void {
  const known = row.dataset.name;
  if (known === undefined) return;
  const cell = row.cells[0];
  const text = cell.textContent ?? "";
  cell.replaceChildren(element("button", { type: "button", className: "find", title: `${text}: show in the timeline`, onclick: () => find(known) }, text));
}

function fold(branch: Branch, isFolded: boolean, show: () => void): void {
  const toggle = element("button", { type: "button", className: "fold", "aria-label": "Rows inside" }, "");
  const turn = (isFolded: boolean) => {
    branch.isFolded = isFolded;
    toggle.textContent = isFolded ? "▸" : "▾";
    toggle.setAttribute("aria-expanded", String(!isFolded));
  };
  turn(isFolded);
  toggle.onclick = () => {
    turn(!branch.isFolded);
    show();
  };
  branch.row.cells[0].prepend(toggle);
}

function sort(heading: HTMLTableCellElement, column: number, roots: Branch[], show: () => void): void {
  const text = heading.textContent ?? "";
  const button = element("button", { type: "button", className: "sort", title: `Sort by ${text}` }, text);
  const value = (branch: Branch) => Number(branch.row.cells[column]?.dataset.v ?? Number.NEGATIVE_INFINITY);
  button.onclick = () => {
    const isDescending = heading.getAttribute("aria-sort") !== "descending";
    for (const other of heading.parentElement!.children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
    const order = (one: Branch, other: Branch) => {
      const [left, right] = [value(one), value(other)];
      return left === right ? 0 : (right > left ? 1 : -1) * (isDescending ? 1 : -1);
    };
    roots.sort(order);
    for (const branch of all(roots)) branch.inside.sort(order);
    show();
  };
  heading.replaceChildren(button);
}
