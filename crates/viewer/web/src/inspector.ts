// The card of the selected body: who it is and how it moves.
import { button, element, setPressed, setText } from './dom';
import { type BodyState, bodyState } from './frame';
import { short } from './format';
import type { Header, Vec3 } from './model';
import type { Shown } from './player';

export interface Inspected {
  name: string;
  mass: number;
  speed: number;
  energy: number;
}

/** Numbers that change faster cannot be read. */
const SECONDS_BETWEEN = 0.1;

export class Inspector {
  private readonly card = element('inspector', HTMLElement);
  private readonly focus = button('focus');
  private since = Infinity;
  private inspected: Inspected | null = null;

  constructor(focus: () => void, close: () => void) {
    this.focus.addEventListener('click', focus);
    button('inspector-close').addEventListener('click', close);
  }

  get current(): Inspected | null {
    return this.inspected;
  }

  /** The next update shows at once what changed. */
  refresh(): void {
    this.since = Infinity;
  }

  update(dt: number, header: Header, body: number | null, following: boolean, shown: Shown | null): void {
    const info = body === null ? undefined : header.bodies[body];
    if (body === null || info === undefined || shown === null) {
      this.card.hidden = true;
      this.inspected = null;
      return;
    }
    this.since += dt;
    if (this.since < SECONDS_BETWEEN) return;
    this.since = 0;
    const state = bodyState(info, body, shown.a, shown.b, shown.s);
    this.inspected = { name: info.name, mass: info.mass, speed: state.speed, energy: state.energy };
    this.card.hidden = false;
    this.card.classList.toggle('quarantined', state.quarantined);
    setPressed(this.focus, following);
    setText(element('inspector-name', HTMLElement), info.name);
    const color = info.color.map((part) => Math.round(255 * part)).join(' ');
    element('inspector-color', HTMLElement).style.backgroundColor = `rgb(${color})`;
    for (const [id, text] of rows(info.mass, state)) setText(element(`inspector-${id}`, HTMLElement), text);
  }
}

function rows(mass: number, state: BodyState): [string, string][] {
  return [
    ['mass', `${short(mass)} kg`],
    ['position', point(state.position)],
    ['speed', `${short(state.speed)} m/s`],
    ['spin', `${short(state.angularSpeed)} rad/s`],
    ['energy', `${short(state.energy)} J`],
    ['status', state.quarantined ? 'quarantined: its numbers went wrong' : state.status],
  ];
}

function point(p: Vec3): string {
  return `${p.map((x) => (Math.abs(x) < 1e3 ? x.toFixed(2) : short(x)).replace('-', '−')).join('  ')} m`;
}
