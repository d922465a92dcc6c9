// The dialog that lists the actions of keys and pointer.
import { button, element } from './dom';
import { KEYS, type Key } from './keys';
import type { Parts } from './model';

const POINTER: [string, string][] = [
  ['Click', 'select a body or cloth'],
  ['Drag', 'rotate the camera'],
  ['Right drag, two fingers', 'move the camera'],
  ['Wheel, pinch', 'zoom'],
];

export class Help {
  private readonly dialog = element('help-dialog', HTMLDialogElement);

  constructor() {
    button('help-close').addEventListener('click', () => this.dialog.close());
    // A click on the backdrop has the dialog itself as its target.
    this.dialog.addEventListener('click', (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
  }

  get open(): boolean {
    return this.dialog.open;
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }

  /** Shows the actions that apply to this kind of run. */
  load(has: { live: boolean; saves: boolean } & Parts): void {
    const { live } = has;
    const needs = ['live', 'saves', 'cloth', 'joints', 'colliders'] as const;
    const usable = KEYS.filter((key) => needs.every((need) => has[need] || !key[need]));
    const groups = new Map<Key['group'], Key[]>();
    for (const key of usable) groups.set(key.group, [...(groups.get(key.group) ?? []), key]);
    const pointer = live ? [...POINTER.slice(0, 1), ['Drag a body', 'pull it with a spring'] as [string, string], ...POINTER.slice(1)] : POINTER;
    element('help-keys', HTMLElement).replaceChildren(
      ...[...groups].map(([group, keys]) => section(group, keys.map((key) => [key.label, key.does]))),
      section('Pointer', pointer),
    );
  }
}

function section(title: string, rows: [string, string][]): HTMLElement {
  const made = document.createElement('section');
  const heading = document.createElement('h3');
  heading.textContent = title;
  const list = document.createElement('dl');
  for (const [label, does] of rows) {
    const term = document.createElement('dt');
    term.append(...(title === 'Pointer' ? [label] : label.split(' ').map(keyCap)));
    const meaning = document.createElement('dd');
    meaning.textContent = does;
    list.append(term, meaning);
  }
  made.append(heading, list);
  return made;
}

function keyCap(label: string): HTMLElement | string {
  if (label === '…') return '…';
  const cap = document.createElement('kbd');
  cap.textContent = label;
  return cap;
}
