import CoreMetrics
package import Logging
import RPC
package import ServiceRuntime

/// Watches the operator's apps file. A change takes effect a few seconds later, without a restart.
/// A file with mistakes changes nothing: the previous apps stay in force, the log lists all
/// mistakes once, and `web_apps_file_rejected` counts them.
package struct AppsFile: Sendable {
    /// The apps in force.
    package let apps: Reloadable<Apps>

    private let path: String
    private let files: FollowedFiles<SettingsDocument<Apps>>
    private let rejections = Counter(label: "web_apps_file_rejected")
    private let logger: Logger

    /// Watches the file at `path`.
    /// - Parameters:
    ///   - current: The file as it was read for the settings.
    ///   - publicMethods: The methods that apps may call at all.
    /// - Throws: `AppsFileError` when an app's methods allow none of them.
    package init(
        path: String, current: SettingsDocument<Apps>, publicMethods: Set<String>, logger: Logger
    ) throws(AppsFileError) {
        let problems = (current.values ?? .none).problems(publicMethods: publicMethods)
        guard problems.isEmpty else { throw AppsFileError(path: path, problems: problems) }
        let apps = Reloadable(current.values ?? .none)
        self.apps = apps
        self.path = path
        self.logger = logger
        files = FollowedFiles(
            current: current, read: { SettingsDocument(path: path) },
            use: { document in
                guard let values = document.values else { return document.problems }
                let problems = values.problems(publicMethods: publicMethods)
                if problems.isEmpty { apps.replace(values) }
                return problems
            })
    }

    /// Runs until cancelled.
    package func run(_ time: any Time) async { await files.run(time, look) }

    /// Reads the file once. A change takes effect when two readings in a row are equal.
    package func look() {
        switch files.look() {
        case .unchanged: return
        case .used:
            logger.info("web.apps.reloaded", "apps file reloaded", fields: [.file: .text(path)])
        case .refused(let problems):
            rejections.increment()
            logger.error(
                "web.apps.reload.failed",
                "reloading the apps file failed; the previous apps stay in force",
                fields: [
                    .file: .text(path), .count: .count(problems.count),
                    .detail: .text(problems.joined(separator: "; ")),
                ])
        }
    }
}

/// The apps file cannot be used.
package struct AppsFileError: Error, Equatable, CustomStringConvertible {
    /// The file's path.
    package let path: String
    /// What is wrong in it, as sentences.
    package let problems: [String]

    /// All mistakes.
    package var description: String { "\(path): " + problems.joined(separator: "; ") }
}
