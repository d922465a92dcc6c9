// Ties source, player, picture and controls together.
import { ContactChart } from './contact-chart';
import { Controls, type ControlsState, SPEEDS, TOGGLES } from './controls';
import { giveKeysBack } from './dom';
import { Drag, type DragHost } from './drag';
import { quarantinedIn } from './frame';
import { Help } from './help';
import { Hands } from './hands';
import { Inspector } from './inspector';
import { type Actions, listenForKeys } from './keys';
import { Messages } from './messages';
import { Movements } from './movements';
import type { Frame, Header, Pull } from './model';
import { Player, type Shown } from './player';
import { Plots } from './plots';
import { saveRecording } from './save';
import { Scenes } from './scenes';
import type { Command, Listener, Run, RunEvent, SeriesData, Shared, Source } from './source/source';
import { Stage, type Toggle, type ViewName } from './stage/stage';
import { Theme } from './theme';

export class App implements Actions, Listener, DragHost {
  readonly ready: Promise<void>;
  readonly player: Player;
  readonly plots: Plots;
  readonly help = new Help();
  readonly inspector: Inspector;
  readonly theme: Theme;
  readonly toggles = Object.fromEntries(TOGGLES.map((name) => [name, false])) as Record<Toggle, boolean>;
  opened: Run | null = null;
  connected = false;
  /** Bodies are counted first, then pieces of cloth. */
  selected: number | null = null;
  following: number | null = null;
  currentView: ViewName | null = 'home';
  state: Shared = { playing: false, speed: 1, frames: 0, factor: null, quarantined: [], pulls: [], message: null, search: null };

  readonly chart: ContactChart;

  private readonly controls: Controls;
  private readonly scenes: Scenes;
  private readonly movements: Movements;
  private readonly drag: Drag;
  private hands = new Hands([]);
  private firstDrawn: () => void = () => undefined;
  private loaded = false;
  private shown: Shown | null = null;
  private before = performance.now();

  constructor(
    canvas: HTMLCanvasElement,
    readonly stage: Stage,
    private readonly source: Source,
    readonly messages: Messages,
  ) {
    this.ready = new Promise((done) => (this.firstDrawn = done));
    this.player = new Player(source, (error) => this.refused(error));
    this.plots = new Plots({
      ask: (from, stride) => source.series(from, stride),
      seek: (time) => this.scrubToTime(time),
    });
    this.chart = new ContactChart((time) => this.scrubToTime(time));
    this.inspector = new Inspector(() => this.toggleFollow(), () => this.select(null));
    this.controls = new Controls(this);
    this.scenes = new Scenes((scene) => this.openScene(scene));
    this.movements = new Movements((index) => this.command({ do: 'movement', index }));
    this.drag = new Drag(canvas, stage, this);
    this.theme = new Theme((name) => {
      stage.setTheme(name);
      this.plots.setTheme();
    });
    giveKeysBack();
    listenForKeys(this, () => this.help.open);
    new ResizeObserver(() => this.resized()).observe(canvas);
    this.plots.setOpen(matchMedia('(min-width: 800px)').matches);
    source.start(this);
    requestAnimationFrame((now) => this.picture(now));
  }

  get header(): Header | null {
    return this.opened?.header ?? null;
  }

  get drawn(): Shown | null {
    return this.shown;
  }

  get pulls(): Pull[] {
    if (this.opened?.kind !== 'live') return this.shown === null ? [] : this.hands.at(this.shown.a.step);
    const own = this.drag.current;
    return own === null ? this.state.pulls : [...this.state.pulls.filter((pull) => pull.body !== own.body), own];
  }

  get quarantined(): string[] {
    const shown = this.shown;
    if (this.opened?.kind === 'live' || shown === null) return this.state.quarantined;
    return quarantinedIn(shown.a).map((body) => this.nameOf(body) ?? '');
  }

  /** What can be selected: all bodies, then all pieces of cloth. */
  private get things(): { name: string }[] {
    return [...(this.header?.bodies ?? []), ...(this.header?.cloths ?? [])];
  }

  nameOf(thing: number | null): string | null {
    return thing === null ? null : (this.things[thing]?.name ?? null);
  }

  // ---- What the source tells ----

  run(run: Run): void {
    const sameScene = this.header?.scene === run.header.scene;
    this.opened = run;
    this.shown = null;
    this.loaded = false;
    this.drag.cancel();
    if (!sameScene) {
      this.select(null);
      this.currentView = 'home';
      // The contacts and forces of a character are what one wants to see of it.
      if (run.chart !== null) for (const what of ['contacts', 'forces'] as const) if (!this.toggles[what]) this.toggle(what);
    }
    this.player.open(
      run.kind,
      run.header.step_seconds * run.header.steps_per_frame,
      !matchMedia('(prefers-reduced-motion: reduce)').matches,
    );
    const saves = this.source.saveAddress !== null;
    this.hands = new Hands(run.header.bodies);
    const cloth = (run.header.cloths ?? []).length > 0;
    this.controls.load(run.kind, saves, cloth);
    this.scenes.load(run.scenes, run.header.scene);
    this.movements.load(run.movements, run.movement);
    this.help.load({ live: run.kind === 'live', saves, cloth });
    this.plots.load(run.series);
    this.chart.load(run.chart);
    document.title = `${run.header.scene} · Conatus`;
    const title = document.getElementById('scene-title');
    if (title !== null) title.textContent = run.title ?? '';
    this.messages.hold('loading', null);
    this.messages.hold('run', null);
    this.messages.hold('quarantine', null);
  }

