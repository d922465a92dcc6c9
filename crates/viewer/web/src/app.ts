// Connects source, player, picture and controls.
import { ContactChart } from './contact-chart';
import { Controls, type ControlsState, SPEEDS, TOGGLES } from './controls';
import { releaseFocusAfterPointer } from './dom';
import { type DragActions, DragController } from './drag';
import { quarantinedIn } from './frame';
import { Help } from './help';
import { RecordedDrags } from './recorded-drags';
import { Inspector } from './inspector';
import { type Actions, listenForKeys } from './keys';
import { Messages } from './messages';
import { Movements } from './movements';
import { partsOf, type Frame, type Header, type PointerDrag } from './model';
import { Player, type DrawnMoment } from './player';
import { Plots } from './plots';
import { saveRecording } from './save';
import { ScaleBars } from './scale-bars';
import { Scenes } from './scenes';
import type { Command, Listener, Run, RunEvent, SeriesData, Shared, Source } from './source/source';
import { Stage, type Toggle, type ViewName } from './stage/stage';
import { Theme } from './theme';

export class App implements Actions, Listener, DragActions {
  readonly ready: Promise<void>;
  readonly player: Player;
  readonly plots: Plots;
  readonly help = new Help();
  readonly inspector: Inspector;
  readonly theme: Theme;
  readonly toggles = Object.fromEntries(TOGGLES.map((name) => [name, false])) as Record<Toggle, boolean>;
  opened: Run | null = null;
  connected = false;
  /** An object is a body, or a piece of cloth counted after all bodies. */
  selected: number | null = null;
  following: number | null = null;
  currentView: ViewName | null = 'home';
  state: Shared = { playing: false, speed: 1, frames: 0, factor: null, quarantined: [], pulls: [], message: null, search: null };

  readonly chart: ContactChart;

  private readonly controls: Controls;
  private readonly scenes: Scenes;
  private readonly movements: Movements;
  private readonly dragging: DragController;
  private readonly scaleBars = new ScaleBars();
  private recordedDrags = new RecordedDrags([]);
  private firstDrawn: () => void = () => undefined;
  private loaded = false;
  private shown: DrawnMoment | null = null;
  private before = performance.now();

  constructor(
    canvas: HTMLCanvasElement,
    readonly stage: Stage,
    private readonly source: Source,
    readonly messages: Messages,
  ) {
    this.ready = new Promise((done) => (this.firstDrawn = done));
    this.player = new Player(source, (error) => this.showError(error));
    this.plots = new Plots({
      request: (from, stride) => source.series(from, stride),
      seek: (time) => this.scrubToTime(time),
    });
    this.chart = new ContactChart((time) => this.scrubToTime(time));
    this.inspector = new Inspector(() => this.toggleFollow(), () => this.select(null));
    this.controls = new Controls(this);
    this.scenes = new Scenes((scene) => this.openScene(scene));
    this.movements = new Movements((index) => this.command({ do: 'movement', index }));
    this.dragging = new DragController(canvas, stage, this);
    this.theme = new Theme((name) => {
      stage.setTheme(name);
      this.plots.setTheme();
    });
    releaseFocusAfterPointer();
    listenForKeys(this, () => this.help.open);
    new ResizeObserver(() => this.resized()).observe(canvas);
    this.plots.setOpen(matchMedia('(min-width: 800px)').matches);
    source.start(this);
    requestAnimationFrame((now) => this.picture(now));
  }

  get header(): Header | null {
    return this.opened?.header ?? null;
  }

  get drawn(): DrawnMoment | null {
    return this.shown;
  }

  get pulls(): PointerDrag[] {
    if (this.opened?.kind !== 'live') return this.shown === null ? [] : this.recordedDrags.at(this.shown.a.step);
    const own = this.dragging.current;
    return own === null ? this.state.pulls : [...this.state.pulls.filter((drag) => drag.body !== own.body), own];
  }

  get quarantined(): string[] {
    const shown = this.shown;
    if (this.opened?.kind === 'live' || shown === null) return this.state.quarantined;
    return quarantinedIn(shown.a).map((body) => this.nameOf(body) ?? '');
  }

  /** All objects that can be selected: bodies first, then pieces of cloth. */
  private get objects(): { name: string }[] {
    return [...(this.header?.bodies ?? []), ...(this.header?.cloths ?? [])];
  }

