// The overlays of the scene: contacts, forces, velocities and body frames.
import { Color, Group } from 'three';
import type { Frame, Header } from '../model';
import { Arrows } from './arrows';
import { Dots } from './dots';
import { POSE, STRIDE, type Poses } from './poses';
import type { Look } from './theme';

/** How much longer than the longest arrow one may be for a moment. */
const LONGEST_SHARE = 1.3;
/** Numbers per contact in a frame. */
const CONTACT = 7;

export type Overlay = 'contacts' | 'forces' | 'velocities' | 'frames';

/** Arrows that are drawn: what they show, their unit, their length per unit, and their colour. */
export type ArrowScales = { name: string; unit: string; length: number; color: string }[];

/** Scales magnitudes to lengths: the largest recent magnitude has the length `longest`, and adapts slowly. */
class Gauge {
  private greatest = 0;
  private seen = 0;
  constructor(private readonly longest: number) {}

  note(magnitude: number): void {
    if (Number.isFinite(magnitude) && magnitude > this.seen) this.seen = magnitude;
  }

  /** The present length of an arrow per unit of magnitude, which stays as it is. */
  get current(): number {
    return this.greatest > 0 ? this.longest / this.greatest : 0;
  }

  /** The length of an arrow per unit of magnitude. */
  scale(): number {
    if (this.seen > 0) {
      // Arrows that would be cut off would not be to scale.
      const grown = this.seen / this.greatest;
      const rate = grown > LONGEST_SHARE ? 1 : grown > 1 ? 0.3 : 0.015;
      this.greatest += rate * (this.seen - this.greatest);
    }
    this.seen = 0;
    return this.current;
  }
}

export class Overlays {
  readonly group = new Group();
  readonly on: Record<Overlay, boolean> = { contacts: false, forces: false, velocities: false, frames: false };
  private readonly arrows: Record<Overlay, Arrows> = {
    contacts: new Arrows(), forces: new Arrows(), velocities: new Arrows(), frames: new Arrows(),
  };
  private readonly dots = new Dots();
  private readonly colors = { velocity: new Color(), force: new Color(), impulse: new Color() };
  private readonly gauges: Record<'velocity' | 'force' | 'push', Gauge>;
  private readonly longest: number;
  private readonly width: number;

  /** `size` is that of the scene, `typical` the radius of a typical body; arrows are longer than bodies and shorter than the scene. */
  constructor(private readonly header: Header, private readonly reach: Float64Array, size: number, typical: number) {
    this.longest = Math.min(Math.max(4 * typical, 0.07 * size), 0.3 * size);
    this.width = 0.022 * this.longest;
    const gauge = () => new Gauge(this.longest);
    this.gauges = { velocity: gauge(), force: gauge(), push: gauge() };
    for (const arrows of Object.values(this.arrows)) {
      arrows.group.visible = false;
      this.group.add(arrows.group);
    }
    this.group.add(this.dots.points);
  }

  /** The number of drawn force arrows. */
  get arrowsShown(): number {
    return this.on.forces ? this.arrows.forces.shown : 0;
  }

  /** The arrows that are drawn. */
  get scales(): ArrowScales {
    const { on, gauges, colors } = this;
    const scales: ArrowScales = [];
    const add = (isOn: boolean, gauge: Gauge, name: string, unit: string, color: Color): void => {
      if (isOn && gauge.current > 0) scales.push({ name, unit, length: gauge.current, color: `#${color.getHexString()}` });
    };
    add(on.contacts || on.forces, gauges.push, 'contact force', 'N', colors.impulse);
    add(on.forces, gauges.force, 'net force', 'N', colors.force);
    add(on.velocities, gauges.velocity, 'velocity', 'm/s', colors.velocity);
    return scales;
  }

  setLook(look: Look, pixelRatio: number): void {
    this.colors.velocity.set(look.velocity);
    this.colors.force.set(look.force);
    this.colors.impulse.set(look.impulse);
    this.dots.setLook(look.contact, 11 * pixelRatio);
  }

  /** Forces are computed from the velocities of the frames `forceFrom` and `forceTo`. */
  update(poses: Poses, a: Frame, b: Frame | null, s: number, forceFrom: Frame | null, forceTo: Frame | null): void {
    const { on, arrows } = this;
    if (on.velocities) this.velocities(poses, a, b, s);
    else arrows.velocities.group.visible = false;
    if (on.forces) this.forces(poses, a, forceFrom, forceTo);
    else arrows.forces.group.visible = false;
    if (on.frames) this.frames(poses);
    else arrows.frames.group.visible = false;
    // Force arrows include those of contacts.
    if (on.contacts && !on.forces) this.impulses(a);
    else arrows.contacts.group.visible = false;
    if (on.contacts) this.dots.set(a.contacts, CONTACT);
    else this.dots.points.visible = false;
  }

