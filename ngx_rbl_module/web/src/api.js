// The calls of /portal/1/.  GETs are conditional: an unchanged answer costs the
// server next to nothing and gives the same object again.

import { heard } from './clock.js';

const base = new URL('1/', document.baseURI);
const seen = new Map();
const most = 64;

// A refusal: status is the HTTP status, or 0 if there was no answer.  again:
// the call needs a recent sign-in (RFC 9470).  doors: how one can sign in, if
// there is no session.
export class Refusal extends Error {
    constructor(status, message, again = false, doors = []) {
        super(message);
        this.status = status;
        this.again = again;
        this.doors = doors;
    }
}

// A refusal that came before whenSignedOut: the first requests are sent before
// the page is drawn.
let missed = null;
let onSignedOut = (refusal) => {
    missed = refusal;
};
let onChange = async () => {};
let account = '';

// From now on calls act in that account, which an operator has opened; "": in
// the user's own.
export function actIn(sid) {
    account = sid;
}

// Calls about the user and the user's own account, whatever is open.
const own = /^(session|service|portal|operator|passkeys?|users?)\b/;

function address(path) {
    const url = new URL(path, base);

    if (account && !own.test(path)) {
        url.searchParams.set('account', account);
    }

    return url.href;
}

// Sets what is called when a session has ended.
export function whenSignedOut(f) {
    onSignedOut = f;

    if (missed) {
        f(missed);
        missed = null;
    }
}

// Sets what is waited for before a call changes something.
export function beforeChanges(f) {
    onChange = f;
}

// Waits for that.
export function settle() {
    return onChange();
}

async function send(url, options) {
    let answer;

    try {
        answer = await fetch(url, {
            credentials: 'same-origin', cache: 'no-store', redirect: 'error',
            ...options
        });
    } catch {
        throw new Refusal(0, '');
    }

    heard(answer.headers.get('Date'));

    if (answer.status === 304) {
        return { answer };
    }

    const body = await answer.json().catch(() => null);

    if (answer.ok && body) {
        return { answer, body };
    }

    const challenge = answer.headers.get('WWW-Authenticate') || '';
    const again = challenge.includes('insufficient_user_authentication');

    const found = /doors="([^"]*)"/.exec(challenge);
    const refusal = new Refusal(answer.status, body ? body.status_message : '',
        again, found ? found[1].split(' ') : []);

    if (answer.status === 401 && !again) {
        onSignedOut(refusal);
    }

    throw refusal;
}

const begun = new Map();
const soon = 5000;              // ms

// Sends a GET early.  The next get() of the path returns its answer.
export function begin(path) {
    const url = address(path);
    const answer = load(url);

    begun.set(url, answer);
    answer.catch(() => begun.delete(url));
    setTimeout(() => begun.delete(url), soon);
}

export function get(path) {
    const url = address(path);
    const answer = begun.get(url) || load(url);

    begun.delete(url);
    return answer;
}

async function load(url) {
    const known = seen.get(url);
    const headers = known ? { 'If-None-Match': known.tag } : {};
    const { answer, body } = await send(url, { headers });

    if (!body) {
        return known.body;
    }

    const tag = answer.headers.get('ETag');

    seen.delete(url);

    if (tag) {
        seen.set(url, { tag, body });
    }

    if (seen.size > most) {
        seen.delete(seen.keys().next().value);
    }

    return body;
}

export async function post(path, fields = {}) {
    await onChange();
    return postNow(path, fields);
}

// keepalive: the call outlives the page.
export async function postNow(path, fields = {}, keepalive = false) {
    const { body } = await send(address(path), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(fields),
        keepalive
    });

    return body;
}

// What a screen keeps for the time when it is shown again, by its name.
export const kept = new Map();

// What one user has seen is not for the next one.
export function forget() {
    begun.clear();
    seen.clear();
    kept.clear();
}
