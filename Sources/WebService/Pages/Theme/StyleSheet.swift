extension Theme {
    /// The style sheet of all pages. Only names and values of checked types are put into it.
    package var styleSheet: String {
        let families = fonts.map(Self.family).joined(separator: ", ")
        return """
            :root { color-scheme: light dark; \(Self.variables(light)) --font: \(families); \
            --radius: \(radius)px; }
            @media (prefers-color-scheme: dark) { :root { \(Self.variables(dark)) } }
            \(Self.rules)
            """
    }

    private static func variables(_ palette: Palette) -> String {
        colorNames.compactMap { name in palette[name].map { "--\(name): \($0.text);" } }
            .joined(separator: " ")
    }

    /// A family as CSS writes it. Generic families are keywords, which quotes would turn into
    /// names.
    private static func family(_ name: String) -> String {
        ["system-ui", "sans-serif", "serif", "monospace", "ui-sans-serif", "ui-serif"]
            .contains(name) ? name : "\"\(name)\""
    }

    /// At 320 CSS pixels nothing has to be scrolled sideways (WCAG 2.2, 1.4.10), links in lists and
    /// buttons have at least 24 pixels (2.5.8), and the focus is visible (2.4.7, 2.4.11).
    private static let rules = """
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--background); color: var(--text);
          font: 1rem/1.5 var(--font); overflow-wrap: anywhere; }
        header, main, footer { max-width: 32rem; margin: 0 auto; padding: 1rem; }
        header { padding-top: 2rem; }
        .logo { display: block; max-width: 100%; height: 3rem; }
        .name { margin: 0; font-weight: 700; font-size: 1.25rem; }
        h1 { margin: 0 0 1rem; font-size: 1.75rem; line-height: 1.25; }
        h2 { margin: 0 0 .5rem; font-size: 1.125rem; }
        p { margin: 0 0 1rem; }
        a { color: var(--accent); text-underline-offset: .15em; }
        label { display: block; font-weight: 700; }
        .hint { margin: 0 0 .5rem; }
        .error { margin: 0 0 .5rem; color: var(--error); font-weight: 700; }
        input { display: block; width: 100%; min-height: 2.75rem; padding: .5rem .75rem;
          font: inherit; color: var(--text); background: var(--background);
          border: 2px solid var(--border); border-radius: var(--radius); }
        input[aria-invalid] { border-color: var(--error); }
        button, .button { display: inline-block; min-height: 2.75rem; margin: 1rem 0 0;
          padding: .5rem 1.25rem; font: inherit; font-weight: 700; text-decoration: none;
          color: var(--accent-text); background: var(--accent); border: 2px solid var(--accent);
          border-radius: var(--radius); cursor: pointer; }
        .problem { margin: 0 0 1.5rem; padding: 1rem; border: 2px solid var(--error);
          border-radius: var(--radius); }
        .problem > :last-child { margin-bottom: 0; }
        .problem a { color: var(--error); }
        .problem ul { margin: 0; padding-left: 1.25rem; }
        footer { border-top: 1px solid var(--border); margin-top: 2rem; }
        footer ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 .5rem;
          padding: 0; list-style: none; }
        footer a { display: inline-block; padding: .25rem 0; }
        footer a[aria-current] { color: var(--text); font-weight: 700; }
        :focus-visible, .problem:focus { outline: 3px solid var(--text); outline-offset: 3px; }

        """
}
