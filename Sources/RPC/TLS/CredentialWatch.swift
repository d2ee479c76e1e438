import CoreMetrics
import Glibc
package import Logging
package import ServiceRuntime
import Synchronization

/// Polls the files of credentials and reloads those that changed. When a reload fails, the previous
/// credential stays in use. The failure is logged once and counted at each attempt. It is retried
/// at each poll, because two files are never replaced at the same instant and a certificate may not
/// be valid yet.
package final class CredentialWatch: Sendable {
    private struct Progress {
        var seen: State
        var complaint: String?
        /// When the log last had a warning that it expires.
        var warnedAt: Timestamp?
    }

    private let credentials: [Credential]
    private let condition: PartCondition
    private let progress: Mutex<[Progress]>
    private let interval: Duration
    private let time: any Time
    private let logger: Logger

    /// A watch over `credentials` that polls every `interval`.
    package init(
        _ credentials: [Credential], every interval: Duration, time: any Time,
        logger: Logger
    ) {
        self.credentials = credentials
        condition = PartCondition(time: time)
        self.interval = interval
        self.time = time
        self.logger = logger
        progress = Mutex(credentials.map { Progress(seen: $0.seen) })
    }

    /// A changed credential whose reload failed; nil if there is none.
    package var failure: PartCondition.Failure? { condition.failure }

    /// Polls until cancelled.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func run() async throws {
        while true {
            look()
            try await time.sleep(for: interval)
        }
    }

    /// Polls once.
    package func look() {
        progress.withLock { progress in
            for index in credentials.indices { look(credentials[index], &progress[index]) }
        }
    }

    private func look(_ credential: Credential, _ progress: inout Progress) {
        let now = credential.look()
        if now != progress.seen || progress.complaint != nil {
            progress.seen = now
            progress.complaint = reload(credential, before: progress.complaint)
        }
        guard let end = credential.expiresAt() else { return }
        let moment = time.now()
        Gauge(
            label: "rpc_certificate_left_seconds", dimensions: [("what", credential.kind.rawValue)]
        ).record(end.seconds - moment.seconds)
        warn(of: credential, left: end - moment, at: moment, &progress)
    }

    /// From this time before the end of a certificate on, the log has a warning a day: for those
    /// who have no alert on the metric.
    private static let warnBefore: Duration = .seconds(14 * 86_400)
    private static let warnEvery: Duration = .seconds(86_400)

    private func warn(
        of credential: Credential, left: Duration, at now: Timestamp, _ progress: inout Progress
    ) {
        guard left < Self.warnBefore else {
            progress.warnedAt = nil
            return
        }
        if let warnedAt = progress.warnedAt, now - warnedAt < Self.warnEvery { return }
        progress.warnedAt = now
        logger.warning(
            "tls.certificate.expires", "a certificate expires within two weeks, or has expired",
            fields: [.part: .text(credential.kind.rawValue), .milliseconds: .milliseconds(left)])
    }

    /// - Returns: the error text if the reload failed, else nil.
    private func reload(_ credential: Credential, before: String?) -> String? {
        let kind = credential.kind.rawValue
        do {
            try credential.reload()
            count(kind, "ok")
            condition.work(kind)
            logger.info(
                "tls.credentials.reloaded", "credentials reloaded", fields: [.part: .text(kind)])
            return nil
        } catch {
            let complaint = String(describing: error)
            count(kind, "refused")
            condition.fail(kind, "the changed \(kind) cannot be used")
            if complaint != before {
                logger.error(
                    "tls.credentials.reload.failed",
                    "reloading credentials failed; the previous ones stay in force",
                    fields: [.part: .text(kind), .detail: .text(complaint)])
            }
            return complaint
        }
    }

    private func count(_ kind: String, _ outcome: String) {
        Counter(
            label: "rpc_credential_reloads_total",
            dimensions: [("what", kind), ("outcome", outcome)]
        ).increment()
    }

    /// A credential that is read from files and reloaded when they change.
    package struct Credential: Sendable {
        /// The kind of credential; also a label of its metrics.
        package enum Kind: String, Sendable {
            /// A server's certificate, with the root certificates for its callers.
            case serverCertificate = "server-certificate"
            /// A client's certificate, with the root certificates for its servers.
            case clientCertificate = "client-certificate"
            /// The applications that may call, with their keys.
            case callers
            /// The key with which a program authenticates itself.
            case ownKey = "own-key"
            /// The keys of applications whose tokens a service verifies itself.
            case tokenSigners = "token-signers"
        }

        let kind: Kind
        /// Returns the current state of the files, and of anything else that decides which files
        /// are read.
        let look: @Sendable () -> State
        /// The state before the first read.
        let seen: State
        let reload: @Sendable () throws -> Void
        let expiresAt: @Sendable () -> Timestamp?

        /// Reads a value for the first time and prepares it for reloading.
        ///
        /// A new value reaches its users in one of two ways. Clients and verifiers of tokens read
        /// the returned `Reloadable` each time that they need it. A server gets it through `use`,
        /// since it applies new callers to its existing connections too.
        /// - Parameters:
        ///   - paths: files, or folders for all files in them.
        ///   - choice: any other input that decides which files are read.
        ///   - expiresAt: when a value expires.
        ///   - use: called with each reloaded value after it has been read and checked.
        ///   - read: reads and checks the files.
        /// - Throws: the error of the first call of `read`.
        package static func following<Value: Sendable>(
            _ kind: Kind, paths: [String], choice: @escaping @Sendable () -> String = { "" },
            expiresAt: @escaping @Sendable (Value) -> Timestamp? = { _ in nil },
            use: @escaping @Sendable (Value) -> Void = { _ in },
            read: @escaping @Sendable () throws -> Value
        ) throws -> (value: Reloadable<Value>, watched: Credential) {
            let look: @Sendable () -> State = {
                State(files: FileFingerprint(of: paths), choice: choice())
            }
            // Taken before the files are read, so that no change between the two is missed.
            let seen = look()
            let live = Reloadable(try read())
            let watched = Credential(
                kind: kind, look: look, seen: seen,
                reload: {
                    let value = try read()
                    live.replace(value)
                    use(value)
                }, expiresAt: { expiresAt(live.value) })
            return (live, watched)
        }
    }

    /// The state that is compared to decide whether a credential must be reloaded.
    struct State: Hashable {
        let files: FileFingerprint
        let choice: String
    }

    /// Detects that files have changed without reading them, by inode, size and timestamps. A
    /// folder covers the files in it. Symbolic links are followed, because secret stores replace
    /// the link.
    struct FileFingerprint: Hashable {
        private struct Entry: Hashable {
            let path: String
            let stamp: FileStamp

            /// Nil if there is no such file.
            init?(_ path: String) {
                guard let stamp = FileStamp(at: path) else { return nil }
                (self.path, self.stamp) = (path, stamp)
            }
        }

        private let entries: [Entry]

        init(of paths: [String]) {
            entries = paths.flatMap(Self.entries)
        }

        /// A file; or a folder with all files in it, not those of its subfolders. There is no limit
        /// on their number: a change to a file beyond it would never be used.
        private static func entries(_ path: String) -> [Entry] {
            guard let own = Entry(path) else { return [] }
            guard own.stamp.isFolder else { return [own] }
            // `try?`: a folder that cannot be listed contributes no files; the code that reads it
            // reports the error.
            let names = (try? entryNames(inFolder: path)) ?? []
            let files = names.filter { !$0.hasPrefix(".") }.compactMap { Entry("\(path)/\($0)") }
            return [own] + files.filter { $0.stamp.isRegular }
        }
    }
}
