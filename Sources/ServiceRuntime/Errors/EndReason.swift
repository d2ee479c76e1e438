/// Why a session has ended (S-02, S-06, G-29). The numbers are those in the store and on the wire,
/// and are never reused. Each case is a rule of `auth/session-ended`'s violation, whose sentence
/// replaces the code's.
package enum EndReason: Int64, WordedRule {
    /// Its owner signed out.
    case signedOut = 1
    /// It was not used for too long.
    case inactive = 2
    /// It reached its maximum age.
    case maximumAge = 3
    /// A newer session displaced it.
    case displaced = 4
    /// A refresh token was replayed.
    case replayed = 5
    /// Ended to protect the account.
    case security = 6
    /// Ended by the operator.
    case revoked = 7
    /// The provider no longer vouches for its owner.
    case providerRevoked = 8
    /// The account was deleted.
    case accountDeleted = 9

    package static var section: String { "session-end" }

    /// The case's name in kebab case: `signed-out`.
    package var rule: String { "\(self)".lowercased(joiningWordsBy: "-") }
}

extension ServiceError {
    /// `auth/session-ended` with the reason, where it is known.
    package static func sessionEnded(_ reason: EndReason?) -> ServiceError {
        var error = ServiceError(.sessionEnded)
        error.violations = reason.map { [Violation(field: "session", rule: $0.rule)] } ?? []
        return error
    }
}
