import CoreMetrics
package import Logging
import RPC
package import ServiceRuntime

/// Watches the operator's apps file. `web_apps_file_rejected` counts changes with mistakes.
package struct AppsFile: Sendable {
    /// The apps in force.
    package let apps: Reloadable<Apps>
    /// The file, to be read again.
    let files: FollowedFiles<SettingsDocument<Apps>>

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
        let rejections = Counter(label: "web_apps_file_rejected")
        self.apps = apps
        files = FollowedFiles(
            path, setting: "apps-file", current: current,
            log: .init(
                logger, reloaded: ("web.apps.reloaded", "apps file reloaded"),
                failed: (
                    "web.apps.reload.failed",
                    "reloading the apps file failed; the previous apps stay in force"
                )),
            read: { SettingsDocument(path: path) },
            use: { document in
                let problems =
                    document.values?.problems(publicMethods: publicMethods) ?? document.problems
                if problems.isEmpty, let values = document.values {
                    apps.replace(values)
                } else {
                    rejections.increment()
                }
                return problems
            })
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
