// Checks that were started on this page, the newest first.  They are only in
// the memory of the page, and go on while another screen is shown.

import { useEffect, useState } from 'preact/hooks';

import { get, post } from './api.js';
import { sleep } from './clock.js';
import { uncovered } from './parts.js';
import { refused } from './refusal.js';
import { t } from './text.js';

const pause = 700;
const patience = 30;
const most = 20;

let owner = '';
let runs = [];
const watchers = new Set();

function change(run, values) {
    Object.assign(run, values);
    runs = [...runs];
    watchers.forEach((watch) => watch(runs));
}

export function over({ status }) {
    return ['completed', 'failed', 'refused'].includes(status);
}

// Shows a check again and again until it is over.  While the service cannot be
// reached, it is followed for a while.
export async function follow(id, show) {
    let failures = 0;

    for (;;) {
        await sleep(pause);

        try {
            const { data } = await get(`check/status/${id}.json?details=1`);

            failures = 0;
            show(data);

            if (over(data)) {
                return;
            }
        } catch (refusal) {
            failures += 1;

            if (![0, 503].includes(refusal.status) || failures > patience) {
                throw refusal;
            }
        }
    }
}

// The runs of the user before are forgotten.
function belongTo(user) {
    if (owner !== user) {
        owner = user;
        runs = [];
    }
}

function add(values) {
    const run = { details: [], checked_count: 0, problem: '', ...values };

    runs = [run, ...runs].slice(0, most);
    change(run, {});
    return run;
}

export const explain = (refusal) => refused(refusal, 'not_host_text');

// Starts a check of a value, or of a host by its id; throws the refusal.
export async function start(host) {
    const { data } = await post('check/start.json', { host, details: 1 });
    const known = runs.find(({ id }) => id === data.id);

    if (!known || over(known)) {
        const run = add(data);

        follow(run.id, (values) => change(run, values)).catch((refusal) =>
            change(run, { problem: explain(refusal) }));
    }
}

// What people look up: the page of a host, if it is one, a subnet, or a check.
// ranges: a subnet of at most 65,536 addresses has a page.
export async function lookUp(user, text, ranges) {
    const [, net, bits] = /^([0-9a-f.:]+)\/(\d+)$/i.exec(text) || [];

    if (net) {
        location.hash = ranges && bits >= (net.includes(':') ? 112 : 16)
            ? `#/range/${text}` : `#/hosts?text=${net.replace(/(\.0)+$/, '.')
                .replace(/::$/, ':')}`;
        return;
    }

    const found = await get(`hosts/find.json?limit=5&text=${
        encodeURIComponent(text)}`).catch(() => ({ data: [] }));
    const host = found.data.find((one) => one.host === text.toLowerCase());

    location.hash = host ? `#/host/${host.id}` : '#/checks';

    if (!host) {
        belongTo(user);
        await start(text).catch((refusal) => add({ id: `refused ${Date.now()}`,
            host: text, status: 'refused', problem: explain(refusal) }));
    }
}

// The runs of this user.
export function useRuns(user) {
    belongTo(user);

    const [now, setNow] = useState(runs);

    useEffect(() => {
        watchers.add(setNow);
        setNow(runs);

        return () => watchers.delete(setNow);
    }, []);

    return now;
}

// The lists of a check, with the result of each as far as there is one: those
// that need a look first.
export function rowsOf({ rbls = [], details, status }) {
    const order = ['listed', 'unknown', 'waiting', 'skipped', 'clear'];
    const of = new Map(details.map((result) => [result.id, result]));
    const rows = rbls.map((list) => of.get(list.id)
        || { ...list, status: status === 'failed' ? 'unknown' : 'waiting' });
    const more = details.filter(({ id }) => !rbls.some((list) =>
        list.id === id));

    return [...rows, ...more].sort((a, b) => order.indexOf(a.status)
        - order.indexOf(b.status) || a.host.localeCompare(b.host));
}

// The state of what was checked by a completed check.
export function stateOf(run) {
    return run.covered === 0 ? 'uncovered' : run.listed ? 'listed'
        : run.unknown_count > 0 ? 'unknown' : 'clear';
}

export function summary(run) {
    if (run.status === 'refused') {
        return '';
    }

    return run.status === 'queued' ? t('check_queued')
        : run.status === 'running' ? t('check_running', {
            done: run.checked_count, total: run.total_count })
            : run.covered === 0 ? uncovered(run.message)
                : run.status === 'failed' ? t('check_failed')
                    : t(run.listed ? 'check_listed' : 'check_clear', {
                        n: run.listed_count, total: run.total_count,
                        unknown: run.unknown_count });
}
