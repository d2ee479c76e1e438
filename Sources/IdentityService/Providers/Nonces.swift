import Cryptography
import Messages
import ServiceRuntime

/// Nonces for sign-ins at a provider. A token with a nonce was made for this sign-in, so a stolen
/// or kept token is useless (G-05; OpenID Connect Core 1.0, 15.5.2).
///
/// A nonce is stateless until it is used: 16 random bytes, the expiry in seconds, and a MAC over
/// both and the provider. Requesting a million of them therefore uses no storage, and a nonce for
/// Google is invalid for Apple.
struct Nonces: Sendable {
    /// From issue to use: the time that a user needs in a provider's dialog.
    static let life: Duration = .seconds(600)

    /// How long a used nonce is stored after its expiry. A sign-in that was checked just before the
    /// expiry may wait for the provider's keys, and must still find the nonce as used.
    static let rememberedBeyond: Duration = .seconds(60)

    private static let randomBytes = 16
    private static let endBytes = 8
    private static let macBytes = 16
    /// Length of the encoded nonce.
    private static let textBytes = ((randomBytes + endBytes + macBytes) * 8 + 5) / 6

    let key: KeyedHash
    let time: any Time
    let randomness: any Randomness

    /// Issues a nonce.
    func issue(for provider: Provider) -> GatewayV1.IssueNonceResponse {
        let end = time.now() + Self.life
        let seconds = UInt64(bitPattern: end.seconds)
        var bytes = randomness.bytes(Self.randomBytes)
        bytes += (0..<Self.endBytes).map { UInt8(truncatingIfNeeded: seconds >> (56 - $0 * 8)) }
        bytes += mac(of: bytes, for: provider)
        let nonce = Base64URL.encode(bytes)
        return GatewayV1.IssueNonceResponse(
            nonce: nonce,
            providerNonce: provider.hashesNonce ? Match.hash(nonce) : nonce,
            expiresAtMs: end.seconds * 1_000)
    }

    /// Validates a nonce. Returns the record that marks it as used; nil when there is none and the
    /// provider does not require one.
    /// - Throws: `ProviderTokenCheck.Refusal`.
    func read(
        _ text: String, for provider: Provider, at now: Timestamp
    ) throws(ProviderTokenCheck.Refusal) -> UsedNonce? {
        if text.isEmpty, provider.noncePolicy == .optional { return nil }
        guard text.utf8.count == Self.textBytes, let bytes = Base64URL.decode(text.utf8),
            bytes.count == Self.randomBytes + Self.endBytes + Self.macBytes
        else { throw text.isEmpty ? .nonceMissing : .nonceUnknown }
        let signed = bytes.dropLast(Self.macBytes)
        guard constantTimeEqual(bytes.suffix(Self.macBytes), mac(of: signed, for: provider))
        else { throw .nonceProvider }
        let seconds = signed.suffix(Self.endBytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let end = Timestamp(milliseconds: 0) + .seconds(Int64(clamping: seconds))
        guard now < end else { throw .nonceExpired }
        return UsedNonce(
            key: key.lookUpKey(Array("used nonce\0".utf8) + bytes),
            expiresAt: end + Self.rememberedBeyond, isIssued: true)
    }

    private func mac(of bytes: some Collection<UInt8>, for provider: Provider) -> [UInt8] {
        let message = DelimitedParts.joined([
            Array("nonce".utf8), Array(provider.name.utf8), Array(bytes),
        ])
        return Array(key.hash(message).prefix(Self.macBytes))
    }
}

extension Nonces {
    /// Checks that a token was made for the nonce that the caller sends with it.
    ///
    /// | nonce of the call | nonce in the token | result |
    /// |---|---|---|
    /// | present | the same, or its SHA-256 in lower-case hexadecimal | accepted |
    /// | present | another, or none | rejected: a token of another sign-in |
    /// | absent, where optional | none | accepted |
    /// | absent, where optional | present | rejected: the token was made for another nonce |
    ///
    /// Apple's native dialog receives the hash from the app and puts it into the token; its web
    /// dialog puts in whatever it receives. The service cannot distinguish which of the two an app
    /// used. Either value proves that the app had the nonce.
    enum Match {
        static func check(
            _ inToken: String?, against handedIn: String
        ) throws(ProviderTokenCheck.Refusal) {
            guard let inToken else {
                guard handedIn.isEmpty else { throw .nonce }
                return
            }
            guard !handedIn.isEmpty,
                constantTimeEqual(inToken.utf8, handedIn.utf8)
                    || constantTimeEqual(inToken.utf8, hash(handedIn).utf8)
            else { throw .nonce }
        }

        /// The form that Apple expects.
        static func hash(_ nonce: String) -> String { Hex.encode(SHA256.hash(nonce.utf8)) }
    }
}
