import Contracts
import ServiceRuntime

/// A change of a phone number's owner, SIM or network, as reported by a text message provider
///
struct NumberChange: Hashable, Sendable {
    let toldAt: Timestamp
    /// When the account's owner confirmed, with another proof, that the number is still theirs; nil
    /// if unconfirmed.
    let confirmedAt: Timestamp?
}

/// Decides what a changed number means for sign-in. Pure.
///
/// Providers send no date of the change. They report "changed recently" with each message to the
/// number, for as long as they consider it recent. Reports within 30 days are therefore one change:
///
///     stored change                           after a report
///     none, or reported 30 days ago or more   reported now, unconfirmed
///     reported less than 30 days ago          unchanged, confirmed or not
///
/// A code to the number is sufficient for a sign-in, unless the number is guarded:
///
///     change                       the number is
///     none, or confirmed           not guarded
///     older than the guard period  not guarded
///     within the guard period      guarded
///
/// A code to a guarded number needs a second proof that is independent of the number, if the account
/// has one (`SecondProofDemand.numberChanged`), and is itself no second proof (`SecondProofKind`).
/// That second proof confirms the change. So does a code to the number (`proveByCode`) in a session
/// with an independent proof. The number's new holder could not have given it: it used something
/// other than a code to a phone, or it is older than the change.
///
/// Attack ("SIM swap"): somebody has a phone company move a number to their own SIM, and recovers
/// the account with a code. The provider reports the change in its response to the first message,
/// so it is stored before the phone rings: even the code in that message is no longer sufficient.
enum NumberChangeRule {
    /// How long a change is stored. A later report is a new change.
    static let retention: Duration = .seconds(30 * 86_400)

    /// The change to store after a report; nil to leave the stored one unchanged.
    static func afterReport(_ stored: NumberChange?, at now: Timestamp) -> NumberChange? {
        if let stored, now - stored.toldAt < retention { return nil }
        return NumberChange(toldAt: now, confirmedAt: nil)
    }

    /// Whether the number may be in other hands: it changed within the guard period, and its owner
    /// has not confirmed it since. No notice goes there (`OwnerNotice`).
    static func isGuarded(
        _ change: NumberChange?, for guarding: Duration, at now: Timestamp
    ) -> Bool {
        guard let change else { return false }
        return change.confirmedAt == nil && now - change.toldAt < guarding
    }

    /// Whether a proof shows more than possession of the number: it uses something that the number
    /// does not give, or it is older than the change. A device key proves only who opened its
    /// session, which may have been with a code. A guest's session proves nothing.
    static func isIndependent(
        _ amr: [String], provedAt: Timestamp, of change: NumberChange
    ) -> Bool {
        guard !Authentication.guest.isPart(of: amr) else { return false }
        return ProofKind.password.includes(amr) || ProofKind.provider.includes(amr)
            || Assurance(of: amr) == .aal2 || provedAt < change.toldAt
    }
}
