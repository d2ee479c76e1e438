import ServiceRuntime

/// Whether what an account has accepted is enough (G-23). Pure.
///
///     mode       accepted                outcome
///     off        any                     ok
///     asked      the current versions    ok
///     asked      anything else           ask
///     required   the current versions    ok
///     required   anything else           refuse
///
/// `refuse` is for a sign-up by which an account with a sign-in method comes to be. An account that
/// exists is asked instead, and its sessions go on: a new version must not lock all users out.
/// Guests are neither asked nor refused until they become accounts.
enum ConsentRule {
    enum Outcome: Hashable, Sendable {
        case ok
        /// The account has the required action "accept terms".
        case ask
        /// The sign-up is refused with `auth/consent-required`.
        case refuse
    }

    /// The outcome for what an account has accepted and not withdrawn.
    /// - Parameter current: The current versions; nil if the operator has named none.
    static func outcome(
        _ mode: ConsentSettings.Mode, current: ConsentVersions?, given: ConsentVersions
    ) -> Outcome {
        guard let current, given != current else { return .ok }
        return switch mode {
        case .off: .ok
        case .asked: .ask
        case .required: .refuse
        }
    }
}

extension ConsentSettings {
    /// Whether an account lacks what the operator asks for.
    func isLacking(_ given: GivenConsents) -> Bool {
        ConsentRule.outcome(mode, current: current, given: given.versions) != .ok
    }

    /// Refuses a sign-up without the current versions, where they are required.
    /// - Parameter guest: What the calling guest has accepted before; nil without one.
    /// - Throws: `auth/consent-required`.
    func require(
        _ acceptance: Acceptance, or guest: GivenConsents? = nil
    ) throws(ServiceError) {
        for given in [acceptance.versions, guest?.versions ?? .none] {
            if ConsentRule.outcome(mode, current: current, given: given) != .refuse { return }
        }
        throw ServiceError(.consentRequired, fields: ["acceptance"])
    }
}
