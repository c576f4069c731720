// Parts of the screens of lists and profiles: refusals as sentences, changes that
// can be undone, a button that asks before it deletes.

import { useEffect, useRef, useState } from 'preact/hooks';

import { html } from './html.js';
import { Answer, reason } from './parts.js';
import { t } from './text.js';

const undoFor = 10000;

// Texts of the API, and the messages that say what to do.
const known = [
    [/paid plan/, 'paid_only'],
    [/has this RBL/, 'refused_exists'],
    [/at most (\d+) custom/, 'refused_lists'],
    [/cannot be in "(.*)",/, 'refused_zone'],
    [/attached to a host/, 'refused_used'],
    [/last profile/, 'refused_last'],
    [/at most (\d+) profiles/, 'refused_profiles'],
    [/Invalid entries/, 'refused_entries'],
    [/at most (\d+) checks/, 'refused_checks'],
    [/A range is checked/, 'refused_range']
];

// invalid: the message for any other wrong value.
export function explain(refusal, invalid) {
    for (const [pattern, name] of known) {
        const found = pattern.exec(refusal.message);

        if (found) {
            return t(name, { what: found[1] });
        }
    }

    return invalid && refusal.status === 400 ? t(invalid) : reason(refusal);
}

// An answer that only accounts on a paid plan get.
export function PaidAnswer({ title, state, children }) {
    return state.refusal && /paid plan/.test(state.refusal.message)
        ? html`<h1>${title}</h1><p>${t('paid_only')}</p>`
        : html`<${Answer} state=${state}>${children}<//>`;
}

// [said, run]: run(text, call, {then, undo, invalid}) makes a call; <Said> shows
// what became of it.
export function useRun(onDone) {
    const [said, setSaid] = useState({});

    useEffect(() => {
        const timer = said.undo
            && setTimeout(() => setSaid({ text: said.text }), undoFor);

        return () => clearTimeout(timer);
    }, [said]);

    async function run(text, call, { then = onDone, undo, invalid } = {}) {
        try {
            const answer = await call();

            setSaid({ text, undo });
            then(answer);
        } catch (refusal) {
            setSaid({ problem: explain(refusal, invalid) });
        }
    }

    return [said, run];
}

export function Said({ said: { text, undo, problem } }) {
    return html`
        <p role="status">${text} ${undo && html`
            <button onClick=${undo}>${t('undo')}</button>`}</p>
        ${problem && html`<p class="banner" role="alert">${problem}</p>`}`;
}

export function Ask({ question, onYes }) {
    const [asked, setAsked] = useState(false);
    const asking = useRef();

    useEffect(() => {
        if (asked) {
            asking.current.focus();
        }
    }, [asked]);

    if (!asked) {
        return html`<button onClick=${() => setAsked(true)}>
            ${t('delete')}</button>`;
    }

    return html`<p tabindex="-1" ref=${asking}>${question}${' '}
        <button class="danger" onClick=${onYes}>${t('delete_now')}</button>
        ${' '}<button onClick=${() => setAsked(false)}>${t('cancel')}</button>
    </p>`;
}

// A text from outside inside a sentence: it cannot turn the sentence around.
export function isolate(text) {
    return `\u2068${text}\u2069`;
}

export function matches(list, text) {
    return `${list.host} ${list.name}`.toLowerCase()
        .includes(text.trim().toLowerCase());
}

// A field that leaves only the lists that match its text.
export function Filter({ value, onChange }) {
    return html`
        <label for="filter">${t('filter_lists')}</label>
        <input id="filter" type="search" autocomplete="off" spellcheck="false"
            value=${value} onInput=${(e) => onChange(e.target.value)} />`;
}
