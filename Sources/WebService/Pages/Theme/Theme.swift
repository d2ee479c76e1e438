/// The look of the pages: variables, pictures, a name and links. It is data: the style sheet is
/// written from checked values. Only the operator's own sheet is passed on as it is: what keeps it
/// harmless is the pages' Content-Security-Policy, by which it loads nothing from elsewhere.
package struct Theme: Hashable, Sendable {
    /// The built-in look.
    package static let standard: Theme = {
        do throws(ThemeError) {
            return Theme(variables: try ThemeVariables([:]))
        } catch {
            preconditionFailure("the built-in theme is invalid: \(error)")
        }
    }()

    let variables: ThemeVariables
    /// The app's name as users know it; empty for the one that identity has.
    package var name = ""
    /// The page with the operator's name and address; empty for none.
    var imprintURL = ""
    /// The page about privacy; empty for none.
    var privacyURL = ""
    /// Where people go on after a page has done its work; empty for none.
    var homeURL = ""
    /// The logo; nil for the first letter of the name.
    var logo: ThemeFile?
    /// The logo in dark colours; nil for the same.
    var darkLogo: ThemeFile?
    /// The logo is a symbol, and the name is shown beside it.
    var isNameBesideLogo = false
    /// The icon in a tab of the browser; nil for the logo.
    var ownIcon: ThemeFile?
    /// A picture around the card; nil for a plain colour.
    var background: ThemeFile?
    /// That picture in dark colours; nil for the same.
    var darkBackground: ThemeFile?
    /// A style sheet after ours.
    var extraSheet: ThemeFile?

    /// The look of some variables, without a name, pictures and links.
    init(variables: ThemeVariables) {
        self.variables = variables
    }

    /// The icon in a tab of the browser.
    var icon: ThemeFile { ownIcon ?? logo ?? keyhole }

    /// A keyhole in the colours of a filled button.
    private var keyhole: ThemeFile {
        let (back, front) = (variables.light["accent"], variables.light["accent-text"])
        let text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">\
            <rect width="32" height="32" rx="8" fill="\(back?.text ?? "")"/>\
            <path d="M16 7a5 5 0 0 1 2.4 9.4L20 25h-8l1.6-8.6A5 5 0 0 1 16 7z" \
            fill="\(front?.text ?? "")"/></svg>

            """
        return ThemeFile(name: "icon.svg", bytes: Array(text.utf8), mediaType: "image/svg+xml")
    }

    /// The files that the pages and the style sheet name, beside that sheet.
    package var files: [ThemeFile] {
        [icon, logo, darkLogo, background, darkBackground, extraSheet].compactMap { $0 }
    }
}

/// A file of a theme, which is served as it is.
package struct ThemeFile: Hashable, Sendable {
    /// Its name in the folder of the theme and behind `/pages/`: `logo.svg`.
    package let name: String
    /// Its content.
    package let bytes: [UInt8]
    /// What it is: `image/svg+xml`.
    let mediaType: String
}
