/// Why a session has ended (S-02, S-06, G-29). The raw values are the rules of
/// `auth/session-ended`'s violation, whose sentence replaces the code's.
package enum SessionEndReason: String, CaseIterable, Sendable {
    /// Its owner signed out.
    case signedOut = "signed-out"
    /// It was not used for too long.
    case inactive
    /// It reached its maximum age.
    case maximumAge = "maximum-age"
    /// A newer session displaced it.
    case displaced
    /// A refresh token was replayed.
    case replayed
    /// Ended to protect the account.
    case security
    /// Ended by the operator.
    case revoked
    /// The provider no longer vouches for its owner.
    case providerRevoked = "provider-revoked"
    /// The account was deleted.
    case accountDeleted = "account-deleted"

    /// The sentence for the user in `voice`.
    package func sentence(in voice: Voice) -> String {
        voice.sentence("session-end/\(rawValue)")
    }
}

extension ServiceError {
    /// `auth/session-ended` with the reason, where it is known.
    package static func sessionEnded(_ reason: SessionEndReason?) -> ServiceError {
        var error = ServiceError(.sessionEnded)
        error.violations = reason.map { [Violation(field: "session", rule: $0.rawValue)] } ?? []
        return error
    }

    /// The catalogue's sentence for the user in `voice`; for a session that has ended, the one
    /// about the reason, and for a birth date that is missing, the one that asks for it.
    package func catalogueSentence(in voice: Voice) -> String {
        let isByRule = code == .sessionEnded || code == .consentRequired
        let sentences = violations.lazy.compactMap { voice.sentence(aboutRule: $0.rule) }
        return isByRule ? sentences.first ?? code.sentence(in: voice) : code.sentence(in: voice)
    }
}
