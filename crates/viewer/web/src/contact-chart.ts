// The contact chart of characters above the timeline: a row for each effector, with the playhead.
import { element, setAttribute } from './dom';
import { clock } from './format';
import type { Chart, ChartRow, Vec3 } from './model';

/** Whether an effector is in contact at a time. */
export function isActive({ active }: ChartRow, time: number): boolean {
  return active.some(([from, to]) => from <= time && time <= to);
}

/** A colour in CSS notation. */
export function css(color: Vec3, alpha = 1): string {
  const [r, g, b] = color.map((c) => Math.round(255 * Math.min(Math.max(c, 0), 1)));
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

export class ContactChart {
  private readonly area = element('contact-chart', HTMLElement);
  private chart: Chart | null = null;
  private lines: { row: ChartRow; label: HTMLElement }[] = [];
  private field: HTMLElement | null = null;
  private playhead: HTMLElement | null = null;

  constructor(private readonly seek: (time: number) => void) {
    this.area.addEventListener('click', (event) => this.clicked(event));
  }

  /** The effectors that are shown as active, for tests. */
  get active(): string[] | null {
    if (this.chart === null) return null;
    return this.lines.filter(({ label }) => label.classList.contains('active')).map(({ row }) => row.label);
  }

  /** Starts a new run, with or without a chart. */
  load(chart: Chart | null): void {
    this.chart = chart !== null && chart.rows.length > 0 ? chart : null;
    this.area.hidden = this.chart === null;
    this.area.replaceChildren();
    this.lines = [];
    if (this.chart !== null) this.build(this.chart);
    const height = this.chart === null ? 0 : this.area.getBoundingClientRect().height;
    document.body.style.setProperty('--chart', `${Math.ceil(height)}px`);
  }

  update(time: number): void {
    const { chart, playhead } = this;
    if (chart === null || playhead === null) return;
    playhead.style.left = percent(place(chart, time));
    for (const { row, label } of this.lines) label.classList.toggle('active', isActive(row, time));
  }

  private build(chart: Chart): void {
    const labels = document.createElement('div');
    labels.className = 'labels';
    const field = document.createElement('div');
    field.className = 'field';
    for (const time of chart.phases) field.append(bar('phase', place(chart, time), null));
    for (const row of chart.rows) {
      const label = document.createElement('span');
      label.textContent = row.label;
      label.style.setProperty('--color', css(row.color));
      labels.append(label);
      field.append(this.row(chart, row));
      this.lines.push({ row, label });
    }
    this.playhead = bar('playhead', 0, null);
    field.append(this.playhead);
    this.field = field;
    this.area.append(labels, field);
  }

  private row(chart: Chart, row: ChartRow): HTMLElement {
    const line = document.createElement('div');
    line.className = 'row';
    // The contact variable of the optimiser, behind the actual contacts.
    row.contact.forEach((c, phase) => {
      const [from, to] = [chart.phases[phase], chart.phases[phase + 1]];
      const strength = Math.min(Math.max(c, 0), 1);
      if (from === undefined || to === undefined || strength < 0.02) return;
      const variable = bar('belief', place(chart, from), place(chart, to));
      variable.style.background = css(row.color, 0.2 * strength);
      line.append(variable);
    });
    for (const [from, to] of row.active) {
      const active = bar('contact', place(chart, from), place(chart, to));
      active.style.background = css(row.color);
      active.title = `${row.label}: ${clock(from)} to ${clock(to)}`;
      line.append(active);
    }
    setAttribute(line, 'role', 'img');
    const times = row.active.map(([from, to]) => `${clock(from)} to ${clock(to)}`).join(', ');
    setAttribute(line, 'aria-label', `${row.label} in contact: ${times || 'never'}`);
    return line;
  }

  private clicked(event: MouseEvent): void {
    const { chart, field } = this;
    if (chart === null || field === null) return;
    const box = field.getBoundingClientRect();
    if (event.clientX < box.left || box.width <= 0) return;
    const share = Math.min((event.clientX - box.left) / box.width, 1);
    this.seek(chart.start + share * (chart.end - chart.start));
  }
}

/** The position of a time in the chart, from 0 to 1. */
function place({ start, end }: Chart, time: number): number {
  const share = (time - start) / Math.max(end - start, 1e-9);
  return Math.min(Math.max(share, 0), 1);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(3)}%`;
}

function bar(name: string, from: number, to: number | null): HTMLElement {
  const made = document.createElement('i');
  made.className = name;
  made.style.left = percent(from);
  if (to !== null) made.style.width = percent(to - from);
  return made;
}
