// Joints: their frames as small axes, and what they leave free: axes, limits as arcs and lines, and the present value.
import { Color, Group, Quaternion, Vector3, type IUniform, type Vector2 } from 'three';
import type { CoordinateInfo, Header, JointInfo, Vec3 } from '../model';
import { Arrows } from './arrows';
import { positionOf, turnOf } from './colliders';
import { POSE, type Poses } from './poses';
import { block } from './solids';
import type { Look } from './theme';
import { Wires, arc, circle, type Segments } from './wires';

const X: Vec3 = [1, 0, 0], Y: Vec3 = [0, 1, 0], Z: Vec3 = [0, 0, 1];
/** The axis of each coordinate, and the directions from which its angle is measured. */
const LINES: Record<string, Vec3> = { x: X, y: Y, z: Z };
const TURNS: Record<string, [Vec3, Vec3, Vec3]> = { turn_x: [X, Y, Z], turn_y: [Y, Z, X], turn_z: [Z, X, Y] };
/** Joints are inside bodies, so their hidden parts are almost as strong as the others. */
const HIDDEN_SHARE = 0.7;
/** The size of a joint as a share of the smaller of its bodies, and of the scene at least and at most. */
const SHARE_OF_BODY = 0.55, LEAST_SHARE = 0.012, GREATEST_SHARE = 0.07;

interface Drawn {
  joint: JointInfo;
  size: number;
  wires: Wires;
}

export class Joints {
  readonly group = new Group();
  on = false;
  private drawn: Drawn[] | null = null;
  private readonly arrows = new Arrows(HIDDEN_SHARE);
  private readonly color = new Color();
  private readonly turns = [new Quaternion(), new Quaternion()];
  private readonly v = new Vector3();

  constructor(private readonly header: Header, private readonly reach: Float64Array, private readonly size: number, private readonly viewport: IUniform<Vector2>) {
    this.group.add(this.arrows.group);
    this.group.visible = false;
  }

  setLook(look: Look): void {
    this.color.set(look.joint);
  }

  /** The names of the joints that are drawn. */
  get shown(): string[] {
    return this.on ? this.present.map(({ joint }) => joint.name) : [];
  }

  private present: Drawn[] = [];

  /** `breaks` has the times at which joints broke. */
  update(poses: Poses, time: number, breaks: ReadonlyMap<string, number>): void {
    this.group.visible = this.on;
    if (!this.on) return;
    this.drawn ??= this.build();
    const isThere = (body: number | null): boolean => body === null || poses.isShown(body);
    this.present = [];
    this.arrows.begin(7 * this.drawn.length);
    for (const drawn of this.drawn) {
      const { joint, wires, size } = drawn;
      const isPresent = time < (breaks.get(joint.name) ?? Infinity) && joint.bodies.every(isThere);
      const places = joint.bodies.map((body, side) => this.place(poses, body, joint, side));
      const [{ w, x, y, z }] = this.turns;
      const { r, g, b } = this.color;
      wires.set(0, places[0], w, x, y, z, r, g, b, isPresent ? 1 : 0);
      wires.end();
      if (!isPresent) continue;
      this.present.push(drawn);
      this.frame(places[1], this.turns[1], 0.55 * size);
      this.value(joint, places, size);
    }
    this.arrows.end();
  }

  /** The origin of a frame in the world; its orientation is left in `turns`. */
  private place(poses: Poses, body: number | null, joint: JointInfo, side: number): Vec3 {
    const frame = joint.frames[side], own = turnOf(frame);
    if (body === null) {
      this.turns[side].copy(own);
      return positionOf(frame);
    }
    const p = POSE * body, q = poses.data;
    this.turns[side].set(q[p + 4], q[p + 5], q[p + 6], q[p + 3]).multiply(own);
    return poses.toWorld(body, positionOf(frame));
  }

  /** Three small axes. */
  private frame([x, y, z]: Vec3, turn: Quaternion, long: number): void {
    const add = (axis: Vec3, r: number, g: number, b: number): void => {
      const { x: u, y: v, z: w } = this.v.set(...axis).applyQuaternion(turn);
      this.arrows.add(x, y, z, long * u, long * v, long * w, 0.045 * long, r, g, b);
    };
    add(X, 0.85, 0.06, 0.06);
    add(Y, 0.08, 0.6, 0.08);
    add(Z, 0.06, 0.22, 0.95);
  }

