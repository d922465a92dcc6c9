// Starts the page: with its embedded recording, or with the server that served it.
import '../style.css';
import { App } from './app';
import { element } from './dom';
import { bodyPosition, vertexPosition } from './frame';
import { Messages } from './messages';
import { type Vec3, pieceOf } from './model';
import { FileSource } from './source/file';
import { LiveSource } from './source/live';
import type { Source } from './source/source';
import { Stage } from './stage/stage';

function createSource(): Source {
  const embedded = document.getElementById('recording');
  if (embedded === null) {
    // Relative to the page, whose path contains the access token.
    const address = new URL('live', location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    return new LiveSource(address.href);
  }
  const all = [...document.querySelectorAll<HTMLElement>('script[id^="recording"]')];
  const inside = all.map((one) => ({ text: one.textContent ?? '', label: one.dataset.label ?? '' }));
  for (const one of all) one.remove();
  return new FileSource(inside);
}

function start(): void {
  const messages = new Messages(element('message', HTMLElement));
  const canvas = element('canvas', HTMLCanvasElement);
  let stage: Stage;
  try {
    stage = new Stage(canvas);
    document.documentElement.dataset.quality = stage.quality;
  } catch (error) {
    messages.setLasting('stage', error instanceof Error ? error.message : String(error));
    return;
  }
  messages.setLasting('loading', 'Opening…');
  const app = new App(canvas, stage, createSource(), messages);
  Object.assign(window, { conatus: testInterface(app, canvas) });
}

/** The interface for tests. */
function testInterface(app: App, canvas: HTMLCanvasElement): object {
  const { player, plots } = app;
  return {
    ready: app.ready,
    state: () => ({
      kind: app.opened?.kind ?? 'live',
      scene: app.header?.scene ?? '',
      run: app.opened?.number ?? 0,
      movement: app.opened?.movement ?? 0,
      movements: app.opened?.movements ?? [],
      connected: app.connected,
      playing: player.playing,
      live: player.live,
      frame: player.index,
      frames: player.frames,
      time: app.drawn?.time ?? 0,
      speed: player.speed,
      loop: player.loop,
      factor: app.state.factor,
      selected: app.nameOf(app.selected),
      following: app.nameOf(app.following),
      toggles: { ...app.toggles },
      theme: app.theme.name,
      view: app.currentView,
      quarantined: app.quarantined,
      pulls: app.pulls,
      help: app.help.open,
      plots: { open: plots.open, cursor: plots.cursor, series: plots.names },
      chart: app.chart.active,
      marks: app.stage.marks(),
      inspector: app.inspector.current,
      message: app.messages.current,
      camera: app.stage.camera(),
    }),
    project: (p: Vec3) => {
      const box = canvas.getBoundingClientRect();
      const { x, y, visible } = app.stage.project(p);
      return { x: x + box.left, y: y + box.top, visible };
    },
    body: (name: string): Vec3 | null => {
      const body = app.header?.bodies.findIndex((info) => info.name === name) ?? -1;
      if (body < 0 || app.drawn === null) return null;
      return bodyPosition(body, app.drawn.a, app.drawn.b, app.drawn.s);
    },
    /** The position of a vertex of the piece of cloth with that name. */
    vertex: (name: string, index: number): Vec3 | null => {
      const { header, drawn } = app;
      const piece = header?.cloths?.findIndex((info) => info.name === name) ?? -1;
      const found = header && piece >= 0 ? pieceOf(header, header.bodies.length + piece) : null;
      if (found === null || drawn === null || index >= found.info.vertices) return null;
      return vertexPosition(found.first + index, drawn.a, drawn.b, drawn.s);
    },
  };
}

start();
