import ArgumentParser
import Glibc

/// `postern backup verify FILE`: reads a backup to its last byte, as a restore would.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads a whole backup as a restore would, and says what it contains.",
        discussion: """
            The backup is decrypted into a folder beside it that only you can read, its files are \
            compared with its manifest, and every page of each store is read. The folder is \
            removed at the end; only after a kill -9 or a second Ctrl-C, FILE.verify-… remains \
            and has to be removed. Exits with 1 if anything is wrong.
            """)

    @Argument(help: "The backup's file.")
    var file: String

    @OptionGroup var identity: IdentityOptions

    @Option(
        help: ArgumentHelp(
            "A folder of master keys: says of each store whether its key is there.",
            valueName: "folder"))
    var keys: String?

    @Option(
        help: ArgumentHelp(
            """
            The folder in which to decrypt, with space for the whole backup. Default: the folder \
            of the file.
            """, valueName: "folder"))
    var temporary: String?

    @OptionGroup var output: OutputOption

    func run() async throws {
        do {
            try await Interruption.cancels(on: [SIGINT, SIGTERM, SIGHUP]) {
                guard try verify() else { throw ExitCode(1) }
            }
        } catch is CancellationError {
            throw ToolError("stopped: the backup was not read to its end")
        }
    }

    /// - Returns: whether all is well.
    func verify() throws -> Bool {
        let backup = try BackupReader(file, identity: identity.identity, by: .installed)
        let folder = try decryptionFolder()
        defer { removeOrSay(folder) }
        let restored = try backup.extract(StoredService.all, into: folder)
        var rows: [Row] = []
        var isWell = true
        for service in StoredService.all {
            try Task.checkCancellation()
            do {
                let check = try StoreCheck(
                    of: service, in: folder, keys: keys ?? restored.keys?.path)
                rows.append(check.row)
                isWell = isWell && !check.key.isWrong
            } catch {
                rows.append(
                    Row([
                        .init("service", service.name, phrase: service.name.padded(to: 13)),
                        .init("state", "\(error)"),
                    ]))
                isWell = false
            }
        }
        try output.show(rows)
        if !output.isJSON { Screen.error(restored.origin) }
        return isWell
    }

    private func decryptionFolder() throws -> Folder {
        let base = temporary.map { "\($0)/postern-verify" } ?? "\(file).verify"
        var template = Array("\(base)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw ToolError(
                "\(base)-XXXXXX: \(String(cString: strerror(errno))); name a folder in which to "
                    + "decrypt with --temporary")
        }
        return Folder(
            path: String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    private func removeOrSay(_ folder: Folder) {
        do {
            try folder.removeAll()
        } catch {
            Screen.error("\(folder.path) has decrypted data and could not be removed: \(error)")
        }
    }
}
