// All bodies of the scene, drawn as instances of their meshes.
import { Color, DynamicDrawUsage, Group, InstancedBufferAttribute, InstancedMesh, SRGBColorSpace, type BufferGeometry } from 'three';
import type { Frame, Header } from '../model';
import { ballRadius, isGlass, surface, unitBall } from './geometry';
import { bodyMaterial, bodyUniforms, type BodyStyle } from './materials';
import { POSE, type Poses } from './poses';
import type { Quality } from './quality';

/** More balls than this are drawn with a coarser mesh than the recording has. */
const MAX_DETAILED_BALLS = 300;

/** The contrast of the pattern on obstacles: their rotation stays visible without attracting attention. */
const OBSTACLE_PATTERN_STRENGTH = 0.3;

const LOCKED = 1, QUARANTINED = 2, CHOSEN = 4, ASLEEP = 8;
/** The mark of each status of a body. */
const STATUS_MARKS = [0, LOCKED, 0, QUARANTINED, 0, 0, ASLEEP];

/** The instances of one surface: the body, the offset and the scale of each. */
interface InstanceGroup {
  mesh: InstancedMesh;
  style: BodyStyle;
  mark: InstancedBufferAttribute;
  owner: Uint32Array;
  offset: Float64Array;
  scale: Float64Array;
  /** The drawn surface, and the recorded one for wireframes. */
  plain: BufferGeometry;
  wires: () => BufferGeometry;
}

export class Bodies {
  readonly group = new Group();
  readonly shared = bodyUniforms();
  /** The bodies that are quarantined in the drawn frame. */
  readonly quarantined: number[] = [];
  private readonly groups: InstanceGroup[] = [];
  private readonly marks: Uint8Array;
  private chosen: number | null = null;
  private marksChanged = true;

  constructor(private readonly header: Header, quality: Quality) {
    this.marks = new Uint8Array(header.bodies.length);
    const byMesh = new Map<string, { mesh: number; style: BodyStyle; list: number[] }>();
    const owners: number[] = [], offsets: number[] = [], scales: number[] = [];
    header.bodies.forEach((body, index) => {
      if (body.mesh !== null && header.meshes[body.mesh]) {
        const style: BodyStyle = isGlass(header, body) ? 'glass' : body.character ? 'figure' : body.scripted ? 'calm' : 'body';
        const key = `${body.mesh} ${style}`;
        const known = byMesh.get(key);
        if (known) known.list.push(index);
        else byMesh.set(key, { mesh: body.mesh, style, list: [index] });
        return;
      }
      for (const [centre, radius] of body.spheres) {
        owners.push(index);
        offsets.push(...centre);
        scales.push(Math.abs(radius));
      }
    });
    for (const { mesh: index, style, list } of byMesh.values()) {
      const mesh = header.meshes[index];
      const radius = ballRadius(mesh);
      const recorded = (): BufferGeometry => surface(mesh).scale(1 / (radius ?? 1), 1 / (radius ?? 1), 1 / (radius ?? 1));
      const geometry = radius !== null && list.length > MAX_DETAILED_BALLS ? unitBall(list.length, quality) : recorded();
      const scale = new Float64Array(list.length).fill(radius ?? 1);
      if (style !== 'body') scalePattern(geometry, style === 'figure' ? 0 : OBSTACLE_PATTERN_STRENGTH);
      this.add(style, geometry, recorded, Uint32Array.from(list), new Float64Array(3 * list.length), scale);
    }
    if (owners.length > 0) {
      const ball = (): BufferGeometry => unitBall(owners.length, quality);
      this.add('body', ball(), ball, Uint32Array.from(owners), Float64Array.from(offsets), Float64Array.from(scales));
    }
  }

