// The list of built-in scenes, by family.
import { element } from './dom';
import type { SceneInfo } from './source/source';

export class Scenes {
  private readonly select = element('scenes', HTMLSelectElement);
  private readonly name = element('scene-name', HTMLElement);

  constructor(open: (scene: string) => void) {
    this.select.addEventListener('change', () => open(this.select.value));
  }

  /** Fills the list; a scene that is not built in comes first. */
  load(scenes: SceneInfo[], current: string): void {
    this.select.hidden = scenes.length === 0;
    this.name.hidden = scenes.length !== 0;
    this.name.textContent = current;
    const families = new Map<string, SceneInfo[]>();
    for (const scene of scenes) families.set(scene.family, [...(families.get(scene.family) ?? []), scene]);
    const groups = [...families].map(([family, members]) => {
      const group = document.createElement('optgroup');
      group.label = family;
      group.append(...members.map((scene) => option(scene.name, scene.title)));
      return group;
    });
    const known = scenes.some((scene) => scene.name === current);
    this.select.replaceChildren(...(known ? [] : [option(current, current)]), ...groups);
    this.select.value = current;
  }
}

function option(name: string, title: string): HTMLOptionElement {
  const made = new Option(name, name);
  made.title = title;
  return made;
}
