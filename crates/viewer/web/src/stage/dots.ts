// Contact points as small discs of constant size, drawn over everything.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Points, ShaderMaterial } from 'three';

export class Dots {
  readonly points: Points<BufferGeometry, ShaderMaterial>;
  private positions = new Float32Array(0);

  constructor() {
    const material = new ShaderMaterial({
      name: 'dots',
      transparent: true,
      depthTest: false,
      depthWrite: false,
      toneMapped: false,
      uniforms: { color: { value: new Color() }, size: { value: 11 } },
      vertexShader: `
        uniform float size;
        void main() {
          gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
          gl_PointSize = size;
        }`,
      fragmentShader: `
        uniform vec3 color;
        void main() {
          float off = length(gl_PointCoord - 0.5) * 2.0;
          float soft = fwidth(off);
          float disc = 1.0 - smoothstep(1.0 - 1.5 * soft, 1.0, off);
          float rim = smoothstep(0.62 - soft, 0.62 + soft, off);
          gl_FragColor = vec4(mix(color, vec3(1.0), rim), disc * 0.95);
          #include <colorspace_fragment>
        }`,
    });
    this.points = new Points(new BufferGeometry(), material);
    this.points.frustumCulled = false;
    this.points.renderOrder = 6;
    this.points.visible = false;
  }

  /** Draws a dot at the first three of every `stride` numbers. */
  set(values: Float64Array, stride: number): void {
    const count = Math.floor(values.length / stride);
    let { geometry } = this.points;
    if (3 * count > this.positions.length) {
      geometry.dispose();
      geometry = this.points.geometry = new BufferGeometry();
      this.positions = new Float32Array(3 * Math.max(64, 2 * count));
      geometry.setAttribute('position', new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage));
    }
    for (let i = 0; i < count; i++) {
      for (let axis = 0; axis < 3; axis++) this.positions[3 * i + axis] = values[stride * i + axis];
    }
    this.points.visible = count > 0;
    if (count === 0) return;
    geometry.setDrawRange(0, count);
    geometry.getAttribute('position').needsUpdate = true;
  }

  setLook(color: string, size: number): void {
    this.points.material.uniforms.color.value.set(color);
    this.points.material.uniforms.size.value = size;
  }

  dispose(): void {
    this.points.geometry.dispose();
    this.points.material.dispose();
  }
}
