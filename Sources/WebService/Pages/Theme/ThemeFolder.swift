import Glibc
import Logging
package import ServiceRuntime

/// The operator's theme, a folder:
///
///     theme.css    :root { --accent: #0b5cad; --accent-dark: #8ab8f0; … }
///     theme.yaml   name: Shop, home-url, imprint-url, privacy-url, name-beside-logo
///     logo         pictures: .svg, .png, .webp or .jpg
///     logo-dark
///     icon
///     background
///     background-dark
///     extra.css    a style sheet of any content, served after ours
///
/// Each file may be missing, but not both of the first two.
package struct ThemeFiles: Equatable, Sendable {
    private static let textBytesMax = 16 * 1024
    private static let pictureBytesMax = 256 * 1024
    /// A photo for a wide screen, as WebP or JPEG.
    private static let backgroundBytesMax = 1024 * 1024
    private static let sheetBytesMax = 64 * 1024
    private static let pictureTypes = [
        ("svg", "image/svg+xml"), ("png", "image/png"), ("webp", "image/webp"),
        ("jpg", "image/jpeg"),
    ]

    private let css: [UInt8]?
    private let links: SettingsDocument<ThemeLinks>?
    private let logo: ThemeFile?
    private let darkLogo: ThemeFile?
    private let icon: ThemeFile?
    private let background: ThemeFile?
    private let darkBackground: ThemeFile?
    private let extraSheet: ThemeFile?
    /// Files that are there and cannot be read.
    private let unreadable: [String]

    /// Reads the folder at `path`.
    package init(folder path: String) {
        var unreadable: [String] = []
        func bytes(_ name: String, max: Int) -> [UInt8]? {
            switch FileText.read("\(path)/\(name)", bytesMax: max) {
            case .success(let bytes): return bytes
            case .failure(let failure):
                // One that is not there is no mistake.
                if access("\(path)/\(name)", F_OK) == 0 {
                    unreadable.append("\(name): \(failure.sentence)")
                }
                return nil
            }
        }
        func picture(_ name: String, max: Int) -> ThemeFile? {
            for (ending, mediaType) in Self.pictureTypes {
                let file = "\(name).\(ending)"
                guard let content = bytes(file, max: max) else { continue }
                return ThemeFile(name: file, bytes: content, mediaType: mediaType)
            }
            return nil
        }
        css = bytes("theme.css", max: Self.textBytesMax)
        links = bytes("theme.yaml", max: Self.textBytesMax).map { _ in
            SettingsDocument(path: "\(path)/theme.yaml")
        }
        logo = picture("logo", max: Self.pictureBytesMax)
        darkLogo = picture("logo-dark", max: Self.pictureBytesMax)
        icon = picture("icon", max: Self.pictureBytesMax)
        background = picture("background", max: Self.backgroundBytesMax)
        darkBackground = picture("background-dark", max: Self.backgroundBytesMax)
        extraSheet = bytes("extra.css", max: Self.sheetBytesMax).map {
            ThemeFile(name: "extra.css", bytes: $0, mediaType: "text/css; charset=utf-8")
        }
        self.unreadable = unreadable
    }

    /// The theme.
    /// - Throws: `ThemeError` with all problems.
    package func theme() throws(ThemeError) -> Theme {
        var problems = unreadable
        if css == nil, links == nil {
            problems.append("there is neither theme.css nor theme.yaml")
        }
        var theme = Theme.standard
        do throws(ThemeError) {
            let variables = css.map { Self.variables($0, &problems) } ?? [:]
            theme = Theme(variables: try ThemeVariables(variables))
        } catch {
            problems += error.problems.map { "theme.css: \($0)" }
        }
        problems += (links?.problems ?? []).map { "theme.yaml: \($0)" }
        let settings = links?.values
        // A picture without a text would be nothing to a screen reader (WCAG 2.2, 1.1.1).
        if logo != nil, settings?.name.isEmpty ?? true {
            problems.append("theme.yaml: a logo needs the app's name beside it, name: …")
        }
        if darkLogo != nil, logo == nil {
            problems.append("logo-dark: there is no logo for light colours")
        }
        guard problems.isEmpty else { throw ThemeError(problems: problems) }
        theme.name = settings?.name ?? ""
        theme.imprintURL = settings?.imprintURL ?? ""
        theme.privacyURL = settings?.privacyURL ?? ""
        theme.homeURL = settings?.homeURL ?? ""
        theme.isNameBesideLogo = settings?.isNameBesideLogo ?? false
        (theme.logo, theme.darkLogo, theme.ownIcon) = (logo, darkLogo, icon)
        (theme.background, theme.darkBackground) = (background, darkBackground)
        theme.extraSheet = extraSheet
        return theme
    }

    /// The variables of `:root { --name: value; … }`, and nothing else.
    static func variables(_ css: [UInt8], _ problems: inout [String]) -> [String: String] {
        guard let text = String(validating: css, as: UTF8.self) else {
            problems.append("theme.css: it is not UTF-8")
            return [:]
        }
        let bare = text.replacing(/\/\*(?s:.*?)\*\//, with: " ").trimmingSpaces
        guard let block = bare.wholeMatch(of: /:root\s*\{([^{}]*)\}/)?.1 else {
            problems.append("theme.css: it must be one block, :root { --name: value; … }")
            return [:]
        }
        var variables: [String: String] = [:]
        for part in block.split(separator: ";").map({ String($0).trimmingSpaces })
        where !part.isEmpty {
            guard let match = part.wholeMatch(of: /--([a-z-]+)\s*:\s*(.+)/),
                variables.updateValue(String(match.2), forKey: String(match.1)) == nil
            else {
                problems.append("theme.css: \(part) is not a new --name: value")
                continue
            }
        }
        return variables
    }
}

/// The file `theme.yaml`.
package struct ThemeLinks: Settings, Equatable {
    let name: String
    let imprintURL: String
    let privacyURL: String
    let homeURL: String
    /// The logo is a symbol, and the name is shown beside it.
    private(set) var isNameBesideLogo = false

    /// Reads the file.
    package init(reading settings: inout SettingsReader) {
        name =
            settings.optionalString(
                "name", unit: "text", reason: "The app's name, at the top of each page.") ?? ""
        let atTheEnd = "A link at the end of each page."
        imprintURL = Self.url("imprint-url", atTheEnd, &settings)
        privacyURL = Self.url("privacy-url", atTheEnd, &settings)
        homeURL = Self.url(
            "home-url", "Where people go on after a page has done its work.", &settings)
        settings.boolean(
            "name-beside-logo", &isNameBesideLogo,
            reason: "The logo is a symbol without the name, which is then shown beside it.")
    }

    private static func url(
        _ name: String, _ reason: String, _ settings: inout SettingsReader
    ) -> String {
        settings.parsed(
            name, expected: "an https URL such as https://shop.example.org/\(name)", unit: "URL",
            reason: reason,
            // Other schemes could run code: javascript:.
            parse: { $0.hasPrefix("https://") && App.isRedirectURI($0) ? $0 : nil }) ?? ""
    }
}

/// A theme cannot be used.
package struct ThemeError: Error, Hashable, CustomStringConvertible {
    /// The problems, as sentences.
    package let problems: [String]

    /// All problems.
    package var description: String { problems.joined(separator: "; ") }
}

/// Watches the theme's folder.
struct ThemeFolder: Sendable {
    /// The theme in force.
    let theme: Reloadable<Theme>
    /// The folder, to be read again.
    let files: FollowedFiles<ThemeFiles>

    /// Watches the folder at `path`.
    /// - Throws: `ThemeError`.
    init(path: String, logger: Logger) throws(ThemeError) {
        let current = ThemeFiles(folder: path)
        let theme = Reloadable(try current.theme())
        self.theme = theme
        files = FollowedFiles(
            path, setting: "pages-theme", current: current,
            log: .init(
                logger, reloaded: ("web.theme.reloaded", "theme reloaded"),
                failed: (
                    "web.theme.reload.failed",
                    "reloading the theme failed; the previous one stays in force"
                )),
            read: { ThemeFiles(folder: path) },
            use: { files in
                do throws(ThemeError) {
                    theme.replace(try files.theme())
                    return []
                } catch {
                    return error.problems
                }
            })
    }
}
