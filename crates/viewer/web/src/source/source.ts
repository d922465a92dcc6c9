// Where runs come from: the same questions and answers for a live server and for a file.
import type { Chart, Frame, Header, Pull, Vec3 } from '../model';

export interface SceneInfo {
  name: string;
  family: string;
  title: string;
}
export interface SeriesInfo {
  name: string;
  group: string;
  unit: string;
}
export interface RunEvent {
  time: number;
  step: number;
  kind: string;
  detail: unknown;
}
/** Points of all plots from point `from` on; point i is frame i · stride. */
export interface SeriesData {
  stride: number;
  from: number;
  times: number[];
  /** For each point one number per series; null is what is not finite. */
  values: (number | null)[][];
}
/** `live`: it is being computed. `recording` and `file`: all of it exists already. */
export type Kind = 'live' | 'recording' | 'file';

/** A run as a source introduces it. */
export interface Run {
  kind: Kind;
  number: number;
  header: Header;
  title: string | null;
  scenes: SceneInfo[];
  series: SeriesInfo[];
  /** The contacts of characters, if there are any. */
  chart: Chart | null;
  /** The movements to choose from by name, if there are several; and which of them this is. */
  movements: string[];
  movement: number;
}
/** What all pages of a run share. */
export interface Shared {
  playing: boolean;
  speed: number;
  frames: number;
  factor: number | null;
  quarantined: string[];
  pulls: Pull[];
  message: string | null;
  /** How far the search for the movement of another scene is. */
  search: string | null;
}
export type Command =
  | { do: 'play' | 'pause' | 'step' | 'reset' | 'let_go' }
  | { do: 'speed'; value: number }
  | { do: 'open'; scene: string }
  | { do: 'movement'; index: number }
  | { do: 'kick'; body: number }
  | { do: 'pull'; body: number; point: Vec3; target: Vec3 };

export interface Listener {
  run(run: Run): void;
  shared(state: Shared): void;
  frame(index: number, frame: Frame, newest: boolean): void;
  events(events: RunEvent[]): void;
  series(data: SeriesData): void;
  /** Whether there is a connection; if not, why. */
  connection(connected: boolean, notice: string | null): void;
}

export interface Source {
  start(listener: Listener): void;
  /** Asks for the newest frame after an index, once. */
  want(after: number): void;
  /** Asks for a recorded frame. */
  frame(index: number): void;
  /** Asks for points of the plots. */
  series(from: number, stride: number): void;
  /** Settles when the command has taken effect; fails with a plain sentence. */
  command(command: Command): Promise<void>;
  /** Where the recording so far can be fetched, if anywhere. */
  readonly saveAddress: string | null;
}
