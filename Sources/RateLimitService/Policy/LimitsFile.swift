import Contracts
package import Logging
import ServiceRuntime
import Synchronization

/// Watches the operator's limits file. A change takes effect a few seconds later, without a
/// restart, and the counts stay. A file with errors changes nothing, and the log lists all of them.
///
/// The whole file is read each time: it is small, and modification times and sizes can be wrong. A
/// change takes effect when two reads in a row agree. A file that is still being written may be
/// valid although its second half is missing, which would lift the limits in that half.
package final class LimitsFile: Sendable {
    /// How often the file is read. An operator who has saved it waits for the change.
    static let interval = Duration.seconds(2)

    private let path: String
    private let policies: CurrentPolicies
    /// A change that has been read once.
    private let pending = Mutex<LimitPolicies?>(nil)
    private let loggedErrors = Mutex<[String]>([])
    private let logger: Logger

    /// Watches the file at `path`, whose current content is in `policies`.
    package init(path: String, into policies: CurrentPolicies, logger: Logger) {
        self.path = path
        self.policies = policies
        self.logger = logger
    }

    /// Reads the file once; a change takes effect after the second read.
    package func look() {
        let document = SettingsDocument<LimitOverrides>(path: path)
        let read = document.values?.policies
        let isConfirmed = pending.withLock { pending in
            defer { pending = read }
            return pending == read
        }
        guard let read else { return logOnce(document.problems) }
        loggedErrors.withLock { $0 = [] }
        guard isConfirmed, read != policies.value else { return }
        policies.replace(read)
        logger.info("limits.file.reloaded", "limits file reloaded", fields: [.file: .text(path)])
    }

    /// Logged once for each content of the file.
    private func logOnce(_ errors: [String]) {
        let isNew = loggedErrors.withLock { logged in
            defer { logged = errors }
            return logged != errors
        }
        guard isNew else { return }
        logger.error(
            "limits.file.reload.failed",
            "reloading the limits file failed; the previous limits stay in force",
            fields: [
                .file: .text(path), .count: .count(errors.count),
                .detail: .text(errors.joined(separator: "; ")),
            ])
    }
}
