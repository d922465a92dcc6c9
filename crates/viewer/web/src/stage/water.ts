// The surface of the water, with waves computed in a shader, and the sides of a basin.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, FrontSide, Group, Mesh, MeshStandardMaterial, Vector2, Vector4 } from 'three';
import type { Header, WaterInfo } from '../model';
import { patched, type Patch } from './materials';
import type { Look } from './theme';

const MAX_WAVES = 64;

type Extent = [[number, number], [number, number]];

/** One body of water. `bed` is the height of the bottom of the basin, if there is one. */
export class Water {
  readonly group = new Group();
  private readonly waves: WaterInfo['waves'];
  private readonly uniforms: Record<'waves' | 'least' | 'most' | 'shallow' | 'deep' | 'ending', { value: unknown }>;
  private readonly waveVectors: Vector4[];
  private readonly shallow = new Color();
  private readonly deep = new Color();

  constructor(header: Header, water: WaterInfo, extent: Extent, bed: number | null) {
    this.waves = [...water.waves].sort((a, b) => Math.abs(b.amplitude) - Math.abs(a.amplitude)).slice(0, MAX_WAVES);
    // Never empty: GLSL has no arrays of length 0.
    this.waveVectors = Array.from({ length: Math.max(this.waves.length, 1) }, () => new Vector4());
    this.uniforms = {
      waves: { value: this.waveVectors },
      least: { value: new Vector2(...extent[0]) },
      most: { value: new Vector2(...extent[1]) },
      shallow: { value: this.shallow },
      deep: { value: this.deep },
      ending: { value: water.extent ? 0 : 1 },
    };
    const shortest = Math.min(...this.waves.map((w) => (2 * Math.PI) / Math.hypot(...w.wave_vector)), Infinity);
    const cells = [0, 1].map((axis) => {
      const wanted = (extent[1][axis] - extent[0][axis]) / (shortest / 12);
      return Math.max(2, Math.min(256, Math.ceil(wanted) || 2));
    });
    const up = header.up;
    const surface = new Mesh(sheet(up, water.level, extent, cells), this.material(up, 'surface'));
    surface.renderOrder = 3;
    surface.receiveShadow = true;
    this.group.add(surface);
    if (water.extent && bed !== null && bed < water.level) {
      const sides = new Mesh(walls(up, water.level, bed, extent, cells), this.material(up, 'sides'));
      sides.renderOrder = 2;
      this.group.add(sides);
    }
    for (const mesh of this.group.children) mesh.frustumCulled = false;
    this.setTime(0);
  }

  private material(up: 'y' | 'z', part: 'surface' | 'sides'): MeshStandardMaterial {
    const surface = part === 'surface';
    const material = new MeshStandardMaterial({
      roughness: surface ? 0.1 : 0.5,
      metalness: 0,
      transparent: true,
      depthWrite: surface,
      side: surface ? DoubleSide : FrontSide,
      envMapIntensity: 1.3,
    });
    // The attribute `moves` is 0 at the bottom of the sides, which does not move with the waves.
    return patched(material, waterPatch(up, part, this.waveVectors.length, this.uniforms));
  }

  setLook(look: Look): void {
    this.shallow.set(look.water);
    this.deep.set(look.deep);
  }

  setTime(time: number): void {
    this.waves.forEach(({ amplitude, wave_vector, angular_frequency, phase }, i) => {
      // The phase is reduced in double precision, which keeps long runs exact.
      const turned = (phase - angular_frequency * time) % (2 * Math.PI);
      this.waveVectors[i].set(wave_vector[0], wave_vector[1], amplitude, Number.isFinite(turned) ? turned : 0);
    });
  }

