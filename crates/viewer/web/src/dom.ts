// Finds elements of index.html, and changes them only if their content differs.

export function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${type.name} #${id}.`);
  return found;
}

export const button = (id: string): HTMLButtonElement => element(id, HTMLButtonElement);

export function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

export function setAttribute(target: Element, name: string, value: string): void {
  if (target.getAttribute(name) !== value) target.setAttribute(name, value);
}

export function setPressed(target: HTMLElement, pressed: boolean): void {
  setAttribute(target, 'aria-pressed', String(pressed));
}

/** Removes the focus from a control after the pointer used it, so that the next key acts on the page. */
export function releaseFocusAfterPointer(): void {
  let pointer = false;
  document.addEventListener('pointerdown', () => (pointer = true), true);
  document.addEventListener('keydown', () => (pointer = false), true);
  const blur = (event: Event): void => {
    const target = event.target instanceof Element ? event.target.closest('button, select, input') : null;
    if (pointer && target instanceof HTMLElement) target.blur();
  };
  document.addEventListener('click', (event) => {
    if (!(event.target instanceof HTMLSelectElement)) blur(event);
  });
  document.addEventListener('change', blur);
}
