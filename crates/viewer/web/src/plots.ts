// Plots of the series of a run, one per group; their cursor is the playhead.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { button, element, setAttribute, setPressed, setText } from './dom';
import { short } from './format';
import { Points } from './points';
import type { SeriesData, SeriesInfo } from './source/source';

const PLOT_HEIGHT_PX = 118;
/** The time between two updates. */
const UPDATE_INTERVAL_S = 0.2;
/** After this time points are requested again. */
const REQUEST_TIMEOUT_S = 2;
/** The smallest range of an axis, relative to the values. */
const MIN_RELATIVE_SPAN = 1e-4;

interface Plot {
  chart: uPlot;
  /** The indices of its series. */
  lines: number[];
  values: HTMLElement[];
  playhead: HTMLElement;
}

export interface PlotsHost {
  request(from: number, stride: number): void;
  seek(time: number): void;
}

export class Plots {
  private readonly panel = element('plots', HTMLElement);
  private readonly list = element('plot-list', HTMLElement);
  private series: SeriesInfo[] = [];
  private plots: Plot[] = [];
  private points = new Points(0);
  private changed = false;
  private waiting = 0;
  private since = 0;
  private playhead = 0;
  private hovered: number | null = null;
  private isOpen = false;

  constructor(private readonly host: PlotsHost) {
    new ResizeObserver(() => this.resize()).observe(this.list);
  }

  get open(): boolean {
    return this.isOpen;
  }

  get cursor(): number | null {
    return this.isOpen && this.plots.length > 0 ? this.playhead : null;
  }

  get names(): string[] {
    return this.series.map((series) => series.name);
  }

  /** Starts a new run with its series. */
  load(series: SeriesInfo[]): void {
    this.series = series;
    this.points = new Points(series.length);
    this.waiting = 0;
    this.hovered = null;
    this.changed = true;
    this.build();
  }

  /** The pending request will not be answered. */
  disconnected(): void {
    this.waiting = 0;
  }

  take(data: SeriesData): void {
    this.waiting = 0;
    this.points.take(data);
    this.changed = true;
  }

  setOpen(open: boolean): void {
    this.isOpen = open;
    this.panel.hidden = !open;
    document.body.classList.toggle('with-plots', open);
    const toggle = button('plots-toggle');
    setPressed(toggle, open);
    setAttribute(toggle, 'aria-expanded', String(open));
    this.changed = true;
    this.since = UPDATE_INTERVAL_S;
    this.resize();
  }

  setTheme(): void {
    for (const { chart } of this.plots) chart.redraw(false);
  }

  /** Once per animation frame. */
  update(dt: number, time: number, frames: number): void {
    this.playhead = time;
    if (!this.isOpen) return;
    this.waiting = Math.max(0, this.waiting - dt);
    this.since += dt;
    if (this.since >= UPDATE_INTERVAL_S) {
      this.since = 0;
      if (this.waiting === 0 && frames > this.points.times.length * this.points.stride) {
        this.waiting = REQUEST_TIMEOUT_S;
        this.host.request(this.points.times.length, this.points.stride);
      }
      if (this.changed) this.draw();
      this.label();
    }
    for (const { chart, playhead } of this.plots) {
      const x = this.points.times.length > 1 ? chart.valToPos(time, 'x') : 0;
      playhead.style.transform = `translateX(${x.toFixed(1)}px)`;
    }
  }

  private build(): void {
    for (const { chart } of this.plots) chart.destroy();
    const groups = new Map<string, number[]>();
    this.series.forEach(({ group }, i) => groups.set(group, [...(groups.get(group) ?? []), i]));
    this.list.replaceChildren();
    this.plots = [...groups].map(([group, lines]) => this.plot(group, lines));
  }

