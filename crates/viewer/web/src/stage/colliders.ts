// What really collides, as wireframes: the colliders of bodies, obstacles and planes.
import { Color, Group, Quaternion, Vector3, type IUniform, type Vector2 } from 'three';
import { ASLEEP } from '../frame';
import type { ColliderInfo, Frame, Header, PoseInfo, Vec3 } from '../model';
import type { Box } from './box';
import { POSE, type Poses } from './poses';
import { linesOf } from './solids';
import type { Look } from './theme';
import { Wires, type Segments } from './wires';

/** The status of a body that is held in place, and of one that follows a script. */
const LOCKED = 1, SCRIPTED = 4;
const FIXED_OPACITY = 0.5, HIDDEN_SHARE = 0.22;
/** How far beyond the box of the scene planes are drawn, as a share of its diagonal. */
const PLANE_MARGIN = 0.1;

interface Batch {
  wires: Wires;
  list: ColliderInfo[];
}

/** The position of a pose in the header. */
export const positionOf = (pose: PoseInfo | undefined): Vec3 => pose?.position ?? [0, 0, 0];
/** Its orientation. */
export const turnOf = (pose: PoseInfo | undefined): Quaternion => {
  const [w, x, y, z] = pose?.orientation ?? [1, 0, 0, 0];
  return new Quaternion(x, y, z, w);
};

export class Colliders {
  readonly group = new Group();
  on = false;
  private batches: Batch[] | null = null;
  private readonly colors = { awake: new Color(), asleep: new Color(), fixed: new Color() };
  private readonly own = new Quaternion();
  private readonly turn = new Quaternion();

  constructor(private readonly header: Header, private readonly box: Box, private readonly viewport: IUniform<Vector2>) {
    this.group.visible = false;
  }

  setLook(look: Look): void {
    this.colors.awake.set(look.collider);
    this.colors.asleep.set(look.colliderAsleep);
    this.colors.fixed.set(look.colliderFixed);
  }

  /** How many colliders are drawn. */
  get shown(): number {
    return this.on ? (this.batches ?? []).reduce((sum, { list }) => sum + list.length, 0) : 0;
  }

  /** Moves the wireframes to the poses of their bodies. */
  update(poses: Poses, { status }: Frame): void {
    this.group.visible = this.on;
    if (!this.on) return;
    this.batches ??= this.build();
    for (const { wires, list } of this.batches) {
      list.forEach((collider, i) => {
        const offset = positionOf(collider.pose);
        this.own.copy(turnOf(collider.pose));
        const { body } = collider;
        if (body === undefined) {
          const { r, g, b } = this.colors.fixed;
          wires.set(i, offset, this.own.w, this.own.x, this.own.y, this.own.z, r, g, b, FIXED_OPACITY);
          return;
        }
        const p = POSE * body, q = poses.data;
        this.turn.set(q[p + 4], q[p + 5], q[p + 6], q[p + 3]).multiply(this.own);
        const is = status[body] ?? 0;
        const color = is === ASLEEP ? this.colors.asleep : is === LOCKED || is === SCRIPTED ? this.colors.fixed : this.colors.awake;
        wires.set(i, poses.toWorld(body, offset), this.turn.w, this.turn.x, this.turn.y, this.turn.z, color.r, color.g, color.b, poses.isShown(body) ? 1 : 0);
      });
      wires.end();
    }
  }

  private build(): Batch[] {
    const { physics, meshes } = this.header;
    const centre = new Vector3(...this.box.centre()), span = 0.75 * this.box.diagonal();
    const lists = new Map<string, ColliderInfo[]>();
    (physics?.colliders ?? []).forEach((collider, i) => {
      // The grid of a plane is around the scene, wherever the origin of the plane is.
      const isPlane = physics?.shapes?.[collider.shape]?.kind === 'plane';
      const key = isPlane ? `plane ${i}` : String(collider.shape);
      const list = lists.get(key);
      if (list) list.push(collider);
      else lists.set(key, [collider]);
    });
    const batches: Batch[] = [];
    for (const list of lists.values()) {
      const { shape: number, pose } = list[0];
      const shape = physics?.shapes?.[number];
      if (shape === undefined) continue;
      const middle = centre.clone().sub(new Vector3(...positionOf(pose))).applyQuaternion(turnOf(pose).invert());
      let lines = linesOf(shape, meshes, [middle.x, middle.y, middle.z], span);
      if (shape.kind === 'plane') lines = this.nearScene(lines, pose);
      const wires = new Wires(lines, list.length, this.viewport, HIDDEN_SHARE);
      this.group.add(wires.group);
      batches.push({ wires, list });
    }
    return batches;
  }

  /** The parts of lines that are in the box of the scene, with a margin. */
  private nearScene(lines: Segments, pose: PoseInfo | undefined): Segments {
    const turn = turnOf(pose), back = turnOf(pose).invert(), origin = new Vector3(...positionOf(pose));
    const { lo, hi } = this.box, margin = PLANE_MARGIN * this.box.diagonal();
    const kept: Segments = [];
    for (let i = 0; i + 1 < lines.length; i += 2) {
      const [a, b] = [lines[i], lines[i + 1]].map((p) => new Vector3(...p).applyQuaternion(turn).add(origin));
      let [from, to] = [0, 1];
      for (const axis of [0, 1, 2]) {
        const start = a.getComponent(axis), along = b.getComponent(axis) - start;
        const ends = [lo[axis] - margin, hi[axis] + margin].map((edge) => (edge - start) / (along || 1e-12));
        from = Math.max(from, Math.min(...ends));
        to = Math.min(to, Math.max(...ends));
      }
      if (from >= to) continue;
      for (const s of [from, to]) {
        const { x, y, z } = a.clone().lerp(b, s).sub(origin).applyQuaternion(back);
        kept.push([x, y, z]);
      }
    }
    return kept;
  }

  dispose(): void {
    for (const { wires } of this.batches ?? []) wires.dispose();
  }
}
