// The lit material of bodies, and patches for the shaders of three.js.
import { Color, DoubleSide, type IUniform, type Material, MeshStandardMaterial, type WebGLProgramParametersWithUniforms } from 'three';
import { QUARANTINE_COLOR } from './theme';

/** Lines of GLSL to insert into a shader of three.js. */
export interface Patch {
  /** The key of the program: materials with the same key share it. */
  key: string;
  uniforms?: Record<string, IUniform>;
  vertexHead?: string;
  /** Sets `objectNormal`. */
  vertexNormal?: string;
  /** Sets `transformed`. */
  vertexPosition?: string;
  /** Changes `vDirectionalShadowCoord`, where there are shadows. */
  vertexShadow?: string;
  /** Changes `gl_Position`. */
  vertexEnd?: string;
  fragmentHead?: string;
  /** Changes `diffuseColor`. */
  fragmentColor?: string;
  /** Changes `normal`, in the camera's axes. */
  fragmentNormal?: string;
  /** Changes `totalEmissiveRadiance`. */
  fragmentGlow?: string;
  /** Changes `gl_FragColor` before tone mapping. */
  fragmentEnd?: string;
}

const INSERTION_POINTS: [keyof Patch, 'vertexShader' | 'fragmentShader', string][] = [
  ['vertexHead', 'vertexShader', '#include <common>'],
  ['vertexNormal', 'vertexShader', '#include <beginnormal_vertex>'],
  ['vertexPosition', 'vertexShader', '#include <begin_vertex>'],
  ['vertexShadow', 'vertexShader', '#include <shadowmap_vertex>'],
  ['vertexEnd', 'vertexShader', '#include <fog_vertex>'],
  ['fragmentHead', 'fragmentShader', '#include <common>'],
  ['fragmentColor', 'fragmentShader', '#include <color_fragment>'],
  ['fragmentNormal', 'fragmentShader', '#include <normal_fragment_maps>'],
  ['fragmentGlow', 'fragmentShader', '#include <emissivemap_fragment>'],
  ['fragmentEnd', 'fragmentShader', '#include <opaque_fragment>'],
];

/** Inserts the lines of a patch after the chunks of three.js. */
export function patched<M extends Material>(material: M, patch: Patch): M {
  material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms) => {
    Object.assign(shader.uniforms, patch.uniforms);
    for (const [part, stage, place] of INSERTION_POINTS) {
      const lines = patch[part];
      if (typeof lines === 'string') shader[stage] = shader[stage].replace(place, `${place}\n${lines}`);
    }
  };
  material.customProgramCacheKey = () => patch.key;
  return material;
}

/** The uniforms of all bodies: the phase of the pulse, and the colours of selection and quarantine. */
export interface BodyUniforms {
  [name: string]: IUniform;
  pulse: IUniform<number>;
  chosen: IUniform<Color>;
  alarm: IUniform<Color>;
}

export function bodyUniforms(): BodyUniforms {
  return { pulse: { value: 0.5 }, chosen: { value: new Color() }, alarm: { value: new Color(QUARANTINE_COLOR) } };
}

/** A body; an obstacle; an obstacle drawn as glass; a part of a character. */
export type BodyStyle = 'body' | 'calm' | 'glass' | 'figure';

/**
 * The material of a body. `reach` is the size of its geometry, for stripes. Patterned surfaces have alternating light
 * and dark octants, which makes rotation visible. Each instance has a mark: 1 locked, 2 quarantined, 4 selected, 8 asleep.
 */
