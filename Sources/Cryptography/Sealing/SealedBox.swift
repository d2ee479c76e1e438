package import ServiceRuntime

/// Why a sealed value cannot be opened.
package enum SealedBoxError: Error, Hashable {
    /// Too short, or of an unknown version.
    case malformed
    /// Sealed under a key with this id, which is not configured.
    case unknownKey(UInt8)
    /// Modified, truncated, sealed by someone else, or moved here from another place.
    case notAuthentic
}

/// Encrypts values for storage: AES-256-GCM (NIST SP 800-38D) under one of several keys. This
/// allows key rotation: new values are sealed under the current key, and old ones can be opened as
/// long as their key is listed.
///
/// A sealed value is `version (1) ‖ key id (1) ‖ nonce (12) ‖ ciphertext ‖ tag (16)`. Version, key
/// id and place are authenticated. Nonces are random, so one key may seal 2³² values (SP 800-38D,
/// 8.3). A key per account remains far below that.
package struct SealedBox: Sendable {
    /// The difference in size between a sealed value and its plaintext, in bytes.
    package static let overheadBytes = 2 + AESGCM.nonceBytes + AESGCM.tagBytes
    private static let version: UInt8 = 1

    private let keys: [UInt8: SecretBytes]
    private let current: UInt8
    private let randomness: any Randomness

    /// A box that opens with `keys`, each of 32 bytes under its id, and seals with `current`.
    /// - Throws: `CryptographyError.invalidKey` when a length is wrong or `current` is not listed.
    package init(
        keys: [UInt8: SecretBytes], current: UInt8, randomness: any Randomness
    ) throws {
        guard keys[current] != nil else {
            throw CryptographyError.invalidKey("the current key \(current) is not listed")
        }
        guard keys.values.allSatisfy({ $0.count == AESGCM.keyBytes }) else {
            throw CryptographyError.invalidKey("a sealing key has \(AESGCM.keyBytes) bytes")
        }
        self.keys = keys
        self.current = current
        self.randomness = randomness
    }

    /// Seals `plaintext` so that it can be opened only at `place`.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package func seal(_ plaintext: some Collection<UInt8>, at place: SealedPlace) throws -> [UInt8]
    {
        guard let key = keys[current] else { throw SealedBoxError.unknownKey(current) }
        let header = [Self.version, current]
        let nonce = randomness.bytes(AESGCM.nonceBytes)
        return try withContiguousBytes(of: plaintext) { plaintext in
            try header + nonce
                + AESGCM.seal(
                    plaintext, key: key, nonce: nonce,
                    associatedData: header + place.associatedData)
        }
    }

    /// Seals a secret so that it can be opened only at `place`.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package func seal(_ secret: SecretBytes, at place: SealedPlace) throws -> [UInt8] {
        try secret.withBytes { try seal($0, at: place) }
    }

    /// The plaintext of a value that was sealed at `place`.
    /// - Throws: `SealedBoxError`.
    package func open(_ sealed: some Collection<UInt8>, at place: SealedPlace) throws -> [UInt8] {
        try openSecret(sealed, at: place).withBytes { Array($0) }
    }

    /// The secret that was sealed at `place`.
    /// - Throws: `SealedBoxError`.
    package func openSecret(
        _ sealed: some Collection<UInt8>, at place: SealedPlace
    ) throws -> SecretBytes {
        let sealed = Array(sealed)
        guard sealed.count >= Self.overheadBytes, sealed[0] == Self.version else {
            throw SealedBoxError.malformed
        }
        guard let key = keys[sealed[1]] else { throw SealedBoxError.unknownKey(sealed[1]) }
        let nonceEnd = 2 + AESGCM.nonceBytes
        return try AESGCM.open(
            sealed[nonceEnd...], key: key, nonce: Array(sealed[2..<nonceEnd]),
            associatedData: sealed[..<2] + place.associatedData)
    }

    /// Whether a value that was sealed at `place` can be opened with one of these keys.
    package func opens(_ sealed: some Collection<UInt8>, at place: SealedPlace) -> Bool {
        do {
            _ = try openSecret(sealed, at: place)
            return true
        } catch {
            return false  // the reason does not matter here
        }
    }
}

/// The place where a sealed value is stored. It is authenticated with the value, so that an
/// attacker who can write to a store cannot move one account's sealed field into another's row, or
/// into another column.
package struct SealedPlace: Hashable, Sendable {
    let associatedData: [UInt8]

    /// A field of a row.
    package init(table: String, column: String, row: Int64) {
        associatedData = DelimitedParts.joined(
            ["row", table, column].map { Array($0.utf8) }
                + [(0..<8).map { UInt8(truncatingIfNeeded: row >> (56 - $0 * 8)) }])
    }

    /// Any other value with one place and one purpose: `session/signing-key`, a file's name.
    package init(purpose: String) {
        associatedData = DelimitedParts.joined([Array("purpose".utf8), Array(purpose.utf8)])
    }
}
