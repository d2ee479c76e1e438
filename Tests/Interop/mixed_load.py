#!/usr/bin/env python3
"""Mixed flows of people over HTTP at a steady rate, while programs restart; then everything that was
acknowledged is read back.

    Tests/Interop/mixed_load.py --url URL [--url URL…] --app-key KEY [--rate 200] [--seconds N]
        [--allowed-gap SECONDS] [--resolve HOST:PORT:ADDRESS…] [--authority FILE]
        [--without METHOD…] [--inbox FOLDER] [--record FILE]
    Tests/Interop/mixed_load.py --url URL --app-key KEY --verify FILE

Prints one line of JSON: {calls, failed, lost, unread, by_method, failures: [the first 20], slowest_ms,
longest_gap_ms, repeated, rate, acknowledged}. A call fails if it is not answered within 5 s or is
answered by an error; what may be repeated is repeated for `--allowed-gap` seconds, 2 by default. `lost`
are answers that contradict what was acknowledged, `unread` the people that could not be read back. Exits
with 1 if there are any, or a call failed. SIGINT and SIGTERM end the load early.

Each person has an address of its own (`x-forwarded-for`), since one address may sign up three times an
hour: the web service must trust this machine as a proxy (`trusted-proxies`). At most ten calls a second
hash a password. `--inbox` also waits for the mail to each account. `--record` writes what was
acknowledged, and the sessions, to a file, which `--verify` reads back later and writes again.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import time
from collections import deque
from pathlib import Path

from load_client import CallFailed, LoadClient
from load_people import Lost, Person

# Of all calls, and in a second: two cores hash a hundred.
HASHES_SHARE, HASHES_MAX = 0.05, 10.0
PEOPLE_MAX = 200
FAILURES_SHOWN = 20
READERS = 16
MAIL_WITHIN = 20.0
# One in so many of those calls makes an account.
SIGN_UPS_SHARE = 0.2

# What a person does, and how often.
STEPS = {
    Person.check_state: 20, Person.get_profile: 18, Person.read: 15, Person.write: 14,
    Person.refresh: 14, Person.list_sessions: 6, Person.get_options: 4, Person.list_activity: 3,
    Person.list_documents: 2, Person.note_activity: 2, Person.sign_in_as_guest: 2,
}
# The methods of the steps whose step may be left out.
METHODS = {
    "AccountSessions/Reauthenticate": Person.prove, "AccountSessions/ListActivity": Person.list_activity,
    "AccountSessions/NoteActivity": Person.note_activity, "Guests/SignInAsGuest": Person.sign_in_as_guest,
    "SignInOptions/GetSignInOptions": Person.get_options,
    "AccountSessions/ListSessions": Person.list_sessions,
    "Documents/ListDocuments": Person.list_documents,
}


class MixedLoad:
    """The load and its count."""

    def __init__(self, client, rate, without=(), inbox=None):
        self.client, self.rate, self.inbox = client, rate, inbox
        left_out = {METHODS[method] for method in without}
        self.steps = {step: often for step, often in STEPS.items() if step not in left_out}
        self.proves = Person.prove not in left_out
        self.hashes = min(HASHES_MAX, max(1.0, rate * HASHES_SHARE))
        self.calls, self.failed, self.lost, self.unread, self.slowest = 0, 0, 0, 0, 0.0
        self.reached = 0.0
        self.by_method, self.failures = {}, []
        self.people, self.guests, self.idle = [], [], deque()
        self.is_over = False

    async def call(self, method, request, **options):
        """Makes one call and counts it."""
        counts = self.by_method.setdefault(method, {"calls": 0, "failed": 0, "slowest_ms": 0})
        begun = time.monotonic()
        try:
            return await self.client.call(method, request, **options)
        except CallFailed as failed:
            counts["failed"] += 1
            self.failed += 1
            self._note(method, str(failed))
            raise
        finally:
            took = (time.monotonic() - begun) * 1000
            self.calls += 1
            counts["calls"] += 1
            counts["slowest_ms"] = max(counts["slowest_ms"], round(took))
            self.slowest = max(self.slowest, took)

    def _note(self, method, text):
        if len(self.failures) < FAILURES_SHOWN:
            moment = time.strftime("%H:%M:%S", time.gmtime())
            self.failures.append({"at": moment, "method": method, "error": text[:400]})

    async def _do(self, act, person):
        """One step of a person, and whether it succeeded."""
        try:
            await act
            return True
        except CallFailed:
            pass
        except Lost as lost:
            self.lost += 1
            self._note("lost", str(lost))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            self.failed += 1
            self._note("answer", f"{person.email}: {type(error).__name__} {error}")
        return False

    def end(self):
        """Ends the load; may be called from another thread."""
        self.is_over = True

    async def sign_up(self):
        """Makes the accounts that the load begins with."""
        wanted = max(10, min(PEOPLE_MAX, int(self.rate)))
        begun = time.monotonic()
        made = []
        for number in range(wanted):
            await asyncio.sleep(max(0.0, begun + number / HASHES_MAX - time.monotonic()))
            person = Person(self.call)
            self.people.append(person)
            made.append(asyncio.create_task(self._do(person.sign_up(), person)))
            if self.failed or self.is_over:
                break
        await asyncio.gather(*made)
        self.people = [person for person in self.people if person.session]

    async def run(self, seconds):
        """The load itself, until its time is over or `end` is called."""
        self.idle.extend(self.people)
        begun, number, hashed, running = time.monotonic(), 0, 0, set()
        before = self.calls
        while not self.is_over and time.monotonic() - begun < seconds:
            number += 1
            await asyncio.sleep(max(0.0, begun + number / self.rate - time.monotonic()))
            if not self.idle:
                continue
            hashes = (time.monotonic() - begun) * self.hashes
            # What was not hashed in a gap is not made up for.
            hashed = max(hashed, hashes - self.hashes)
            is_hashing = hashed + 1 <= hashes
            hashed += is_hashing
            task = asyncio.create_task(self._step(self.idle.popleft(), is_hashing))
            running.add(task)
            task.add_done_callback(running.discard)
        self.reached = (self.calls - before) / (time.monotonic() - begun)
        await asyncio.gather(*running)

    async def _step(self, person, is_hashing):
        if person.is_due():
            await self._do(person.settle(), person)
        elif is_hashing and random.random() < SIGN_UPS_SHARE and len(self.people) < 2 * PEOPLE_MAX:
            await self._newcomer(Person.sign_up, self.people)
        elif is_hashing:
            again = Person.prove if self.proves and random.random() < 0.3 else Person.sign_in_again
            await self._do(again(person), person)
        else:
            step = random.choices(list(self.steps), list(self.steps.values()))[0]
            if step is Person.sign_in_as_guest:
                await self._newcomer(step, self.guests)
            else:
                await self._do(step(person), person)
        self.idle.append(person)

    async def _newcomer(self, step, group):
        newcomer = Person(self.call)
        await self._do(step(newcomer), newcomer)
        # Without an answer it is made by the next step, or when everything is read back.
        if newcomer.session or newcomer.open:
            group.append(newcomer)
            if group is self.people:
                self.idle.append(newcomer)

    async def read_back(self):
        """Reads what was acknowledged."""
        waiting = deque(self.people + self.guests)

        async def reader():
            while waiting:
                person = waiting.popleft()
                if person.is_guest and not person.session and not person.open:
                    continue
                if not await self._do(person.read_back(), person):
                    self.unread += 1

        await asyncio.gather(*(reader() for _ in range(READERS)))
        if self.inbox:
            await self._await_mails()

    async def _await_mails(self):
        missing = {person.email for person in self.people}
        seen, end = set(), time.monotonic() + MAIL_WITHIN
        while missing and time.monotonic() < end:
            for file in set(Path(self.inbox).glob("new/*")) - seen:
                seen.add(file)
                text = file.read_text(errors="replace")
                missing -= {email for email in missing if email in text}
            await asyncio.sleep(0.5)
        self.lost += len(missing)
        for email in sorted(missing):
            self._note("mail", f"{email}: no mail came within {MAIL_WITHIN:.0f} s")

    def result(self):
        """What is printed."""
        return {
            "calls": self.calls, "failed": self.failed, "lost": self.lost,
            "by_method": dict(sorted(self.by_method.items())), "failures": self.failures,
            "slowest_ms": round(self.slowest),
            "longest_gap_ms": round(self.client.longest_gap * 1000),
            "repeated": self.client.repeats, "unread": self.unread, "rate": round(self.reached, 1),
            "acknowledged": sum(one.acknowledged for one in self.people + self.guests)}


async def run(load, seconds, record=None, verify=None, ready=None):
    """The whole of a run. `ready` is called when the accounts are there."""
    if verify:
        kept = json.loads(Path(verify).read_text())
        people = [Person(load.call, one) for one in kept]
        load.people = [one for one in people if not one.is_guest]
        load.guests = [one for one in people if one.is_guest]
    else:
        await load.sign_up()
        if load.failed:
            return
        if ready:
            ready()
        await load.run(seconds)
    await load.read_back()
    load.client.close()
    if record or verify:
        save(load, record or verify)


def save(load, path):
    """Writes the sessions for a later run; only the owner may read them."""
    states = [person.state() for person in load.people + load.guests]
    with open(f"{path}.part", "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        json.dump(states, file)
    os.replace(f"{path}.part", path)


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", action="append", required=True)
    parser.add_argument("--app-key", required=True)
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--allowed-gap", type=float, default=2.0)
    parser.add_argument("--resolve", action="append", default=[])
    parser.add_argument("--authority")
    parser.add_argument("--without", action="append", default=[], choices=sorted(METHODS))
    parser.add_argument("--inbox")
    parser.add_argument("--record")
    parser.add_argument("--verify")
    return parser.parse_args()


async def main():
    wanted = parse()
    client = LoadClient(
        wanted.url, wanted.app_key, wanted.allowed_gap, wanted.resolve, wanted.authority)
    load = MixedLoad(client, wanted.rate, wanted.without, wanted.inbox)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, load.end)
    await run(load, wanted.seconds, wanted.record, wanted.verify)
    print(json.dumps(load.result()))
    if any("auth/too-many-requests" in failure["error"] for failure in load.failures):
        print("a limit was reached: does the web service trust this machine (trusted-proxies)?",
              file=sys.stderr)
    return 1 if load.failed or load.lost or load.unread else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
