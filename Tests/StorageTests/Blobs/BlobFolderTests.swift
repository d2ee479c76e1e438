import FoundationEssentials
import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

/// What only files have; the rest is in `BlobStoreTests`.
@Suite("Blobs in a folder", .timeLimit(.minutes(1)))
struct BlobFolderTests {
    let folder: TemporaryFolder
    let blobs: BlobFolder
    let randomness = SeededRandomness()

    init() throws {
        folder = try TemporaryFolder()
        blobs = try BlobFolder(in: folder.path, time: ManualTime())
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.file("blobs")).sorted()
    }

    @Test("a file has its name when it is complete, and a backup opens no other")
    func named() async throws {
        let (name, other) = (BlobName(drawnFrom: randomness), BlobName(drawnFrom: randomness))
        try await blobs.write(name, [[1, 2, 3]])
        let draft = try await blobs.begin(other)
        try await draft.append([1])
        #expect(try files() == [name.text, "\(other.text).partial"].sorted())
        #expect(try await blobs.names() == [name])
        #expect(try await blobs.openFile(name)?.name == "blobs/\(name.text)")
        #expect(try await blobs.openFile(other) == nil)
        try await blobs.remove([name, other])
        #expect(try files().isEmpty)
        #expect(try await blobs.openFile(name) == nil)
    }

    @Test("what is removed while backups copy goes at the end of the last one")
    func copies() async throws {
        let (name, draft) = (BlobName(drawnFrom: randomness), BlobName(drawnFrom: randomness))
        try await blobs.write(name, [[1]])
        _ = try await blobs.begin(draft)
        blobs.beginCopy()
        blobs.beginCopy()
        try await blobs.remove([name, draft])
        #expect(try files() == [name.text])
        blobs.endCopy()
        #expect(try files() == [name.text])
        blobs.endCopy()
        let isRemoved = try await eventually { try files().isEmpty }
        #expect(isRemoved)
        try await blobs.write(name, [[1]])
        blobs.beginCopy()
        blobs.endCopy()
        #expect(try await blobs.names() == [name])
    }

    @Test("what a killed process has not completed is removed at the start, and blobs remain")
    func drafts() async throws {
        let name = BlobName(drawnFrom: randomness)
        try await blobs.write(name, [[1]])
        try folder.write("half", to: "blobs/\(name.text).partial")
        #expect(try await blobs.names() == [name])
        _ = try BlobFolder(in: folder.path, time: ManualTime())
        #expect(try files() == [name.text])
    }

    @Test("a full or missing folder is an error that can be retried, and leaves nothing")
    func failure() async throws {
        try FileManager.default.removeItem(atPath: folder.file("blobs"))
        let error = await #expect(throws: ServiceError.self) {
            try await blobs.write(BlobName(drawnFrom: randomness), [[1]])
        }
        #expect(error?.code == .unavailable && error?.retryAfter != nil)
    }
}
