package import ServiceRuntime

/// The settings of the pages behind the links in mails.
package struct PageSettings: Settings {
    /// Whether the web service serves them.
    package var isOn = false
    /// The operator's theme folder; nil for the built-in look.
    let themeFolder: String?

    package init(reading settings: inout SettingsReader) {
        settings.boolean(
            "pages", &isOn,
            reason: "on: serves verify-email and the other pages of mails; identity's link-origin "
                + "is then this service. Needs web.key in keys-folder.")
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
}
