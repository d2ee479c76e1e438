import EmailAddresses
import ServiceRuntime

/// What a provider's token, or a code to a phone, has proved: an identity, and what its issuer says
/// of whom it belongs to. An identity is its issuer and subject; an email never identifies.
struct ProvedIdentity: Sendable {
    /// How it was proved, as methods are named to owners: "google", "apple", another provider's
    /// name, "phone".
    let method: String
    /// The provider's issuer as its documents have it ("https://accounts.google.com"); "phone".
    let issuer: String
    /// The issuer's own name for it; of a phone the number in E.164.
    let subject: String
    /// What the issuer says of an email; nil where it says nothing.
    var email: ProvidedEmail?
    /// Name to show; empty where none is told.
    var displayName = ""
    /// A picture to show; empty where none is told.
    var photoURL = ""
    /// As RFC 8176 names it, where it does: "sms" for a code; "fed" for a provider.
    let amr: [String]
    /// What is exchanged for a grant behind the sign-in (Apple's authorization code, G-05); nil for
    /// none.
    var code: GrantCode?
    /// Which of the operator's client ids the token was for: Apple's code is exchanged under the same
    /// one; empty where there is none.
    var audience = ""
    /// Serves once: written with the sign-in that it serves, and refused after (G-05).
    var nonce: UsedNonce?
}

/// An email as an issuer tells of it.
struct ProvidedEmail: Hashable, Sendable {
    let address: EmailAddress
    /// The issuer says that it has proved it, and the operator trusts this issuer to do so. All else
    /// (false, "false", absent, 1, null) is no: nothing is linked by it.
    let isVerified: Bool
    /// A relay of the provider's, which passes mail on and is nobody's main address (Apple's "Hide My
    /// Email").
    let isRelay: Bool
}

/// A nonce that a sign-in uses up.
struct UsedNonce: Hashable, Sendable {
    /// Keyed hash.
    let key: [UInt8]
    /// After this it would be refused in any case, so that it need not be kept.
    let expiresAt: Timestamp
}
