import ServiceRuntime
import Storage
import Synchronization

/// Blobs of another store, which counts the parts of files that are written as they grow, and may
/// fail at one of their steps.
final class CountingBlobs: BlobStore {
    /// A step of such a file.
    enum Step: CaseIterable, Sendable {
        case begin
        case append
        case complete
    }

    private let blobs: any BlobStore
    private let failing: Step?
    private let sizes = Mutex<[Int]>([])

    init(_ blobs: any BlobStore, failingAt step: Step? = nil) {
        (self.blobs, failing) = (blobs, step)
    }

    /// How many parts there were.
    var count: Int { sizes.withLock(\.count) }
    /// The largest one, in bytes.
    var largest: Int { sizes.withLock { $0.max() ?? 0 } }

    fileprivate func add(_ bytes: Int) { sizes.withLock { $0.append(bytes) } }

    fileprivate func pass(_ step: Step) throws {
        guard failing != step else { throw ServiceError(.unavailable) }
    }

    func begin(_ name: BlobName) async throws -> any BlobDraft {
        try pass(.begin)
        return Draft(draft: try await blobs.begin(name), blobs: self)
    }

    func write(_ name: BlobName, _ parts: [[UInt8]]) async throws {
        try await blobs.write(name, parts)
    }

    func read(_ name: BlobName, at offset: Int, count: Int) async throws -> [UInt8]? {
        try await blobs.read(name, at: offset, count: count)
    }

    func remove(_ names: [BlobName]) async throws { try await blobs.remove(names) }

    func names(begunBy moment: Timestamp) async throws -> [BlobName] {
        try await blobs.names(begunBy: moment)
    }
}

private struct Draft: BlobDraft {
    let draft: any BlobDraft
    let blobs: CountingBlobs

    func append(_ bytes: [UInt8]) async throws {
        try blobs.pass(.append)
        blobs.add(bytes.count)
        try await draft.append(bytes)
    }

    func complete() async throws {
        try blobs.pass(.complete)
        try await draft.complete()
    }
}
