import Cryptography
import IdentityService
import Storage

/// The form of a blob that is sealed under an account's key: parts of one length, but the last.
/// Each is bound to its place (`AccountVault.Field`), so that none can change places or be left
/// out, and can be read by itself.
enum SealedParts {
    /// Bytes of one part before it is sealed: an item of a download.
    static let partBytes = 64 * 1_024
    static let sealedPartBytes = partBytes + SealedBox.overheadBytes

    /// How many parts `bytes` have.
    static func count(ofBytes bytes: Int) -> Int { (bytes + partBytes - 1) / partBytes }

    /// A part; nil if the file is gone.
    /// - Throws: `rpc/unavailable` when the disk fails; an error if the part does not decrypt.
    static func part(
        _ index: Int, of blob: BlobName, in blobs: any BlobStore, _ vault: AccountVault,
        _ field: AccountVault.Field
    ) async throws -> [UInt8]? {
        try await blobs.read(blob, at: index * sealedPartBytes, count: sealedPartBytes).map {
            try vault.openBytes($0, field)
        }
    }
}
