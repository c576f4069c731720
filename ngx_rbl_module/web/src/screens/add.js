// Adding hosts: a pasted list of addresses, subnets and domains, a preview of
// what each line is, and what became of it.

import { useEffect, useState } from 'preact/hooks';

import { get, post } from '../api.js';
import { sleep } from '../clock.js';
import { Field } from '../form.js';
import { html } from '../html.js';
import { Head, Place, Problem } from '../parts.js';
import { refused } from '../refusal.js';
import { t } from '../text.js';
import { linesOf, readLines } from '../values.js';

const still = 200;              // ms without a key, before the text is read
const pause = 500;              // ms between two looks
const patience = 300000;

function kind({ type, n }) {
    return type === 'ip_range' ? t('kind_subnet', { n })
        : t(type === 'rbl' ? 'kind_address' : 'kind_domain');
}

function Row({ line, outcome }) {
    return html`<tr>
        <th scope="row" data-label=${t('host')}>
            <bdi class="address">${line.value}</bdi>${line.name && html`
                <p class="quiet"><bdi>${line.name}</bdi></p>`}</th>
        <td data-label=${t('kind')}>${line.problem
            ? html`<span class="wrong">${t(line.problem)}</span>`
            : kind(line)}</td>
        <td data-label=${t('outcome')}>${outcome && (outcome.problem
            ? html`<span class="wrong">${outcome.problem}</span>`
            : outcome.late ? t('range_late')
                : html`<a href="#/host/${outcome.id}">${t('added')}</a>`)}</td>
    </tr>`;
}

function Preview({ lines, outcomes }) {
    return html`<table>
        <${Head} names=${['host', 'kind', 'outcome']} />
        <tbody>${lines.map((line) => html`<${Row} key=${line.value}
            line=${line} outcome=${outcomes.get(line.value)} />`)}</tbody>
    </table>`;
}

// Shows how many of n hosts there are more than before, until there are all, or
// over() is called, or for five minutes.
async function watch(n, show) {
    const count = async () => (await get('counts.json')).data.hosts;
    const before = await count();
    const end = Date.now() + patience;
    let over = false;

    async function look() {
        let made = 0;

        while (!over && made < n && Date.now() < end) {
            await sleep(pause);
            made = await count() - before;
            over || show({ made: Math.max(0, Math.min(made, n)), total: n });
        }
    }

    return { done: look().catch(() => {}), over: () => {
        over = true;
    } };
}

async function addLine(line, name) {
    const { data } = await post('host/add.json', { host: line.value,
        type: line.type, name: name || line.name || line.value });

    return { id: data[0].id };
}

// Adds one line; the problem is a sentence of the API.  A large range may be
// accepted and made later.
async function add(line, name, show) {
    const made = line.n > 1 && await watch(line.n, show).catch(() => null);

    try {
        return await addLine(line, name);
    } catch (refusal) {
        const late = refusal.status === 503 && /accepted/.test(refusal.message);
        const own = refusal.status === 400 || refusal.status === 409;

        if (late && made) {
            await made.done;
        }

        return late ? { late } : { stop: !own,
            problem: own ? refusal.message : refused(refusal) };
    } finally {
        made && made.over();
        show(null);
    }
}

// The hosts of a text, as soon as it is still; and why they cannot be told.
function useHosts(text) {
    const [state, setState] = useState({ lines: [] });

    useEffect(() => {
        let over = false;
        const timer = setTimeout(() => readLines(linesOf(text), () => over)
            .then((lines) => over || setState({ text, lines }),
                (refusal) => over || setState((was) => ({ ...was,
                    why: refused(refusal) }))), still);

        return () => {
            over = true;
            clearTimeout(timer);
        };
    }, [text]);

    return { ...state, reading: state.text !== text && !state.why };
}

export function Add() {
    const [text, setText] = useState('');
    const [name, setName] = useState('');
    const [outcomes, setOutcomes] = useState(new Map());
    const [busy, setBusy] = useState(false);
    const [made, setMade] = useState(null);

    const { lines, reading, why } = useHosts(text);
    const good = lines.filter(({ problem, value }) => !problem
        && !(outcomes.get(value) && !outcomes.get(value).problem));
    const hosts = good.reduce((sum, { n }) => sum + n, 0);

    async function submit(event) {
        event.preventDefault();
        setBusy(true);

        const next = new Map(outcomes);
        let shown = 0;

        for (const line of good) {
            const outcome = await add(line, name, setMade);

            next.set(line.value, outcome);

            // thousands of rows are not drawn for each of them
            if (outcome.stop || Date.now() - shown > pause) {
                setOutcomes(new Map(next));
                shown = Date.now();
            }

            if (outcome.stop) {
                break;
            }
        }

        setOutcomes(new Map(next));
        setBusy(false);
    }

    return html`
        <${Place} path=${[['hosts', t('hosts')]]} />
        <h1>${t('add_hosts')}</h1>
        <form onSubmit=${submit}>
            <label for="lines">${t('add_lines')}</label>
            <textarea id="lines" rows="8" spellcheck="false" autocomplete="off"
                aria-describedby="lines-help" value=${text}
                onInput=${(e) => setText(e.target.value)}></textarea>
            <p id="lines-help" class="quiet">${t('add_help')}</p>
            <${Field} id="name" label=${t('add_name')} maxlength="255"
                value=${name} onChange=${setName} />
            <button class="main"
                disabled=${busy || reading || good.length === 0}>
                ${good.length ? t('add_n', { n: hosts })
                    : t('add_none')}</button>
            <span role="status">${busy && (made ? t('adding_range', made)
                : t('adding'))}</span>
            ${made && html`<progress max=${made.total} value=${made.made}
                aria-label=${t('adding')} />`}
        </form>
        <${Problem} text=${why} />
        ${lines.length > 0 && html`
            <${Preview} lines=${lines} outcomes=${outcomes} />`}`;
}