  private plot(group: string, lines: number[]): Plot {
    const unit = this.series[lines[0] ?? 0]?.unit ?? '';
    const box = document.createElement('figure');
    const caption = document.createElement('figcaption');
    const title = document.createElement('strong');
    title.textContent = group;
    const unitShown = document.createElement('small');
    unitShown.textContent = unit;
    caption.append(title, unitShown);
    const values = lines.map((line, i) => {
      const entry = document.createElement('span');
      entry.className = `line line-${i % 4}`;
      const value = document.createElement('output');
      if (lines.length > 1) {
        const name = document.createElement('span');
        name.textContent = this.series[line]?.name ?? '';
        entry.append(name);
      }
      entry.append(value);
      caption.append(entry);
      return value;
    });
    box.append(caption);
    this.list.append(box);

    const chart = new uPlot(this.options(lines), this.data(lines), box);
    chart.root.setAttribute('role', 'img');
    chart.root.setAttribute('aria-label', `${group} against time`);
    const playhead = document.createElement('div');
    playhead.className = 'playhead';
    chart.over.append(playhead);
    chart.over.addEventListener('click', (event) => {
      if (this.points.times.length < 2) return;
      const x = event.clientX - chart.over.getBoundingClientRect().left;
      this.host.seek(Math.max(chart.posToVal(x, 'x'), 0));
    });
    return { chart, lines, values, playhead };
  }

  private options(lines: number[]): uPlot.Options {
    const axis: uPlot.Axis = {
      stroke: () => style('--muted'),
      font: '11px system-ui, sans-serif',
      grid: { stroke: () => style('--grid'), width: 1 },
      ticks: { show: false },
    };
    return {
      width: this.width,
      height: PLOT_HEIGHT_PX,
      padding: [8, 14, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 }, sync: { key: 'conatus' } },
      scales: {
        x: { time: false, range: () => [this.points.times[0] ?? 0, this.points.times.at(-1) ?? 1] },
        y: { range: (_, least, greatest) => span(least, greatest) },
      },
      axes: [
        { ...axis, size: 22, gap: 3, space: 56, values: (_, splits) => splits.map((t) => `${tick(t)} s`) },
        {
          ...axis,
          gap: 4,
          space: 26,
          size: 48,
          values: (_, splits) => splits.map(tick),
        },
      ],
      series: [{}, ...lines.map((_, i) => ({ stroke: () => style(`--line-${i % 4}`), width: 1.5, points: { show: false } }))],
      hooks: {
        setCursor: [
          (chart) => {
            const index = chart.cursor.idx ?? null;
            if (index === this.hovered) return;
            this.hovered = index;
            this.label();
          },
        ],
      },
    };
  }

  private get width(): number {
    return Math.max(this.list.clientWidth, 120);
  }

  private resize(): void {
    if (!this.isOpen) return;
    for (const { chart } of this.plots) {
      if (chart.width !== this.width) chart.setSize({ width: this.width, height: PLOT_HEIGHT_PX });
    }
  }

  private data(lines: number[]): uPlot.AlignedData {
    return [this.points.times, ...lines.map((line) => this.points.columns[line] ?? [])];
  }

  private draw(): void {
    this.changed = false;
    for (const { chart, lines } of this.plots) chart.setData(this.data(lines));
  }

  /** Shows the values at the pointer, or else at the playhead. */
  private label(): void {
    const index = this.hovered ?? nearest(this.points.times, this.playhead);
    for (const { lines, values } of this.plots) {
      lines.forEach((line, i) => {
        const value = this.points.columns[line]?.[index];
        const output = values[i];
        const text = this.series[line]?.unit === '' ? String : short;
        if (output !== undefined) setText(output, value === null || value === undefined ? '–' : text(value));
      });
    }
  }
}

function style(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function tick(value: number): string {
  const size = Math.abs(value);
  const text =
    size !== 0 && (size < 1e-3 || size >= 1e5)
      ? Number(value.toPrecision(3)).toExponential()
      : String(Number(value.toPrecision(5)));
  return text.replace(/-/g, '−').replace('e+', 'e');
}

/** The range of an axis: from the least to the greatest value, with a margin. */
function span(least: number | null, greatest: number | null): [number, number] {
  const [low, high] = [least ?? 0, greatest ?? 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  // If all values are zero, the line is at zero.
  if (size === 0) return [0, 1];
  const margin = Math.max((high - low) * 0.06, MIN_RELATIVE_SPAN * size, 1e-12);
  return [low - (low === 0 ? 0 : margin), high + margin];
}

/** The index of the value nearest to `wanted` in an ascending list. */
export function nearest(rising: number[], wanted: number): number {
  let [low, high] = [0, rising.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  const before = rising[low - 1];
  return before !== undefined && wanted - before < (rising[low] ?? 0) - wanted ? low - 1 : low;
}
