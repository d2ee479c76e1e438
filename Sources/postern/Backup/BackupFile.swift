import Glibc

/// The encrypted file of a backup, readable by its owner only. It is complete and on disk under its
/// name, or there is only a file `….partial`.
final class BackupFile {
    /// Bytes after which the file is synced. A sync of the whole file at its end would take a
    /// second, and on the same disk the services' commits would wait for it.
    private static let unsyncedMax = 4 << 20

    let path: String
    /// What was written, in bytes.
    private(set) var byteCount: Int64 = 0
    private let folder: Folder
    private let draft: OutputFile
    private let encryption: AgeProcess
    private var unsynced = 0

    /// Creates the file.
    /// - Throws: `ToolError`, also if a file with this name exists.
    init(_ path: String, for recipients: [String], by age: AgeProgram) throws {
        guard access(path, F_OK) != 0 else {
            throw ToolError(
                "\(path) exists, and a backup replaces nothing: name another file with --to")
        }
        self.path = path
        folder = Folder(path: path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
        guard access(folder.path, F_OK) == 0 else {
            throw ToolError(
                "there is no folder \(folder.path): make it, or name another with --to")
        }
        let draftPath = path + BackupName.draftSuffix
        // Never shared with another process, which would damage the backup unnoticed.
        guard access(draftPath, F_OK) != 0 else {
            throw ToolError(
                "\(draftPath) exists: another backup writes it, or was killed; remove it then")
        }
        // Before the draft, which would remain if the program is missing.
        encryption = try age.encrypting(to: recipients, named: path)
        draft = try OutputFile(draftPath, flags: O_EXCL)
        // So that another process with this folder does not take it for one of a killed run.
        draft.lock()
    }

    /// The process that encrypts, until `finish` or `discard`.
    var encryptingProcess: pid_t { encryption.id }

    /// Encrypts the next bytes, and writes what is encrypted already.
    /// - Throws: `ToolError`, `CancellationError`.
    func write(_ bytes: [UInt8]) throws { try store(encryption.write(bytes)) }

    /// Returns once the whole backup is encrypted and on disk under its name.
    /// - Throws: as `write`.
    func finish() throws {
        try store(encryption.finish())
        try draft.sync()
        guard rename(draft.path, path) == 0 else { throw ToolError.system(path, errno) }
        try folder.sync()
    }

    /// Ends the encryption and removes what was written, after an error.
    func discard() {
        encryption.stop()
        // One that cannot be removed is removed after a later backup.
        unlink(draft.path)
    }

    private func store(_ bytes: [UInt8]) throws {
        try draft.write(bytes)
        byteCount += Int64(bytes.count)
        unsynced += bytes.count
        guard unsynced >= Self.unsyncedMax else { return }
        try draft.sync()
        unsynced = 0
    }
}
