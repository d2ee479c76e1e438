import IdentityService
import ServiceRuntime
import Storage

/// A finished archive.
struct ExportArchive: Hashable, Sendable {
    /// How many sessions are remembered as having fetched it. An account can have that many
    /// (`sessions-max`), so only a new session, whose sign-in is in the audit trail, displaces one.
    static let fetchersMax = 100

    let blob: BlobName
    /// Its length, not sealed.
    let bytes: Int64
    let expiresAt: Timestamp
}

extension ExportArchive {
    /// How many parts there are.
    var parts: Int { SealedParts.count(ofBytes: Int(clamping: bytes)) }

    /// A part of the archive; nil if the file is gone.
    /// - Throws: as `SealedParts.part`.
    func part(
        _ index: Int, in blobs: any BlobStore, _ vault: AccountVault
    ) async throws -> [UInt8]? {
        try await SealedParts.part(
            index, of: blob, in: blobs, vault,
            .exportPart(blob, index: index, isLast: index == parts - 1))
    }
}

/// Writes an archive into a blob as it grows, in parts that are sealed under the account's key. One
/// part is in memory.
///
/// A part (`SealedParts`) is bound to its blob, its place and whether it is the last one: none can
/// be left out, also not at the end.
struct ExportArchiveWriter {
    let blob: BlobName
    private let draft: any BlobDraft
    private let vault: AccountVault
    private var rest: [UInt8] = []
    private var parts = 0
    private var bytes: Int64 = 0

    /// Begins the blob.
    /// - Throws: `rpc/unavailable` when the disk fails or is full.
    init(_ blob: BlobName, in blobs: any BlobStore, _ vault: AccountVault) async throws {
        (self.blob, self.vault) = (blob, vault)
        draft = try await blobs.begin(blob)
    }

    /// Adds bytes.
    /// - Throws: `rpc/unavailable` when the disk fails or is full.
    mutating func write(_ added: [UInt8]) async throws {
        rest += added
        bytes += Int64(added.count)
        // What may be the last part is kept back.
        while rest.count > SealedParts.partBytes {
            try await seal(rest.prefix(SealedParts.partBytes), isLast: false)
            rest.removeFirst(SealedParts.partBytes)
        }
    }

    /// Ends the blob, durable on return.
    /// - Returns: the archive's length.
    /// - Throws: `rpc/unavailable` when the disk fails or is full.
    mutating func end() async throws -> Int64 {
        try await seal(rest[...], isLast: true)
        try await draft.complete()
        return bytes
    }

    private mutating func seal(_ part: ArraySlice<UInt8>, isLast: Bool) async throws {
        try await draft.append(
            try vault.seal(part, .exportPart(blob, index: parts, isLast: isLast)))
        parts += 1
    }
}
