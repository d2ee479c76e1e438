import Contracts
import Glibc
import Messages
import ServiceRuntime

/// An access token that was verified, and the answer that it gets while it is good: both are made
/// once, since a token is validated with every call of its owner.
final class KnownToken: Sendable {
    let token: AccessToken
    let answer: SessionV1.ValidateResponse
    private let text: String

    init(_ token: AccessToken, text: String) {
        self.token = token
        self.text = text
        answer = SessionV1.ValidateResponse(
            valid: true, sessionId: token.session.text, accountId: token.account.text,
            authTimeMs: token.authenticatedAt.milliseconds, amr: token.methods,
            expiresAtMs: token.expiresAt.milliseconds)
    }

    /// Whether `other` is this very token, byte by byte: to a Swift `String` the Kelvin sign equals
    /// the letter K, and a token that was changed in that way would be taken for this one.
    ///
    /// Not in constant time, and it need not be: how many bytes agree tells nothing to who does not
    /// have the token's last bytes, which are its signature's and find it in the first place.
    func isSpelled(_ other: String) -> Bool {
        text.utf8.span.withUnsafeBytes { own in
            other.utf8.span.withUnsafeBytes { other in
                guard own.count == other.count, let start = own.baseAddress,
                    let otherStart = other.baseAddress
                else { return false }
                return memcmp(start, otherStart, own.count) == 0
            }
        }
    }
}
