// Axis-aligned boxes, and the check for drawable coordinates.
import type { Vec3 } from '../model';

/** Larger coordinates are not drawn: the simulation has diverged. */
export const MAX_COORDINATE_M = 1e9;

/** Whether a point can be drawn. */
export function isDrawable(x: number, y: number, z: number): boolean {
  return Math.abs(x) < MAX_COORDINATE_M && Math.abs(y) < MAX_COORDINATE_M && Math.abs(z) < MAX_COORDINATE_M;
}

/** An axis-aligned box; empty until something is added. */
export class Box {
  readonly lo: Vec3 = [Infinity, Infinity, Infinity];
  readonly hi: Vec3 = [-Infinity, -Infinity, -Infinity];

  /** Extends the box by a ball; ignores points that cannot be drawn. */
  add(x: number, y: number, z: number, radius = 0): void {
    if (!isDrawable(x, y, z)) return;
    const { lo, hi } = this;
    if (x - radius < lo[0]) lo[0] = x - radius;
    if (y - radius < lo[1]) lo[1] = y - radius;
    if (z - radius < lo[2]) lo[2] = z - radius;
    if (x + radius > hi[0]) hi[0] = x + radius;
    if (y + radius > hi[1]) hi[1] = y + radius;
    if (z + radius > hi[2]) hi[2] = z + radius;
  }

  addBox(other: Box): void {
    if (other.isEmpty()) return;
    this.add(...other.lo);
    this.add(...other.hi);
  }

  clear(): void {
    this.lo.fill(Infinity);
    this.hi.fill(-Infinity);
  }

  isEmpty(): boolean {
    return this.lo[0] > this.hi[0];
  }

  clone(): Box {
    const copy = new Box();
    copy.addBox(this);
    return copy;
  }

  diagonal(): number {
    const { lo, hi } = this;
    return this.isEmpty() ? 0 : Math.hypot(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]);
  }

  centre(): Vec3 {
    const { lo, hi } = this;
    return [(lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2, (lo[2] + hi[2]) / 2];
  }

  corners(): Vec3[] {
    const { lo, hi } = this;
    const corners: Vec3[] = [];
    for (let i = 0; i < 8; i++) {
      corners.push([i & 1 ? hi[0] : lo[0], i & 2 ? hi[1] : lo[1], i & 4 ? hi[2] : lo[2]]);
    }
    return corners;
  }
}
