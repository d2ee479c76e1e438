import Cryptography
import ServiceRuntime

/// Issues and reads challenges for passkeys (F-01; Web Authentication Level 3, section 13.4.3).
///
/// A challenge is stateless until it is used, as a nonce for a provider is: 16 random bytes, the
/// expiry in seconds, and a MAC over both, the purpose, its holder and the id of the relying party.
/// So asking for a million of them uses no storage. The transaction that succeeds writes it as
/// used.
///
/// Attack: a challenge for one purpose is used for another, or in another session: a stranger gets
/// a challenge for adding and sends the victim a page that answers it (Keycloak CVE-2026-37982).
/// Purpose and holder are under the MAC.
struct PasskeyChallenges: Sendable {
    /// From issue to use: the time that a person needs in the device's prompt. `timeout` in the
    /// options is shorter.
    static let life = Nonces.life

    private static let randomBytes = 16
    private static let endBytes = 8
    private static let macBytes = 16
    private static let textBytes = ((randomBytes + endBytes + macBytes) * 8 + 5) / 6

    let key: KeyedHash
    let relyingParty: PasskeyRPID
    let time: any Time
    let randomness: any Randomness

    /// Issues a challenge.
    /// - Returns: The text for the options, and the moment from which it is refused.
    func issue(for purpose: PasskeyChallenge.Purpose) -> (text: String, expiresAt: Timestamp) {
        let end = time.now() + Self.life
        var bytes = randomness.bytes(Self.randomBytes)
        bytes.append(bigEndian: end.seconds)
        bytes += mac(of: bytes, for: purpose)
        return (Base64URL.encode(bytes), Timestamp(milliseconds: end.seconds * 1_000))
    }

    /// Reads the challenge of a response.
    /// - Parameter purposes: Those that the call serves. One challenge is for one of them at most.
    /// - Returns: The challenge, and the record that marks it as used.
    /// - Throws: `.challengeUnknown`, `.challengeExpired`.
    func read(
        _ text: String, for purposes: [PasskeyChallenge.Purpose], at now: Timestamp
    ) throws(PasskeyRefusal) -> (challenge: PasskeyChallenge, used: UsedNonce) {
        guard text.utf8.count == Self.textBytes, let bytes = Base64URL.decode(text.utf8) else {
            throw .challengeUnknown
        }
        let signed = bytes.dropLast(Self.macBytes)
        let code = bytes.suffix(Self.macBytes)
        let purpose = purposes.first { constantTimeEqual(code, mac(of: signed, for: $0)) }
        guard let purpose else { throw .challengeUnknown }
        let seconds = signed.suffix(Self.endBytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let end = Timestamp(milliseconds: 0) + .seconds(Int64(clamping: seconds))
        guard now < end else { throw .challengeExpired }
        return (
            PasskeyChallenge(text: text, purpose: purpose),
            UsedNonce(
                key: key.lookUpKey(Array("used passkey challenge\0".utf8) + bytes),
                expiresAt: end + Nonces.rememberedBeyond, isIssued: true)
        )
    }

    private func mac(
        of bytes: some Collection<UInt8>, for purpose: PasskeyChallenge.Purpose
    ) -> [UInt8] {
        let message = DelimitedParts.joined(
            [
                Array("passkey challenge".utf8), Array(relyingParty.text.utf8), Array(bytes),
            ] + purpose.parts)
        return Array(key.hash(message).prefix(Self.macBytes))
    }
}

extension PasskeyChallenge.Purpose {
    /// What the MAC covers of it.
    fileprivate var parts: [[UInt8]] {
        switch self {
        case .signIn: [Array("sign-in".utf8)]
        case .adding(let account, let session, let isAutomatic):
            [
                Array((isAutomatic ? "adding-automatically" : "adding").utf8),
                account.key.bigEndianBytes, session.key.bigEndianBytes,
            ]
        case .sessionProof(let session):
            [Array("session-proof".utf8), session.key.bigEndianBytes]
        case .signInProof(let challenge): [Array("sign-in-proof".utf8), challenge]
        }
    }
}