  shared(state: Shared): void {
    this.state = state;
    this.player.shared(state);
    this.messages.hold('run', state.message);
    this.messages.hold('search', state.search);
  }

  frame(index: number, frame: Frame, newest: boolean): void {
    this.player.frame(index, frame, newest);
  }

  events(events: RunEvent[]): void {
    this.controls.events(events);
    this.hands.add(events);
  }

  series(data: SeriesData): void {
    this.plots.take(data);
  }

  connection(connected: boolean, notice: string | null): void {
    this.connected = connected;
    this.messages.hold('connection', notice);
    if (connected) return;
    this.messages.hold('loading', null);
    this.player.disconnected();
    this.plots.disconnected();
    this.drag.cancel();
  }

  // ---- What the user asks ----

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
    if (this.opened?.kind !== 'live') this.messages.say('This is a recording: only a live run can be kicked.');
    else if (info === undefined) this.messages.say(`There is no body number ${body + 1} to kick.`);
    else if (info.scripted) this.messages.say(`The scene moves ${info.name}: it cannot be kicked.`);
    else if (!this.player.live) this.messages.say('Go back to the live run first: press End.');
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
      this.messages.say('Select something first: click on it, or press N.');
      return;
    }
    this.setFollowing(this.following === this.selected ? null : this.selected);
    if (this.following !== null) {
      this.stage.focus(this.following);
      this.currentView = null;
    }
  }

  selectNext(direction: 1 | -1): void {
    const count = this.things.length;
    if (count === 0) return;
    const from = this.selected ?? (direction > 0 ? -1 : count);
    this.select((from + direction + count) % count);
  }

  escape(): void {
    if (!this.drag.cancel()) this.select(null);
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
      (sentence) => this.messages.say(sentence),
      (error: unknown) => this.refused(error),
    );
  }

  openScene(scene: string): void {
    this.command({ do: 'open', scene });
  }

  // ---- What the pointer does ----

  pullable(thing: number): boolean {
    return this.opened?.kind === 'live' && this.player.live && this.connected && this.shown?.a.status[thing] === 0;
  }

  select(thing: number | null): void {
    if (thing === this.selected) return;
    this.selected = thing;
    this.stage.select(thing);
    if (this.following !== null && this.following !== thing) this.setFollowing(null);
    this.inspector.refresh();
  }

  pull(pull: Pull): void {
    this.command({ do: 'pull', ...pull });
  }

  letGo(): void {
    this.state = { ...this.state, pulls: [] };
    if (this.connected) this.command({ do: 'let_go' });
  }

  cameraMoved(): void {
    this.currentView = null;
  }

  /** A view that the user has not moved away from fits the new size as well. */
  private resized(): void {
    this.stage.resize();
    if (this.loaded && this.currentView !== null) this.stage.view(this.currentView);
  }

  private setFollowing(thing: number | null): void {
    this.following = thing;
    this.stage.follow(thing);
    this.inspector.refresh();
  }

  private command(command: Command): void {
    this.source.command(command).catch((error: unknown) => this.refused(error));
  }

  private refused(error: unknown): void {
    this.messages.say(error instanceof Error ? error.message : String(error));
  }

  /** Draws one picture and asks for the next. */
  private picture(now: number): void {
    requestAnimationFrame((next) => this.picture(next));
    const dt = (now - this.before) / 1000;
    this.before = now;
    const run = this.opened;
    if (run !== null) this.update(dt, run);
    this.stage.render(dt);
    if (this.loaded) this.firstDrawn();
  }

  private update(dt: number, run: Run): void {
    this.drag.flush();
    const shown = this.connected || !this.player.live ? this.player.advance(dt) : this.shown;
    if (shown !== null) {
      if (!this.loaded) {
        this.stage.load(run.header, run.chart, shown.a);
        if (this.selected !== null) this.stage.select(this.selected);
        this.loaded = true;
      }
      this.shown = shown;
      this.stage.show(shown.a, shown.b, shown.s);
      this.stage.setPulls(this.pulls);
      this.tellQuarantined();
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

  private tellQuarantined(): void {
    const names = this.quarantined;
    const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
    const sentence = `Quarantined and frozen, because the numbers went wrong: ${names.slice(0, 5).join(', ')}${more}.`;
    this.messages.hold('quarantine', names.length === 0 || this.state.message !== null ? null : sentence);
  }
}
