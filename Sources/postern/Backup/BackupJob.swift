import Contracts
import Glibc
import Messages
import RPC
import ServiceRuntime

/// Makes backups of the running services: what `postern backup` does with its options.
struct BackupJob: Sendable {
    /// The nice value of the tool while it reads the stores, as that of the threads that copy them.
    private static let niceness: Int32 = 10

    /// The file with the addresses of the services.
    let endpoints: String
    let target: BackupTarget
    /// The public halves of the keys that open the backups.
    let recipients: [String]
    let age: AgeProgram
    /// The folder of the master keys that the backup contains; nil for none.
    let keysFolder: String?
    /// How many backups remain in the folder.
    let keep: Int
    let time: any Time

    /// Makes one backup. It is complete and on disk on return.
    /// - Throws: `ServiceFailure`, `ToolError`, `SecretFileError`, `CancellationError`. Then there
    ///   is no new file.
    func make() async throws -> BackupSummary {
        let began = time.uptime()
        let endpoints = try Endpoints(endpoints)
        let callers = try BackupEntry.services.map {
            ($0, try Caller(endpoints, service: $0.name))
        }
        defer { for (_, caller) in callers { caller.client.close() } }
        // Connects before the hold, most of which that would take.
        for (service, caller) in callers {
            _ = try await service.calling { try await caller.health() }
        }
        let sources = callers.map { service, caller in
            StoreSource(service: service, backup: BackupClient(caller.client)) {
                caller.client.context(timeout: $0)
            }
        }
        let name = BackupName(at: time.now())
        let file = try BackupFile(target.path(name), for: recipients, by: age)
        do {
            let hold = try await StoreHold.begin(sources, time: time)
            // Not before: the hold needs quick answers.
            lowerPriority(ofProcesses: ["self", "\(file.encryptingProcess)"])
            let manifest = try await write(hold, to: file)
            try file.finish()
            await Self.record(file.byteCount, at: sources)
            removeOutdated(after: name)
            return BackupSummary(
                file: file.path, byteCount: file.byteCount, duration: time.uptime() - began,
                hold: hold.hold, tries: hold.tries, manifest: manifest)
        } catch {
            file.discard()
            try Task.checkCancellation()
            throw error
        }
    }

    /// Services on the same machine go before the encryption.
    private func lowerPriority(ofProcesses processes: [String]) {
        for process in processes {
            // Without `/proc` the backup works too.
            for thread in (try? Folder(path: "/proc/\(process)/task").names()) ?? [] {
                guard let id = id_t(thread) else { continue }
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id, Self.niceness)
            }
        }
    }

    /// Makes a backup when the newest of the folder is older than the interval, again and again. A
    /// failure is printed, and is tried again.
    /// - Parameter show: prints the result of each.
    /// - Throws: `CancellationError`; what `show` throws.
    func repeated(every interval: Duration, show: (BackupSummary) throws -> Void) async throws {
        while true {
            let summary: BackupSummary
            do {
                let now = time.now()
                let wait = BackupSchedule.wait(
                    after: try target.names(), every: interval, now: now)
                if wait > .zero {
                    Screen.error("the next backup is made at \((now + wait).text)")
                    try await time.sleep(for: wait)
                }
                summary = try await make()
            } catch {
                try Task.checkCancellation()
                let pause = BackupSchedule.pauseAfterFailure
                (lines(about: error) + ["next try in \(DurationText.write(pause))"])
                    .forEach(Screen.error)
                try await time.sleep(for: pause)
                continue
            }
            try show(summary)
        }
    }

    /// What to print about an error.
    func lines(about error: any Error) -> [String] {
        guard let failure = error as? ServiceFailure else { return ["Error: \(error)"] }
        // An unreadable file has no addresses, and is an error of its own.
        let address = (try? Endpoints(endpoints))?.address(of: failure.service)?.description ?? ""
        let lines = CallFailure(error: failure.error, service: failure.service, address: address)
            .lines
        switch failure.error.code {
        case .resourceExhausted where failure.isOtherCopy:
            return lines + ["  another backup is copying it: try again when that has ended"]
        case .unknownMethod:
            return lines + [
                "  if its store is on a PostgreSQL server, that one is backed up: with pg_dump or "
                    + "base backups, and after a restore `postern store restored`"
            ]
        case .unavailable where failure.error.unavailablePart.hasSuffix("store"):
            return lines + [
                "  its disk fails or has no space for a copy of its store: its log has the reason"
            ]
        default: return lines
        }
    }

    private func write(_ hold: StoreHold, to file: BackupFile) async throws -> BackupManifest {
        var progress = ProgressLine(every: .seconds(1), time: time)
        defer { ProgressLine.onTerminal("") }
        let contents = BackupContents(
            hold: hold, keysFolder: keysFolder, version: ProductVersion.text)
        return try await contents.write(to: file.write) { entry, done, total in
            progress.update { _ in
                "\(entry.name): \(BackupSummary.size(done)) of \(BackupSummary.size(total))"
            }
        }
    }

    /// Records the backup at each service, in its audit trail and metrics. One that fails does not
    /// make the backup worse, so it is only printed.
    private static func record(_ byteCount: Int64, at sources: [StoreSource]) async {
        for source in sources {
            do {
                _ = try await source.backup.recordBackup(
                    .init(bytes: byteCount), source.context(Caller.timeout))
            } catch {
                Screen.error(
                    "\(source.service.name) did not record the backup, which is complete: \(error)")
            }
        }
    }

    private func removeOutdated(after made: BackupName) {
        guard case .folder(let path) = target else { return }
        let folder = Folder(path: path)
        do {
            let names = try folder.names()
            for name in BackupSchedule.outdated(in: names, keeping: keep, after: made) {
                guard folder.holder(ofLock: name) == nil else { continue }  // it is being written
                try folder.remove(name)
            }
        } catch {
            Screen.error("older backups could not be removed: \(error)")
        }
    }
}

extension BackupTarget {
    /// All files of the folder.
    fileprivate func names() throws -> [String] {
        guard case .folder(let path) = self else { return [] }
        return try Folder(path: path).names()
    }
}
