#!/usr/bin/python3

# The mail server of `make run`: it takes every mail, sends none on, and keeps
# the last ones as pages for a browser.
# usage: mails.py PORT DIR

import asyncio
import email
import html
import os
import re
import signal
import sys

from email import policy

from aiosmtpd.smtp import SMTP

KEPT = 200                      # mails
LARGEST = 1 << 20               # bytes of a mail

STYLE = '''<!doctype html><meta charset="utf-8">%s<title>%s</title><style>
:root { color-scheme: light dark } body { font: 1rem sans-serif; margin: 2rem }
td, th { padding: .2rem 1rem .2rem 0; text-align: left; vertical-align: top }
pre { white-space: pre-wrap } iframe { width: 100%%; height: 40rem }
</style><h1>%s</h1>
'''


def page(path, title, body, more=''):
    """Writes a page, which is there as a whole or as it was before."""
    title = html.escape(title)
    with open(path + '.new', 'w', encoding='utf-8') as file:
        file.write(STYLE % (more, title, title) + body)
    os.rename(path + '.new', path)


def row(*cells):
    return '<tr><td>' + '<td>'.join(cells) + '\n'


def linked(text):
    """The text for HTML, with its URLs as links."""
    parts = re.split(r'(https?://[^\s<>"]+)', text)
    for i, part in enumerate(parts):
        parts[i] = html.escape(part)
        if i % 2:
            parts[i] = (f'<a href="{parts[i]}" target="_blank"'
                        f' rel="noreferrer">{parts[i]}</a>')
    return ''.join(parts)


class Mails:
    def __init__(self, where):
        self.where = where
        self.rows = []
        os.makedirs(where, exist_ok=True)
        for name in os.listdir(where):
            if re.fullmatch(r'\d+\.row', name):
                with open(f'{where}/{name}', encoding='utf-8') as file:
                    self.rows.append((int(name[:-4]), file.read()))
        self.rows.sort()
        self.index()

    def index(self):
        for number, _ in self.rows[:-KEPT]:
            for end in '.row', '.html', '-html.html':
                if os.path.exists(f'{self.where}/{number}{end}'):
                    os.remove(f'{self.where}/{number}{end}')
        self.rows = self.rows[-KEPT:]
        page(f'{self.where}/index.html', 'Mails of the demonstration',
             '<p>No mail leaves this machine.  The page loads itself again.'
             '<table><tr><th>received<th>to<th>subject\n'
             + ''.join(text for _, text in reversed(self.rows)) + '</table>\n',
             '<meta http-equiv="refresh" content="3">')

    def keep(self, recipients, data):
        mail = email.message_from_bytes(data.replace(b'\r\n', b'\n'),
                                        policy=policy.default)
        number = self.rows[-1][0] + 1 if self.rows else 1
        name = f'{self.where}/{number}'
        to = ', '.join(recipients)
        subject = mail['Subject'] or '(no subject)'
        part = mail.get_body(('plain',))
        body = '<table>' + ''.join(
            row(key, html.escape(value)) for key, value in mail.items()
            if key in ('From', 'To', 'Subject', 'Date', 'Reply-To')
        ) + f'</table><pre>{linked(part.get_content() if part else "")}</pre>\n'
        part = mail.get_body(('html',))
        if part:
            with open(f'{name}-html.html', 'w', encoding='utf-8') as file:
                file.write(part.get_content())
            body += (f'<p><a href="{number}-html.html">Its HTML</a>:'
                     f'<p><iframe src="{number}-html.html"'
                     ' sandbox="allow-popups'
                     ' allow-popups-to-escape-sandbox"></iframe>\n')
        page(f'{name}.html', subject, body)
        text = row(html.escape(mail['Date'] or ''), html.escape(to),
                   f'<a href="{number}.html">{html.escape(subject)}</a>')
        with open(f'{name}.row', 'w', encoding='utf-8') as file:
            file.write(text)
        self.rows.append((number, text))
        self.index()
        print(f'mail {number} to {to}', flush=True)

    async def handle_DATA(self, server, session, envelope):
        self.keep(envelope.rcpt_tos, envelope.content)
        return '250 OK'


async def main(port, where):
    mails = Mails(where)
    loop = asyncio.get_running_loop()
    end = asyncio.Event()
    for name in signal.SIGINT, signal.SIGTERM:
        loop.add_signal_handler(name, end.set)
    await loop.create_server(
        lambda: SMTP(mails, hostname='localhost', data_size_limit=LARGEST),
        '127.0.0.1', port)
    print('ready', flush=True)
    await end.wait()


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
