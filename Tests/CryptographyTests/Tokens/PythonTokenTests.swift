import ServiceRuntime
import Testing

@testable import Cryptography

/// Tokens that another implementation signed. The other direction, Python verifying our tokens, is
/// in `Tests/Interop`.
@Suite("Tokens signed by Python")
struct PythonTokenTests {
    @Test(
        "S-01: each token is accepted, or rejected for its reason",
        arguments: PythonTokenVectors.tokens)
    func vector(name: String, token: String, refusal: String?) throws {
        let verifier = TokenVerifier(
            keys: try JSONWebKeySet(json: PythonTokenVectors.keySet.utf8),
            type: TokenSigner.accessTokenType, issuer: "https://auth.example.org",
            audience: "apps")
        let now = Timestamp(milliseconds: 2_000_000_300_000)
        do throws(TokenRefusal) {
            let claims = try verifier.verify(token, at: now)
            #expect(refusal == nil, "\(name) was taken")
            #expect(claims.subject == "acc_0123456789abc")
            #expect(claims.sessionID == "ses_0123456789abc")
            #expect(claims.methods == ["pwd"])
            #expect(claims.authenticatedAt == Timestamp(milliseconds: 1_999_999_990_000))
            #expect(claims.expiresAt == Timestamp(milliseconds: 2_000_000_600_000))
            #expect(claims.identifier == "t1")
        } catch {
            #expect(error.rawValue == refusal, "\(name)")
        }
    }
}
