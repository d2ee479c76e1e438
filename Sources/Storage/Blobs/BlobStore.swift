import Cryptography
package import ServiceRuntime

/// Blobs: what is too large for a row of a store. A row names its blob, and the blob never changes:
/// new content is a new blob. They are files beside a store in a file (`BlobFolder`), and rows of
/// the same schema on a server (`BlobRows`).
///
///     write ── the row's commit ── the former blob is removed
///
/// So a row never names a blob that is not there. After a crash between two steps, a blob remains
/// that no row names. The owner of the rows removes it by its age, as `BlobSweep` at identity:
/// an instance does not know which blobs the others are writing.
package protocol BlobStore: Sendable {
    /// Writes a blob, durable on return. There must be none of that name.
    /// - Throws: `rpc/unavailable` when the disk fails or is full.
    func write(_ name: BlobName, _ parts: [[UInt8]]) async throws

    /// Begins a blob that is written part by part, so that it is never in memory as a whole. There
    /// must be none of that name.
    /// - Throws: `rpc/unavailable` when the disk fails or is full.
    func begin(_ name: BlobName) async throws -> any BlobDraft

    /// Reads `count` bytes from `offset` on, fewer at the end; nil if there is no such blob, or it
    /// is not complete.
    /// - Throws: `rpc/unavailable` when the disk fails.
    func read(_ name: BlobName, at offset: Int, count: Int) async throws -> [UInt8]?

    /// Removes blobs, also those that are not complete; those that do not exist are no error. While
    /// a backup copies files, complete ones remain until its end.
    /// - Throws: `rpc/unavailable` when the disk fails.
    func remove(_ names: [BlobName]) async throws

    /// The names of all blobs that were begun at `moment` or before, in their order, also of those
    /// that are not complete.
    /// - Throws: `rpc/unavailable` when the disk fails.
    func names(begunBy moment: Timestamp) async throws -> [BlobName]

    /// Ends the threads, after the work that waits. Blobs without threads of their own end with
    /// their store.
    func close()
}

extension BlobStore {
    /// See `BlobStore`.
    package func close() {}
}

/// A blob that is being written. It can be read when it is complete, and not before. Who does not
/// complete it removes it by its name. The sweep removes one that a crash has left.
package protocol BlobDraft: Sendable {
    /// Adds bytes at the end. One call at a time.
    /// - Throws: `rpc/unavailable` when the disk fails or is full.
    func append(_ bytes: [UInt8]) async throws

    /// Makes the blob complete, durable on return. Nothing can be added afterwards.
    /// - Throws: `rpc/unavailable` when the disk fails, or the blob was removed.
    func complete() async throws
}

extension Store {
    /// Opens the blobs that the rows of this store name. On a server, `BlobRows.tables` is one of
    /// the store's migrations.
    /// - Parameter time: stamps files, so that their age is measured by one clock.
    /// - Throws: `SQLError`, `OSThread.NotStarted`.
    package func openBlobs(time: any Time) throws -> any BlobStore {
        switch place {
        case .folder(let folder, _, _): try BlobFolder(in: folder, time: time)
        case .server: BlobRows(of: self)
        }
    }
}

/// The name of a blob: 128 random bits as 32 hexadecimal digits. No other name is opened, so none
/// can lead out of the folder.
package struct BlobName: Hashable, Comparable, Sendable {
    private static let bits: Int = 128
    private static let digits = bits / 4

    /// Its text, the file's name.
    package let text: String

    /// Nil for any other text.
    package init?(_ text: some StringProtocol) {
        let isName =
            text.utf8.count == Self.digits
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
        guard isName else { return nil }
        self.text = String(text)
    }

    /// A new name.
    package init(drawnFrom randomness: any Randomness) {
        text = Hex.encode(randomness.bytes(Self.bits / 8))
    }

    /// In the order of the texts.
    package static func < (left: BlobName, right: BlobName) -> Bool { left.text < right.text }
}