export function bodyMaterial(shared: BodyUniforms, reach: number, style: BodyStyle, wireframe: boolean): MeshStandardMaterial {
  const glass = style === 'glass' && !wireframe;
  const material = new MeshStandardMaterial({ roughness: style === 'calm' ? 0.7 : style === 'figure' ? 0.5 : 0.42, metalness: 0, alphaToCoverage: wireframe });
  if (wireframe || glass) material.side = DoubleSide;
  if (style === 'calm') {
    // Cloth rests on obstacles at less than a pixel; the offset keeps coarse triangles visible.
    material.polygonOffset = true;
    material.polygonOffsetFactor = material.polygonOffsetUnits = 2;
  }
  if (glass) {
    // Without writing depth it hides neither its inside nor its other wall; three.js draws the far side first.
    material.transparent = true;
    material.depthWrite = false;
  }
  return patched(material, {
    key: `body ${glass} ${wireframe}`,
    uniforms: { ...shared, reach: { value: reach } },
    vertexHead: `
      attribute float mark, pattern;
      varying vec3 vBody;
      varying float vMark, vPattern;
      ${wireframe ? 'varying vec3 vCorner;' : ''}`,
    vertexPosition: `
      vBody = position;
      vMark = mark;
      vPattern = pattern;
      ${wireframe ? 'int corner = gl_VertexID % 3; vCorner = vec3(corner == 0, corner == 1, corner == 2);' : ''}`,
    fragmentHead: `
      uniform float pulse;
      uniform vec3 chosen;
      uniform vec3 alarm;
      uniform float reach;
      varying vec3 vBody;
      varying float vMark, vPattern;
      ${wireframe ? 'varying vec3 vCorner;' : ''}`,
    fragmentColor: `
      int marks = int(vMark + 0.5);
      bool isLocked = (marks & 1) != 0, isBad = (marks & 2) != 0, isChosen = (marks & 4) != 0, isAsleep = (marks & 8) != 0;
      ${OCTANTS}
      float along = dot(vBody, vec3(0.6, 0.48, 0.64)) / reach * 2.5;
      float stripe = smoothstep(-1.0, 1.0, (abs(fract(along) - 0.5) - 0.25) / max(fwidth(along), 1e-9));
      if (isLocked) {
        float grey = dot(diffuseColor.rgb, vec3(0.2126, 0.7152, 0.0722));
        diffuseColor.rgb = mix(diffuseColor.rgb, vec3(grey), 0.35);
      }
      if (isAsleep) diffuseColor.rgb *= 0.72;
      if (isBad) {
        diffuseColor.rgb = mix(alarm, vec3(0.02), stripe);
      }
      ${wireframe ? WIRES : ''}`,
    fragmentGlow: `
      if (isBad) totalEmissiveRadiance += alarm * (0.15 + 0.75 * pulse) * (1.0 - 0.9 * stripe);
      if (isChosen) {
        float rim = 1.0 - abs(dot(normalize(vViewPosition), normal));
        totalEmissiveRadiance += chosen * (0.06 + 0.5 * rim * rim);
      }`,
    fragmentEnd: glass ? GLASS : undefined,
  });
}

const OCTANTS = `
      vec3 sides = clamp(vBody / max(fwidth(vBody), 1e-9), -1.0, 1.0);
      float octant = sides.x * sides.y * sides.z * vPattern;
      diffuseColor.rgb = octant > 0.0 ? mix(diffuseColor.rgb, vec3(1.0), 0.10 * octant) : diffuseColor.rgb * (1.0 + 0.38 * octant);`;

// Glass is more opaque at grazing angles, which draws its outline.
const GLASS = `
      float slant = 1.0 - abs(dot(normalize(vViewPosition), normal));
      gl_FragColor.a = mix(0.24, 0.72, slant * slant * slant) + (isChosen ? 0.12 : 0.0);`;

const WIRES = `
      vec3 nearness = vCorner / fwidth(vCorner);
      float wire = 1.0 - smoothstep(0.7, 1.7, min(nearness.x, min(nearness.y, nearness.z)));
      if (wire < 0.04) discard;
      diffuseColor.a = wire * (gl_FrontFacing ? 1.0 : 0.35);`;

/** Part of a fragment shader: the share of sunlight at a point, with softer shadows than those of three.js. */
export const SOFT_SHADOW = `
  float softShadow() {
    #if defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0
      vec3 at = vDirectionalShadowCoord[0].xyz / vDirectionalShadowCoord[0].w;
      at.z += directionalLightShadows[0].shadowBias;
      vec2 inside = step(vec2(0.0), at.xy) * step(at.xy, vec2(1.0));
      if (inside.x * inside.y == 0.0 || at.z > 1.0) return 1.0;
      float phase = interleavedGradientNoise(gl_FragCoord.xy) * PI2;
      // A small map means software rendering: take few samples.
      int taps = directionalLightShadows[0].shadowMapSize.x > 1500.0 ? 16 : 5;
      float sum = 0.0;
      for (int i = 0; i < taps; i++) sum += texture(directionalShadowMap[0], vec3(at.xy + vogelDiskSample(i, taps, phase) * 0.005, at.z));
      return sum / float(taps);
    #else
      return 1.0;
    #endif
  }`;
