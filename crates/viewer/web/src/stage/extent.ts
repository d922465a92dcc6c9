// The extent of a scene: the box around its bodies, and the box to which its planes are clipped.
import type { BodyInfo, EndInfo, Frame, Header, Vec3, WaterInfo } from '../model';
import { Box, MAX_COORDINATE_M, isDrawable } from './box';
import { Poses } from './poses';

/** The index of the axis that points up. */
export function upAxis(header: Header): 1 | 2 {
  return header.up === 'y' ? 1 : 2;
}

/** The radius of the bounding sphere of a body about its centre of mass. */
export function boundingRadiusOf(header: Header, body: BodyInfo): number {
  let reach = 0;
  const mesh = body.mesh === null ? undefined : header.meshes[body.mesh];
  if (mesh) {
    for (const v of mesh.vertices) reach = Math.max(reach, Math.hypot(...v));
  } else {
    for (const [c, r] of body.spheres) reach = Math.max(reach, Math.hypot(...c) + Math.abs(r));
  }
  return Math.min(reach, MAX_COORDINATE_M);
}

/** The bounding radius of every body; a shared mesh is measured once. */
export function boundingRadii(header: Header): Float64Array {
  const ofMesh = new Map<number, number>();
  return Float64Array.from(header.bodies, (body) => {
    if (body.mesh === null) return boundingRadiusOf(header, body);
    let reach = ofMesh.get(body.mesh);
    if (reach === undefined) ofMesh.set(body.mesh, (reach = boundingRadiusOf(header, body)));
    return reach;
  });
}

/**
 * The corners of the box of an obstacle in its own axes. Its origin can be far from its centre, so a bounding sphere
 * about the origin would be too large.
 */
export function obstacleCorners(header: Header, body: BodyInfo): Vec3[] {
  const box = new Box();
  const mesh = body.mesh === null ? undefined : header.meshes[body.mesh];
  if (mesh) for (const v of mesh.vertices) box.add(...v);
  else for (const [c, r] of body.spheres) box.add(...c, Math.abs(r));
  return box.isEmpty() ? [] : box.corners();
}

/** The box around all bodies and cloth of a frame and all pins of springs, never empty and never flat. */
export function extentOf(header: Header, frame: Frame | null, reach: Float64Array): Box {
  const box = new Box();
  if (frame) {
    const n = Math.min(header.bodies.length, frame.bodies.length / 13);
    const poses = new Poses(header.bodies.length);
    poses.update(frame, null, 0);
    for (let i = 0; i < n; i++) {
      if (!poses.isShown(i)) continue;
      const k = 13 * i, body = header.bodies[i];
      if (body.scripted) for (const corner of obstacleCorners(header, body)) box.add(...poses.toWorld(i, corner));
      else box.add(frame.bodies[k], frame.bodies[k + 1], frame.bodies[k + 2], reach[i]);
    }
    for (let k = 0; k + 2 < frame.cloth.length; k += 3) box.add(frame.cloth[k], frame.cloth[k + 1], frame.cloth[k + 2]);
  }
  for (const spring of header.springs) {
    for (const end of [spring.a, spring.b]) if ('pin' in end) box.add(...end.pin);
  }
  if (frame) addSwingRange(header, frame, reach, box);
  if (box.isEmpty()) box.add(0, 0, 0, 1);
  const least = Math.max(box.diagonal() * 0.05, 1e-3);
  for (let axis = 0; axis < 3; axis++) {
    const thin = Math.max(0, least - (box.hi[axis] - box.lo[axis])) / 2;
    box.lo[axis] -= thin;
    box.hi[axis] += thin;
  }
  return box;
}

/** The height of the lowest point of all bodies of a frame. */
export function lowestPoint(header: Header, frame: Frame): number {
  const up = upAxis(header);
  let lowest = Infinity;
  header.bodies.forEach((body, i) => {
    const [x, y, z, w, a, b, c] = frame.bodies.subarray(13 * i, 13 * i + 7);
    if (!isDrawable(x, y, z)) return;
    // The row of the rotation matrix that gives heights.
    const row: Vec3 = up === 1
      ? [2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)]
      : [2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)];
    const height = (v: Vec3) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
    const centre = up === 1 ? y : z;
    const mesh = body.mesh === null ? undefined : header.meshes[body.mesh];
    if (mesh) for (const v of mesh.vertices) lowest = Math.min(lowest, centre + height(v));
    else for (const [at, radius] of body.spheres) lowest = Math.min(lowest, centre + height(at) - Math.abs(radius));
  });
  return lowest;
}

