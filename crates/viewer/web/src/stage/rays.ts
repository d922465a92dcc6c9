// Intersections of a ray with balls and triangles.
import type { Vec3 } from '../model';

/** The distance at which a ray enters a ball (0 if it starts inside); null if it misses. */
export function enterBall(from: Vec3, d: Vec3, x: number, y: number, z: number, radius: number): number | null {
  const ox = x - from[0], oy = y - from[1], oz = z - from[2];
  const middle = ox * d[0] + oy * d[1] + oz * d[2];
  const rest = ox * ox + oy * oy + oz * oz - radius * radius;
  if (rest <= 0) return 0;
  const under = middle * middle - rest;
  return middle > 0 && under >= 0 ? middle - Math.sqrt(under) : null;
}

/** The distance to a triangle along a ray, from either side (Möller and Trumbore); Infinity if it misses. */
export function meetTriangle(
  from: Vec3, d: Vec3,
  ax: number, ay: number, az: number,
  bx: number, by: number, bz: number,
  cx: number, cy: number, cz: number,
): number {
  const e0 = bx - ax, e1 = by - ay, e2 = bz - az;
  const f0 = cx - ax, f1 = cy - ay, f2 = cz - az;
  const p0 = d[1] * f2 - d[2] * f1, p1 = d[2] * f0 - d[0] * f2, p2 = d[0] * f1 - d[1] * f0;
  const determinant = e0 * p0 + e1 * p1 + e2 * p2;
  if (determinant === 0) return Infinity;
  const t0 = from[0] - ax, t1 = from[1] - ay, t2 = from[2] - az;
  const u = (t0 * p0 + t1 * p1 + t2 * p2) / determinant;
  if (u < 0 || u > 1) return Infinity;
  const q0 = t1 * e2 - t2 * e1, q1 = t2 * e0 - t0 * e2, q2 = t0 * e1 - t1 * e0;
  const v = (d[0] * q0 + d[1] * q1 + d[2] * q2) / determinant;
  if (v < 0 || u + v > 1) return Infinity;
  const distance = (f0 * q0 + f1 * q1 + f2 * q2) / determinant;
  return distance > 0 ? distance : Infinity;
}
