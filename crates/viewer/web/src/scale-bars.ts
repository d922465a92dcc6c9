// The scale of the arrows: for each kind a bar of the length that a round number has at the target of the camera.
import { element, setText } from './dom';
import { metric } from './format';
import type { ArrowScales } from './stage/overlays';
import { niceStep } from './stage/solids';

/** The longest bar. */
const LONGEST_PX = 120;

export class ScaleBars {
  private readonly card = element('scale-bars', HTMLElement);

  update(scales: ArrowScales): void {
    this.card.hidden = scales.length === 0;
    while (this.card.children.length > scales.length) this.card.lastElementChild?.remove();
    scales.forEach(({ name, unit, length, color }, i) => {
      const row = this.card.children[i] ?? this.card.appendChild(document.createElement('p'));
      if (row.children.length === 0) row.append(document.createElement('i'), document.createElement('span'));
      const [bar, text] = row.children as unknown as [HTMLElement, HTMLElement];
      const value = niceStep(LONGEST_PX / length);
      bar.style.width = `${Math.round(value * length)}px`;
      bar.style.color = color;
      setText(text, `${metric(value)}${unit} ${name}`);
    });
  }
}
