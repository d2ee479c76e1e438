import Logging
import ServiceRuntime

/// The operator's limits file, to be read again while the program runs. The counts stay.
typealias LimitsFile = FollowedFiles<SettingsDocument<LimitOverrides>>

extension LimitsFile {
    /// Watches the file at `path`.
    /// - Parameters:
    ///   - current: The file as it was read for the settings.
    ///   - policies: The policies in force.
    convenience init(
        path: String, current: SettingsDocument<LimitOverrides>, into policies: CurrentPolicies,
        logger: Logger
    ) {
        self.init(
            path, setting: "limits-file", current: current,
            log: .init(
                logger, reloaded: ("limits.file.reloaded", "limits file reloaded"),
                failed: (
                    "limits.file.reload.failed",
                    "reloading the limits file failed; the previous limits stay in force"
                )),
            read: { SettingsDocument(path: path) },
            use: { document in
                if let read = document.values?.policies { policies.replace(read) }
                return document.problems
            })
    }
}
