// The drawing quality: full with a graphics card, plain without one.

export type Quality = 'full' | 'plain';

/** The drawing context of a canvas and its quality; throws if there is none. */
export function contextOf(canvas: HTMLCanvasElement, wanted?: Quality): { context: WebGL2RenderingContext; quality: Quality } {
  const quality = wanted ?? (isSoftware() ? 'plain' : 'full');
  // Multisampling is slow in software.
  const context = canvas.getContext('webgl2', { antialias: quality === 'full', powerPreference: 'high-performance' });
  if (!context) throw new Error('This browser cannot draw in 3D: it has no WebGL 2.');
  return { context, quality };
}

/** Whether WebGL is emulated in software. */
function isSoftware(): boolean {
  const probe = document.createElement('canvas').getContext('webgl2');
  if (!probe) return false;
  const naming = probe.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = probe.getParameter(naming ? naming.UNMASKED_RENDERER_WEBGL : probe.RENDERER);
  probe.getExtension('WEBGL_lose_context')?.loseContext();
  return typeof name === 'string' && /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
