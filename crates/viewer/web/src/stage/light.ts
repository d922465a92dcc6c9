// The light: a sun with shadows fitted to the scene, a sky, and soft light from all around.
import {
  BackSide, BoxGeometry, Color, DirectionalLight, HemisphereLight, Mesh, MeshBasicMaterial, PMREMGenerator, Scene, ShaderMaterial,
  SphereGeometry, Vector3, type WebGLRenderer, type WebGLRenderTarget,
} from 'three';
import type { Box } from './box';
import type { Quality } from './quality';
import type { Look } from './theme';

const SHADOW_MAP: Record<Quality, number> = { full: 2048, plain: 1024 };
const MIN_SHADOW_MAP = 256;
/** Scales the hemisphere light where it replaces the environment map. */
const SKY_LIGHT_FACTOR = 3.1;

export class Light {
  private readonly sun = new DirectionalLight('#fff6ea', 2.5);
  private readonly fill = new HemisphereLight('#ffffff', '#8a8f96', 0.5);
  private readonly sky: Mesh<SphereGeometry, ShaderMaterial>;
  private environment: WebGLRenderTarget | null = null;
  private readonly fromSun = new Vector3();
  private readonly centre = new Vector3();
  private radius = 0;
  /** The width and height of the shadow map. */
  private readonly shadowMap: number;

  constructor(renderer: WebGLRenderer, private readonly scene: Scene, private readonly quality: Quality) {
    this.sun.castShadow = true;
    // A picture with less than one device pixel per CSS pixel needs no finer shadows than it shows.
    this.shadowMap = Math.max(SHADOW_MAP[quality] * Math.min(window.devicePixelRatio || 1, 1), MIN_SHADOW_MAP);
    this.sun.shadow.mapSize.setScalar(this.shadowMap);
    this.sun.shadow.radius = quality === 'full' ? 3 : 1.5;
    this.renew(renderer);
    this.sky = new Mesh(new SphereGeometry(1, 32, 16), skyMaterial());
    this.sky.frustumCulled = false;
    this.sky.renderOrder = -1000;
    scene.add(this.sun, this.sun.target, this.fill, this.sky);
    this.setUp('z');
  }

  /** Restores what a lost WebGL context has discarded. */
  renew(renderer: WebGLRenderer): void {
    if (this.quality === 'plain') return;
    this.environment?.dispose();
    this.environment = softBoxes(renderer);
    this.scene.environment = this.environment.texture;
  }

  setUp(up: 'y' | 'z'): void {
    // From the front left of the home view, so that shadows fall to the back right.
    if (up === 'z') this.fromSun.set(-0.42, -0.5, 1).normalize();
    else this.fromSun.set(-0.42, 1, 0.5).normalize();
    this.fill.position.set(0, up === 'y' ? 1 : 0, up === 'z' ? 1 : 0);
    this.scene.environmentRotation.set(up === 'z' ? Math.PI / 2 : 0, 0, 0);
    this.sky.material.uniforms.up.value.copy(this.fill.position);
    this.radius = 0;
  }

  setLook(look: Look): void {
    this.sun.intensity = look.sun;
    this.fill.intensity = look.fill + (this.quality === 'plain' ? SKY_LIGHT_FACTOR * look.environment : 0);
    this.scene.environmentIntensity = look.environment;
    this.sky.material.uniforms.zenith.value.set(look.zenith);
    this.sky.material.uniforms.horizon.value.set(look.horizon);
  }

