// Arrows, drawn as instances; hidden parts are drawn faintly.
import {
  BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, DynamicDrawUsage, GreaterDepth, Group, InstancedBufferAttribute,
  InstancedBufferGeometry, Mesh, MeshStandardMaterial,
} from 'three';
import { patched } from './materials';

export class Arrows {
  readonly group = new Group();
  private readonly materials: [MeshStandardMaterial, MeshStandardMaterial];
  private readonly meshes: Mesh<InstancedBufferGeometry>[] = [];
  private geometry: InstancedBufferGeometry;
  private capacity = 0;
  private base = new Float32Array(0);
  private along = new Float32Array(0);
  private tint = new Float32Array(0);
  private count = 0;

  /** Hidden parts have the opacity `hidden`. */
  constructor(hidden = 0.28) {
    this.materials = [arrowMaterial(null), arrowMaterial(hidden)];
    this.geometry = new InstancedBufferGeometry();
    for (const material of this.materials) {
      const mesh = new Mesh(this.geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = 5;
      this.meshes.push(mesh);
      this.group.add(mesh);
    }
    this.reserve(16);
  }

  /** Clears all arrows and reserves capacity. */
  begin(count: number): void {
    this.count = 0;
    if (count > this.capacity) this.reserve(Math.max(count, 2 * this.capacity));
  }

  /** Adds an arrow from a point; `width` is the thickness of its shaft, the colour is linear. */
  add(x: number, y: number, z: number, dx: number, dy: number, dz: number, width: number, r: number, g: number, b: number): void {
    if (this.count >= this.capacity || !Number.isFinite(x + y + z + dx + dy + dz)) return;
    const i = this.count++, k = 3 * i;
    this.base[k] = x;
    this.base[k + 1] = y;
    this.base[k + 2] = z;
    this.along[4 * i] = dx;
    this.along[4 * i + 1] = dy;
    this.along[4 * i + 2] = dz;
    this.along[4 * i + 3] = width;
    this.tint[k] = r;
    this.tint[k + 1] = g;
    this.tint[k + 2] = b;
  }

  /** The number of drawn arrows. */
  get shown(): number {
    return this.group.visible ? this.count : 0;
  }

  /** Draws the arrows added since `begin`. */
  end(): void {
    this.geometry.instanceCount = this.count;
    this.group.visible = this.count > 0;
    for (const name of ['base', 'along', 'tint']) this.geometry.getAttribute(name).needsUpdate = true;
  }

  private reserve(capacity: number): void {
    this.geometry.dispose();
    const geometry = shape();
    const instanced = (name: string, size: number): Float32Array<ArrayBuffer> => {
      const array = new Float32Array(size * capacity);
      geometry.setAttribute(name, new InstancedBufferAttribute(array, size).setUsage(DynamicDrawUsage));
      return array;
    };
    this.base = instanced('base', 3);
    this.along = instanced('along', 4);
    this.tint = instanced('tint', 3);
    geometry.instanceCount = 0;
    this.geometry = geometry;
    for (const mesh of this.meshes) mesh.geometry = geometry;
    this.capacity = capacity;
  }

  dispose(): void {
    this.geometry.dispose();
    for (const material of this.materials) material.dispose();
  }
}

/** A shaft (part 0) and a head (part 1), each of height 1 along y and radius 1. */
function shape(): InstancedBufferGeometry {
  const shaft = new CylinderGeometry(1, 1, 1, 10, 1, false).translate(0, 0.5, 0);
  const head = new ConeGeometry(1, 1, 14, 1, false).translate(0, 0.5, 0);
  const positions: number[] = [], normals: number[] = [], parts: number[] = [], index: number[] = [];
  [shaft, head].forEach((piece: BufferGeometry, part) => {
    const first = parts.length, at = piece.getAttribute('position'), out = piece.getAttribute('normal'), corners = piece.getIndex();
    for (let i = 0; i < at.count; i++) {
      positions.push(at.getX(i), at.getY(i), at.getZ(i));
      normals.push(out.getX(i), out.getY(i), out.getZ(i));
      parts.push(part);
    }
    if (corners) for (let i = 0; i < corners.count; i++) index.push(first + corners.getX(i));
    piece.dispose();
  });
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  geometry.setAttribute('part', new BufferAttribute(new Float32Array(parts), 1));
  geometry.setIndex(index);
  return geometry;
}

function arrowMaterial(hidden: number | null): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness: 0.55 });
  if (hidden !== null) {
    material.transparent = true;
    material.opacity = hidden;
    material.depthFunc = GreaterDepth;
    material.depthWrite = false;
  }
  return patched(material, {
    key: 'arrow',
    vertexHead: `
      attribute vec3 base, tint;
      attribute vec4 along; // direction and length, thickness
      attribute float part;
      varying vec3 vTint;`,
    vertexNormal: `
      float span = max(length(along.xyz), 1e-12);
      vec3 axis = along.xyz / span;
      vec3 sideways = normalize(abs(axis.z) < 0.9 ? cross(axis, vec3(0.0, 0.0, 1.0)) : cross(axis, vec3(1.0, 0.0, 0.0)));
      mat3 frame = mat3(sideways, axis, cross(sideways, axis));
      float thick = min(along.w, 0.14 * span);
      float headSpan = 6.5 * thick;
      objectNormal = frame * normal;
      vTint = tint;`,
    vertexPosition: `
      bool isHead = part > 0.5;
      float height = isHead ? span - headSpan + position.y * headSpan : position.y * (span - headSpan);
      transformed = base + frame * vec3(position.x * thick * (isHead ? 2.4 : 1.0), height, position.z * thick * (isHead ? 2.4 : 1.0));`,
    fragmentHead: 'varying vec3 vTint;',
    fragmentColor: 'diffuseColor.rgb *= vTint;',
    fragmentGlow: 'totalEmissiveRadiance += 0.3 * vTint;',
  });
}
