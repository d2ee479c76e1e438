package import ServiceRuntime

/// Why a sealed value does not open.
package enum SealedBoxError: Error, Hashable {
    /// Too short, or of a version that this program does not know.
    case malformed
    /// Sealed under a key that is not here; its id.
    case unknownKey(UInt8)
    /// Changed, cut, sealed by somebody else, or moved here from another place.
    case notAuthentic
}

/// Values sealed for storage: AES-256-GCM (NIST SP 800-38D) under one of several keys, so that
/// keys can rotate: new values are sealed under the current key, old ones open as long as theirs
/// is listed.
///
/// A sealed value is `version (1) ‖ key id (1) ‖ nonce (12) ‖ ciphertext ‖ tag (16)`; version, key
/// id and place are authenticated. Nonces are random, so one key may seal 2³² values
/// (SP 800-38D, 8.3); a key for each account stays far below.
package struct SealedBox: Sendable {
    /// How many bytes longer a sealed value is.
    package static let overheadBytes = 2 + AESGCM.nonceBytes + AESGCM.tagBytes
    private static let version: UInt8 = 1

    private let keys: [UInt8: SecretBytes]
    private let current: UInt8
    private let randomness: any Randomness

    /// A box that opens with `keys`, each of 32 bytes under its id, and seals with one of them.
    /// - Throws: `CryptographyError.invalidKey` when a length is wrong or `current` is not listed.
    package init(
        keys: [UInt8: SecretBytes], current: UInt8, randomness: any Randomness
    ) throws {
        guard keys[current] != nil else {
            throw CryptographyError.invalidKey("key \(current) is to seal and is not listed")
        }
        guard keys.values.allSatisfy({ $0.count == AESGCM.keyBytes }) else {
            throw CryptographyError.invalidKey("a sealing key has \(AESGCM.keyBytes) bytes")
        }
        self.keys = keys
        self.current = current
        self.randomness = randomness
    }

    /// Seals `plaintext` so that it opens at `place` only.
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

    /// Seals a secret so that it opens at `place` only.
    package func seal(_ secret: SecretBytes, at place: SealedPlace) throws -> [UInt8] {
        try secret.withBytes { try seal($0, at: place) }
    }

    /// What was sealed at `place`.
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

    /// Whether a value that was sealed at `place` opens under one of these keys.
    package func opens(_ sealed: some Collection<UInt8>, at place: SealedPlace) -> Bool {
        do {
            _ = try openSecret(sealed, at: place)
            return true
        } catch {
            return false  // why is not asked here
        }
    }
}