  /**
   * Fits the shadow map to the shadow casters; `ground` is how far below their centre shadows may fall.
   * The fit changes in steps, so that shadows do not shimmer while bodies move.
   */
  fit(box: Box, ground: number): void {
    if (box.isEmpty()) return;
    const [x, y, z] = box.centre();
    const needed = 0.5 * box.diagonal() + 1e-6;
    const drift = Math.hypot(x - this.centre.x, y - this.centre.y, z - this.centre.z);
    if (drift + needed <= this.radius && needed > 0.45 * this.radius) return;
    this.radius = 1.25 * needed;
    this.centre.set(x, y, z);
    const { sun, radius } = this;
    const camera = sun.shadow.camera;
    const depth = radius + 2 * Math.max(ground, 0) + radius;
    sun.target.position.copy(this.centre);
    sun.position.copy(this.centre).addScaledVector(this.fromSun, 2 * radius);
    sun.target.updateMatrixWorld();
    camera.left = camera.bottom = -radius;
    camera.right = camera.top = radius;
    camera.near = 0.5 * radius;
    camera.far = 2 * radius + depth;
    camera.updateProjectionMatrix();
    const texel = (2 * radius) / this.shadowMap;
    sun.shadow.normalBias = 1.2 * texel;
    sun.shadow.bias = (-1.5 * texel) / (camera.far - camera.near);
  }

  dispose(): void {
    this.environment?.dispose();
    this.sun.dispose();
    this.sky.geometry.dispose();
    this.sky.material.dispose();
  }
}

function skyMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    name: 'sky',
    side: BackSide,
    depthTest: false,
    depthWrite: false,
    toneMapped: false,
    uniforms: { up: { value: new Vector3(0, 0, 1) }, zenith: { value: new Color() }, horizon: { value: new Color() } },
    vertexShader: `
      varying vec3 vDirection;
      void main() {
        vDirection = position;
        gl_Position = projectionMatrix * vec4(mat3(modelViewMatrix) * position, 1.0);
        gl_Position.z = gl_Position.w;
      }`,
    fragmentShader: `
      uniform vec3 up, zenith, horizon;
      varying vec3 vDirection;
      void main() {
        float height = dot(normalize(vDirection), up);
        vec3 color = mix(horizon, zenith, smoothstep(0.0, 0.75, height));
        // Dithering hides the banding of eight bits.
        float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
        gl_FragColor = vec4(color + color * noise * 0.012, 1.0);
        #include <colorspace_fragment>
      }`,
  });
}

/** An environment map like a photo studio: bright above, dim below, with large soft lamps. */
function softBoxes(renderer: WebGLRenderer): WebGLRenderTarget {
  const studio = new Scene();
  const walls = new Mesh(
    new SphereGeometry(20, 32, 16),
    new ShaderMaterial({
      side: BackSide,
      vertexShader: 'varying float vHeight; void main() { vHeight = normalize(position).y; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
      fragmentShader: `varying float vHeight;
        void main() {
          vec3 above = mix(vec3(0.92, 0.94, 0.97), vec3(0.95, 1.05, 1.2), smoothstep(0.0, 0.9, vHeight));
          vec3 below = mix(vec3(0.80, 0.78, 0.75), vec3(0.36, 0.35, 0.34), smoothstep(0.0, 0.8, -vHeight));
          gl_FragColor = vec4(mix(below, above, smoothstep(-0.08, 0.08, vHeight)), 1.0);
        }`,
    }),
  );
  studio.add(walls);
  const lamp = new BoxGeometry(1, 1, 1);
  const lamps: Mesh<BoxGeometry, MeshBasicMaterial>[] = [];
  const place = (at: [number, number, number], size: [number, number, number], strength: number): void => {
    const mesh = new Mesh(lamp, new MeshBasicMaterial({ color: new Color(strength, strength, strength) }));
    mesh.position.set(...at);
    mesh.scale.set(...size);
    lamps.push(mesh);
    studio.add(mesh);
  };
  place([-4, 11, 4], [7, 0.2, 5], 7);
  place([11, 5, 3], [0.2, 5, 6], 3);
  place([-3, 4, -12], [9, 3, 0.2], 2.2);
  const generator = new PMREMGenerator(renderer);
  const target = generator.fromScene(studio, 0.03);
  generator.dispose();
  walls.geometry.dispose();
  walls.material.dispose();
  lamp.dispose();
  for (const { material } of lamps) material.dispose();
  return target;
}
