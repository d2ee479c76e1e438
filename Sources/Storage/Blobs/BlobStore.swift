import Cryptography
package import ServiceRuntime

/// Files that are too large for rows of a store. A row names its file, and the file never changes:
/// new content is a new file.
///
///     write ── the row's commit ── the former file is removed
///
/// So a row never names a file that is not there. After a crash between two steps, a file remains
/// that no row names; the owner of the rows removes it, as `BlobSweep` at identity.
package protocol BlobStore: Sendable {
    /// Writes a file, durable on return. There must be none of that name.
    /// - Throws: `rpc/unavailable` when the disk fails or is full.
    func write(_ name: BlobName, _ parts: [[UInt8]]) async throws

    /// Begins a file that is written part by part, so that it is never in memory as a whole. There
    /// must be none of that name.
    /// - Throws: `rpc/unavailable` when the disk fails or is full.
    func begin(_ name: BlobName) async throws -> any BlobDraft

    /// Reads `count` bytes from `offset` on, fewer at the end; nil if there is no such file.
    /// - Throws: `rpc/unavailable` when the disk fails.
    func read(_ name: BlobName, at offset: Int, count: Int) async throws -> [UInt8]?

    /// Removes files; those that do not exist are no error. While a backup copies, they remain, and
    /// the sweep removes them later.
    /// - Throws: `rpc/unavailable` when the disk fails.
    func remove(_ names: [BlobName]) async throws

    /// The names of all files.
    /// - Throws: `rpc/unavailable` when the disk fails.
    func names() async throws -> [BlobName]
}

/// A file that is being written. It has its name only when it is complete; a draft that is released
/// before is removed, and so is one that a crash has left, at the next start.
package protocol BlobDraft: Sendable {
    /// Adds bytes at the end. One call at a time.
    /// - Throws: `rpc/unavailable` when the disk fails or is full.
    func append(_ bytes: [UInt8]) async throws

    /// Gives the file its name, durable on return. Nothing can be added afterwards.
    /// - Throws: `rpc/unavailable` when the disk fails.
    func complete() async throws
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
