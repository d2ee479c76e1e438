import FoundationEssentials
import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("Blobs in a folder", .timeLimit(.minutes(1)))
struct BlobFolderTests {
    let folder: TemporaryFolder
    let blobs: BlobFolder
    let randomness = SeededRandomness()

    init() throws {
        folder = try TemporaryFolder()
        blobs = try BlobFolder(in: folder.path)
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.file("blobs")).sorted()
    }

    @Test("a blob is read as it was written, in parts")
    func read() async throws {
        let name = BlobName(drawnFrom: randomness)
        try await blobs.write(name, [[1, 2, 3], [], [4, 5]])
        #expect(try await blobs.read(name, at: 0, count: 10) == [1, 2, 3, 4, 5])
        #expect(try await blobs.read(name, at: 2, count: 2) == [3, 4])
        #expect(try await blobs.read(name, at: 5, count: 2) == [])
        #expect(try await blobs.names() == [name])
        #expect(try files() == [name.text])
        #expect(try await blobs.openFile(name)?.name == "blobs/\(name.text)")
    }

    @Test("a blob that grows part by part has its name when it is complete, and not before")
    func growing() async throws {
        let (name, other) = (BlobName(drawnFrom: randomness), BlobName(drawnFrom: randomness))
        let draft = try await blobs.begin(name)
        try await draft.append([1, 2])
        try await draft.append([3])
        #expect(try await blobs.names().isEmpty)
        try await draft.complete()
        #expect(try await blobs.read(name, at: 0, count: 10) == [1, 2, 3])
        do {
            let released = try await blobs.begin(other)
            try await released.append([1])
        }
        // The thread that has opened the file may hold it for a moment longer.
        let isRemoved = try await eventually { try files() == [name.text] }
        #expect(isRemoved, "what is released before is removed")
    }

    @Test("removal of several, also of one that is not there")
    func remove() async throws {
        let names = (0..<3).map { _ in BlobName(drawnFrom: randomness) }
        for name in names { try await blobs.write(name, [[1]]) }
        try await blobs.remove([names[0], BlobName(drawnFrom: randomness), names[1]])
        #expect(try await blobs.names() == [names[2]])
        #expect(try await blobs.read(names[0], at: 0, count: 1) == nil)
        #expect(try await blobs.openFile(names[0]) == nil)
    }

    @Test("while a backup copies, nothing is removed")
    func copies() async throws {
        let name = BlobName(drawnFrom: randomness)
        try await blobs.write(name, [[1]])
        blobs.beginCopy()
        blobs.beginCopy()
        blobs.endCopy()
        try await blobs.remove([name])
        #expect(try await blobs.names() == [name])
        blobs.endCopy()
        try await blobs.remove([name])
        #expect(try await blobs.names().isEmpty)
    }

    @Test("what a killed process has not completed is removed at the start, and blobs remain")
    func drafts() async throws {
        let name = BlobName(drawnFrom: randomness)
        try await blobs.write(name, [[1]])
        try folder.write("half", to: "blobs/\(name.text).partial")
        #expect(try await blobs.names() == [name])
        _ = try BlobFolder(in: folder.path)
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

    @Test("after the close, calls are refused")
    func close() async throws {
        blobs.close()
        let error = await #expect(throws: ServiceError.self) { _ = try await blobs.names() }
        #expect(error?.code == .unavailable)
    }

    @Test(
        "a name is 32 hexadecimal digits and nothing else",
        arguments: [
            "", "..", "../" + String(repeating: "a", count: 29), String(repeating: "A", count: 32),
            String(repeating: "a", count: 31), String(repeating: "a", count: 33),
            String(repeating: "g", count: 32), String(repeating: "a", count: 31) + "\0",
            String(repeating: "a", count: 31) + "\u{e9}",
        ])
    func names(text: String) {
        #expect(BlobName(text) == nil)
        let name = BlobName(drawnFrom: randomness)
        #expect(BlobName(name.text) == name)
    }
}
