// Small marks above the timeline where something happened: kicks, merges, quarantines.
import { clock } from './format';
import type { RunEvent } from './source/source';

/** Marks nearer to each other than this part of the timeline are drawn as one. */
const NEAR = 1 / 300;
const SECONDS_BETWEEN = 0.5;

export class Marks {
  private events: RunEvent[] = [];
  private drawn = '';
  private since = Infinity;

  constructor(private readonly area: HTMLElement) {}

  clear(): void {
    this.events = [];
  }

  add(events: RunEvent[]): void {
    this.events.push(...events);
  }

  update(dt: number, duration: number): void {
    this.since += dt;
    const state = `${this.events.length} ${duration}`;
    if (this.since < SECONDS_BETWEEN || state === this.drawn) return;
    this.since = 0;
    this.drawn = state;
    this.area.replaceChildren();
    if (duration <= 0) return;
    let lastPlace = -1;
    for (const event of this.events) {
      const place = Math.min(event.time / duration, 1);
      const important = event.kind === 'quarantine';
      if (place - lastPlace < NEAR && !important) continue;
      lastPlace = place;
      const mark = document.createElement('i');
      mark.className = event.kind;
      mark.title = `${describe(event)} at ${clock(event.time)}`;
      mark.style.left = `${(100 * place).toFixed(2)}%`;
      this.area.append(mark);
    }
  }
}

function describe({ kind, detail }: RunEvent): string {
  const text = typeof detail === 'string' ? detail : JSON.stringify(detail);
  return `${kind} ${text.replace(/[{}"[\]]/g, '').replace(/,/g, ', ')}`.slice(0, 90);
}
