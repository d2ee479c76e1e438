/// What decrypts an age file.
package enum AgeIdentity: Sendable {
    /// A secret key, for files that are encrypted to its public key.
    case x25519(AgeKeyPair)
    /// A passphrase, for files that are encrypted with it.
    case passphrase(SecretBytes)

    /// The secret keys in an identity file, as `age-keygen` writes it: one on each line. Empty
    /// lines and lines that begin with `#` are skipped.
    /// - Throws: `AgeKeyError` with the number of the line and the reason, also when the file
    ///   has no key; `CryptographyError` when OpenSSL fails.
    package static func keys(inFile file: SecretBytes) throws -> [AgeIdentity] {
        try file.withBytes { file in
            guard !file.starts(with: AgeHeader.versionStart) else {
                throw AgeKeyError("the identity file is encrypted: decrypt it with age -d first")
            }
            var identities: [AgeIdentity] = []
            let lines = file.split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
                guard let first = text.first, first != UInt8(ascii: "#") else { continue }
                do {
                    identities.append(.x25519(try AgeKeyPair(text: text)))
                } catch let error as AgeKeyError {
                    throw AgeKeyError("line \(index + 1): \(error)")
                }
            }
            guard !identities.isEmpty else {
                throw AgeKeyError("no line of the file is a secret key, AGE-SECRET-KEY-1…")
            }
            return identities
        }
    }
}

/// Reads an age file (https://c2sp.org/age). Returns only content that is authentic, in order. The
/// whole content is authentic when `next` has returned nil: until then a reader may act only on
/// what it can undo. Holds at most two chunks of 64 KiB.
package final class AgeReader {
    private enum State {
        case reading
        case ended
        case failed(any Error)
    }

    private var input: AgeInput
    private var payload: AgePayload
    private var state = State.reading

    /// Reads the header of the file of which `read` returns the next bytes: at most the given
    /// number, none at its end. Takes about a second with a passphrase.
    /// - Throws: `AgeFileError`, `CryptographyError` when OpenSSL fails, and what `read` throws.
    package init(
        identities: [AgeIdentity], reading read: @escaping (Int) throws -> [UInt8]
    ) throws {
        var input = AgeInput(reading: read)
        let fileKey = try AgeHeader(readFrom: &input).fileKey(for: identities)
        let nonce = Array(try input.peek(AgePayload.nonceBytes))
        guard nonce.count == AgePayload.nonceBytes else {
            throw AgeFileError(input.offset, .truncated)
        }
        input.skip(nonce.count)
        self.input = input
        payload = AgePayload(fileKey: fileKey, nonce: nonce)
    }

    /// The next bytes of the content, up to 64 KiB; nil at its end. After an error each further
    /// call throws the same.
    /// - Throws: `AgeFileError`, `CryptographyError` when OpenSSL fails, and what `read` throws.
    package func next() throws -> [UInt8]? {
        switch state {
        case .failed(let error): throw error
        case .ended: return nil
        case .reading:
            do {
                return try chunk()
            } catch {
                state = .failed(error)
                throw error
            }
        }
    }

    private func chunk() throws -> [UInt8]? {
        // One byte more shows whether another chunk follows.
        let held = try input.peek(AgePayload.sealedChunkBytes + 1)
        let isLast = held.count <= AgePayload.sealedChunkBytes
        let sealed = held.prefix(AgePayload.sealedChunkBytes)
        guard let content = try payload.open(sealed, isLast: isLast) else {
            throw try flaw(of: sealed, isLast: isLast)
        }
        // An attacker cannot make one, but a program that writes one is not to be relied on.
        if content.isEmpty, payload.number > 0 {
            throw AgeFileError(input.offset, .emptyLastChunk)
        }
        input.skip(sealed.count)
        payload.advance()
        if isLast { state = .ended }
        return content.isEmpty ? nil : content
    }

    /// Why a chunk does not open as the last one, or as one before it.
    private func flaw(of sealed: ArraySlice<UInt8>, isLast: Bool) throws -> AgeFileError {
        if sealed.count < AEAD.tagBytes { return AgeFileError(input.offset, .truncated) }
        guard sealed.count == AgePayload.sealedChunkBytes,
            try payload.open(sealed, isLast: !isLast) != nil
        else { return AgeFileError(input.offset, .chunkNotAuthentic) }
        // The chunk is intact, but not what follows.
        return AgeFileError(
            input.offset + sealed.count, isLast ? .truncated : .trailingData)
    }
}
