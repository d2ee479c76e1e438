import Cryptography
import Glibc
import ServiceRuntime
import WebService

/// The file of the apps that may call the web service (setting `apps-file`), with one app for
/// development: pages of local development servers, and `curl`. The operator edits it, and the web
/// service reads it again when it changes.
struct AppsFile {
    /// Where development servers listen by default: Next.js and Rails, Angular, Vite, webpack.
    private static let origins = [3000, 4200, 5173, 8080].flatMap { port in
        ["http://localhost:\(port)", "http://127.0.0.1:\(port)"]
    }

    /// The name of the app for development.
    private static let app = "development"

    let path: String

    /// Creates the file if it does not exist.
    func prepare() throws {
        guard access(path, F_OK) != 0 else { return }
        try TextFile.replace(
            path,
            with: """
                # The apps that may call the web service, by the key that they send in x-postern-app.
                # A key is no secret. This app is for development on this machine; give each app that
                # you publish a name, a key and origins of its own.
                \(Self.app):
                  platforms: [cli, web]
                  key: pk_\(Hex.encode(SecureRandomness().bytes(16)))
                  origins: [\(Self.origins.joined(separator: ", "))]

                """)
    }

    /// Whether the operator gives the web service another file.
    static var isReplaced: Bool { EnvironmentVariable.setting("apps-file", of: "web") != nil }

    /// The key of the app for development; nil if the operator has removed or replaced that app.
    var developmentKey: String? {
        guard !Self.isReplaced else { return nil }
        return SettingsDocument<Apps>(path: path).values?.all.first { $0.name == Self.app }?.key
    }
}