  private add(style: BodyStyle, plain: BufferGeometry, wires: () => BufferGeometry, owner: Uint32Array, offset: Float64Array, scale: Float64Array): void {
    const mark = new InstancedBufferAttribute(new Float32Array(owner.length), 1);
    plain.setAttribute('mark', mark);
    const mesh = new InstancedMesh(plain, bodyMaterial(this.shared, sizeOf(plain), style, false), owner.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    // Culling moving instances costs more than it saves.
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = style !== 'glass';
    const color = new Color();
    owner.forEach((body, i) => mesh.setColorAt(i, color.setRGB(...this.header.bodies[body].color, SRGBColorSpace)));
    this.group.add(mesh);
    this.groups.push({ mesh, style, mark, owner, offset, scale, plain, wires });
  }

  /** Moves every instance to its body's pose. */
  update(poses: Poses): void {
    for (const { mesh, owner, offset, scale } of this.groups) {
      place(poses.data, owner, offset, scale, mesh.instanceMatrix.array as Float32Array);
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  /** Updates the status of the bodies and draws the marks that changed. */
  mark({ status }: Frame): void {
    const { marks } = this;
    const n = Math.min(marks.length, status.length);
    for (let i = 0; i < n; i++) {
      const mark = (STATUS_MARKS[status[i]] ?? 0) | (i === this.chosen ? CHOSEN : 0);
      if (marks[i] !== mark) {
        marks[i] = mark;
        this.marksChanged = true;
      }
    }
    this.drawMarks();
  }

  choose(body: number | null): void {
    if (this.chosen !== null) this.marks[this.chosen] &= ~CHOSEN;
    this.chosen = body !== null && body < this.marks.length ? body : null;
    if (this.chosen !== null) this.marks[this.chosen] |= CHOSEN;
    this.marksChanged = true;
    this.drawMarks();
  }

  private drawMarks(): void {
    if (!this.marksChanged) return;
    this.marksChanged = false;
    for (const { mark, owner } of this.groups) {
      for (let i = 0; i < owner.length; i++) mark.array[i] = this.marks[owner[i]];
      mark.needsUpdate = true;
    }
    this.quarantined.length = 0;
    this.marks.forEach((mark, body) => {
      if (mark & QUARANTINED) this.quarantined.push(body);
    });
  }

  setWireframe(on: boolean): void {
    for (const { mesh, style, mark, plain, wires } of this.groups) {
      for (const material of Array.isArray(mesh.material) ? mesh.material : [mesh.material]) material.dispose();
      if (mesh.geometry !== plain) mesh.geometry.dispose();
      mesh.geometry = plain;
      if (on) {
        // The wireframe shader needs separate corners for each triangle.
        const shared = wires();
        mesh.geometry = shared.toNonIndexed().setAttribute('mark', mark);
        shared.dispose();
      }
      mesh.material = bodyMaterial(this.shared, sizeOf(plain), style, on);
    }
  }

  dispose(): void {
    this.setWireframe(false);
    for (const { mesh } of this.groups) {
      mesh.geometry.dispose();
      for (const material of Array.isArray(mesh.material) ? mesh.material : [mesh.material]) material.dispose();
      mesh.dispose();
    }
  }
}

function scalePattern(geometry: BufferGeometry, share: number): void {
  const pattern = geometry.getAttribute('pattern');
  for (let i = 0; i < pattern.count; i++) pattern.setX(i, share * pattern.getX(i));
}

function sizeOf(geometry: BufferGeometry): number {
  if (!geometry.boundingSphere) geometry.computeBoundingSphere();
  return geometry.boundingSphere?.radius || 1;
}

/** Writes the instances' matrices: the bodies' poses, moved by each instance's offset and scaled; all zero if not drawn. */
function place(poses: Float64Array, owner: Uint32Array, offset: Float64Array, scale: Float64Array, out: Float32Array): void {
  for (let i = 0, m = 0, o = 0; i < owner.length; i++, m += 16, o += 3) {
    const p = POSE * owner[i];
    const w = poses[p + 3], x = poses[p + 4], y = poses[p + 5], z = poses[p + 6];
    const size = poses[p + 7] ? scale[i] : 0;
    const xx = 1 - 2 * (y * y + z * z), xy = 2 * (x * y - w * z), xz = 2 * (x * z + w * y);
    const yx = 2 * (x * y + w * z), yy = 1 - 2 * (x * x + z * z), yz = 2 * (y * z - w * x);
    const zx = 2 * (x * z - w * y), zy = 2 * (y * z + w * x), zz = 1 - 2 * (x * x + y * y);
    const a = offset[o], b = offset[o + 1], c = offset[o + 2];
    out[m] = xx * size;
    out[m + 1] = yx * size;
    out[m + 2] = zx * size;
    out[m + 4] = xy * size;
    out[m + 5] = yy * size;
    out[m + 6] = zy * size;
    out[m + 8] = xz * size;
    out[m + 9] = yz * size;
    out[m + 10] = zz * size;
    out[m + 12] = poses[p] + xx * a + xy * b + xz * c;
    out[m + 13] = poses[p + 1] + yx * a + yy * b + yz * c;
    out[m + 14] = poses[p + 2] + zx * a + zy * b + zz * c;
    out[m + 15] = 1;
  }
}
