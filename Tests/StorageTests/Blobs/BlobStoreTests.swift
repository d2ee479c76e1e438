import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

/// Blobs of a store, as `POSTERN_TEST_STORE` chooses them: files, or rows on a server.
@Suite("Blobs of a store", .timeLimit(.minutes(1)))
struct BlobStoreTests {
    let folder: TemporaryFolder
    let time = ManualTime()
    let store: Store
    let blobs: any BlobStore
    let randomness = SeededRandomness()

    init() throws {
        folder = try TemporaryFolder()
        store = try TestStore.open(
            "blobs", [Migration(number: 1, sql: "", server: BlobRows.tables)], in: folder.path,
            time: time)
        blobs = try store.openBlobs(time: time)
    }

    private func name() -> BlobName { BlobName(drawnFrom: randomness) }

    private func names() async throws -> [BlobName] {
        try await blobs.names(begunBy: time.now())
    }

    @Test("a blob is read as it was written, in parts")
    func read() async throws {
        let (name, empty) = (name(), name())
        try await blobs.write(name, [[1, 2, 3], [], [4, 5]])
        #expect(try await blobs.read(name, at: 0, count: 10) == [1, 2, 3, 4, 5])
        #expect(try await blobs.read(name, at: 2, count: 2) == [3, 4])
        #expect(try await blobs.read(name, at: 5, count: 2) == [])
        #expect(try await blobs.read(name, at: 9, count: 2) == [])
        #expect(try await blobs.read(self.name(), at: 0, count: 1) == nil)
        try await blobs.write(empty, [])
        #expect(try await blobs.read(empty, at: 0, count: 1) == [])
        #expect(try await names() == [name, empty].sorted())
    }

    @Test("bytes are read from the middle of a part, across parts, and to the end")
    func places() async throws {
        let name = name()
        let bytes = randomness.bytes(2 * BlobRows.partBytesMax + 1_000)
        // The second append is longer than a row.
        let (first, second) = (bytes.prefix(700), bytes.dropFirst(700))
        let draft = try await blobs.begin(name)
        for part in [first, second.prefix(100_000), second.dropFirst(100_000)] {
            try await draft.append(Array(part))
        }
        try await draft.complete()
        let edges = [0, 700, 700 + BlobRows.partBytesMax, 100_700, bytes.count]
        for offset in edges.flatMap({ [$0 - 1, $0, $0 + 1] }) where offset >= 0 {
            for count in [1, 2, 64 * 1_024, bytes.count] {
                let read = try await blobs.read(name, at: offset, count: count)
                #expect(
                    read == Array(bytes.dropFirst(offset).prefix(count)), "\(count) at \(offset)")
            }
        }
    }

    @Test("a blob that grows part by part is read when it is complete, and not before")
    func growing() async throws {
        let (name, other) = (name(), name())
        let draft = try await blobs.begin(name)
        try await draft.append([1, 2])
        try await draft.append([3])
        #expect(try await blobs.read(name, at: 0, count: 10) == nil)
        #expect(try await names() == [name])
        try await draft.complete()
        #expect(try await blobs.read(name, at: 0, count: 10) == [1, 2, 3])

        let removed = try await blobs.begin(other)
        try await removed.append([1])
        try await blobs.remove([other])
        #expect(try await names() == [name])
        let error = await #expect(throws: ServiceError.self) { try await removed.complete() }
        #expect(error?.code == .unavailable)
        #expect(try await blobs.read(other, at: 0, count: 1) == nil)
    }

    @Test("a copy of 5 MiB, part by part, is the same")
    func copy() async throws {
        let (name, copy) = (name(), name())
        let random = randomness.bytes(64 * 1_024 + 28)
        let parts = (0..<80).map { [UInt8($0)] + random }
        let bytes = random.count + 1
        try await blobs.write(name, parts)
        let draft = try await blobs.begin(copy)
        for index in parts.indices {
            let part = try await blobs.read(name, at: index * bytes, count: bytes)
            try await draft.append(try #require(part))
        }
        try await draft.complete()
        for (index, part) in parts.enumerated() {
            let read = try await blobs.read(copy, at: index * bytes, count: bytes)
            #expect(read == part, "\(index)")
        }
        #expect(try await blobs.read(copy, at: 80 * bytes, count: 1) == [])
    }

    @Test("removal of several, also of one that is not there, and of one of very many parts")
    func remove() async throws {
        let names = (0..<3).map { _ in name() }
        for name in names { try await blobs.write(name, [[1]]) }
        try await blobs.remove([names[0], name(), names[1]])
        #expect(try await self.names() == [names[2]])
        #expect(try await blobs.read(names[0], at: 0, count: 1) == nil)
        let large = name()
        let parts = 2 * BlobRows.removedAtOnce + 1
        try await blobs.write(large, .init(repeating: [7], count: parts))
        #expect(try await blobs.read(large, at: parts - 1, count: 2) == [7])
        try await blobs.remove([large, names[2]])
        #expect(try await self.names().isEmpty)
        #expect(try await blobs.read(large, at: 0, count: 1) == nil)
        // A removal that was cut off is repeated.
        try await blobs.remove([large])
    }

    @Test("the names of those that were begun by a moment, complete or not, in their order")
    func ages() async throws {
        let (first, second, third) = (name(), name(), name())
        try await blobs.write(first, [[1]])
        let draft = try await blobs.begin(second)
        let begun = time.now()
        time.advance(by: .seconds(3_600))
        // The time of the last part does not count.
        try await draft.append([1])
        try await blobs.write(third, [[1]])
        #expect(try await blobs.names(begunBy: begun - .milliseconds(1)).isEmpty)
        for moment in [begun, time.now() - .milliseconds(1)] {
            #expect(try await blobs.names(begunBy: moment) == [first, second].sorted())
        }
        try await draft.complete()
        #expect(try await blobs.names(begunBy: begun) == [first, second].sorted())
        #expect(try await names() == [first, second, third].sorted())
    }

    @Test("uploads at one time do not disturb each other")
    func concurrent() async throws {
        let names = (0..<16).map { _ in name() }
        try await withThrowingTaskGroup { group in
            for (index, name) in names.enumerated() {
                group.addTask { [blobs] in
                    try await blobs.write(name, .init(repeating: [UInt8(index)], count: 40))
                    if index.isMultiple(of: 2) { try await blobs.remove([name]) }
                }
            }
            try await group.waitForAll()
        }
        for (index, name) in names.enumerated() {
            let read = try await blobs.read(name, at: 0, count: 41)
            let written = [UInt8](repeating: UInt8(index), count: 40)
            #expect(read == (index.isMultiple(of: 2) ? nil : written))
        }
    }

    @Test("after the close, calls are refused")
    func close() async throws {
        blobs.close()
        store.close()
        let error = await #expect(throws: ServiceError.self) { _ = try await names() }
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
        let name = name()
        #expect(BlobName(name.text) == name)
    }
}
