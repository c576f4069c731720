// Bundles the portal: NODE_PATH=... node build.mjs OUT (build.sh)
//
// Scripts and styles get names with a hash of their content, so that browsers
// may keep them for ever; each also has a compressed copy for gzip_static.
// Fails if the scripts of a page are larger, compressed, than the limit: what
// is always loaded, a language, and the screen that needs most.

import { createRequire } from 'node:module';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const packages = process.env.NODE_PATH;
const { build } = createRequire(`${packages}/`)('esbuild');
const most = 75 * 1024;
const out = process.argv[2];

if (!out) {
    console.error('usage: node build.mjs OUT');
    process.exit(2);
}

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });

// htm ignores the indentation of a template; without it the script is smaller.
const indentation = {
    name: 'indentation',
    setup({ onLoad }) {
        onLoad({ filter: /\/src\/.*\.js$/ }, async ({ path }) => ({
            contents: (await readFile(path, 'utf8')).replace(
                /(html`)|\n +/g, (all, tag) => tag || '\n')
        }));
    }
};

// How a language writes whole numbers and distances of time.  Intl says it
// here: in a browser its first formatter takes longer than the rest of the
// first screen.  text.js knows two plural forms, that of 1 and the other.
function formsOf(lang) {
    const plural = new Intl.PluralRules(lang);
    const ago = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' });
    const few = [-2, -1, 0, 1, 2];
    const form = (n) => `${plural.select(n)}`;

    if (form(1) !== 'one' || [0, 2, 3, 5, 11, 21, 101, 1e6].some((n) =>
        form(n) !== 'other'))
    {
        throw new Error(`${lang} has other plural forms than text.js`);
    }

    return {
        group: new Intl.NumberFormat(lang).formatToParts(1e6)[1].value,
        units: Object.fromEntries(['day', 'hour', 'minute', 'second']
            .map((unit) => [unit, {
                few: few.map((n) => ago.format(n, unit)),
                past: ago.format(-3, unit).replace('3', '{n}'),
                future: ago.format(3, unit).replace('3', '{n}')
            }]))
    };
}

// The messages of a language.  An object in it, "only_NAME", has those that one
// screen needs, and is loaded with that: parts.NAME().  Without this esbuild
// would export each message by its name, too.
const messages = {
    name: 'messages',
    setup({ onLoad, onResolve }) {
        onResolve({ filter: /\.json\?/ }, ({ path, resolveDir }) => {
            const [name, suffix] = path.split('?');

            return { path: join(resolveDir, name), suffix: `?${suffix}` };
        });
        onLoad({ filter: /\/lang\/.*\.json$/ }, async ({ path, suffix }) => {
            const text = await readFile(path, 'utf8');
            const all = JSON.parse(text);

            if (`${JSON.stringify(all, null, 4)}\n` !== text) {
                throw new Error(`${path} has a message twice, or another form`);
            }

            const parts = Object.keys(all).filter((key) =>
                typeof all[key] === 'object');
            const own = suffix ? all[suffix.slice(1)]
                : Object.fromEntries(Object.entries(all).filter(([key]) =>
                    !parts.includes(key)));
            const others = parts.map((key) => `${key.replace('only_', '')}:
                () => import('./${basename(path)}?${key}')`);

            return { resolveDir: dirname(path),
                contents: `export default ${JSON.stringify(own)};
                    export const forms = ${suffix ? '{}'
                        : JSON.stringify(formsOf(basename(path, '.json')))};
                    export const parts = {${suffix ? '' : others}};` };
        });
    }
};

const { outputFiles, metafile } = await build({
    plugins: [indentation, messages],
    entryPoints: ['src/app.js', 'app.css'],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    outdir: out,
    nodePaths: [packages],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
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

// Files that the entry or most screens import are preloaded, instead of one
// import after the other.
const entry = Object.keys(metafile.outputs).find((path) =>
    /^app-.*\.js$/.test(basename(path)));
const importsOf = (path, how) => metafile.outputs[path].imports
    .filter(({ kind }) => kind === how).map((one) => one.path);
const screens = importsOf(entry, 'dynamic-import');
const common = new Map();

screens.flatMap((path) => importsOf(path, 'import-statement'))
    .forEach((path) => common.set(path, (common.get(path) || 0) + 1));

const preload = [...new Set([...importsOf(entry, 'import-statement'),
    ...[...common].filter(([, n]) => n > screens.length / 2)
        .map(([path]) => path)])]
    .map((path) => `<link rel="modulepreload" href="${basename(path)}">\n`);

page = page.replace('<script', `${preload.join('')}<script`);
files.push(['index.html', Buffer.from(page)]);

const sizes = new Map();

for (const [name, contents] of files) {
    const small = gzipSync(contents, { level: 9, memLevel: 9 });

    sizes.set(name, small.length);
    await writeFile(join(out, name), contents);
    await writeFile(join(out, `${name}.gz`), small);
    console.log(`${name}: ${contents.length} bytes, `
        + `${small.length} compressed`);
}

// The scripts that one needs: itself, what it imports, and what these do.
function needs(path, how, found = new Set()) {
    if (!found.has(path)) {
        found.add(path);
        metafile.outputs[path].imports.filter(({ kind }) => how.includes(kind))
            .forEach((one) => needs(one.path, how, found));
    }

    return found;
}

const size = (paths) => [...paths].reduce((sum, path) =>
    sum + sizes.get(basename(path)), 0);
const scripts = Object.keys(metafile.outputs).filter((p) => p.endsWith('.js'));
const start = needs(entry, ['import-statement']);
const languages = scripts.filter((path) => /^[a-z]{2}-/.test(basename(path)));
const language = Math.max(...languages.map((path) => size([path])));
const pages = metafile.outputs[entry].imports
    .filter(({ kind, path }) => kind === 'dynamic-import'
        && !languages.includes(path))
    .map(({ path }) => size(needs(path, ['import-statement', 'dynamic-import'],
        new Set(start))));
const largest = Math.max(...pages) + language;

console.log(`scripts of a page, compressed: ${Math.min(...pages) + language}`
    + ` to ${largest} bytes; all, one language: `
    + `${size(scripts.filter((p) => !languages.includes(p))) + language}`
    + ' bytes');

if (largest > most) {
    console.error(`the scripts of a page are larger than ${most} bytes`);
    process.exitCode = 1;
}
