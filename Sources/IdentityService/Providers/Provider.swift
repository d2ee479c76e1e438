import Cryptography
package import Outbound

/// A provider whose word about people is taken, as the operator has set it up (G-04, G-05).
package struct Provider: Sendable {
    /// Where its keys are.
    package enum KeyPlace: Hashable, Sendable {
        /// There.
        case at(HTTPURL)
        /// Where its own description says (OpenID Connect Discovery 1.0, 4).
        case described(by: HTTPURL)
    }

    /// Which of its words about emails are taken; only `true` and `"true"` are a yes at all.
    ///
    /// | provider | its word | why |
    /// |---|---|---|
    /// | Apple | taken | it proves each address, and runs the relays |
    /// | Google, `verified` | taken | it has proved each address once |
    /// | Google, `authoritative` | of `@gmail.com`, and with `hd` | it runs their mail |
    /// | another | as its file says; by default not | anybody can run one that says yes |
    ///
    /// Of other addresses than those Google says itself that they may have changed hands since it
    /// proved them ("Verify the Google ID token on your server side"): `authoritative` is for who
    /// would rather have such people prove their address once more.
    package enum EmailTrust: String, CaseIterable, Sendable {
        /// None.
        case none
        /// Those that it says are verified.
        case verified
        /// Those of them whose mail it runs.
        case authoritative
    }

    /// Whether a token must hold a nonce of ours.
    package enum NoncePolicy: String, CaseIterable, Sendable {
        /// It must: a stolen token serves nobody.
        case required
        /// It may; for apps whose provider's dialog takes none.
        case optional
    }

    /// As owners' methods and calls name it: "google".
    let name: String
    /// The spellings of its issuer; an identity goes by the first.
    let issuers: [String]
    /// The operator's client ids there.
    let audiences: Set<String>
    let keyPlace: KeyPlace
    /// By which it may sign.
    let algorithms: Set<SignatureAlgorithm>
    let emailTrust: EmailTrust
    let noncePolicy: NoncePolicy
    /// What its dialog is handed: the nonce's SHA-256, or the nonce.
    let hashesNonce: Bool
    /// Whether names come with the request, since its tokens have none (Apple).
    let namesComeWithRequest: Bool

    /// The issuer that its identities go by.
    var issuer: String { issuers[0] }

    /// A provider; `issuers` has at least one.
    init(
        name: String, issuers: [String], audiences: Set<String>, keyPlace: KeyPlace,
        algorithms: Set<SignatureAlgorithm> = [.rs256], emailTrust: EmailTrust,
        noncePolicy: NoncePolicy = .required, hashesNonce: Bool = false,
        namesComeWithRequest: Bool = false
    ) {
        precondition(!issuers.isEmpty, "the settings check it")
        self.name = name
        self.issuers = issuers
        self.audiences = audiences
        self.keyPlace = keyPlace
        self.algorithms = algorithms
        self.emailTrust = emailTrust
        self.noncePolicy = noncePolicy
        self.hashesNonce = hashesNonce
        self.namesComeWithRequest = namesComeWithRequest
    }
}
