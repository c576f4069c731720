// What pasted lines are.  The server takes them apart (hosts/read), so that the
// API and this page read a line alike.

import { postNow } from './api.js';

const most = 300;               // lines of a call
const octets = 20000;
const long = 4000;              // a line of many hosts, without names

const known = new Map();        // what the server said of a line

// The lines of a text that are not empty, each once.
export function linesOf(text) {
    const lines = text.split(/\r\n?|\n/)
        .flatMap((line) => line.length > long ? line.split(/[,;]/) : [line])
        .map((line) => line.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
            .trim());

    return [...new Set(lines)].filter((line) => line !== '');
}

function* parts(lines) {
    let part = [];
    let size = 0;

    for (const line of lines) {
        if (part.length === most || size + line.length > octets) {
            yield part;
            part = [];
            size = 0;
        }

        part.push(line);
        size += line.length;
    }

    yield part;
}

// The hosts of lines, each once: {value, name, type, n}, n hosts, or {value,
// problem}, the name of a message.  isOver: nobody waits for them any longer.
export async function readLines(lines, isOver = () => false) {
    for (const part of parts(lines.filter((line) => !known.has(line)))) {
        if (part.length > 0 && !isOver()) {
            const { data } = await postNow('hosts/read.json', { lines: part });

            part.forEach((line) => known.set(line, []));
            data.forEach((host) => known.get(part[host.line]).push(host));
        }
    }

    const hosts = new Map();

    for (const { host, name, type, hosts: n, problem }
        of lines.flatMap((line) => known.get(line) || []))
    {
        if (!hosts.has(host)) {
            hosts.set(host, { value: host, name, type, n, problem });
        }
    }

    return [...hosts.values()];
}
