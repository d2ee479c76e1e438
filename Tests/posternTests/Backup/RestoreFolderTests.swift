import Glibc
import TestSupport
import Testing

@testable import postern

@Suite("O-01: the folder that a restore fills")
struct RestoreFolderTests {
    private let temporary: TemporaryFolder
    private let data: Folder

    init() throws {
        temporary = try TemporaryFolder()
        data = Folder(path: temporary.file("a/data"))
    }

    private func begin(_ services: [StoredService] = StoredService.all) throws -> RestoreFolder {
        try RestoreFolder(data.path, for: services)
    }

    private func write(_ name: String, to folder: Folder, _ text: String = "x") throws {
        try TextFile.replace(folder.file(name), with: text)
    }

    @Test("files appear in it after all are written; `restoring` is there until then")
    func place() throws {
        let restore = try begin()
        #expect(try data.names() == ["restoring"])
        try write("identity.sqlite", to: restore.draft)
        try write("ratelimit.log.3", to: restore.draft)
        try restore.place(["identity.sqlite", "ratelimit.log.3"])
        #expect(try data.names() == ["identity.sqlite", "ratelimit.log.3"])
    }

    @Test("after an error it is as it was")
    func discard() throws {
        try data.make()
        try write("note.txt", to: data)
        let restore = try begin()
        try write("identity.sqlite", to: restore.draft)
        try restore.discard()
        #expect(try data.names() == ["note.txt"])
    }

    @Test(
        "a folder with a part of a store is refused, and remains as it is",
        arguments: [
            "identity.sqlite", "session.sqlite-wal", "notification.sqlite-shm", "ratelimit.log.0",
            "ratelimit-devices.snapshot.12", "ratelimit.snapshot.draft",
        ])
    func occupied(name: String) throws {
        try data.make()
        try write(name, to: data)
        expectRefused("\(name) exists") { try begin() }
        #expect(try data.names() == [name])
    }

    @Test("with one service asked for, the stores of others may be there")
    func onlyOne() throws {
        try data.make()
        try write("session.sqlite", to: data)
        let identity = StoredService.all.filter { $0.name == "identity" }
        let restore = try begin(identity)
        try write("identity.sqlite", to: restore.draft)
        try restore.place(["identity.sqlite"])
        #expect(try data.names() == ["identity.sqlite", "session.sqlite"])
    }

    @Test("a folder that a program uses is refused, with the process")
    func inUse() throws {
        try data.make()
        try write("identity.lock", to: data, "\(getpid())\n")
        let lock = open(data.file("identity.lock"), O_RDWR)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        expectRefused("in use by process \(getpid())") { try begin() }
        #expect(try data.names() == ["identity.lock"])
    }

    @Test("two restores at once: the second is refused, and the first goes on")
    func twice() throws {
        let first = try begin()
        expectRefused("another `postern restore`") { try begin() }
        try write("identity.sqlite", to: first.draft)
        try first.place(["identity.sqlite"])
        #expect(try data.names() == ["identity.sqlite"])
    }

    /// Stops after each step of `place`, as a crash would.
    @Test("a restore that was interrupted is begun again from any of its steps", arguments: 0...4)
    func interrupted(step: Int) throws {
        let files = ["identity.sqlite", "ratelimit.log.0", "session.sqlite"]
        let draft = data.folder("restoring")
        try draft.make()
        for name in files.dropFirst(max(0, step - 1)) { try write(name, to: draft, "old") }
        if step > 0 {
            try write("placed", to: draft, files.map { $0 + "\n" }.joined())
            for name in files.prefix(step - 1) { try write(name, to: data, "old") }
        }
        let restore = try begin()
        #expect(try data.names() == ["restoring"] && restore.draft.names().isEmpty)
        for name in files { try write(name, to: restore.draft, "new") }
        try restore.place(files)
        #expect(try data.names() == files)
        for name in files { #expect(try TextFile.read(data.file(name)) == Array("new".utf8)) }
    }

    @Test("a restore that was interrupted while it removed its list is complete")
    func almostDone() throws {
        let done = data.folder("restoring.done")
        try done.make()
        try write("placed", to: done, "identity.sqlite\n")
        try write("identity.sqlite", to: data)
        expectRefused("identity.sqlite exists") { try begin() }
        #expect(try data.names() == ["identity.sqlite"])
    }

    @Test("an interrupted restore removes its own files only, never what its list cannot name")
    func foreignFiles() throws {
        let draft = data.folder("restoring")
        try draft.make()
        try write("note.txt", to: data)
        try write("outside", to: temporary.folder)
        try write("placed", to: draft, "note.txt\n../../outside\nidentity.sqlite\n")
        try begin().discard()
        #expect(try data.names() == ["note.txt"])
        #expect(temporary.folder.has("outside"))
    }

    @Test("an interrupted restore of all stores is not ended by one of a single store")
    func interruptedOther() throws {
        let draft = data.folder("restoring")
        try draft.make()
        try write("identity.sqlite", to: data)
        try write("session.sqlite", to: draft)
        try write("placed", to: draft, "identity.sqlite\nsession.sqlite\n")
        expectRefused("identity too: run the same command again") {
            try begin(StoredService.all.filter { $0.name == "session" })
        }
        #expect(try data.names() == ["identity.sqlite", "restoring"])
        try begin().discard()
        #expect(try data.names().isEmpty)
    }

    @Test("a link in the place of `restoring` is removed, and what it leads to stays")
    func link() throws {
        let other = Folder(path: temporary.file("other"))
        try other.make()
        try write("note.txt", to: other)
        try data.make()
        for name in ["restoring", "restoring.done"] {
            #expect(symlink(other.path, data.file(name)) == 0)
        }
        try begin().discard()
        #expect(try data.names().isEmpty)
        #expect(try other.names() == ["note.txt"])
    }

    @Test("a store beside an interrupted restore that is not its own is not removed")
    func otherStore() throws {
        let draft = data.folder("restoring")
        try draft.make()
        try write("session.sqlite", to: data)
        try write("placed", to: draft, "identity.sqlite\n")
        expectRefused("session.sqlite exists") { try begin() }
        #expect(try data.names() == ["session.sqlite"])
    }
}

extension TemporaryFolder {
    fileprivate var folder: Folder { Folder(path: path) }
}
