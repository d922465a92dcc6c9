// All pieces of cloth, drawn as sheets with different sides.
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group, type IUniform, LineBasicMaterial, LineSegments, Mesh,
  MeshStandardMaterial, SRGBColorSpace,
} from 'three';
import type { ClothInfo, Frame, Header, Vec3 } from '../model';
import { Box } from './box';
import { patched } from './materials';
import type { Quality } from './quality';
import { meetTriangle } from './rays';
import { blend, edgesOf, smoothNormals } from './sheet';

interface Piece {
  /** Its first vertex in a frame. */
  first: number;
  corners: Uint32Array;
  positions: BufferAttribute;
  normals: BufferAttribute;
  box: Box;
  sheet: Mesh<BufferGeometry, MeshStandardMaterial>;
  /** All edges of the mesh, on demand; and the border, while the piece is selected. */
  wires: LineSegments<BufferGeometry, LineBasicMaterial>;
  border: LineSegments<BufferGeometry, LineBasicMaterial>;
  glow: IUniform<number>;
}

export class Cloth {
  readonly group = new Group();
  /** The box around all vertices, as they are drawn. */
  readonly box = new Box();
  private readonly pieces: Piece[] = [];

  constructor({ cloths = [] }: Header, private readonly chosen: IUniform<Color>, quality: Quality) {
    let first = 0;
    for (const info of cloths) {
      this.pieces.push(this.make(info, first, quality));
      first += info.vertices;
    }
  }

  private make(info: ClothInfo, first: number, quality: Quality): Piece {
    const corners = Uint32Array.from(info.triangles.flat());
    const attribute = (): BufferAttribute => new BufferAttribute(new Float32Array(3 * info.vertices), 3).setUsage(DynamicDrawUsage);
    const positions = attribute(), normals = attribute();
    const edges = edgesOf(corners);
    const color = new Color().setRGB(...info.color, SRGBColorSpace);
    const glow = { value: 0 };
    const geometry = new BufferGeometry().setAttribute('position', positions).setAttribute('normal', normals);
    geometry.setIndex(new BufferAttribute(corners, 1));
    const sheet = new Mesh(geometry, clothMaterial(color, this.chosen, glow));
    sheet.castShadow = true;
    // Shadows on cloth are too slow in software.
    sheet.receiveShadow = quality === 'full';
    const lines = (pairs: number[], hue: Color): LineSegments<BufferGeometry, LineBasicMaterial> => {
      const geometry = new BufferGeometry().setAttribute('position', positions);
      geometry.setIndex(new BufferAttribute(Uint32Array.from(pairs), 1));
      const material = new LineBasicMaterial({ color: hue, toneMapped: false });
      return new LineSegments(geometry, patched(material, { key: 'cloth wires', vertexEnd: OFFSET_TOWARDS_CAMERA }));
    };
    const wires = lines(edges.all, color.clone().multiplyScalar(0.35));
    const border = lines(edges.border, this.chosen.value);
    // Vertices move in every frame, and so would the bounds for culling.
    for (const part of [sheet, wires, border]) part.frustumCulled = false;
    wires.visible = border.visible = false;
    this.group.add(sheet, wires, border);
    return { first, corners, positions, normals, box: new Box(), sheet, wires, border, glow };
  }

  /** Interpolates the vertices between two frames. */
  update(a: Frame, b: Frame | null, s: number): void {
    this.box.clear();
    for (const { first, corners, positions, normals, box } of this.pieces) {
      const places = positions.array as Float32Array;
      blend(places, a.cloth, b === null ? null : b.cloth, s, first);
      smoothNormals(places, corners, normals.array as Float32Array);
      positions.needsUpdate = normals.needsUpdate = true;
      box.clear();
      for (let i = 0; i < places.length; i += 3) box.add(places[i], places[i + 1], places[i + 2]);
      this.box.addBox(box);
    }
  }

