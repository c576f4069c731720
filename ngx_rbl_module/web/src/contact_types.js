// The types of contacts, and the fields from which the value of each is made.
// Messages explain them: how_TYPE_1 and so on, part_NAME, help_NAME.

import { t } from './text.js';

const key = (name, length) => ({ name, secret: true,
    pattern: `[A-Za-z0-9]{${length}}` });
const webhook = { name: 'webhook', secret: true, pattern: 'https?://.+' };
const access = [
    { name: 'key_id', pattern: '(?!ASIA)[A-Za-z0-9]{16,128}' },
    { name: 'secret_key', secret: true, pattern: '[A-Za-z0-9\\/+=]{40}' }
];

const sites = ['datadoghq.com', 'us3.datadoghq.com', 'us5.datadoghq.com',
    'datadoghq.eu', 'ap1.datadoghq.com', 'ap2.datadoghq.com', 'ddog-gov.com'];

export const types = {
    'email': { parts: [{ name: 'address', type: 'email' }] },
    'sms': { parts: [{ name: 'number', type: 'tel',
        pattern: '\\+[1-9][0-9]{6,14}' }] },
    'endpoint': { parts: [{ name: 'url', type: 'url',
        pattern: 'https?://.+' }] },
    'slack': { brand: 'Slack', parts: [webhook] },
    'discord': { brand: 'Discord', parts: [webhook] },
    'telegram': { brand: 'Telegram', parts: [{ name: 'chat',
        pattern: '(@[A-Za-z][A-Za-z0-9_]{3,31}|-?[1-9][0-9]*)(:[1-9][0-9]*)?'
    }] },
    'pushover': { brand: 'Pushover', parts: [key('user_key', 30)] },
    'pagerduty': { brand: 'PagerDuty', parts: [key('routing_key', 32)] },
    'datadog': { brand: 'Datadog', parts: [{ name: 'site', from: sites },
        key('api_key', 32)] },
    'aws-sns': { brand: 'Amazon SNS', parts: [{ name: 'topic',
        pattern: 'arn:aws[a-z\\-]*:sns:[^,]+' }, ...access] },
    'aws-cloudwatch': { brand: 'Amazon CloudWatch Logs', parts: [
        { name: 'log_group', pattern: 'arn:aws[a-z\\-]*:logs:[^,]+' },
        ...access] }
};

export function typeName(type) {
    return (types[type] && types[type].brand) || t(`type_${type}`) || type;
}

// What to do at the service, step by step.
export function steps(type) {
    return [1, 2, 3, 4].map((n) => t(`how_${type}_${n}`))
        .filter((step) => step !== '');
}

export const schedules = () =>
    ['start_and_end', 'while_listed', 'every_check'].map((id) => ({ id,
        name: t(`schedule_${id}`), help: t(`schedule_${id}_help`) }));
