import Glibc
import Logging
package import ServiceRuntime

/// The operator's theme, a folder:
///
///     theme.css    :root { --accent: #0b5cad; --accent-dark: #8ab8f0; … }   required
///     theme.yaml   name: Shop, imprint-url, privacy-url
///     logo.svg     or logo.png
package struct ThemeFiles: Equatable, Sendable {
    private static let cssBytesMax = 16 * 1024
    private static let logoBytesMax = 256 * 1024

    private let css: [UInt8]?
    private let links: SettingsDocument<ThemeLinks>?
    private let logo: Theme.Logo?
    /// Files that are there and cannot be read.
    private let unreadable: [String]

    /// Reads the folder at `path`.
    package init(folder path: String) {
        var unreadable: [String] = []
        func bytes(_ name: String, max: Int) -> [UInt8]? {
            switch FileText.read("\(path)/\(name)", bytesMax: max) {
            case .success(let bytes): return bytes
            case .failure(let failure):
                // One that is not there is no mistake; theme.css is checked below.
                if access("\(path)/\(name)", F_OK) == 0 {
                    unreadable.append("\(name): \(failure.sentence)")
                }
                return nil
            }
        }
        css = bytes("theme.css", max: Self.cssBytesMax)
        links = bytes("theme.yaml", max: Self.cssBytesMax).map { _ in
            SettingsDocument(path: "\(path)/theme.yaml")
        }
        logo =
            bytes("logo.svg", max: Self.logoBytesMax).map {
                Theme.Logo(bytes: $0, mediaType: "image/svg+xml")
            }
            ?? bytes("logo.png", max: Self.logoBytesMax).map {
                Theme.Logo(bytes: $0, mediaType: "image/png")
            }
        self.unreadable = unreadable
    }

    /// The theme.
    /// - Throws: `ThemeError` with all problems.
    package func theme() throws(ThemeError) -> Theme {
        var problems = unreadable
        var theme = Theme.standard
        do throws(ThemeError) {
            theme = try Theme(variables: Self.variables(css, &problems))
        } catch {
            problems += error.problems.map { "theme.css: \($0)" }
        }
        problems += (links?.problems ?? []).map { "theme.yaml: \($0)" }
        let settings = links?.values
        // A picture without a text would be nothing to a screen reader (WCAG 2.2, 1.1.1).
        if logo != nil, settings?.name.isEmpty ?? true {
            problems.append("theme.yaml: a logo needs the app's name beside it, name: …")
        }
        guard problems.isEmpty else { throw ThemeError(problems: problems) }
        theme.name = settings?.name ?? ""
        theme.imprintURL = settings?.imprintURL ?? ""
        theme.privacyURL = settings?.privacyURL ?? ""
        theme.logo = logo
        return theme
    }

    /// The variables of `:root { --name: value; … }`, and nothing else.
    static func variables(_ css: [UInt8]?, _ problems: inout [String]) -> [String: String] {
        guard let css, let text = String(validating: css, as: UTF8.self) else {
            problems.append("theme.css: it is missing or not UTF-8")
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

    /// Reads the file.
    package init(reading settings: inout SettingsReader) {
        name =
            settings.optionalString(
                "name", unit: "text", reason: "The app's name, at the top of each page.") ?? ""
        imprintURL = Self.url("imprint-url", &settings)
        privacyURL = Self.url("privacy-url", &settings)
    }

    private static func url(_ name: String, _ settings: inout SettingsReader) -> String {
        settings.parsed(
            name, expected: "an https URL such as https://shop.example.org/\(name)", unit: "URL",
            reason: "A link at the end of each page.",
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
