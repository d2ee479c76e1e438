/// What a verifier demands of tokens, and how much it trusts silence.
package struct VerifierSettings: Hashable, Sendable {
    /// What to do while ends may be missed, because nothing has been heard for some time.
    package enum Silence: Hashable, Sendable {
        /// Tokens hold until they expire: ten minutes at most, with the service's defaults.
        case trustsTokens
        /// After this long without a word every token is refused.
        case refuses(after: Duration)
    }

    /// `iss` of the tokens; the session service's setting `token-issuer`.
    package let issuer: String
    /// `aud` of the tokens; the session service's setting `token-audience`.
    package let audience: String
    /// What to do while ends may be missed.
    package let silence: Silence

    /// What the session service's defaults are made for.
    package init(
        issuer: String = "postern", audience: String = "postern", silence: Silence = .trustsTokens
    ) {
        self.issuer = issuer
        self.audience = audience
        self.silence = silence
    }
}
