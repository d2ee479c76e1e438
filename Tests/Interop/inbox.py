"""Reads the mails that the services wrote into a Maildir."""

import email
import email.policy
import re
import time
from pathlib import Path

ARRIVES_WITHIN = 10.0


def wait_for_mail(folder, recipient, holding="", read=()):
    """The newest mail to a recipient whose text contains `holding`, and whose Message-ID is not in
    `read`; waits for it to arrive."""
    deadline = time.monotonic() + ARRIVES_WITHIN
    while time.monotonic() < deadline:
        for file in sorted(Path(folder).glob("*/*"), key=lambda f: f.stat().st_mtime_ns)[::-1]:
            if file.parent.name not in ("new", "cur"):
                continue
            mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            if (recipient in mail["To"] and mail["Message-ID"] not in read
                    and holding in text_of(mail)):
                return mail
        time.sleep(0.05)
    raise TimeoutError(f"no mail to {recipient} within {ARRIVES_WITHIN} s")


def text_of(mail):
    """The text part of a mail."""
    return mail.get_body(("plain",)).get_content()


def link_token(mail):
    """The token in the mail's link."""
    return re.search(r"[?&#]token=([A-Za-z0-9_.~-]+)", text_of(mail))[1]
