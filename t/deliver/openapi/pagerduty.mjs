/*
 * PagerDuty's own client as a judge of events (npm @pagerduty/pdjs): TypeScript
 * holds an event against the interface that the client publishes, and the
 * client has to make the same request of it.
 *
 * It differs from the service's document in this: it wants a payload of every
 * action, though a resolve needs none, and does not know client and client_url.
 */

import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';

const require = createRequire(import.meta.url);
const ts = require('typescript');

const CLIENT = require.resolve('@pagerduty/pdjs/build/src/events.js');
const NAME = `${process.cwd()}/event.ts`;
const OPTIONS = { lib: ['lib.es2020.d.ts', 'lib.dom.d.ts'], noEmit: true,
    skipLibCheck: true, strict: true, types: [] };

// What TypeScript has read once serves all events.
const read = new Map();
let before;

function host(text) {
    const plain = ts.createCompilerHost(OPTIONS);

    return { ...plain,
        getSourceFile(name, version, ...more) {
            if (name === NAME) {
                return ts.createSourceFile(name, text, version);
            }

            if (!read.has(name)) {
                read.set(name, plain.getSourceFile(name, version, ...more));
            }

            return read.get(name);
        },
        fileExists: (name) => name === NAME || plain.fileExists(name),
    };
}

// "" or what is wrong
function byInterface(event, type) {
    const text = `import { EventPayloadV2 } from '${CLIENT.slice(0, -3)}';\n`
        + `export const event: ${type} = ${JSON.stringify(event)};\n`;
    const program = ts.createProgram([NAME], OPTIONS, host(text), before);
    const file = program.getSourceFile(NAME);

    before = program;

    return [...program.getSyntacticDiagnostics(file),
        ...program.getSemanticDiagnostics(file)]
        .map((d) => ts.flattenDiagnosticMessageText(d.messageText, ' '))
        .join('; ');
}

// The client's request of an event; nothing is sent.
async function itsRequest(event) {
    const fetch = require('cross-fetch');
    const { default: real } = fetch;
    let made;

    fetch.default = async (url, options) => {
        made = { url: new URL(url), ...options };
        return { status: 202, json: async () => ({}) };
    };

    try {
        await require('@pagerduty/pdjs').event({ data: event });
    } finally {
        fetch.default = real;
    }

    return made;
}

export async function asPagerduty(r, method, target) {
    const event = JSON.parse(r.body);
    const wrong = byInterface(event, (event.event_action === 'resolve'
        ? "Omit<EventPayloadV2, 'payload'>" : 'EventPayloadV2')
        + ' & { client?: string; client_url?: string }');

    if (wrong) {
        return wrong;
    }

    const made = await itsRequest(event);
    const type = made.headers.get('content-type').split(';')[0];

    if (made.method.toLowerCase() !== method
        || made.url.pathname !== target.pathname || target.search !== '')
    {
        return `it sends ${made.method} ${made.url}`;
    }

    if ((r.headers['content-type'] || '').split(';')[0] !== type) {
        return `it sends ${type}`;
    }

    return isDeepStrictEqual(JSON.parse(made.body), event)
        ? 'ok' : `it sends ${made.body}`;
}
