// The card of the selected body or piece of cloth.
import { button, element, setPressed, setText } from './dom';
import { type BodyState, bodyState } from './frame';
import { short } from './format';
import { type ClothInfo, type Header, type Vec3, pieceOf } from './model';
import type { DrawnMoment } from './player';

export interface InspectedBody {
  name: string;
  mass: number;
  speed: number;
  energy: number;
  status: string;
}
export interface InspectedCloth {
  name: string;
  vertices: number;
  triangles: number;
  thickness: number;
  colour: string;
}
export type Inspected = InspectedBody | InspectedCloth;

/** Faster changes could not be read. */
const UPDATE_INTERVAL_S = 0.1;

export class Inspector {
  private readonly card = element('inspector', HTMLElement);
  private readonly body = element('inspector-body', HTMLElement);
  private readonly cloth = element('inspector-cloth', HTMLElement);
  private readonly focus = button('focus');
  private sinceUpdate = Infinity;
  private inspected: Inspected | null = null;

  constructor(focus: () => void, close: () => void) {
    this.focus.addEventListener('click', focus);
    button('inspector-close').addEventListener('click', close);
  }

  get current(): Inspected | null {
    return this.inspected;
  }

  /** Shows changes at the next update, without waiting for the interval. */
  refresh(): void {
    this.sinceUpdate = Infinity;
  }

  /** An object is a body, or a piece of cloth counted after all bodies. */
  update(dt: number, header: Header, object: number | null, following: boolean, shown: DrawnMoment | null): void {
    const body = object === null ? undefined : header.bodies[object];
    const cloth = object === null ? undefined : pieceOf(header, object)?.info;
    const info = body ?? cloth;
    if (object === null || info === undefined || shown === null) {
      this.card.hidden = true;
      this.inspected = null;
      return;
    }
    this.sinceUpdate += dt;
    if (this.sinceUpdate < UPDATE_INTERVAL_S) return;
    this.sinceUpdate = 0;
    this.card.hidden = false;
    this.body.hidden = body === undefined;
    this.cloth.hidden = cloth === undefined;
    let lines: [string, string][] = [];
    let quarantined = false;
    if (body !== undefined) {
      const state = bodyState(body, object, shown.a, shown.b, shown.s);
      quarantined = state.quarantined;
      lines = rows(body.scripted === true ? null : body.mass, state);
      this.inspected = { name: body.name, mass: body.mass, speed: state.speed, energy: state.energy, status: state.status };
    } else if (cloth !== undefined) {
      lines = clothRows(cloth);
      const { name, vertices, triangles, thickness } = cloth;
      this.inspected = { name, vertices, triangles: triangles.length, thickness, colour: hex(cloth.color) };
    }
    this.card.classList.toggle('quarantined', quarantined);
    setPressed(this.focus, following);
    setText(element('inspector-name', HTMLElement), info.name);
    element('inspector-color', HTMLElement).style.backgroundColor = hex(info.color);
    for (const [id, text] of lines) setText(element(`inspector-${id}`, HTMLElement), text);
  }
}

/** `mass` is null for an obstacle, which is scripted. */
function rows(mass: number | null, state: BodyState): [string, string][] {
  return [
    ['mass', mass === null ? '–' : `${short(mass)} kg`],
    ['position', point(state.position)],
    ['speed', `${short(state.speed)} m/s`],
    ['spin', `${short(state.angularSpeed)} rad/s`],
    ['energy', mass === null ? '–' : `${short(state.energy)} J`],
    ['status', state.quarantined ? 'quarantined: its numbers diverged' : state.status],
  ];
}

function clothRows({ vertices, triangles, thickness, color }: ClothInfo): [string, string][] {
  return [
    ['vertices', vertices.toLocaleString('en')],
    ['triangles', triangles.length.toLocaleString('en')],
    ['thickness', `${Number((1000 * thickness).toPrecision(3))} mm`],
    ['colour', hex(color)],
  ];
}

function hex(color: Vec3): string {
  const part = (value: number): string => Math.round(255 * Math.min(Math.max(value, 0), 1)).toString(16).padStart(2, '0');
  return `#${color.map(part).join('')}`;
}

function point(p: Vec3): string {
  return `${p.map((x) => (Math.abs(x) < 1e3 ? x.toFixed(2) : short(x)).replace('-', '−')).join('  ')} m`;
}
