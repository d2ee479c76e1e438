import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly

@Suite("I-04: rows of photos and exports whose file is missing", .timeLimit(.minutes(1)))
struct MissingFileTests {
    let fixture: IdentityFixture
    let ada: (id: String, token: String)
    let eve: (id: String, token: String)

    init() async throws {
        fixture = try IdentityFixture()
        ada = try await fixture.member()
        eve = try await fixture.member("eve@example.org")
    }

    private var listed: [String] {
        fixture.orphans.findings.orphans(of: nil, after: nil, limit: 100).map {
            "\($0.kind.rawValue) \($0.account.text)"
        }
    }

    private func repair(_ kind: OrphanKind, of account: String) async throws -> Bool {
        try await fixture.admin(NoActivity()).repairOrphan(
            .init(kind: kind.rawValue, accountId: account, actor: "ann"),
            fixture.context(application: "tool")
        ).repaired
    }

    @Test("they are found, and nothing else; a repair deletes the row, on record")
    func repaired() async throws {
        let file = PhotoSamples.png()
        _ = try await fixture.upload(file, ada.token)
        _ = try await fixture.prepareExport(ada.token)
        try await fixture.service.blobs.remove(try await fixture.blobs())
        let kept = try #require(try await fixture.upload(file, eve.token).last?.photo)
        try await fixture.orderExport(eve.token)
        try await fixture.sweep()
        #expect(listed == BlobSweep.kinds.map { "\($0.rawValue) \(ada.id)" })
        #expect(fixture.log.lines.contains { $0.contains("identity.orphans.files") })
        for kind in BlobSweep.kinds {
            #expect(fixture.metric("identity_orphans", kind) == 1)
            #expect(try await !repair(kind, of: eve.id), "\(kind)")
            #expect(try await repair(kind, of: ada.id), "\(kind)")
            #expect(try await !repair(kind, of: ada.id), "\(kind)")
            #expect(fixture.metric("identity_orphans", kind) == 0)
        }
        let condition = "kind = 'orphan.repaired' AND actor = 'tool/ann'"
        #expect(try await fixture.count("audit", where: condition) == 2)
        // The same photo can be uploaded again, and another export ordered.
        let again = try #require(try await fixture.upload(file, ada.token).last?.photo)
        #expect(try await fixture.download(again.name, ada.token).photo == again)
        #expect(try await fixture.download(kept.name, eve.token).photo == kept)
        _ = try await fixture.prepareExport(ada.token)
        try await fixture.sweep()
        #expect(listed.isEmpty)
    }

    @Test("an account that is being deleted loses its files first, and is not found")
    func deleting() async throws {
        _ = try await fixture.upload(PhotoSamples.png(), ada.token)
        try await fixture.service.blobs.remove(try await fixture.blobs())
        try await fixture.change("UPDATE accounts SET status = 4")
        try await fixture.sweep()
        #expect(listed.isEmpty)
        try await fixture.change("UPDATE accounts SET status = 1")
        try await fixture.sweep()
        #expect(listed == ["photo-without-file \(ada.id)"])
    }

    @Test(
        "a photo that is uploaded, replaced or removed meanwhile is not found",
        arguments: [ShownBlobs.Look.names, .read], ["uploaded", "replaced", "removed"])
    func meanwhile(look: ShownBlobs.Look, act: String) async throws {
        if act != "uploaded" { _ = try await fixture.upload(PhotoSamples.png(), ada.token) }
        // Not among the names, so it is looked at.
        let blobs = ShownBlobs(fixture.service.blobs, hiding: try await fixture.blobs())
        blobs.once(look) { [fixture, ada] in
            if act == "removed" {
                _ = try await fixture.profiles.removePhoto(
                    .init(), fixture.relayed(ada.token))
            } else {
                _ = try await fixture.upload(PhotoSamples.jpeg(), ada.token)
            }
        }
        try await fixture.sweep(blobs)
        #expect(listed.isEmpty)
    }
}

/// Blobs of another store, without the names of some, and with something that happens after the
/// names were read, before a blob is, or after one was written.
final class ShownBlobs: BlobStore {
    enum Look: Sendable { case names, read, written }

    private let blobs: any BlobStore
    private let hidden: Set<BlobName>
    private let acts = Mutex<[Look: @Sendable () async throws -> Void]>([:])

    init(_ blobs: any BlobStore, hiding hidden: [BlobName] = []) {
        (self.blobs, self.hidden) = (blobs, Set(hidden))
    }

    /// Runs `act` once, at the next such moment.
    func once(_ look: Look, _ act: @escaping @Sendable () async throws -> Void) {
        acts.withLock { $0[look] = act }
    }

    private func pass(_ look: Look) async throws {
        try await acts.withLock { $0.removeValue(forKey: look) }?()
    }

    func begin(_ name: BlobName) async throws -> any BlobDraft { try await blobs.begin(name) }

    func write(_ name: BlobName, _ parts: [[UInt8]]) async throws {
        try await blobs.write(name, parts)
        try await pass(.written)
    }

    func read(_ name: BlobName, at offset: Int, count: Int) async throws -> [UInt8]? {
        try await pass(.read)
        return try await blobs.read(name, at: offset, count: count)
    }

    func remove(_ names: [BlobName]) async throws { try await blobs.remove(names) }

    func names(begunBy moment: Timestamp) async throws -> [BlobName] {
        let names = try await blobs.names(begunBy: moment).filter { !hidden.contains($0) }
        try await pass(.names)
        return names
    }
}
