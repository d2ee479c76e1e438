"""The web service against other people's clients, attacks, proxies and a browser.

    python web_run.py --programs FOLDER [--long] [flow | abuse | proxies | browser | pages]…

FOLDER is for example .build/debug. Starts the programs on free ports for each part; without names
it runs flow and abuse. --long runs the attacks at full length. Ends with 1 and the mismatches, a
line each.
"""

import argparse
import sys

from flow import Mismatch
from web_stack import WebStack


def flow(programs, is_long):
    """One flow by every client and protocol, plain and with TLS."""
    from web_clients import WebCallFailed, all_clients
    from web_flow import WebFlow

    wrong = []
    with WebStack(programs) as stack:
        tls_url, root = stack.web_with_tls()
        for client in all_clients(stack.url, tls_url, root):
            try:
                WebFlow(client, stack).run()
            except (Mismatch, WebCallFailed, AssertionError) as error:
                wrong.append(f"{client.name}: {error}")
            finally:
                client.close()
    return wrong


def abuse(programs, is_long):
    """Attacks by raw bytes and frames."""
    import web_abuse

    with WebStack(programs) as stack:
        return web_abuse.run(stack, is_long)


def proxies(programs, is_long):
    """Whose limits count behind haproxy, nginx and caddy."""
    import web_proxies

    return web_proxies.run(programs)


def browser(programs, is_long):
    """Pages in Chromium."""
    import web_browser

    return web_browser.run(programs)


def pages(programs, is_long):
    """The pages behind the links in mails, in Chromium without scripts."""
    import web_pages

    return web_pages.run(programs)


PARTS = {part.__name__: part for part in (flow, abuse, proxies, browser, pages)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("parts", nargs="*", metavar="PART")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - PARTS.keys():
        parser.error(f"no part is called {', '.join(unknown)}; there are {', '.join(PARTS)}")
    wrong = []
    for name in arguments.parts or ["flow", "abuse"]:
        print(f"{name}: {PARTS[name].__doc__}")
        wrong += [f"{name}: {line}" for line in PARTS[name](arguments.programs, arguments.long)]
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
