/// The settings of a verifier: the required claims, and how to treat a silent revocation feed.
public struct VerifierSettings: Hashable, Sendable {
    /// What to do when revocations may be missing, because the feed has been silent for some time.
    public enum Silence: Hashable, Sendable {
        /// Tokens are accepted until they expire: ten minutes at most, with the service's defaults.
        case trustsTokens
        /// After this time without a complete item every token is rejected.
        case refuses(after: Duration)
    }

    /// Required `iss` of the tokens; the session service's setting `token-issuer`.
    public let issuer: String
    /// Required `aud` of the tokens; the session service's setting `token-audience`.
    public let audience: String
    /// What to do when revocations may be missing.
    public let silence: Silence

    /// Settings that match the session service's defaults.
    public init(
        issuer: String = "postern", audience: String = "postern", silence: Silence = .trustsTokens
    ) {
        self.issuer = issuer
        self.audience = audience
        self.silence = silence
    }
}
