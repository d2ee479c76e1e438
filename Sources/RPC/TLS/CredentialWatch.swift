import CoreMetrics
package import Logging
package import ServiceRuntime
import Synchronization

/// Something that was read from files and is read again when they change.
package struct WatchedCredential: Sendable {
    /// What it is; also a label of its metrics.
    package enum Kind: String, Sendable {
        /// A server's certificate, with the roots of its callers.
        case serverCertificate = "server-certificate"
        /// A client's certificate, with the roots of its servers.
        case clientCertificate = "client-certificate"
        /// Who may call, with their keys.
        case callers
        /// The key that a program proves itself with.
        case ownKey = "own-key"
    }

    let kind: Kind
    /// The state of its files, and of what else decides which are read.
    let look: @Sendable () -> CredentialState
    /// The state before the first reading.
    let seen: CredentialState
    let reload: @Sendable () throws -> Void
    let expiresAt: @Sendable () -> Timestamp?

    /// Reads a value for the first time, and follows it from then on.
    /// - Parameters:
    ///   - paths: files, or folders for all files in them.
    ///   - choice: what else decides what is read.
    ///   - expiresAt: when a value ends.
    ///   - use: puts each later value into force, once it has been read and checked.
    ///   - read: reads and checks the files.
    /// - Throws: what `read` throws the first time.
    package static func following<Value: Sendable>(
        _ kind: Kind, paths: [String], choice: @escaping @Sendable () -> String = { "" },
        expiresAt: @escaping @Sendable (Value) -> Timestamp? = { _ in nil },
        use: @escaping @Sendable (Value) -> Void = { _ in },
        read: @escaping @Sendable () throws -> Value
    ) throws -> (value: Live<Value>, watched: WatchedCredential) {
        let look: @Sendable () -> CredentialState = {
            CredentialState(files: FileFingerprint(of: paths), choice: choice())
        }
        // Looked at before the files are read, so that no change slips between.
        let seen = look()
        let live = Live(try read())
        let watched = WatchedCredential(
            kind: kind, look: look, seen: seen,
            reload: {
                let value = try read()
                live.replace(value)
                use(value)
            }, expiresAt: { expiresAt(live.value) })
        return (live, watched)
    }
}

/// What is compared to find out whether a credential must be read again.
struct CredentialState: Hashable {
    let files: FileFingerprint
    let choice: String
}

/// Looks at credentials' files every few seconds and has those that changed read again. What cannot
/// be used leaves what is in force as it was, is told in the log once and in the metrics each time,
/// and is tried again at each look: two files are never changed in one moment, and a certificate
/// may not be valid yet.
package final class CredentialWatch: Sendable {
    private struct Progress {
        var seen: CredentialState
        var complaint: String?
    }

    private let credentials: [WatchedCredential]
    private let condition: PartCondition
    private let progress: Mutex<[Progress]>
    private let interval: Duration
    private let time: any Time
    private let logger: Logger

    /// A watch over `credentials`, looking every `interval`.
    package init(
        _ credentials: [WatchedCredential], every interval: Duration, time: any Time,
        logger: Logger
    ) {
        self.credentials = credentials
        condition = PartCondition(time: time)
        self.interval = interval
        self.time = time
        self.logger = logger
        progress = Mutex(credentials.map { Progress(seen: $0.seen) })
    }

    /// A credential that has changed and cannot be used; nil where there is none.
    package var trouble: PartTrouble? { condition.trouble }

    /// Looks until cancelled.
    package func run() async throws {
        while true {
            look()
            try await time.sleep(for: interval)
        }
    }

    /// Looks once.
    package func look() {
        progress.withLock { progress in
            for index in credentials.indices { look(credentials[index], &progress[index]) }
        }
    }

    private func look(_ credential: WatchedCredential, _ progress: inout Progress) {
        let now = credential.look()
        if now != progress.seen || progress.complaint != nil {
            progress.seen = now
            progress.complaint = reload(credential, before: progress.complaint)
        }
        guard let end = credential.expiresAt() else { return }
        Gauge(
            label: "rpc_certificate_left_seconds", dimensions: [("what", credential.kind.rawValue)]
        ).record(end.seconds - time.now().seconds)
    }

    /// - Returns: what is wrong, if something is.
    private func reload(_ credential: WatchedCredential, before: String?) -> String? {
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
}
