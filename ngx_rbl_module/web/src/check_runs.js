// Checks that were started on this page, the newest first.  They are only in
// the memory of the page, and go on while another screen is shown.

import { useEffect, useState } from 'preact/hooks';

import { get, post } from './api.js';
import { uncovered } from './parts.js';
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

function over({ status }) {
    return status === 'completed' || status === 'failed';
}

// While the service cannot be reached, the check is followed for a while.
async function follow(run, explain) {
    let failures = 0;

    while (!over(run) && !run.problem) {
        await new Promise((go) => setTimeout(go, pause));

        try {
            const { data } = await get(
                `check/status/${run.id}.json?details=1`);

            failures = 0;
            change(run, data);
        } catch (refusal) {
            failures += 1;

            if (![0, 503].includes(refusal.status) || failures > patience) {
                change(run, { problem: explain(refusal) });
            }
        }
    }
}

// Starts a check of a value, or of a host by its id; throws the refusal.
export async function start(host, explain) {
    const { data } = await post('check/start.json', { host, details: 1 });
    const known = runs.find(({ id }) => id === data.id);

    if (known && !over(known)) {
        return;
    }

    const run = { details: [], checked_count: 0, problem: '', ...data };

    runs = [run, ...runs].slice(0, most);
    change(run, {});
    follow(run, explain);
}

// The runs of this user: those of the user before are forgotten.
export function useRuns(user) {
    if (owner !== user) {
        owner = user;
        runs = [];
    }

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
    return run.status === 'queued' ? t('check_queued')
        : run.status === 'running' ? t('check_running', {
            done: run.checked_count, total: run.total_count })
            : run.covered === 0 ? uncovered(run.message)
                : run.status === 'failed' ? t('check_failed')
                    : t(run.listed ? 'check_listed' : 'check_clear', {
                        n: run.listed_count, total: run.total_count,
                        unknown: run.unknown_count });
}
