import { createHash } from 'node:crypto';
import { defineConfig, type Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

// The page may run its own script and style, known by their hashes, and load nothing.
function policy(): Plugin {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
  return {
    name: 'chord-policy',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('no index.html');
      let html = String(page.source);
      // A module would wait for the end of the file. A plain script runs where it stands: after the overview, before all else.
      const script = /<script type="module"[^>]*>([\s\S]*?)<\/script>/.exec(html);
      const style = /<style[^>]*>([\s\S]*?)<\/style>/.exec(html);
      if (!script || !style) throw new Error('script or style is not inlined');
      html = html.replace(script[0], '').replace(style[0], () => `<style>${style[1]}</style>`);
      html = html.replace('<!--chord:data-->', (marker) => `<script>${script[1]}</script>\n${marker}`);
      const csp = [
        `default-src 'none'`, `script-src ${hash(script[1]!)}`, `style-src ${hash(style[1]!)}`,
        `base-uri 'none'`, `form-action 'none'`,
      ].join('; ');
      html = html.replace('<meta charset="utf-8">', (m) => `${m}\n<meta http-equiv="Content-Security-Policy" content="${csp}">`);
      page.source = html;
      page.fileName = 'page.html';
    },
  };
}

export default defineConfig({
  plugins: [viteSingleFile(), policy()],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none', charset: 'ascii' },
  build: { outDir: 'built', emptyOutDir: true, target: 'es2022', modulePreload: false, chunkSizeWarningLimit: 1000,
    rollupOptions: { output: { format: 'iife' } } },
});
