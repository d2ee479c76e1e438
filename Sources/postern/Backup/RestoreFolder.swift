import Glibc
import Storage

/// The data folder that a restore fills. No service starts on a part of a restore: a store does not
/// open while its folder has `restoring`.
///
///     restoring/ is made ── files are written there and checked ── restoring/placed names them
///        │                                                             │
///        │ anything is wrong                                           ▼
///        ▼                                              each is renamed into the folder
///     restoring/ is removed                                            │
///                                                                      ▼
///                                             restoring/ is renamed to restoring.done, and removed
///
/// A restore that was interrupted leaves `restoring`. The next one removes the files that `placed`
/// names, which are the interrupted one's own, and begins again.
final class RestoreFolder {
    /// The list of the files that are renamed into the folder, a line each.
    private static let listName = "placed"
    private static let draftName = Store.restoring
    private static let doneName = "\(Store.restoring).done"

    /// The data folder.
    let folder: Folder
    /// Where files wait until all are checked.
    let draft: Folder
    /// The name of `restoring` while it is removed.
    private let done: Folder
    private let lock: Int32
    private var isPlacing = false

    /// Makes `restoring` in the folder, and the folder if it does not exist, and removes what an
    /// interrupted restore has left.
    /// - Throws: `ToolError` for a folder that has one of the stores, or that a program uses.
    init(_ path: String, for services: [StoredService]) throws {
        folder = Folder(path: path)
        draft = folder.folder(Self.draftName)
        done = folder.folder(Self.doneName)
        try folder.make()
        lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw ToolError.system(path, errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw ToolError("another `postern restore` works in \(path): wait until it ends")
        }
        try removeInterrupted(for: services)
        try requireFree(of: services)
        guard mkdir(draft.path, 0o700) == 0 else { throw ToolError.system(draft.path, errno) }
        do {
            try folder.sync()
            // Once more: a program that started meanwhile may have looked before `restoring`
            // existed.
            try requireFree(of: services)
        } catch {
            try discard()
            throw error
        }
    }

    deinit { close(lock) }

    /// Renames the checked files into the folder and ends the restore.
    /// - Throws: `ToolError`; `restoring` remains, and the restore has to be repeated.
    func place(_ names: [String]) throws {
        let list = try OutputFile(draft.file(Self.listName), flags: O_EXCL)
        try list.write(names.map { $0 + "\n" }.joined())
        try list.sync()
        try draft.sync()
        isPlacing = true
        for name in names {
            guard rename(draft.file(name), folder.file(name)) == 0 else {
                throw ToolError.system(folder.file(name), errno)
            }
        }
        try folder.sync()
        // The master keys of a backup, which are not placed here.
        for name in try draft.names() where name != Self.listName {
            try draft.folder(name).removeAll()
        }
        // In one step: without its list, a `restoring` that remained would not show that all is
        // done.
        guard rename(draft.path, done.path) == 0 else { throw ToolError.system(draft.path, errno) }
        try folder.sync()
        try done.removeAll()
    }

    /// Removes `restoring`, after an error: the folder is as it was. Not once files are being
    /// renamed.
    func discard() throws {
        guard !isPlacing else { return }
        try draft.removeAll()
        try folder.sync()
    }

    /// - Throws: `ToolError`, also if the interrupted one has placed a store that this one does not
    ///   restore: its service would start with an empty store.
    private func removeInterrupted(for services: [StoredService]) throws {
        if folder.has(Self.doneName) { try done.removeAll() }
        guard folder.has(Self.draftName) else { return }
        if draft.has(Self.listName) {
            let list = String(
                decoding: try TextFile.read(draft.file(Self.listName)), as: UTF8.self)
            // A list that was not complete named files of which none was renamed yet.
            let placed = list.split(separator: "\n").map(String.init).filter(folder.has)
            for service in StoredService.all
            where !services.contains(where: { $0.name == service.name }) {
                guard placed.contains(where: service.has) else { continue }
                throw ToolError(
                    "a restore into \(folder.path) did not finish, and it was one of "
                        + "\(service.name) too: run the same command again, without another --only")
            }
            for name in placed where services.contains(where: { $0.has(name) }) {
                // The blobs are a folder.
                try folder.folder(name).removeAll()
            }
            try folder.sync()
        }
        try draft.removeAll()
    }

    private func requireFree(of services: [StoredService]) throws {
        if let holder = folder.holder(of: services) {
            throw ToolError(
                "\(folder.path) is in use by process \(holder): "
                    + "stop that process first, or restore into another folder with --data")
        }
        // A program has made the folder of blobs if it was started once; an empty one is replaced.
        let names = try folder.names().filter { name in
            try name != BlobFolder.name || !folder.folder(name).names().isEmpty
        }
        guard let name = names.first(where: { name in services.contains { $0.has(name) } }) else {
            return
        }
        throw ToolError(
            "\(folder.file(name)) exists, and a restore replaces nothing: move the store away, or "
                + "restore into another folder with --data")
    }
}
