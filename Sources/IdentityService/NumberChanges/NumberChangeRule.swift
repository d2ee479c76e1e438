import ServiceRuntime

/// A number that a provider of text messages says has changed hands, SIM or network.
struct NumberChange: Hashable, Sendable {
    let toldAt: Timestamp
    /// When the account's owner showed, by another proof, that the number is still theirs.
    let confirmedAt: Timestamp?
}

/// What a changed number means. Pure.
///
/// Providers give no date: they say "changed lately" with each message that they send to it, for as
/// long as they call it late. So what is told again within a month is the same change:
///
///     told, when kept is                       kept then
///     nothing, or told 30 days ago or more     told now, unconfirmed
///     told less than 30 days ago               as it was, confirmed or not
///
/// A code to the number signs in by itself, unless
///
///     change                      the account's other ways in     answer
///     none, confirmed             any                             signs in
///     told the guard ago or more  any                             signs in
///     told since                  none                            signs in: nothing else is there
///     told since                  some                            auth/second-proof-required
///
/// It is confirmed by a code to the number (`CodeProof`) in a session whose owner has proved to be it
/// in a way that whoever has the number now could not: by something else than a code to a phone, or
/// before it changed.
///
/// Attack ("SIM swap"): somebody has a phone company move a number to a SIM of theirs, and recovers
/// the account by a code. The provider's word comes with its answer to the first message, and is here
/// before a phone has rung: the code in that very message is not enough any more.
enum NumberChangeRule {
    /// How long a change is kept; a later word of it is another one.
    static let keptFor: Duration = .seconds(30 * 86_400)

    /// What is kept after a change was told; nil where it stays as it was.
    static func told(_ kept: NumberChange?, at now: Timestamp) -> NumberChange? {
        if let kept, now - kept.toldAt < keptFor { return nil }
        return NumberChange(toldAt: now, confirmedAt: nil)
    }

    /// By which of an account's other methods it must prove itself too; empty where a code will do.
    static func demanded(
        _ change: NumberChange?, others: [String], guardedFor guarding: Duration,
        at now: Timestamp
    ) -> [String] {
        guard let change, change.confirmedAt == nil, now - change.toldAt < guarding else {
            return []
        }
        return others
    }

    /// Whether a proof tells more than that somebody has the number: by something that nobody gets
    /// with it, or from before it changed. A device's key proves only who opened its session, which
    /// may have been by a code; a guest's sign-in proves nothing.
    static func isIndependent(
        _ methods: [String], provedAt: Timestamp, of change: NumberChange
    ) -> Bool {
        guard !methods.contains("anon") else { return false }
        return methods.contains("pwd") || methods.contains("fed") || provedAt < change.toldAt
    }
}