  nameOf(object: number | null): string | null {
    return object === null ? null : (this.objects[object]?.name ?? null);
  }

  // ---- Events of the source ----

  run(run: Run): void {
    const sameScene = this.header?.scene === run.header.scene;
    this.opened = run;
    this.shown = null;
    this.loaded = false;
    this.dragging.cancel();
    if (!sameScene) {
      this.select(null);
      this.currentView = 'home';
      // Contacts and forces of characters are shown by default.
      if (run.chart !== null) for (const what of ['contacts', 'forces'] as const) if (!this.toggles[what]) this.toggle(what);
    }
    this.player.open(
      run.kind,
      run.header.step_seconds * run.header.steps_per_frame,
      !matchMedia('(prefers-reduced-motion: reduce)').matches,
    );
    const saves = this.source.saveAddress !== null;
    this.recordedDrags = new RecordedDrags(run.header.bodies);
    this.stage.clearEvents();
    const has = partsOf(run.header);
    this.controls.load(run.kind, saves, has);
    this.scenes.load(run.scenes, run.header.scene);
    this.movements.load(run.movements, run.movement);
    this.help.load({ live: run.kind === 'live', saves, ...has });
    this.plots.load(run.series);
    this.chart.load(run.chart);
    document.title = `${run.header.scene} · Conatus`;
    const title = document.getElementById('scene-title');
    if (title !== null) title.textContent = run.title ?? '';
    this.messages.setLasting('loading', null);
    this.messages.setLasting('run', null);
    this.messages.setLasting('quarantine', null);
  }

  shared(state: Shared): void {
    this.state = state;
    this.player.shared(state);
    this.messages.setLasting('run', state.message);
    this.messages.setLasting('search', state.search);
  }

  frame(index: number, frame: Frame, newest: boolean): void {
    this.player.frame(index, frame, newest);
  }

  events(events: RunEvent[]): void {
    this.controls.events(events);
    this.recordedDrags.add(events);
    this.stage.events(events);
  }

  series(data: SeriesData): void {
    this.plots.take(data);
  }

  connection(connected: boolean, notice: string | null): void {
    this.connected = connected;
    this.messages.setLasting('connection', notice);
    if (connected) return;
    this.messages.setLasting('loading', null);
    this.player.disconnected();
    this.plots.disconnected();
    this.dragging.cancel();
  }

  // ---- Actions of the user ----

  togglePlay(): void {
    this.player.toggle();
  }

  step(frames: number): void {
    this.player.step(frames);
  }

  home(): void {
    this.player.scrub(0);
  }

  end(): void {
    this.player.end();
  }

  goLive(): void {
    this.player.goLive();
  }

  scrub(index: number): void {
    this.player.scrub(index);
  }

  scrubToTime(time: number): void {
    this.player.scrubToTime(time);
  }

  reset(): void {
    this.player.reset();
  }

  kick(body: number): void {
    const info = this.header?.bodies[body];
    if (this.opened?.kind !== 'live') this.messages.showBriefly('Recordings are read-only: only bodies of a live run can be kicked.');
    else if (info === undefined) this.messages.showBriefly(`There is no body ${body + 1}.`);
    else if (info.scripted) this.messages.showBriefly(`${info.name} is scripted: it cannot be kicked.`);
    else if (!this.player.live) this.messages.showBriefly('Press End to return to the live run first.');
    else this.command({ do: 'kick', body });
  }

  toggleLoop(): void {
    this.player.loop = !this.player.loop;
  }

  setSpeed(speed: number): void {
    this.player.setSpeed(speed);
  }

  changeSpeed(direction: 1 | -1): void {
    const speed = this.player.speed;
    const next = direction > 0 ? SPEEDS.find((s) => s > speed) : SPEEDS.filter((s) => s < speed).at(-1);
    if (next !== undefined) this.player.setSpeed(next);
  }

  toggleFollow(): void {
    if (this.selected === null) {
      this.messages.showBriefly('Select a body or cloth first: click it, or press N.');
      return;
    }
    this.setFollowing(this.following === this.selected ? null : this.selected);
    if (this.following !== null) {
      this.stage.focus(this.following);
      this.currentView = null;
    }
  }

