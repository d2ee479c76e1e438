import JSON
import Messages
import ProviderIssuer

/// Tokens of providers, of the greatest length.
extension CallStage {
    /// Of a token, in bytes.
    private static let tokenBytes = 8_192

    /// What the dialog of a provider gives the app for a nonce.
    func token(
        of provider: String, _ subject: String, mailbox: String,
        _ nonce: GatewayV1.IssueNonceResponse
    ) throws -> GatewayV1.ProviderToken {
        let isApple = provider == "apple"
        let claims: IssuedClaims =
            isApple
            ? .apple(of: subject, email: mailbox, nonce: nonce.providerNonce)
            : .google(of: subject, email: mailbox, nonce: nonce.providerNonce)
        return GatewayV1.ProviderToken(
            provider: provider, idToken: try Self.padded(claims, by: isApple ? apple : google),
            nonce: nonce.nonce, authorizationCode: isApple ? Bound.text(512, "code") : "",
            displayName: Bound.displayName)
    }

    /// A notice that its user has revoked the consent.
    func appleNotice(of subject: String) throws -> String {
        let events: JSONObject = ["type": .string("consent-revoked"), "sub": .string(subject)]
        return try Self.padded(
            IssuedClaims([
                ("jti", .string(Bound.text(255, subject.prefix(32) + "-notice"))),
                ("events", .string(JSONWriter.text(events))),
            ]), by: apple)
    }

    /// A token of 8,192 bytes: claims that nobody reads fill it. Base64 grows by four bytes for
    /// three, so the head is filled too.
    private static func padded(
        _ claims: IssuedClaims, by issuer: ProviderIssuer
    ) throws -> String {
        func token(_ head: Int, _ body: Int) throws -> String {
            try issuer.token(
                claims.with([("fill", .string(Bound.text(body)))]),
                header: [("fill", .string(Bound.text(head)))])
        }
        for head in 0..<3 {
            let missing = tokenBytes - (try token(head, 0).utf8.count)
            let about = missing * 3 / 4
            for body in about - 2...about + 2 {
                let token = try token(head, body)
                if token.utf8.count == tokenBytes { return token }
            }
        }
        throw CallFailure("no token of \(tokenBytes) bytes")
    }
}
