// The marks of a clip: contact patches in the colour of their effector, and targets as crosshairs.
import {
  ConeGeometry, CylinderGeometry, ExtrudeGeometry, Group, Mesh, MeshStandardMaterial, Quaternion, Shape, SRGBColorSpace,
  TorusGeometry, Vector3, type BufferGeometry,
} from 'three';
import { isActive } from '../contact-chart';
import type { Chart, ChartRow, Header, TargetInfo, Vec3 } from '../model';
import { floorOf, upAxis } from './extent';
import { POSE, type Poses } from './poses';

/** The rim of a patch around its foot, and half of its thickness. */
const PATCH_RIM_M = 0.02, PATCH_HALF_THICKNESS_M = 0.004;
const TARGET_COLOR = '#d61a45';

interface Patch {
  row: ChartRow;
  body: number;
  mesh: Mesh;
}

export class Patches {
  readonly group = new Group();
  private readonly patches: Patch[] = [];
  private readonly targets = new Group();
  private readonly turn = new Quaternion();
  private readonly offset = new Vector3();

  constructor(header: Header, private readonly chart: Chart | null) {
    this.group.add(this.targets);
    if (chart === null) return;
    for (const row of chart.rows) {
      const body = header.bodies.findIndex(({ name }) => name === row.body);
      if (body < 0) continue;
      const material = new MeshStandardMaterial({ roughness: 0.6 });
      material.color.setRGB(...row.color, SRGBColorSpace);
      material.emissive.copy(material.color);
      material.emissiveIntensity = 0.35;
      const mesh = new Mesh(plate(row.half_extents), material);
      mesh.visible = false;
      this.patches.push({ row, body, mesh });
      this.group.add(mesh);
    }
    const [lo, hi] = chart.extent;
    const size = Math.max(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2], 1e-3);
    const height = upAxis(header) === 2 ? hi[2] - lo[2] : hi[1] - lo[1];
    for (const target of chart.targets) addTarget(this.targets, target, header, Math.min(size, Math.max(height, 0.3 * size)));
  }

  /** The effectors whose patches are drawn. */
  get shown(): string[] {
    return this.patches.filter(({ mesh }) => mesh.visible).map(({ row }) => row.label);
  }

  /** Updates the patches, which are shown if `on`; targets are always shown. */
  update(poses: Poses, time: number, on: boolean): void {
    if (this.chart === null) return;
    for (const { row, body, mesh } of this.patches) {
      mesh.visible = on && poses.isShown(body) && isActive(row, time);
      if (!mesh.visible) continue;
      const p = POSE * body, q = poses.data;
      this.turn.set(q[p + 4], q[p + 5], q[p + 6], q[p + 3]);
      mesh.quaternion.copy(this.turn);
      this.offset.set(0, 0, -row.below).applyQuaternion(this.turn);
      mesh.position.set(q[p], q[p + 1], q[p + 2]).add(this.offset);
    }
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      (object.geometry as BufferGeometry).dispose();
      (object.material as MeshStandardMaterial).dispose();
    });
  }
}

/** A thin plate with round corners, centred at the origin. */
function plate([a, b]: [number, number]): BufferGeometry {
  const [x, y] = [a + PATCH_RIM_M, b + PATCH_RIM_M];
  const r = Math.min(x, y);
  const shape = new Shape();
  shape.moveTo(x - r, -y).absarc(x - r, -y + r, r, -Math.PI / 2, 0, false);
  shape.absarc(x - r, y - r, r, 0, Math.PI / 2, false);
  shape.absarc(-x + r, y - r, r, Math.PI / 2, Math.PI, false);
  shape.absarc(-x + r, -y + r, r, Math.PI, 1.5 * Math.PI, false);
  return new ExtrudeGeometry(shape, { depth: 2 * PATCH_HALF_THICKNESS_M, bevelEnabled: false, curveSegments: 12 }).translate(0, 0, -PATCH_HALF_THICKNESS_M);
}

/** A crosshair and a ring; with a stem to the ground for positions, an arrow for directions. */
function addTarget(group: Group, target: TargetInfo, header: Header, size: number): void {
  const material = new MeshStandardMaterial({ color: TARGET_COLOR, emissive: TARGET_COLOR, emissiveIntensity: 0.5, roughness: 0.6 });
  const up = upAxis(header) === 2 ? new Vector3(0, 0, 1) : new Vector3(0, 1, 0);
  const reach = 0.05 * size, hair = 0.0028 * size;
  const add = (geometry: BufferGeometry, along: Vector3, at: Vec3 | Vector3, from = new Vector3(0, 1, 0)): void => {
    const mesh = new Mesh(geometry, material);
    mesh.quaternion.setFromUnitVectors(from, along);
    mesh.position.set(...(at instanceof Vector3 ? at.toArray() : at));
    group.add(mesh);
  };
  const ring = (radius: number, at: Vec3 | Vector3): void => add(new TorusGeometry(radius, hair, 8, 48), up, at, new Vector3(0, 0, 1));
  for (const axis of [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)]) {
    add(new CylinderGeometry(hair, hair, 2 * reach, 8), axis, target.position);
  }
  ring(0.55 * reach, target.position);
  const at = new Vector3(...target.position);
  const floor = floorOf(header);
  const height = floor === null ? 0 : at.dot(up) - floor;
  if (target.kind === 'position' && height > 2 * reach) {
    add(new CylinderGeometry(0.5 * hair, 0.5 * hair, height, 8), up, at.clone().addScaledVector(up, -height / 2));
    ring(1.6 * reach, at.clone().addScaledVector(up, -height));
  }
  const way = target.direction ? new Vector3(...target.direction) : null;
  if (way !== null && way.length() > 0) {
    way.normalize();
    const long = 3 * reach, head = 0.035 * size;
    add(new CylinderGeometry(1.6 * hair, 1.6 * hair, long - head, 10), way, at.clone().addScaledVector(way, (long - head) / 2));
    add(new ConeGeometry(0.014 * size, head, 16), way, at.clone().addScaledVector(way, long - head / 2));
  }
}
