"""Screenshots of every page in every state, for a person to look at: whole pages, and contact
sheets of them. English on a phone and wide, in light and dark colours, and in forced colours at 320
pixels; German and Japanese on a phone; and themes whose colours, corners and pictures differ.

What is wrong in any case is found: a page that scrolls sideways or within itself, also at 400 %; a
focus that leaves the order of reading or cannot be seen, also in forced colours.

Needs Debian's chromium, chromium-driver and fonts-noto-cjk.
"""

import base64
import os
import subprocess
import tempfile
from pathlib import Path

from web_browser import TAB, Browser

HERE = Path(__file__).resolve().parent
OUTPUT = Path(os.environ.get("POSTERN_PAGE_SHEETS", HERE.parents[1] / ".build/page-sheets"))
THEMES = HERE / "themes"
HEIGHT = 800
# A window of 1,280 by 1,024 pixels at 400 %.
ZOOMED = (320, 256)
# Language, width, colour scheme, whether colours are forced.
VIEWS = [("en", 390, "light", False), ("en", 390, "dark", False), ("en", 1280, "light", False),
         ("en", 1280, "dark", False), ("en", 320, "light", True), ("de", 390, "light", False),
         ("ja", 390, "light", False)]
THEME_VIEWS = VIEWS[:4]
FOCUSABLE = "a[href], button, input:not([type=hidden], [hidden])"


def written(programs, folder, theme=None):
    """The pages as `postern pages preview` writes them."""
    options = ["--theme", theme] if theme else []
    subprocess.run([Path(programs).resolve() / "postern", "pages", "preview", "--output", folder,
                    *options], check=True, stdout=subprocess.DEVNULL)
    return Path(folder)


def show(browser, width, height, scheme="light", forced=False, scale=1):
    browser.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=scale, mobile=False)
    browser.devtools("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "forced-colors", "value": "active" if forced else "none"}])


def capture(browser, path):
    path.write_bytes(base64.b64decode(
        browser.devtools("Page.captureScreenshot", format="png")["data"]))


def scroll_bars(browser):
    """What scrolls, but for the page downwards: nothing should (WCAG 2.2, 1.4.10)."""
    return browser.run("""
        const root = document.documentElement;
        const bars = root.scrollWidth > root.clientWidth
          ? [`the page, ${root.scrollWidth} pixels wide`] : [];
        for (const one of document.querySelectorAll("body, body *")) {
          const { overflowX, overflowY } = getComputedStyle(one);
          const scrolls = value => value === "auto" || value === "scroll";
          if (scrolls(overflowX) && one.scrollWidth > one.clientWidth
              || scrolls(overflowY) && one.scrollHeight > one.clientHeight)
            bars.push(`an element ${one.localName}`);
        }
        return bars;""")


def photograph(browser, pages, output, view):
    """One picture of each page, whole; returns the pictures, and what is wrong."""
    _, width, scheme, forced = view
    pictures, wrong = [], []
    for page in pages:
        show(browser, width, HEIGHT, scheme, forced)
        browser.open(page.as_uri())
        wrong += [f"{page.name} at {width}: {bar} scrolls" for bar in scroll_bars(browser)]
        height = browser.run("return document.documentElement.scrollHeight")
        show(browser, width, max(height, HEIGHT), scheme, forced)
        colors = "forced" if forced else scheme
        picture = output / f"{page.name.removesuffix('.html')}.{width}.{colors}.png"
        capture(browser, picture)
        pictures.append(picture)
    return pictures, wrong


def sheet(browser, pictures, name, width):
    """All pictures of a view in one."""
    shown = 195 if width < 1000 else 390
    figures = "".join(
        f"<figure><figcaption>{picture.name}</figcaption><img src='{picture.as_uri()}'></figure>"
        for picture in pictures)
    page = OUTPUT / f"{name}.html"
    page.write_text(f"""<!DOCTYPE html><meta charset="utf-8"><title>{name}</title><style>
        body {{ margin: 12px; background: #9aa1ab; display: grid; gap: 12px; align-items: start;
          grid-template-columns: repeat(auto-fill, {shown}px); }}
        figure {{ margin: 0; }} figcaption {{ font: 9px sans-serif; overflow-wrap: anywhere; }}
        img {{ width: 100%; }}</style>{figures}""")
    show(browser, 1672, HEIGHT)
    browser.open(page.as_uri())
    show(browser, 1672, browser.run("return document.documentElement.scrollHeight"))
    capture(browser, OUTPUT / f"{name}.png")


def zoomed(browser, pages):
    """At 400 % a page scrolls downwards alone."""
    wrong = []
    show(browser, *ZOOMED, scale=4)
    for page in pages:
        browser.open(page.as_uri())
        wrong += [f"{page.name} at 400 %: {bar} scrolls" for bar in scroll_bars(browser)]
    return wrong


def by_keys(browser, pages, forced):
    """Tab leads through each page in the order of reading, and the focus can always be seen."""
    wrong = []
    show(browser, 390, HEIGHT, forced=forced)
    for page in pages:
        browser.open(page.as_uri())
        # After an error the focus is on the summary, behind the page's head.
        first, count = browser.run(f"""
            const all = [...document.querySelectorAll('{FOCUSABLE}')], active = document.activeElement;
            const next = all.findIndex(one => active.compareDocumentPosition(one)
              & Node.DOCUMENT_POSITION_FOLLOWING);
            return [active === document.body ? 0 : next, all.length];""")
        for index in range(first, count):
            browser.press_key(TAB)
            place, style, width = browser.run(f"""
                const all = [...document.querySelectorAll('{FOCUSABLE}')];
                const style = getComputedStyle(document.activeElement);
                return [all.indexOf(document.activeElement), style.outlineStyle,
                        parseFloat(style.outlineWidth)];""")
            if place != index or style == "none" or width < 2:
                wrong.append(f"{page.name}: after {index + 1} tabs the focus is on element {place},"
                             f" with an outline of {width} pixels ({style})")
                break
    return wrong


def run(programs):
    """Takes all pictures; returns what is wrong, a line each."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    wrong = []
    with Browser() as browser:
        for theme in [None, *sorted(THEMES.iterdir())]:
            name = theme.name if theme else "standard"
            output = OUTPUT / name
            output.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="postern-pages-") as folder:
                pages = written(programs, folder, theme)
                for view in THEME_VIEWS if theme else VIEWS:
                    language, width, scheme, forced = view
                    shown = sorted(pages.glob(f"*.*.{language}.html"))
                    assert len(shown) > 40, shown
                    pictures, found = photograph(browser, shown, output, view)
                    colors = "forced" if forced else scheme
                    sheet(browser, pictures, f"{name}.{language}.{width}.{colors}", width)
                    wrong += [f"{name}: {one}" for one in found]
                if not theme:
                    wrong += zoomed(browser, sorted(pages.glob("*.*.*.html")))
                    for forced in (False, True):
                        wrong += by_keys(browser, sorted(pages.glob("*.*.en.html")), forced)
    print(f"  sheets: {OUTPUT}/*.png")
    return wrong