  /** Arrows that show where each free coordinate is between its limits. */
  private value(joint: JointInfo, [first, second]: Vec3[], size: number): void {
    const { r, g, b } = this.color;
    const needle = (axis: Vec3, long: number): void => {
      const { x, y, z } = this.v.set(...axis).applyQuaternion(this.turns[1]);
      this.arrows.add(...first, long * x, long * y, long * z, 0.035 * size, r, g, b);
    };
    const free = joint.coordinates ?? [];
    if (joint.kind === 'ball') needle(Z, size);
    else {
      const turning = free.filter(({ axis }) => axis in TURNS);
      // The angle of one coordinate can be read from the direction across its axis.
      for (const { axis } of turning.length === 1 || joint.kind === 'wheel' ? turning : []) needle(TURNS[axis][1], size);
    }
    if (free.some(({ axis }) => axis in LINES)) {
      const [x, y, z] = first, along: Vec3 = [second[0] - x, second[1] - y, second[2] - z];
      this.arrows.add(x, y, z, ...along, 0.05 * size, r, g, b);
    }
  }

  private build(): Drawn[] {
    const axes = (this.header.physics?.joints ?? []).filter(({ kind }) => kind !== 'rope' && kind !== 'distance');
    return axes.map((joint) => {
      const reaches = joint.bodies.filter((body) => body !== null).map((body) => this.reach[body] ?? 0).filter((r) => r > 0);
      const own = SHARE_OF_BODY * (reaches.length > 0 ? Math.min(...reaches) : this.size);
      const size = Math.min(Math.max(own, LEAST_SHARE * this.size), GREATEST_SHARE * this.size);
      const wires = new Wires(glyph(joint, size), 1, this.viewport, HIDDEN_SHARE);
      this.group.add(wires.group);
      return { joint, size, wires };
    });
  }

  dispose(): void {
    for (const { wires } of this.drawn ?? []) wires.dispose();
    this.arrows.dispose();
  }
}

const scaled = ([x, y, z]: Vec3, s: number): Vec3 => [s * x, s * y, s * z];

/** What a joint leaves free, as lines in its first frame. */
export function glyph(joint: JointInfo, size: number): Segments {
  const out: Segments = [];
  const free = joint.coordinates ?? [];
  if (free.length === 0) return block(out, [0.3 * size, 0.3 * size, 0.3 * size]);
  if (joint.kind === 'ball') return ball(out, free, size);
  for (const { axis, limits } of free) {
    const line = LINES[axis], turn = TURNS[axis];
    if (line) travel(out, line, limits ?? null, size);
    if (turn) rotation(out, turn, limits ?? null, size);
  }
  return out;
}

/** The line of a displacement, with crosses at its limits. */
function travel(out: Segments, axis: Vec3, limits: [number, number] | null, size: number): void {
  const [low, high] = limits ?? [-1.6 * size, 1.6 * size];
  out.push(scaled(axis, low), scaled(axis, high));
  const across = axis === Z ? [X, Y] : axis === X ? [Y, Z] : [Z, X];
  if (limits === null) return;
  for (const end of [low, high]) {
    const [x, y, z] = scaled(axis, end);
    for (const [u, v, w] of across.map((direction) => scaled(direction, 0.35 * size))) out.push([x - u, y - v, z - w], [x + u, y + v, z + w]);
  }
}

/** The axis of a rotation, and its limits as a sector; a whole circle without them. */
function rotation(out: Segments, [axis, from, other]: [Vec3, Vec3, Vec3], limits: [number, number] | null, size: number): void {
  out.push(scaled(axis, -1.5 * size), scaled(axis, 1.5 * size));
  const u = scaled(from, size), v = scaled(other, size);
  if (limits === null) return circle(out, [0, 0, 0], u, v);
  const [low, high] = limits;
  arc(out, [0, 0, 0], u, v, low, high);
  for (const angle of limits) {
    const c = Math.cos(angle), s = Math.sin(angle);
    out.push([0, 0, 0], [c * u[0] + s * v[0], c * u[1] + s * v[1], c * u[2] + s * v[2]]);
  }
}

/** The cone of a ball joint, and the limits of its twist. */
function ball(out: Segments, free: CoordinateInfo[], size: number): Segments {
  const swing = free.find(({ axis }) => axis === 'turn_x')?.limits?.[1];
  const twist = free.find(({ axis }) => axis === 'turn_z')?.limits;
  if (swing === undefined) {
    const r = 0.35 * size;
    circle(out, [0, 0, 0], [r, 0, 0], [0, r, 0]);
    circle(out, [0, 0, 0], [0, r, 0], [0, 0, r]);
    circle(out, [0, 0, 0], [0, 0, r], [r, 0, 0]);
  } else {
    const r = size * Math.sin(swing), h = size * Math.cos(swing);
    circle(out, [0, 0, h], [r, 0, 0], [0, r, 0]);
    for (let k = 0; k < 8; k++) {
      const angle = (Math.PI * k) / 4;
      out.push([0, 0, 0], [r * Math.cos(angle), r * Math.sin(angle), h]);
    }
  }
  if (twist) rotation(out, [[0, 0, 0], [1, 0, 0], [0, 1, 0]], twist, 0.5 * size);
  return out;
}
