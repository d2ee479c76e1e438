package import Logging
import ServiceRuntime
import Synchronization

/// Follows the operator's file: what is in it holds a few seconds later, without a restart
/// and without forgetting what was counted. A file with mistakes changes nothing, and is told in the
/// log with all of them.
///
/// It is read whole each time: it is small, and times and sizes of files can lie. A change is taken
/// when two reads in a row agree: a file that is being written can end where its beginning alone
/// makes sense, and would lift the limits in its other half.
package final class LimitsFile: Sendable {
    /// An operator who has saved it watches for it to hold.
    static let interval = Duration.seconds(2)

    private let path: String
    private let policies: PoliciesInForce
    /// A change that has been read once.
    private let pending = Mutex<LimitPolicies?>(nil)
    private let complaint = Mutex<[String]>([])
    private let logger: Logger

    /// Follows the file at `path`, which has been read into `policies`.
    package init(path: String, into policies: PoliciesInForce, logger: Logger) {
        self.path = path
        self.policies = policies
        self.logger = logger
    }

    /// Reads the file once; what it says holds after the second time.
    package func look() {
        let document = SettingsDocument<LimitOverrides>(path: path)
        let read = document.values?.policies
        let isConfirmed = pending.withLock { pending in
            defer { pending = read }
            return pending == read
        }
        guard let read else { return complain(document.mistakes) }
        complaint.withLock { $0 = [] }
        guard isConfirmed, read != policies.value else { return }
        policies.replace(read)
        logger.info("limits.file.reloaded", "limits file reloaded", fields: [.file: .text(path)])
    }

    /// Once for each state of the file.
    private func complain(_ mistakes: [String]) {
        let isNew = complaint.withLock { complaint in
            defer { complaint = mistakes }
            return complaint != mistakes
        }
        guard isNew else { return }
        logger.error(
            "limits.file.reload.failed",
            "reloading the limits file failed; the previous limits stay in force",
            fields: [
                .file: .text(path), .count: .count(mistakes.count),
                .detail: .text(mistakes.joined(separator: "; ")),
            ])
    }
}