/** Adds the range of bodies that hang on springs from a pin: below the pin and on its other side. */
function addSwingRange(header: Header, frame: Frame, reach: Float64Array, box: Box): void {
  const up = upAxis(header);
  const { gravity } = header;
  if (gravity && Math.hypot(...gravity) === 0) return;
  // The pin each body hangs from, found from spring to spring.
  const pins = new Map<number, Vec3>();
  const walk = (body: number, pin: Vec3): void => {
    if (!pins.has(body)) pins.set(body, pin);
  };
  const fromPin = (end: EndInfo, other: EndInfo): void => {
    if ('pin' in end && 'body' in other) walk(other.body[0], end.pin);
  };
  for (const { a, b } of header.springs) {
    fromPin(a, b);
    fromPin(b, a);
  }
  for (let found = -1; found !== pins.size; ) {
    found = pins.size;
    for (const { a, b } of header.springs) {
      if (!('body' in a && 'body' in b)) continue;
      const ofA = pins.get(a.body[0]), ofB = pins.get(b.body[0]);
      if (ofA) walk(b.body[0], ofA);
      if (ofB) walk(a.body[0], ofB);
    }
  }
  for (const [body, pin] of pins) {
    const k = 13 * body;
    if (k + 2 >= frame.bodies.length || frame.status[body] === 1) continue;
    const off: Vec3 = [frame.bodies[k] - pin[0], frame.bodies[k + 1] - pin[1], frame.bodies[k + 2] - pin[2]];
    const below: Vec3 = [...pin], opposite: Vec3 = [pin[0] - off[0], pin[1] - off[1], pin[2] - off[2]];
    below[up] -= 1.1 * Math.hypot(...off);
    opposite[up] = pin[up] + off[up];
    box.add(...below, reach[body]);
    box.add(...opposite, reach[body]);
  }
}

/** The box to which planes are clipped: that of the bodies with a margin, ending at near walls. */
export function planeBounds(header: Header, inner: Box): Box {
  const margin = 0.2 * inner.diagonal();
  const bounds = inner.clone();
  for (let axis = 0; axis < 3; axis++) {
    bounds.lo[axis] -= margin;
    // Walls are not much higher than the bodies.
    bounds.hi[axis] += axis === upAxis(header) ? 0.4 * margin : margin;
  }
  for (const { point, normal } of header.planes) {
    for (let axis = 0; axis < 3; axis++) {
      const at = point[axis];
      const near = (edge: number) => Math.abs(at - edge) < 2 * inner.diagonal();
      if (normal[axis] > 0.999 && at < inner.hi[axis] && near(inner.lo[axis])) bounds.lo[axis] = at;
      if (normal[axis] < -0.999 && at > inner.lo[axis] && near(inner.hi[axis])) bounds.hi[axis] = at;
    }
  }
  return bounds;
}

/** The horizontal extent of water: its own, or that of the clip box with a margin. */
export function waterExtent(header: Header, water: WaterInfo, bounds: Box): [[number, number], [number, number]] {
  if (water.extent) return water.extent;
  const other = header.up === 'y' ? 2 : 1;
  const margin = 2 * bounds.diagonal();
  return [
    [bounds.lo[0] - margin, bounds.lo[other] - margin],
    [bounds.hi[0] + margin, bounds.hi[other] + margin],
  ];
}

/** The height of the highest plane that bodies can rest on as on a floor. */
export function floorOf(header: Header): number | null {
  const up = upAxis(header);
  let floor: number | null = null;
  for (const { point, normal } of header.planes) {
    if (normal[up] > 0.9999 && (floor === null || point[up] > floor)) floor = point[up];
  }
  return floor;
}

/** The box for the camera: bodies, near walls and bounded water. */
export function sceneBox(header: Header, inner: Box, room: Box): Box {
  const box = inner.clone();
  const up = upAxis(header);
  for (const { normal } of header.planes) {
    if (Math.abs(normal[up]) < 0.1) box.hi[up] = room.hi[up];
    for (let axis = 0; axis < 3; axis++) {
      if (normal[axis] > 0.999) box.lo[axis] = Math.min(box.lo[axis], room.lo[axis]);
      if (normal[axis] < -0.999) box.hi[axis] = Math.max(box.hi[axis], room.hi[axis]);
    }
  }
  for (const water of header.waters) {
    box.lo[up] = Math.min(box.lo[up], water.level);
    box.hi[up] = Math.max(box.hi[up], water.level);
    if (!water.extent) continue;
    const [least, most] = water.extent;
    const other = header.up === 'y' ? 2 : 1;
    box.lo[0] = Math.min(box.lo[0], least[0]);
    box.hi[0] = Math.max(box.hi[0], most[0]);
    box.lo[other] = Math.min(box.lo[other], least[1]);
    box.hi[other] = Math.max(box.hi[other], most[1]);
  }
  return box;
}
