import Cryptography
package import Outbound

/// An OpenID provider that the operator has configured (G-04, G-05).
package struct Provider: Sendable {
    /// The location of its JWKS.
    package enum JWKSLocation: Hashable, Sendable {
        /// At this URL.
        case at(HTTPURL)
        /// At the `jwks_uri` of its discovery document (OpenID Connect Discovery 1.0, 4).
        case described(by: HTTPURL)
    }

    /// Which of its emails count as verified. `email_verified` must be `true` or `"true"` in every
    /// case.
    ///
    /// | provider | accepted | reason |
    /// |---|---|---|
    /// | Apple | all | it verifies each address, and operates the relays |
    /// | Google, `verified` | all | it has verified each address once |
    /// | Google, `authoritative` | `@gmail.com`, and at `hd` | it operates their mailboxes |
    /// | another | as configured; by default none | anybody can run a provider that claims it |
    ///
    /// For all other addresses, Google itself states that the owner may have changed since it
    /// verified them ("Verify the Google ID token on your server side"). `authoritative` requires
    /// those users to verify their address again.
    package enum EmailTrust: String, CaseIterable, Sendable {
        /// No emails.
        case none
        /// Emails that it reports as verified.
        case verified
        /// Verified emails whose mailboxes it operates.
        case authoritative
    }

    /// Whether a token must contain a nonce that this service issued.
    package enum NoncePolicy: String, CaseIterable, Sendable {
        /// Required: a stolen token is useless.
        case required
        /// Optional, for apps whose provider dialog accepts no nonce.
        case optional
    }

    /// The values by which a token says that its owner has given two proofs at the provider: OpenID
    /// Connect Core 1.0, 2 leaves their meaning to the two parties. One of either claim is enough.
    ///
    /// | `acr` of a token | `amr` of it | it counts as |
    /// |---|---|---|
    /// | one of `classes` | any | both proofs |
    /// | any | has one of `methods` | both proofs |
    /// | other, or none | others, or none | one proof |
    ///
    /// Google and Apple send neither claim, so the built-in providers have none of these.
    package struct BothProofs: Hashable, Sendable {
        /// Of `acr`.
        let classes: Set<String>
        /// Of `amr`.
        let methods: Set<String>

        /// Whether a token with these claims counts as both proofs.
        func includes(acr: String?, amr: [String]) -> Bool {
            acr.map { classes.contains($0) } ?? false || !methods.isDisjoint(with: amr)
        }
    }

    /// The name in calls and in lists of sign-in methods: "google".
    let name: String
    /// The accepted spellings of its issuer. Identities are stored with the first.
    let issuers: [String]
    /// The operator's client ids at the provider.
    let audiences: Set<String>
    let jwksLocation: JWKSLocation
    /// The accepted signature algorithms.
    let algorithms: Set<SignatureAlgorithm>
    let emailTrust: EmailTrust
    let noncePolicy: NoncePolicy
    /// Which of its tokens count as both proofs (F-04); nil for none.
    let bothProofs: BothProofs?
    /// Whether its dialog receives the SHA-256 of the nonce, and not the nonce.
    let hashesNonce: Bool
    /// The page on which people get their account there back; empty for none (G-36).
    let recoveryURL: String
    /// Whether the user's name comes in the request, because its tokens contain none (Apple).
    let namesComeWithRequest: Bool

    /// The issuer that identities are stored with.
    var issuer: String { issuers[0] }

    /// A provider. `issuers` has at least one element.
    init(
        name: String, issuers: [String], audiences: Set<String>, jwksLocation: JWKSLocation,
        algorithms: Set<SignatureAlgorithm> = [.rs256], emailTrust: EmailTrust,
        noncePolicy: NoncePolicy = .required, bothProofs: BothProofs? = nil,
        hashesNonce: Bool = false, recoveryURL: String = "", namesComeWithRequest: Bool = false
    ) {
        precondition(!issuers.isEmpty, "the settings check it")
        self.name = name
        self.issuers = issuers
        self.audiences = audiences
        self.jwksLocation = jwksLocation
        self.algorithms = algorithms
        self.emailTrust = emailTrust
        self.noncePolicy = noncePolicy
        self.bothProofs = bothProofs
        self.hashesNonce = hashesNonce
        self.recoveryURL = recoveryURL
        self.namesComeWithRequest = namesComeWithRequest
    }
}