  /** Selects a piece. */
  choose(piece: number | null): void {
    this.pieces.forEach(({ border, glow }, i) => {
      border.visible = i === piece;
      border.material.color.copy(this.chosen.value);
      glow.value = i === piece ? 1 : 0;
    });
  }

  /** `only`: edges instead of the sheet; `too`: edges over it. */
  setWires(only: boolean, too: boolean): void {
    for (const { sheet, wires } of this.pieces) {
      sheet.visible = !only;
      wires.visible = only || too;
    }
  }

  setLook(): void {
    for (const { border } of this.pieces) border.material.color.copy(this.chosen.value);
  }

  /** The centre of the box of a piece, and half of its diagonal. */
  ballAround(piece: number): { centre: Vec3; radius: number } | null {
    const box = this.pieces[piece]?.box;
    return box === undefined || box.isEmpty() ? null : { centre: box.centre(), radius: box.diagonal() / 2 };
  }

  /** The piece that a ray meets first, and how far along. */
  pick(from: Vec3, direction: Vec3): { piece: number; distance: number } | null {
    let best = Infinity, found = -1;
    this.pieces.forEach(({ corners, positions }, piece) => {
      const p = positions.array;
      for (let t = 0; t < corners.length; t += 3) {
        const i = 3 * corners[t], j = 3 * corners[t + 1], k = 3 * corners[t + 2];
        const distance = meetTriangle(from, direction, p[i], p[i + 1], p[i + 2], p[j], p[j + 1], p[j + 2], p[k], p[k + 1], p[k + 2]);
        if (distance < best) [best, found] = [distance, piece];
      }
    });
    return found < 0 ? null : { piece: found, distance: best };
  }

  dispose(): void {
    for (const { sheet, wires, border } of this.pieces) {
      for (const part of [sheet, wires, border]) {
        part.geometry.dispose();
        part.material.dispose();
      }
    }
  }
}

/** A matte sheet; its back is paler and slightly darker than its front, which makes folds visible. */
function clothMaterial(color: Color, chosen: IUniform<Color>, glow: IUniform<number>): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ color, roughness: 0.88, metalness: 0, side: DoubleSide });
  return patched(material, {
    key: 'cloth',
    uniforms: { chosen, glow },
    vertexShadow: SHADOW_OFFSET_ON_LIT_SIDE,
    fragmentHead: `
      uniform vec3 chosen;
      uniform float glow;`,
    fragmentColor: `
      if (!gl_FrontFacing) {
        float grey = dot(diffuseColor.rgb, vec3(0.2126, 0.7152, 0.0722));
        diffuseColor.rgb = mix(mix(diffuseColor.rgb, vec3(grey), 0.3), vec3(1.0), 0.12) * 0.86;
      }`,
    fragmentGlow: `
      float rim = 1.0 - abs(dot(normalize(vViewPosition), normal));
      totalEmissiveRadiance += glow * chosen * (0.05 + 0.3 * rim * rim);`,
  });
}

/** Offsets edges towards the camera, so that the sheet does not hide them. */
const OFFSET_TOWARDS_CAMERA = 'gl_Position.z -= 4e-5 * gl_Position.w;';

/**
 * Samples the shadow map with an offset towards the sun, so that the sheet does not shadow itself. The offset is larger
 * than for solid bodies, because flat triangles approximate round folds.
 */
const SHADOW_OFFSET_ON_LIT_SIDE = `
      #if defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0
        vec3 away = vec3(directionalShadowMatrix[0][0].z, directionalShadowMatrix[0][1].z, directionalShadowMatrix[0][2].z);
        vec3 off = (dot(shadowWorldNormal, away) > 0.0 ? -3.5 : 3.5) * directionalLightShadows[0].shadowNormalBias * shadowWorldNormal;
        vDirectionalShadowCoord[0] = directionalShadowMatrix[0] * (worldPosition + vec4(off, 0.0));
      #endif`;
