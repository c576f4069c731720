'use strict';

/*
 * The peer in Node: the same questions answered with http and ioredis.
 * Written as well as we can: one connection by unix socket, one command for
 * the credentials, everything of an answer asked at once where that is
 * possible.  Neither pipelines nor ioredis' auto pipelining are faster here.
 * README says how the data lies.
 *
 * usage: node peer.js PORT SOCKET
 */

const http = require('http');
const crypto = require('crypto');
const Redis = require('ioredis');

const port = Number(process.argv[2]);
const redis = new Redis(process.argv[3], { maxRetriesPerRequest: 1 });

const sha256 = crypto.hash
    ? (text) => crypto.hash('sha256', text, 'hex')
    : (text) => crypto.createHash('sha256').update(text).digest('hex');


/* The account's SID, and the key that is there if the token is good. */

function credentials(req) {
    const header = req.headers.authorization;

    if (header === undefined || !header.startsWith('Basic ')) {
        return null;
    }

    const text = Buffer.from(header.slice(6), 'base64').latin1Slice();

    if (text.length !== 99 || text[34] !== ':') {
        return null;
    }

    const sid = text.slice(0, 34);

    return { sid, token: `peer:token:${sid}:${sha256(text.slice(35))}` };
}


function two(n) {
    return n < 10 ? `0${n}` : `${n}`;
}


function period(since) {
    let s = Math.max(0, Math.floor((Date.now() - since) / 1000));
    const days = Math.floor(s / 86400);

    s %= 86400;

    return `${days} day${days === 1 ? '' : 's'} ${two(Math.floor(s / 3600))}`
        + `:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}


/* A ready record; one that is listed lacks how long, and says since when. */

function ready(text) {
    if (text.charCodeAt(0) === 123) {
        return text;
    }

    const bar = text.indexOf('|');

    return text.slice(bar + 1)
        .replace('\u0001', period(Number(text.slice(0, bar))));
}


function envelope(page, size, hosts, listed, pages) {
    return '{"status_code":200,"status_message":"OK","version":"3.6","page":'
        + `${page},"total_pages":${pages},"page_size":${size},`
        + `"total_hosts":${hosts},"total_listed":${listed},"data":[`;
}


function send(res, status, body) {
    res.writeHead(status, {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
        'Content-Length': Buffer.byteLength(body),
    });
    res.end(body);
}


function refuse(res, status) {
    send(res, status, `{"status_code":${status},"status_message":"Refused"}`);
}


function paging(query) {
    let page = 1;
    let size = 20;

    if (query !== undefined) {
        const args = new URLSearchParams(query);

        page = Number(args.get('page') || 1);
        size = Number(args.get('page_size') || 20);
    }

    return { page, size, first: (page - 1) * size };
}


/* What every answer asks, and with it `last`. */

function ask(who, last) {
    return Promise.all([
        redis.get(who.token),
        redis.zcard(`peer:hosts:${who.sid}`),
        redis.zcard(`peer:listed:${who.sid}`),
        last,
    ]);
}


/*
 * Records of a page in the same round trip: SORT BY nosort reads them in the
 * order of the index.  It is faster here than ZRANGE and then MGET.
 */

function askPage(who, kind, { first, size }) {
    return ask(who, redis.sort_ro(`peer:hosts:${who.sid}`, 'BY', 'nosort',
        'LIMIT', first, size, 'GET', `${kind}${who.sid}:*`));
}


function askHost(who, kind, path) {
    return ask(who, redis.get(`${kind}${who.sid}:${path.slice(-39, -5)}`));
}


/* A record from its fields, whether packed or a hash. */

function render(h) {
    const { since, ...rest } = h;

    rest.listed_period = since === '0' ? '' : period(Number(since));

    return rest;
}


function sendObject(res, page, size, hosts, listed, pages, data) {
    return send(res, 200, JSON.stringify({
        status_code: 200,
        status_message: 'OK',
        version: '3.6',
        page,
        total_pages: pages,
        page_size: size,
        total_hosts: hosts,
        total_listed: listed,
        data,
    }));
}


/* Ready records: texts as they go out. */

async function pageReady(res, who, query) {
    const paged = paging(query);
    const [status, hosts, listed, list]
        = await askPage(who, 'peer:ready:', paged);

    if (status !== 'active') {
        return refuse(res, 401);
    }

    return send(res, 200, envelope(paged.page, paged.size, hosts, listed,
        Math.ceil(hosts / paged.size)) + list.map(ready).join(',') + ']}');
}


async function hostReady(res, who, query, path) {
    const [status, hosts, listed, text]
        = await askHost(who, 'peer:ready:', path);

    if (status !== 'active') {
        return refuse(res, 401);
    }

    if (text === null) {
        return refuse(res, 404);
    }

    return send(res, 200,
        `${envelope(1, 20, hosts, listed, 1)}${ready(text)}]}`);
}


/* Packed records: decoded, completed, encoded. */

async function pagePacked(res, who, query) {
    const paged = paging(query);
    const [status, hosts, listed, list]
        = await askPage(who, 'peer:packed:', paged);

    if (status !== 'active') {
        return refuse(res, 401);
    }

    return sendObject(res, paged.page, paged.size, hosts, listed,
        Math.ceil(hosts / paged.size),
        list.map((text) => render(JSON.parse(text))));
}


async function hostPacked(res, who, query, path) {
    const [status, hosts, listed, text]
        = await askHost(who, 'peer:packed:', path);

    if (status !== 'active') {
        return refuse(res, 401);
    }

    if (text === null) {
        return refuse(res, 404);
    }

    return sendObject(res, 1, 20, hosts, listed, 1,
        [render(JSON.parse(text))]);
}


/* A page from hashes: the ids, then HGETALL of each. */

async function pageHashes(res, who, query) {
    const { page, size, first } = paging(query);
    const [status, hosts, listed, ids] = await ask(who,
        redis.zrange(`peer:hosts:${who.sid}`, first, first + size - 1));

    if (status !== 'active') {
        return refuse(res, 401);
    }

    const data = await Promise.all(
        ids.map((id) => redis.hgetall(`peer:hash:${who.sid}:${id}`)));

    return sendObject(res, page, size, hosts, listed,
        Math.ceil(hosts / size), data.map((h) => {
            h.listed_details = JSON.parse(h.listed_details);
            return render(h);
        }));
}


const routes = new Map([
    ['/page-ready/', pageReady],
    ['/page-packed/', pagePacked],
    ['/page-hashes/', pageHashes],
    ['/host-ready/', hostReady],
    ['/host-packed/', hostPacked],
]);

const server = http.createServer((req, res) => {
    const [path, query] = req.url.split('?');
    const answer = routes.get(path.slice(0, path.indexOf('/', 1) + 1));
    const who = credentials(req);

    if (answer === undefined) {
        refuse(res, 404);
    } else if (who === null) {
        refuse(res, 401);
    } else {
        answer(res, who, query, path).catch(() => refuse(res, 503));
    }
});

server.keepAliveTimeout = 60000;

redis.once('ready', () => {
    server.listen(port, '127.0.0.1', () => {
        process.stdout.write('ready\n');
    });
});

process.once('SIGTERM', () => process.exit(0));
