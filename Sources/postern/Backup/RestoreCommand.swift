import AccountLife
import ArgumentParser
import Glibc

/// `postern restore`: fills an empty data folder from a backup, or from files copied by hand.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Fills an empty data folder from a backup, or from files copied by hand.",
        discussion: """
            Stop the services first. Nothing is replaced: a folder that has a store is refused. \
            Everything is checked before the first file is placed, and a service does not start \
            on a half of a restore; run the same command again after an interruption.

            The first start on a restored store ends what may have ended since the backup: all \
            sessions, unused links and codes, queued messages. The command says how many.

              postern restore --from FILE --identity backup-key.txt --data .postern/data \
            --keys .postern/keys

            Files copied by hand are taken as well: --from FOLDER. Commits may be missing in \
            them, and `postern backup` is the way to have none missing.
            """)

    @Option(
        help: ArgumentHelp(
            "The backup's file, or a folder with files copied by hand.", valueName: "path"))
    var from: String

    @Option(
        help: ArgumentHelp(
            "The folder for the stores. `postern up --data X` has them in X/data.",
            valueName: "folder"))
    var data: String

    @OptionGroup var identity: IdentityOptions

    @Option(
        help: ArgumentHelp(
            """
            The folder of master keys: they are tried, and those of a backup that has keys are \
            put there.
            """, valueName: "folder"))
    var keys: String?

    @Option(
        help: ArgumentHelp(
            "Only this service's store. In compose each has a volume of its own.",
            valueName: "service"))
    var only: StoredService?

    @OptionGroup var output: OutputOption

    func validate() throws {
        // As a shell passes a variable that is not set.
        guard !from.isEmpty else { throw ValidationError("--from is empty") }
        guard !data.isEmpty else { throw ValidationError("--data is empty") }
    }

    func run() async throws {
        try await Interruption.cancels(on: [SIGINT, SIGTERM, SIGHUP]) { try restore() }
    }

    func restore() throws {
        guard !Folder(path: data).has("up.lock") else {
            throw ToolError(
                "\(data) is the folder of a `postern up`, which has its stores in \(data)/data: "
                    + "name that one with --data")
        }
        let services = only.map { [$0] } ?? StoredService.all
        let source = try RestoreSource(from, identity: identity.identity)
        let target = try RestoreFolder(data, for: services)
        do {
            let restored = try source.write(services, to: target.draft)
            let checks = try services.map {
                try StoreCheck(
                    of: $0, in: target.draft, keys: restored.keys?.path ?? keys,
                    marks: source.isCopiedByHand)
            }
            try requireKeys(checks)
            try placeKeys(of: restored)
            try target.place(try target.draft.names().filter { $0 != BackupKeys.folderName })
            try show(checks, restored)
        } catch {
            try target.discard()
            // The names of tables in a damaged store are printed too.
            throw ToolError(error is CancellationError ? "nothing was restored" : "\(error)")
        }
    }

    /// What to say about a restore of one store. The others know what happened since: sessions of
    /// accounts that it does not have, or has with an older password. Of session and notification
    /// it brings back data of accounts that were deleted since; identity has no such account, so
    /// that no tombstone deletes it.
    var onlyAdvice: String? {
        guard let only else { return nil }
        let others = StoredService.all.map { $0.name }.filter { $0 != only.name }
        let orphans =
            ["session", "notification"].contains(only.name)
            ? "; it has data of accounts that were deleted since the backup: an hour after the start "
                + "`postern accounts orphans` lists them, and `orphans repair` deletes it" : ""
        return
            "only \(only.name) was restored: its store fits those of \(others.joined(separator: ", ")) "
            + "only if they are restored from the same backup\(orphans)"
    }

    /// What to say about a restore of identity into a folder without tombstones: the backup has the
    /// accounts that were deleted after it. Nil if the folder has them.
    var tombstonesAdvice: String? {
        let restoresIdentity = only.map { $0.name == "identity" } ?? true
        guard restoresIdentity, !Folder(path: data).has(Tombstones.folderName) else { return nil }
        return
            "\(data) has no \(Tombstones.folderName): accounts that were deleted since the backup come "
            + "back, unless the setting `tombstones` names another folder"
    }

    /// A start with another key fails, so nothing is placed then.
    private func requireKeys(_ checks: [StoreCheck]) throws {
        for check in checks where check.key.isWrong {
            throw ToolError(
                "\(check.key.text), and the store of \(check.service.name) needs the one with the "
                    + "id \(check.keyID ?? "unknown"): put it there, or leave out --keys to restore "
                    + "the store without it")
        }
    }

    private func placeKeys(of restored: RestoredFiles) throws {
        guard let found = restored.keys, let keys else { return }
        try BackupKeys.place(from: found, in: Folder(path: keys))
    }

    private func show(_ checks: [StoreCheck], _ restored: RestoredFiles) throws {
        try output.show(checks.map(\.row))
        guard !output.isJSON else { return }
        Screen.error(restored.origin)
        if keys == nil {
            Screen.error(
                restored.keys == nil
                    ? "no --keys: the services start only with the master keys named above"
                    : "the backup's master keys were not restored, since no --keys names a folder")
        }
        if let tombstonesAdvice { Screen.error(tombstonesAdvice) }
        Screen.error(onlyAdvice ?? "restored into \(data); the services can be started")
    }
}
