// Parts of forms: fields with their label, help and error, a form that keeps
// what was typed when the API refuses it, changes that can be undone, and a
// delete button that asks.

import { useEffect, useRef, useState } from 'preact/hooks';

import { post } from './api.js';
import { html } from './html.js';
import { reason } from './parts.js';
import { t } from './text.js';

const undoFor = 10000;

// An input with its label.  secret: hidden until its button shows it.  Other
// properties are attributes of the input.
export function Field({ id, label, help, error, secret, value, onChange,
    ...rest })
{
    const [shown, setShown] = useState(false);
    const words = t(shown ? 'hide_it' : 'show_it');
    const input = html`<input id=${id} value=${value} autocomplete="off"
        spellcheck="false" ...${rest}
        type=${secret ? (shown ? 'text' : 'password') : rest.type}
        aria-invalid=${error ? 'true' : null}
        aria-describedby=${`${help ? `${id}-help ` : ''}${error
            ? `${id}-error` : ''}` || null}
        onInput=${(e) => onChange(e.target.value)} />`;

    return html`
        <label for=${id}>${label}</label>
        ${secret ? html`<div class="secret">${input}
            <button type="button" aria-label="${words}: ${label}"
                onClick=${() => setShown(!shown)}>${words}</button></div>`
            : input}
        ${help && html`<p id="${id}-help" class="quiet">${help}</p>`}
        ${error && html`<p id="${id}-error" class="wrong" role="alert">
            ${error}</p>`}`;
}

// from: [{id, name}]
export function Select({ id, label, help, value, from, onChange }) {
    return html`
        <label for=${id}>${label}</label>
        <select id=${id} value=${value}
            aria-describedby=${help ? `${id}-help` : null}
            onChange=${(e) => onChange(e.target.value)}>
            ${from.map(({ id: option, name }) => html`
                <option key=${option} value=${option}>${name}</option>`)}
        </select>
        ${help && html`<p id="${id}-help" class="quiet">${help}</p>`}`;
}

// Radio buttons, where chosen is an id, or checkboxes, where it is a list of
// ids.  from: [{id, name, help}]
export function Options({ id, legend, help, from, chosen, onChange }) {
    const many = Array.isArray(chosen);

    function choose(option, on) {
        const others = many && chosen.filter((one) => one !== option);

        onChange(many ? (on ? [...others, option] : others) : option);
    }

    return html`<fieldset aria-describedby=${help ? `${id}-help` : null}>
        <legend>${legend}</legend>
        ${help && html`<p id="${id}-help" class="quiet">${help}</p>`}
        <div class=${many ? 'options many' : 'options'}>${from.map((one) => html`<div key=${one.id}>
            <input id="${id}-${one.id}" name=${id}
                type=${many ? 'checkbox' : 'radio'}
                checked=${many ? chosen.includes(one.id) : chosen === one.id}
                aria-describedby=${one.help ? `${id}-${one.id}-help` : null}
                onChange=${(e) => choose(one.id, e.target.checked)} />
            <label for="${id}-${one.id}"><bdi class="name"
                title=${one.name}>${one.name}</bdi></label>
            ${one.help && html`<p id="${id}-${one.id}-help" class="quiet">
                ${one.help}</p>`}
        </div>`)}</div>
    </fieldset>`;
}

// A form that makes one call.  A refusal is shown below it; or, if its content is
// a function, given to that.
export function Form({ button, call, onDone, children }) {
    const [problem, setProblem] = useState('');
    const busy = useRef(false);
    const own = typeof children === 'function';

    async function submit(event) {
        event.preventDefault();

        if (busy.current) {
            return;
        }

        busy.current = true;
        setProblem('');

        try {
            onDone(await call());
        } catch (refusal) {
            setProblem(reason(refusal));
        }

        busy.current = false;
    }

    return html`<form onSubmit=${submit}>
        ${own ? children(problem) : children}
        <button class="main">${button}</button>
        ${!own && problem && html`
            <p class="banner" role="alert">${problem}</p>`}
    </form>`;
}

// [said, say, run]: what became of the last change, which <Said> shows; say(text)
// sets it.  run(text, call, {then, undo}) makes a call, then calls then (or
// onDone); undo is offered for ten seconds.
export function useChange(onDone) {
    const [said, setSaid] = useState({});

    useEffect(() => {
        const timer = said.undo
            && setTimeout(() => setSaid(({ text }) => ({ text })), undoFor);

        return () => clearTimeout(timer);
    }, [said]);

    async function run(text, call, { then = onDone, undo } = {}) {
        try {
            await call();
            setSaid({ text, undo });
            then();
        } catch (refusal) {
            setSaid({ problem: reason(refusal) });
        }
    }

    return [said, (text) => setSaid({ text }), run];
}

export function Said({ said: { text, undo, problem } }) {
    return html`
        <p role="status">${text}${' '}
            ${undo && html`<button onClick=${undo}>${t('undo')}</button>`}</p>
        ${problem && html`<p class="banner" role="alert">${problem}</p>`}`;
}

// Pauses or resumes a host or contact; the other undoes it.  words: the messages
// of both.
export function Turn({ path, id, paused, words, run }) {
    function turn(to) {
        run(words[to], () => post(`${path}/${to}/${id}.json`), { undo: () =>
            turn(to === 'pause' ? 'resume' : 'pause') });
    }

    const to = paused ? 'resume' : 'pause';

    return html`<button onClick=${() => turn(to)}>${t(to)}</button>`;
}

// Asks the question before it deletes; then goes to the screen `back`.
export function Delete({ path, id, question, back, run }) {
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
        <button class="danger" onClick=${() => run('', () =>
            post(`${path}/delete/${id}.json`), { then: () => {
            location.hash = `#/${back}`;
        } })}>${t('delete_now')}</button>${' '}
        <button onClick=${() => setAsked(false)}>${t('cancel')}</button></p>`;
}
