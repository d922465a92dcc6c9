// Coil springs between two points. A vertex shader bends them, so that the wire keeps its thickness.
import { BufferAttribute, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, MeshDepthMaterial, MeshStandardMaterial } from 'three';
import type { Vec3 } from '../model';
import { patched } from './materials';

/** Points along the wire and around it. */
const ALONG = 260, AROUND = 7;

const HEAD = `
  attribute vec3 endA, endB, coil; // coil: its radius, the wire's radius, the number of turns
  void wind(out vec3 point, out vec3 outward) {
    const float lead = 0.09; // the part of the length that is straight wire, at each end
    vec3 across = endB - endA;
    float span = max(length(across), 1e-9);
    vec3 axis = across / span;
    vec3 u = normalize(abs(axis.z) < 0.9 ? cross(axis, vec3(0.0, 0.0, 1.0)) : cross(axis, vec3(1.0, 0.0, 0.0)));
    vec3 v = cross(axis, u);
    float s = position.x;
    float wound = clamp((s - lead) / (1.0 - 2.0 * lead), 0.0, 1.0);
    float wide = coil.x * smoothstep(0.4 * lead, 1.6 * lead, s) * (1.0 - smoothstep(1.0 - 1.6 * lead, 1.0 - 0.4 * lead, s));
    float angle = PI2 * coil.z * wound;
    vec3 radial = cos(angle) * u + sin(angle) * v;
    vec3 around = cos(angle) * v - sin(angle) * u;
    float winding = wound > 0.0 && wound < 1.0 ? PI2 * coil.z / (1.0 - 2.0 * lead) : 0.0;
    vec3 tangent = normalize(axis * span + around * wide * winding);
    vec3 normal = normalize(radial - tangent * dot(radial, tangent));
    outward = position.y * normal + position.z * cross(tangent, normal);
    point = endA + axis * span * s + radial * wide + outward * coil.y;
  }`;

export class Coils {
  readonly mesh: Mesh<InstancedBufferGeometry, MeshStandardMaterial>;
  private readonly ends: [Float32Array, Float32Array];
  private readonly shape: Float32Array;
  private readonly tint: Float32Array;

  constructor(readonly capacity: number, glow: number) {
    const geometry = new InstancedBufferGeometry();
    tube(geometry);
    const instanced = (name: string): Float32Array => {
      const attribute = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
      attribute.setUsage(DynamicDrawUsage);
      geometry.setAttribute(name, attribute);
      return attribute.array as Float32Array;
    };
    this.ends = [instanced('endA'), instanced('endB')];
    this.shape = instanced('coil');
    this.tint = instanced('tint');
    geometry.instanceCount = 0;
    const material = patched(new MeshStandardMaterial({ roughness: 0.35, metalness: 0.35 }), {
      key: `coil ${glow}`,
      vertexHead: `${HEAD}\nattribute vec3 tint; varying vec3 vTint;`,
      vertexNormal: 'vec3 wirePoint; wind(wirePoint, objectNormal); vTint = tint;',
      vertexPosition: 'transformed = wirePoint;',
      fragmentHead: 'varying vec3 vTint;',
      fragmentColor: 'diffuseColor.rgb *= vTint;',
      fragmentGlow: `totalEmissiveRadiance += ${glow.toFixed(2)} * vTint;`,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.customDepthMaterial = patched(new MeshDepthMaterial(), {
      key: 'coil depth',
      vertexHead: HEAD,
      vertexPosition: 'vec3 wireNormal; wind(transformed, wireNormal);',
    });
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
  }

  /** Places coil `i`; `turns` 0 draws a straight wire. Colours are linear. */
  set(i: number, a: Vec3, b: Vec3, radius: number, wire: number, turns: number, r: number, g: number, blue: number): void {
    const k = 3 * i;
    for (let axis = 0; axis < 3; axis++) {
      this.ends[0][k + axis] = a[axis];
      this.ends[1][k + axis] = b[axis];
    }
    this.shape[k] = radius;
    this.shape[k + 1] = wire;
    this.shape[k + 2] = turns;
    this.tint[k] = r;
    this.tint[k + 1] = g;
    this.tint[k + 2] = blue;
  }

  /** Draws the first `count` coils as they were set. */
  draw(count: number): void {
    const { geometry } = this.mesh;
    geometry.instanceCount = Math.min(count, this.capacity);
    this.mesh.visible = count > 0;
    for (const name of ['endA', 'endB', 'coil', 'tint']) geometry.getAttribute(name).needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.customDepthMaterial?.dispose();
  }
}

/** A straight tube: each point has its position along the wire, and the cosine and sine of its angle around it. */
function tube(geometry: InstancedBufferGeometry): void {
  const positions = new Float32Array(3 * (ALONG + 1) * AROUND);
  const index: number[] = [];
  for (let i = 0, k = 0; i <= ALONG; i++) {
    for (let j = 0; j < AROUND; j++, k += 3) {
      const angle = (2 * Math.PI * j) / AROUND;
      positions.set([i / ALONG, Math.cos(angle), Math.sin(angle)], k);
      if (i === ALONG) continue;
      const next = (j + 1) % AROUND, a = i * AROUND + j, b = i * AROUND + next;
      index.push(a, b, a + AROUND, b, b + AROUND, a + AROUND);
    }
  }
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(positions.length), 3));
  geometry.setIndex(index);
}
