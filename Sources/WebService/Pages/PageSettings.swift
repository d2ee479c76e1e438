package import Addresses
package import ServiceRuntime

/// The settings of the pages behind the links in mails.
package struct PageSettings: Settings {
    /// Whether the web service serves them.
    package var isOn = false
    /// Where links in mails lead, as identity has it; nil if this service does not know it.
    private let linkOrigin: WebOrigin?
    /// The operator's theme folder; nil for the built-in look.
    let themeFolder: String?

    package init(reading settings: inout SettingsReader) {
        settings.boolean(
            "pages", &isOn,
            reason: "on: serves verify-email and the other pages of mails; identity's link-origin "
                + "is then this service. Needs web.key in keys-folder.")
        // Identity refuses what is no origin, and says so.
        linkOrigin = settings.optionalString(
            "link-origin", unit: "URL",
            reason: "As identity has it; with pages on, it has to be one of web-origins."
        ).flatMap { WebOrigin(site: $0) }
        themeFolder = settings.optionalPath(
            "pages-theme",
            reason: "A folder with theme.css, theme.yaml and pictures; reloaded when it changes "
                + "(postern pages preview).")
        guard let themeFolder else { return }
        do throws(ThemeError) {
            _ = try ThemeFiles(folder: themeFolder).theme()
        } catch {
            for problem in error.problems { settings.require(false, ["pages-theme"], problem) }
        }
    }

    /// Whether links in mails lead to a host for which this service answers 421 only.
    ///
    ///     pages   link-origin       web-origins        unserved
    ///     off     any               any                no: the pages are the operator's own
    ///     on      not known         any                no
    ///     on      one of them       some               no
    ///     on      none of them      some               yes
    ///     on      on this machine   none               no: the listener's own port is answered
    ///     on      elsewhere         none               yes
    /// - Parameter origins: The setting `web-origins`.
    package func hasUnservedLinks(_ origins: [WebOrigin]) -> Bool {
        guard isOn, let linkOrigin else { return false }
        return origins.isEmpty ? !linkOrigin.isLoopback : !origins.contains(linkOrigin)
    }
}
