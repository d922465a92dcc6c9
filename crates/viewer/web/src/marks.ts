// Marks above the timeline at the times of events: kicks, merges, quarantines.
import { clock } from './format';
import type { RunEvent } from './source/source';

/** Marks that are closer than this share of the timeline are drawn as one. */
const MIN_MARK_DISTANCE = 1 / 300;
const UPDATE_INTERVAL_S = 0.5;

export class Marks {
  private events: RunEvent[] = [];
  private drawn = '';
  private since = Infinity;

  constructor(private readonly area: HTMLElement) {}

  clear(): void {
    this.events = [];
  }

  add(events: RunEvent[]): void {
    this.events.push(...events.filter((event) => describe(event) !== null));
  }

  update(dt: number, duration: number): void {
    this.since += dt;
    const state = `${this.events.length} ${duration}`;
    if (this.since < UPDATE_INTERVAL_S || state === this.drawn) return;
    this.since = 0;
    this.drawn = state;
    this.area.replaceChildren();
    if (duration <= 0) return;
    let lastPlace = -1;
    for (const event of this.events) {
      const place = Math.min(event.time / duration, 1);
      const important = event.kind === 'quarantine';
      if (place - lastPlace < MIN_MARK_DISTANCE && !important) continue;
      lastPlace = place;
      const mark = document.createElement('i');
      mark.className = event.kind;
      mark.title = `${describe(event) ?? ''} at ${clock(event.time)}`;
      mark.style.left = `${(100 * place).toFixed(2)}%`;
      this.area.append(mark);
    }
  }
}

/** `kick ball-1`, `merge a, b`, `quarantine c`; null for events that are too frequent to be marked. */
export function describe({ kind, detail }: RunEvent): string | null {
  if (kind === 'quarantine' || kind === 'merge' || kind === 'break') return `${kind} ${names(detail)}`.trim();
  const { bodies, body, sensor } = Object(detail) as Record<string, unknown>;
  if (kind === 'contact_begin') return `contact ${names(bodies)}`;
  if (kind === 'contact_end') return null;
  if (kind === 'sensor_enter') return `${names(body)} enters ${names(sensor)}`;
  if (kind === 'sensor_leave') return `${names(body)} leaves ${names(sensor)}`;
  if (typeof detail === 'string') return detail;
  const [command, of] = Object.entries(Object(detail) as Record<string, unknown>)[0] ?? [kind, null];
  if (command === 'pull' || command === 'let_go') return null;
  return `${command} ${names(of)}`.trim();
}

/** The names of the bodies or the joint of an event: one, several, or an object with the name of its body or joint. */
function names(of: unknown): string {
  if (typeof of === 'string') return of;
  if (Array.isArray(of)) return of.map(names).join(', ');
  const object = Object(of) as Record<string, unknown>;
  return names(object['body'] ?? object['joint'] ?? '');
}