  dispose(): void {
    for (const mesh of this.group.children) {
      if (!(mesh instanceof Mesh)) continue;
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }
}

function waterPatch(up: 'y' | 'z', part: 'surface' | 'sides', count: number, uniforms: Patch['uniforms']): Patch {
  const place = (flat: string, height: string) => (up === 'y' ? `vec3(${flat}.x, ${height}, ${flat}.y)` : `vec3(${flat}, ${height})`);
  const flat = up === 'y' ? 'position.xz' : 'position.xy';
  const waves = `
      uniform vec4 waves[${count}]; // wave vector, amplitude, phase at this moment
      varying vec2 vFlat;
      vec3 surfaceAt(vec2 at) { // slope along both axes, height
        vec3 sum = vec3(0.0);
        for (int i = 0; i < ${count}; i++) {
          float angle = dot(waves[i].xy, at) + waves[i].w;
          sum += waves[i].z * vec3(waves[i].xy * cos(angle), sin(angle));
        }
        return sum;
      }`;
  const common = { uniforms, vertexHead: `${waves}\nattribute float moves; varying float vDepth;` };
  const move = `
      vFlat = ${flat};
      vDepth = 1.0 - moves;
      transformed += ${place('vec2(0.0)', 'surfaceAt(vFlat).z * moves')};`;
  if (part === 'sides') {
    return {
      ...common,
      key: `water sides ${up} ${count}`,
      vertexPosition: move,
      fragmentHead: 'uniform vec3 shallow, deep; varying float vDepth;',
      fragmentColor: `
      diffuseColor.rgb = mix(shallow, deep, vDepth);
      diffuseColor.a = mix(0.38, 0.5, vDepth);`,
    };
  }
  return {
    ...common,
    key: `water surface ${up} ${count}`,
    vertexPosition: move,
    fragmentHead: `${waves}\nuniform vec3 shallow, deep; uniform vec2 least, most; uniform float ending;`,
    fragmentColor: 'diffuseColor.rgb = deep;',
    fragmentNormal: `
      vec3 waveSlope = surfaceAt(vFlat);
      normal = normalize((viewMatrix * vec4(${place('(-waveSlope.xy)', '1.0')}, 0.0)).xyz);
      if (!gl_FrontFacing) normal = -normal;
      float facing = clamp(dot(normal, normalize(vViewPosition)), 0.0, 1.0);
      float glancing = pow(1.0 - facing, 4.0);
      diffuseColor.rgb = mix(mix(deep, shallow, clamp(0.5 + 2.2 * waveSlope.z, 0.0, 1.0)), shallow * 1.15, glancing);`,
    fragmentEnd: `
      gl_FragColor.a = mix(0.55, 0.96, glancing);
      vec2 middle = 0.5 * (least + most), half_ = 0.5 * (most - least);
      vec2 out_ = abs(vFlat - middle) / half_;
      gl_FragColor.a *= mix(1.0, 1.0 - smoothstep(0.45, 1.0, length(out_)), ending);`,
  };
}

/** A flat sheet over the extent, facing up. */
function sheet(up: 'y' | 'z', level: number, [least, most]: Extent, [columns, rows]: number[]): BufferGeometry {
  const positions: number[] = [], normals: number[] = [], index: number[] = [];
  for (let j = 0; j <= rows; j++) {
    for (let i = 0; i <= columns; i++) {
      const x = least[0] + ((most[0] - least[0]) * i) / columns;
      const other = least[1] + ((most[1] - least[1]) * j) / rows;
      positions.push(...(up === 'y' ? [x, level, other] : [x, other, level]));
      normals.push(...(up === 'y' ? [0, 1, 0] : [0, 0, 1]));
      if (i === columns || j === rows) continue;
      const a = j * (columns + 1) + i, b = a + 1, c = a + columns + 1, d = c + 1;
      // The axes x, z, y have the opposite orientation.
      index.push(...(up === 'z' ? [a, b, d, a, d, c] : [a, d, b, a, c, d]));
    }
  }
  return finished(positions, normals, index, new Float32Array(positions.length / 3).fill(1));
}

/** The four sides of a basin's water, facing outwards; their upper edge moves with the waves. */
function walls(up: 'y' | 'z', level: number, bed: number, [least, most]: Extent, [columns, rows]: number[]): BufferGeometry {
  const positions: number[] = [], normals: number[] = [], index: number[] = [], moves: number[] = [];
  // Slightly inside the extent, where walls may be.
  const inset = 1e-3 * Math.min(most[0] - least[0], most[1] - least[1]);
  const [x0, y0, x1, y1] = [least[0] + inset, least[1] + inset, most[0] - inset, most[1] - inset];
  const sides: [[number, number], [number, number], [number, number], number][] = [
    [[x0, y0], [x1, y0], [0, -1], columns],
    [[x1, y0], [x1, y1], [1, 0], rows],
    [[x1, y1], [x0, y1], [0, 1], columns],
    [[x0, y1], [x0, y0], [-1, 0], rows],
  ];
  for (const [from, to, out, cells] of sides) {
    for (let i = 0; i <= cells; i++) {
      const x = from[0] + ((to[0] - from[0]) * i) / cells, other = from[1] + ((to[1] - from[1]) * i) / cells;
      const a = positions.length / 3;
      for (const [height, moving] of [[bed, 0], [level, 1]]) {
        positions.push(...(up === 'y' ? [x, height, other] : [x, other, height]));
        normals.push(...(up === 'y' ? [out[0], 0, out[1]] : [out[0], out[1], 0]));
        moves.push(moving);
      }
      if (i === cells) continue;
      const [b, c, d] = [a + 1, a + 2, a + 3];
      index.push(...(up === 'z' ? [a, c, d, a, d, b] : [a, d, c, a, b, d]));
    }
  }
  return finished(positions, normals, index, new Float32Array(moves));
}

function finished(positions: number[], normals: number[], index: number[], moves: Float32Array): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  geometry.setAttribute('moves', new BufferAttribute(moves, 1));
  geometry.setIndex(index);
  return geometry;
}