  private velocities(poses: Poses, a: Frame, b: Frame | null, s: number): void {
    const from = a.bodies, to = (b ?? a).bodies, q = poses.data;
    const { velocities: arrows } = this.arrows, { velocity: gauge } = this.gauges, { r, g, b: blue } = this.colors.velocity;
    const n = Math.min(poses.count, from.length / STRIDE, to.length / STRIDE);
    for (let i = 0, k = 7; i < n; i++, k += STRIDE) gauge.note(Math.hypot(from[k], from[k + 1], from[k + 2]));
    const scale = gauge.scale();
    arrows.begin(n);
    for (let i = 0, k = 7, p = 0; i < n; i++, k += STRIDE, p += POSE) {
      if (!q[p + 7]) continue;
      const x = from[k] + s * (to[k] - from[k]), y = from[k + 1] + s * (to[k + 1] - from[k + 1]), z = from[k + 2] + s * (to[k + 2] - from[k + 2]);
      this.arrow(arrows, q[p], q[p + 1], q[p + 2], x, y, z, scale, r, g, blue);
    }
    arrows.end();
  }

  private forces(poses: Poses, a: Frame, from: Frame | null, to: Frame | null): void {
    const { forces: arrows } = this.arrows, { force: gauge } = this.gauges, q = poses.data;
    const { bodies } = this.header;
    arrows.begin(poses.count + Math.floor(a.contacts.length / CONTACT));
    const seconds = from && to ? to.time - from.time : 0;
    if (from && to && seconds > 0) {
      const v = from.bodies, w = to.bodies;
      const n = Math.min(poses.count, v.length / STRIDE, w.length / STRIDE);
      for (let i = 0, k = 7; i < n; i++, k += STRIDE) {
        gauge.note((bodies[i].mass * Math.hypot(w[k] - v[k], w[k + 1] - v[k + 1], w[k + 2] - v[k + 2])) / seconds);
      }
      const scale = gauge.scale(), { r, g, b } = this.colors.force;
      for (let i = 0, k = 7, p = 0; i < n; i++, k += STRIDE, p += POSE) {
        if (!q[p + 7]) continue;
        const f = bodies[i].mass / seconds;
        this.arrow(arrows, q[p], q[p + 1], q[p + 2], f * (w[k] - v[k]), f * (w[k + 1] - v[k + 1]), f * (w[k + 2] - v[k + 2]), scale, r, g, b);
      }
    }
    this.contactForces(arrows, a);
    arrows.end();
  }

  private impulses(frame: Frame): void {
    const { contacts: arrows } = this.arrows;
    arrows.begin(Math.floor(frame.contacts.length / CONTACT));
    this.contactForces(arrows, frame);
    arrows.end();
  }

  /** The mean forces of contacts in the last step. They are often much larger than net forces, so they have their own scale. */
  private contactForces(arrows: Arrows, { contacts }: Frame): void {
    const { push } = this.gauges, { r, g, b } = this.colors.impulse;
    const end = CONTACT * Math.floor(contacts.length / CONTACT);
    const perStep = 1 / this.header.step_seconds;
    for (let k = 0; k < end; k += CONTACT) push.note(perStep * Math.hypot(contacts[k + 3], contacts[k + 4], contacts[k + 5]));
    const scale = perStep * push.scale();
    for (let k = 0; k < end; k += CONTACT) {
      this.arrow(arrows, contacts[k], contacts[k + 1], contacts[k + 2], contacts[k + 3], contacts[k + 4], contacts[k + 5], scale, r, g, b);
    }
  }

  private frames(poses: Poses): void {
    const { frames: arrows } = this.arrows, q = poses.data;
    arrows.begin(3 * poses.count);
    for (let i = 0, p = 0; i < poses.count; i++, p += POSE) {
      if (!q[p + 7]) continue;
      const long = 1.7 * (this.reach[i] || this.longest), thin = 0.022 * long;
      const w = q[p + 3], x = q[p + 4], y = q[p + 5], z = q[p + 6];
      arrows.add(q[p], q[p + 1], q[p + 2], long * (1 - 2 * (y * y + z * z)), long * 2 * (x * y + w * z), long * 2 * (x * z - w * y), thin, 0.85, 0.06, 0.06);
      arrows.add(q[p], q[p + 1], q[p + 2], long * 2 * (x * y - w * z), long * (1 - 2 * (x * x + z * z)), long * 2 * (y * z + w * x), thin, 0.08, 0.6, 0.08);
      arrows.add(q[p], q[p + 1], q[p + 2], long * 2 * (x * z + w * y), long * 2 * (y * z - w * x), long * (1 - 2 * (x * x + y * y)), thin, 0.06, 0.22, 0.95);
    }
    arrows.end();
  }

  /** Adds an arrow with a bounded length, unless it is too short to be visible. */
  private arrow(arrows: Arrows, x: number, y: number, z: number, dx: number, dy: number, dz: number, scale: number, r: number, g: number, b: number): void {
    const length = scale * Math.hypot(dx, dy, dz);
    if (!(length > 0.012 * this.longest)) return;
    const most = LONGEST_SHARE * this.longest;
    const drawn = length > most ? (scale * most) / length : scale;
    arrows.add(x, y, z, dx * drawn, dy * drawn, dz * drawn, this.width, r, g, b);
  }

  dispose(): void {
    for (const arrows of Object.values(this.arrows)) arrows.dispose();
    this.dots.dispose();
  }
}
