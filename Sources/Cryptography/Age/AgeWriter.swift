package import ServiceRuntime

/// Who can decrypt an age file.
package enum AgeRecipient: Sendable {
    /// The owner of the secret key.
    case x25519(AgePublicKey)
    /// Everyone who knows the passphrase. It is the only recipient of its file.
    case passphrase(SecretBytes)
}

/// Writes an age file (https://c2sp.org/age): first `header`, then what `encrypt` returns, last
/// what `finish` returns. Holds at most 64 KiB of the content.
package final class AgeWriter {
    /// The most recipients of a file, so that its header is within the limit of readers.
    package static let recipientsMax = 100

    /// The first bytes of the file.
    package let header: [UInt8]
    private var payload: AgePayload
    private var pending: [UInt8] = []
    private var isFinished = false

    /// Begins a file. Takes about a second for a passphrase. `randomness` should be the generator
    /// for keys, `KeyRandomness`.
    /// - Throws: `AgeKeyError` unless there is one passphrase that is not empty, or 1 …
    ///   `recipientsMax` public keys; `CryptographyError` when OpenSSL fails.
    package convenience init(recipients: [AgeRecipient], randomness: any Randomness) throws {
        try self.init(
            recipients: recipients, randomness: randomness, workFactor: AgeStanza.workFactor)
    }

    /// The same with another cost of scrypt, for tests.
    init(recipients: [AgeRecipient], randomness: any Randomness, workFactor: Int) throws {
        guard 1...Self.recipientsMax ~= recipients.count else {
            throw AgeKeyError("a file has 1 to \(Self.recipientsMax) recipients")
        }
        let fileKey = SecretBytes.generate(
            count: AgeStanza.fileKeyBytes, randomness: randomness)
        let stanzas = try recipients.map { recipient in
            switch recipient {
            case .x25519(let publicKey):
                return try AgeStanza.text(
                    wrapping: fileKey, for: publicKey, randomness: randomness)
            case .passphrase(let passphrase):
                guard recipients.count == 1 else {
                    throw AgeKeyError("a passphrase is the only recipient of its file")
                }
                guard !passphrase.isEmpty else { throw AgeKeyError("the passphrase is empty") }
                return try AgeStanza.text(
                    wrapping: fileKey, with: passphrase, workFactor: workFactor,
                    randomness: randomness)
            }
        }
        let nonce = randomness.bytes(AgePayload.nonceBytes)
        header = AgeHeader.text(stanzas, fileKey: fileKey) + nonce
        payload = AgePayload(fileKey: fileKey, nonce: nonce)
        pending.reserveCapacity(AgePayload.chunkBytes)
    }

    /// Takes the next bytes of the content, and returns the next bytes of the file: whole chunks,
    /// often none.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package func encrypt(_ content: some Collection<UInt8>) throws -> [UInt8] {
        precondition(!isFinished, "nothing follows the last chunk")
        var sealed: [UInt8] = []
        var rest = content[...]
        while !rest.isEmpty {
            // A full chunk waits until more follows: it may be the last.
            if pending.count == AgePayload.chunkBytes {
                sealed += try payload.seal(pending, isLast: false)
                payload.advance()
                pending.removeAll(keepingCapacity: true)
            }
            let part = rest.prefix(AgePayload.chunkBytes - pending.count)
            pending += part
            rest = rest.dropFirst(part.count)
        }
        return sealed
    }

    /// The last bytes of the file. Without them a reader refuses it.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package func finish() throws -> [UInt8] {
        precondition(!isFinished, "a file has one last chunk")
        isFinished = true
        return try payload.seal(pending, isLast: true)
    }
}