  selectNext(direction: 1 | -1): void {
    const count = this.objects.length;
    if (count === 0) return;
    const from = this.selected ?? (direction > 0 ? -1 : count);
    this.select((from + direction + count) % count);
  }

  escape(): void {
    if (!this.dragging.cancel()) this.select(null);
  }

  view(name: ViewName): void {
    this.setFollowing(null);
    this.currentView = name;
    this.stage.view(name);
  }

  toggle(what: Toggle): void {
    this.toggles[what] = !this.toggles[what];
    this.stage.setToggle(what, this.toggles[what]);
  }

  togglePlots(): void {
    this.plots.setOpen(!this.plots.open);
  }

  toggleTheme(): void {
    this.theme.toggle();
  }

  toggleHelp(): void {
    this.help.toggle();
  }

  save(): void {
    const [address, scene] = [this.source.saveAddress, this.header?.scene];
    if (address === null || scene === undefined) return;
    saveRecording(address, `${scene}.mcap`).then(
      (text) => this.messages.showBriefly(text),
      (error: unknown) => this.showError(error),
    );
  }

  openScene(scene: string): void {
    this.command({ do: 'open', scene });
  }

  // ---- Actions of the pointer ----

  isDraggable(object: number): boolean {
    return this.opened?.kind === 'live' && this.player.live && this.connected && this.shown?.a.status[object] === 0;
  }

  select(object: number | null): void {
    if (object === this.selected) return;
    this.selected = object;
    this.stage.select(object);
    if (this.following !== null && this.following !== object) this.setFollowing(null);
    this.inspector.refresh();
  }

  drag(drag: PointerDrag): void {
    this.command({ do: 'pull', ...drag });
  }

  releaseDrag(): void {
    this.state = { ...this.state, pulls: [] };
    if (this.connected) this.command({ do: 'let_go' });
  }

  cameraMoved(): void {
    this.currentView = null;
  }

  /** Frames the scene again in the new size, unless the user moved the camera. */
  private resized(): void {
    this.stage.resize();
    if (this.loaded && this.currentView !== null) this.stage.view(this.currentView);
  }

  private setFollowing(object: number | null): void {
    this.following = object;
    this.stage.follow(object);
    this.inspector.refresh();
  }

  private command(command: Command): void {
    this.source.command(command).catch((error: unknown) => this.showError(error));
  }

  private showError(error: unknown): void {
    this.messages.showBriefly(error instanceof Error ? error.message : String(error));
  }

  /** Draws one picture and schedules the next. */
  private picture(now: number): void {
    requestAnimationFrame((next) => this.picture(next));
    const dt = (now - this.before) / 1000;
    this.before = now;
    const run = this.opened;
    if (run !== null) this.update(dt, run);
    this.stage.render(dt);
    this.scaleBars.update(this.stage.arrowScales());
    if (this.loaded) this.firstDrawn();
  }

  private update(dt: number, run: Run): void {
    this.dragging.flush();
    const shown = this.connected || !this.player.live ? this.player.advance(dt) : this.shown;
    if (shown !== null) {
      if (!this.loaded) {
        this.stage.load(run.header, run.chart, shown.a);
        if (this.selected !== null) this.stage.select(this.selected);
        this.loaded = true;
      }
      this.shown = shown;
      this.stage.show(shown.a, shown.b, shown.s);
      this.stage.setDrags(this.pulls);
      this.showQuarantine();
    }
    const { player } = this;
    const state: ControlsState = {
      kind: run.kind,
      playing: player.playing,
      live: player.live,
      loop: player.loop,
      speed: player.speed,
      frame: player.index,
      frames: player.frames,
      time: shown?.time ?? 0,
      duration: player.duration,
      factor: this.state.factor,
      view: this.currentView,
      toggles: this.toggles,
    };
    this.controls.update(dt, state);
    this.plots.update(dt, state.time, state.frames);
    this.chart.update(state.time);
    this.inspector.update(dt, run.header, this.selected, this.following !== null, shown);
  }

  private showQuarantine(): void {
    const names = this.quarantined;
    const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
    const text = `Quarantined, because the numbers diverged: ${names.slice(0, 5).join(', ')}${more}.`;
    this.messages.setLasting('quarantine', names.length === 0 || this.state.message !== null ? null : text);
  }
}
