// Deletes that can be undone.  The call is sent after ten seconds, before
// another change, or when the page is left or hidden, whichever comes first;
// until then what is deleted is not shown.

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

import { beforeChanges, postNow } from './api.js';
import { isolate } from './bidi.js';
import { undoFor } from './change.js';
import { html } from './html.js';
import { refused } from './refusal.js';
import { t } from './text.js';

const gone = new Set();         // ids of what is not shown
const problems = [];
let waiting = null;             // {path, id, name, timer}
let draw = () => {};

// keepalive: the page is left.
async function send(keepalive = false) {
    if (!waiting) {
        return;
    }

    const { path, id, name, timer } = waiting;

    clearTimeout(timer);
    waiting = null;
    draw();

    try {
        await postNow(`${path}/delete/${id}.json`, {}, keepalive);
    } catch (refusal) {
        gone.delete(id);
        problems.push(t('not_deleted', {
            name: isolate(name), why: refused(refusal) }));
        draw();
    }
}

beforeChanges(send);
addEventListener('pagehide', () => send(true));
document.addEventListener('visibilitychange', () =>
    document.visibilityState === 'hidden' && send(true));

// path: the calls of this kind of record; name: what it is called.
export function deleteLater(path, id, name) {
    send();
    gone.add(id);
    waiting = { path, id, name, timer: setTimeout(send, undoFor) };
    draw();
}

function undo() {
    clearTimeout(waiting.timer);
    gone.delete(waiting.id);
    waiting = null;
    draw();
}

// The rows that are not deleted; the same array if none is.
export const present = (rows) => (gone.size > 0
    ? rows.filter(({ id }) => !gone.has(id)) : rows);

const idOf = ({ id, list }) => id || list && list.id;

// A list without what is deleted, which its totals do not count either.
export function withoutGone(path, body) {
    if (!gone.size || !body || !Array.isArray(body.data)) {
        return body;
    }

    const data = body.data.filter((one) => !gone.has(idOf(one))
        || path.includes(idOf(one)));
    const n = body.data.length - data.length;

    return n === 0 ? body : { ...body, data, ...Object.fromEntries(
        Object.keys(body).filter((name) => /^total_(?!pages)/.test(name))
            .map((name) => [name, body[name] - n])) };
}

// What is deleted, with a button that undoes it, which gets the focus; and what
// could not be.  onDraw: draws the page.
export function Deleted({ onDraw }) {
    const button = useRef();
    const id = waiting && waiting.id;

    useEffect(() => {
        draw = onDraw;
    });

    useLayoutEffect(() => {
        if (!id) {
            return undefined;
        }

        button.current.focus();
        return () => document.activeElement === document.body
            && document.getElementById('main').focus();
    }, [id]);

    return html`<div class="deleted">
        <p role="status">${id && html`
            ${t('deleted', { name: isolate(waiting.name) })}${' '}
            <button type="button" ref=${button} onClick=${undo}>
                ${t('undo')}</button>`}</p>
        ${problems.map((text, i) => html`<p class="banner" role="alert"
            key=${text}>${text}${' '}<button type="button" onClick=${() => {
                problems.splice(i, 1);
                onDraw();
            }}>${t('close')}</button></p>`)}
    </div>`;
}
