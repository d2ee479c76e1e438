"""The web service against other people's clients, attacks, proxies, a browser and testssl.sh; the
metrics of all programs.

    python web_run.py --programs FOLDER [--long] [PART]…

FOLDER is for example .build/debug. PART is flow, abuse, shares, proxies, browser, pages, passkeys,
qr, sheets, tls or metrics; without names it runs flow, abuse and shares. Starts the programs on free
ports for each part.
--long runs the attacks at full length. Ends with 1 and the mismatches, a line each.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from flow import Flow, Mismatch
from web_stack import WebStack, metrics_page


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


def shares(programs, is_long):
    """Few addresses that try to hold all places, beside another client."""
    import web_shares

    with WebStack(programs) as stack:
        return web_shares.run(stack, is_long)


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


def passkeys(programs, is_long):
    """Passkeys in Chromium with its virtual authenticator."""
    import web_passkeys

    return web_passkeys.run(programs)


def qr(programs, is_long):
    """The QR codes of /security with hostile names, as zbarimg, pyotp and oathtool read them."""
    import web_qr_codes

    return web_qr_codes.run(programs)


def sheets(programs, is_long):
    """Screenshots of all pages in all states, in .build/page-sheets."""
    import web_page_sheets

    return web_page_sheets.run(programs)


def tls(programs, is_long):
    """TLS, by testssl.sh."""
    import web_tls

    return web_tls.run(programs)


def metrics(programs, is_long):
    """The metrics of all programs, after one flow, and the alert rules, by promtool of Prometheus."""
    wrong = []
    rules = Path(__file__).parents[2] / "docker/alerts.yaml"
    check = subprocess.run(
        ["promtool", "check", "rules", rules], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    if check.returncode:
        wrong.append(f"{rules}: {check.stdout}")
    with WebStack(programs) as stack:
        Flow(stack.endpoints, stack.endpoints.inbox()).run()
        assert len(stack.metrics_addresses) == 6, stack.metrics_addresses
        for name, address in stack.metrics_addresses.items():
            check = subprocess.run(
                ["promtool", "check", "metrics"], input=metrics_page(address), text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
            if check.stdout or check.returncode:
                wrong.append(f"{name}: promtool ended with {check.returncode}: {check.stdout}")
    return wrong


PARTS = {part.__name__: part for part in (
    flow, abuse, shares, proxies, browser, pages, passkeys, qr, sheets, tls, metrics)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("parts", nargs="*", metavar="PART")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - PARTS.keys():
        parser.error(f"no part is called {', '.join(unknown)}; there are {', '.join(PARTS)}")
    wrong = []
    for name in arguments.parts or ["flow", "abuse", "shares"]:
        print(f"{name}: {PARTS[name].__doc__}")
        wrong += [f"{name}: {line}" for line in PARTS[name](arguments.programs, arguments.long)]
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
