// The ground: a plane that receives shadows, with a grid that fades into the horizon.
import { CircleGeometry, Color, Mesh, ShaderMaterial, UniformsLib, UniformsUtils, Vector3 } from 'three';
import { SOFT_SHADOW } from './materials';
import type { Look } from './theme';

export class Ground {
  readonly mesh: Mesh<CircleGeometry, ShaderMaterial>;
  private readonly up: 1 | 2;

  /** `solid`: bodies rest on it; otherwise it is decoration, and turns transparent when bodies pass through it. */
  constructor(up: 'y' | 'z', readonly level: number, private readonly solid: boolean) {
    this.up = up === 'y' ? 1 : 2;
    const material = new ShaderMaterial({
      name: 'ground',
      lights: true,
      transparent: true,
      toneMapped: false,
      side: 2,
      defines: up === 'y' ? { UP_Y: '' } : {},
      uniforms: UniformsUtils.merge([
        UniformsLib.lights,
        {
          ground: { value: new Color() },
          line: { value: new Color() },
          lineStrength: { value: 0.3 },
          shaded: { value: new Color() },
          fill: { value: 1 },
          focus: { value: new Vector3() },
          reach: { value: 100 },
        },
      ]),
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
    });
    this.mesh = new Mesh(new CircleGeometry(1, 128), material);
    if (up === 'y') this.mesh.rotation.x = -Math.PI / 2;
    this.mesh.frustumCulled = false;
    this.mesh.receiveShadow = true;
    this.mesh.renderOrder = -10;
  }

  setLook(look: Look): void {
    const { uniforms } = this.mesh.material;
    uniforms.ground.value.set(look.ground);
    uniforms.line.value.set(look.line);
    uniforms.lineStrength.value = look.lineStrength;
    uniforms.shaded.value.set(look.shaded);
  }

  /** Moves the ground below the target of the camera and scales it with the view distance. */
  follow(target: Vector3, distance: number, scene: number): void {
    const { mesh } = this;
    const reach = Math.max(8 * distance, 6 * scene);
    mesh.position.copy(target).setComponent(this.up, this.level);
    mesh.scale.setScalar(reach);
    mesh.updateMatrixWorld();
    mesh.material.uniforms.focus.value.copy(mesh.position);
    mesh.material.uniforms.reach.value = reach;
  }

  /** Shows only the grid while a body is below a ground that is not solid. */
  clear(lowest: number, size: number): void {
    const sunk = this.solid ? 0 : Math.min(Math.max((this.level - lowest) / (0.1 * size), 0), 1);
    this.mesh.material.uniforms.fill.value = 1 - sunk;
    this.mesh.material.depthWrite = sunk === 0;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

const VERTEX = `
  #include <common>
  #include <shadowmap_pars_vertex>
  varying vec3 vWorld;
  void main() {
    #include <beginnormal_vertex>
    #include <defaultnormal_vertex>
    #include <begin_vertex>
    #include <project_vertex>
    vec4 worldPosition = modelMatrix * vec4(transformed, 1.0);
    vWorld = worldPosition.xyz;
    #include <shadowmap_vertex>
  }`;

const FRAGMENT = `
  #include <common>
  #include <bsdfs>
  #include <lights_pars_begin>
  #include <shadowmap_pars_fragment>
  uniform vec3 ground, shaded, line, focus;
  uniform float lineStrength, fill, reach;
  varying vec3 vWorld;

  // Across one axis, lines every \`apart\` metres, \`wide\` pixels wide.
  vec2 lines(vec2 at, vec2 perPixel, vec2 apart, float wide) {
    vec2 off = abs(fract(at / apart - 0.5) - 0.5) * apart / perPixel;
    return 1.0 - smoothstep(0.5 * wide - 0.5, 0.5 * wide + 0.5, off);
  }

  ${SOFT_SHADOW}

  void main() {
    #ifdef UP_Y
      vec2 at = vWorld.xz;
    #else
      vec2 at = vWorld.xy;
    #endif
    vec2 perPixel = max(fwidth(at), 1e-9);
    // The finest grid has cells of a power of ten that are at least ten pixels wide. Towards that limit it fades
    // out, and each coarser grid takes the strength of the next finer one.
    vec2 scale = log(perPixel * 10.0) / log(10.0);
    vec2 fine = pow(vec2(10.0), ceil(scale));
    vec2 room = ceil(scale) - scale;
    vec2 both = max(max(
      mix(vec2(0.0), vec2(0.45), room) * lines(at, perPixel, fine, 1.0),
      mix(vec2(0.45), vec2(0.75), room) * lines(at, perPixel, 10.0 * fine, 1.0)),
      mix(vec2(0.75), vec2(1.0), room) * lines(at, perPixel, 100.0 * fine, 1.2));
    float grid = max(both.x, both.y);
    float distance = length(vWorld - focus) / reach;
    float fade = 1.0 - smoothstep(0.03, 0.95, distance);
    fade *= fade;
    float lit = softShadow();
    vec3 color = mix(shaded, ground, lit);
    float filled = gl_FrontFacing ? fill : 0.0;
    float drawn = grid * lineStrength * fade;
    color = mix(color, line, drawn / max(drawn + filled * (1.0 - drawn), 1e-4));
    gl_FragColor = vec4(color, fade * (drawn + filled * (1.0 - drawn)));
    #include <colorspace_fragment>
  }`;
