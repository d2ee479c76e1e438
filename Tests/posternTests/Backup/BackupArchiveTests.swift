import Cryptography
import TestSupport
import Testing

@testable import postern

@Suite("O-01: a backup's archive is extracted only as its manifest says")
struct BackupArchiveTests {
    private let temporary: TemporaryFolder
    private let folder: Folder
    private var backup = BackupParts()

    init() throws {
        temporary = try TemporaryFolder()
        folder = Folder(path: temporary.file("extracted"))
        try folder.make()
        for service in BackupEntry.services {
            let name = BackupEntry.database(store: service.store)
            backup.files.append((name, Array("store of \(service.name)".utf8)))
            backup.stores.append(
                .init(
                    service: service.name, store: service.store, keyID: "1a2b3c4d",
                    storageSchema: 1, serviceSchema: 1))
        }
        backup.files.append(
            (
                .journal(name: "ratelimit", part: .log, generation: 7),
                [UInt8](repeating: 7, count: 999)
            )
        )
    }

    private func extract(
        _ archive: [UInt8], _ services: [StoredService] = StoredService.all
    ) throws -> BackupManifest {
        try BackupArchive(services: services, folder: folder).extract(parts(of: archive))
    }

    @Test("all files are written, for their owner only")
    func whole() throws {
        #expect(try extract(backup.tar()) == backup.manifest)
        for file in backup.files {
            #expect(try TextFile.read(folder.file(file.entry.name)) == file.bytes)
        }
        #expect(try folder.names().count == backup.files.count)
    }

    @Test("of other services than those that are asked for nothing is written, but all is compared")
    func onlyOne() throws {
        let only = StoredService.all.filter { $0.name == "rate-limit" }
        _ = try extract(backup.tar(), only)
        #expect(try folder.names() == ["ratelimit.log.7", "ratelimit.sqlite"])
        var changed = backup
        changed.listed = backup.list
        changed.files[0].bytes[0] ^= 1
        try folder.removeAll()
        try folder.make()
        expectRefused("identity.sqlite") { try extract(changed.tar(), only) }
    }

    @Test("a file that is changed, missing or added is named")
    func files() throws {
        var changed = backup
        changed.listed = backup.list
        changed.files[1].bytes[3] ^= 1
        expectRefused("session.sqlite of the backup is not what") { try extract(changed.tar()) }
        try again()
        var missing = backup
        missing.listed = backup.list
        missing.files.removeLast()
        expectRefused("ratelimit.log.7 is missing") { try extract(missing.tar()) }
        try again()
        var added = backup
        added.listed = backup.list
        added.files.append((.key("identity"), [1]))
        expectRefused("keys/identity.key") { try extract(added.tar()) }
    }

    @Test("the manifest has to be there, and last, and to list the stores that there are")
    func manifest() throws {
        expectRefused("without its manifest") { try extract(backup.tar(hasManifest: false)) }
        try again()
        expectRefused("after its manifest") { try extract(backup.tar(manifestFirst: true)) }
        try again()
        var fewer = backup
        fewer.stores.removeLast()
        expectRefused("lists other stores") { try extract(fewer.tar()) }
    }

    @Test("keys are put into a folder of keys; one that differs is not replaced")
    func keys() throws {
        var withKeys = backup
        withKeys.files.append((.key("identity"), [UInt8](repeating: 1, count: 32)))
        withKeys.files.append((.key("session"), [UInt8](repeating: 2, count: 32)))
        #expect(try extract(withKeys.tar()).hasKeys)
        let target = Folder(path: temporary.file("a/b/keys"))
        for _ in 0..<2 {
            try BackupKeys.place(from: folder.folder("keys"), in: target)
            #expect(try target.names() == ["identity.key", "session.key"])
        }
        try target.remove("session.key")
        try TextFile.replace(target.file("identity.key"), with: [UInt8](repeating: 3, count: 32))
        expectRefused("identity.key is another key") {
            try BackupKeys.place(from: folder.folder("keys"), in: target)
        }
        #expect(try target.names() == ["identity.key"])
    }

    private func again() throws {
        try folder.removeAll()
        try folder.make()
    }
}

/// Expects an error for the operator with these words.
func expectRefused<Value>(
    _ words: String, _ body: () throws -> Value, at location: SourceLocation = #_sourceLocation
) {
    do {
        _ = try body()
        Issue.record("nothing was refused", sourceLocation: location)
    } catch {
        #expect("\(error)".contains(words), sourceLocation: location)
    }
}
