/// The encrypted content of an age file: chunks of 64 KiB, each sealed with ChaCha20-Poly1305. The
/// nonce has the chunk's number and whether it is the last, so that chunks cannot be moved,
/// repeated or cut off (STREAM, https://eprint.iacr.org/2015/189).
struct AgePayload: Sendable {
    /// The content of each chunk except the last, in bytes.
    static let chunkBytes = 64 << 10
    /// The same, sealed.
    static let sealedChunkBytes = chunkBytes + AEAD.tagBytes
    /// The random bytes between header and chunks.
    static let nonceBytes = 16

    private let key: SecretBytes
    /// The number of the next chunk.
    private(set) var number: UInt64 = 0

    init(fileKey: SecretBytes, nonce: [UInt8]) {
        precondition(nonce.count == Self.nonceBytes)
        key = KeyDerivation.derive(
            from: fileKey, salt: nonce, info: Array("payload".utf8), count: AEAD.keyBytes)
    }

    /// Goes to the next chunk.
    mutating func advance() {
        number += 1
    }

    /// Seals the content of this chunk. No two contents may be sealed as the same chunk.
    func seal(_ chunk: [UInt8], isLast: Bool) throws -> [UInt8] {
        precondition(chunk.count == Self.chunkBytes || isLast && chunk.count < Self.chunkBytes)
        return try chunk.withUnsafeBytes {
            try AEAD.chaCha20Poly1305.seal(
                $0, key: key, nonce: nonce(isLast: isLast), associatedData: [])
        }
    }

    /// The content of this chunk; nil if it is not authentic.
    func open(_ sealed: ArraySlice<UInt8>, isLast: Bool) throws -> [UInt8]? {
        do {
            return try AEAD.chaCha20Poly1305.open(
                sealed, key: key, nonce: nonce(isLast: isLast), associatedData: []
            ).withBytes { Array($0) }
        } catch is SealedBoxError {
            return nil
        }
    }

    /// Eleven bytes of the number, big-endian, and one that marks the last chunk.
    private func nonce(isLast: Bool) -> [UInt8] {
        [0, 0, 0] + withUnsafeBytes(of: number.bigEndian) { Array($0) } + [isLast ? 1 : 0]
    }
}
