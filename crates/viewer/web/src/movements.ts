// The list of movements to choose from, if a scene has several.
import { element } from './dom';

export class Movements {
  private readonly select = element('movements', HTMLSelectElement);

  constructor(choose: (index: number) => void) {
    this.select.addEventListener('change', () => choose(this.select.selectedIndex));
  }

  load(names: string[], current: number): void {
    this.select.hidden = names.length === 0;
    this.select.replaceChildren(...names.map((name) => new Option(name)));
    this.select.selectedIndex = current;
  }
}
