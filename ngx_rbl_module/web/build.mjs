// Bundles the portal: NODE_PATH=... node build.mjs OUT (build.sh)
//
// Scripts and styles get names with a hash of their content, so that browsers
// may keep them for ever; each also has a compressed copy for gzip_static.
// Fails if the compressed script is larger than the limit.

import { createRequire } from 'node:module';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const packages = process.env.NODE_PATH;
const { build } = createRequire(`${packages}/`)('esbuild');
const most = 60 * 1024;
const out = process.argv[2];

if (!out) {
    console.error('usage: node build.mjs OUT');
    process.exit(2);
}

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });

const { outputFiles } = await build({
    entryPoints: ['src/app.js', 'app.css'],
    entryNames: '[name]-[hash]',
    outdir: out,
    nodePaths: [packages],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none'
});

let page = await readFile('index.html', 'utf8');
const files = [['icon.svg', await readFile('icon.svg')]];

for (const { path, contents } of outputFiles) {
    const name = basename(path);
    const plain = name.replace(/-[^-]*(\.\w+)$/, '$1');

    page = page.replace(`"${plain}"`, `"${name}"`);
    files.push([name, contents]);
}

files.push(['index.html', Buffer.from(page)]);

for (const [name, contents] of files) {
    const small = gzipSync(contents, { level: 9 });

    await writeFile(join(out, name), contents);
    await writeFile(join(out, `${name}.gz`), small);
    console.log(`${name}: ${contents.length} bytes, ${small.length} compressed`);

    if (name.endsWith('.js') && small.length > most) {
        console.error(`${name} is larger than ${most} bytes compressed`);
        process.exitCode = 1;
    }
}
