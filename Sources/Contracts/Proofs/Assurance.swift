/// How strongly the owner of a session has authenticated: the levels of NIST SP 800-63B, which are
/// `acr` of access tokens (RFC 9470; F-04). Raw values are sent to callers. Pure:
///
///     a proof                             its assurance
///     has `mfa`                           aal2
///     a guest's (`anon`)                  none
///     any other                           aal1
///
///     the proofs of a session             its assurance
///     one of aal2                         aal2
///     a guest's only                      none
///     otherwise                           aal1
///
/// `acr` is what the session has reached, and `auth_time` and `amr` of the same token are those of
/// its latest proof: a password that is entered again in a session of aal2 does not lower it. How
/// old the second proof may be says `RecentProof`.
///
/// No row has a session's assurance. Attack: a level that is stored goes stale, and a session keeps
/// one that it has not reached (Kratos GHSA-wc43-73w7-x2f5). It follows from the stored proofs.
package enum Assurance: String, CaseIterable, Comparable, Sendable {
    /// One proof.
    case aal1
    /// Two proofs, one of them by a second factor or a recovery code.
    case aal2

    /// The assurance of one proof; nil for one that proves nothing.
    /// - Parameter amr: as sessions and tokens have it.
    package init?(of amr: [String]) {
        if amr.contains(Authentication.twoProofs) {
            self = .aal2
        } else if amr.isEmpty || Authentication.guest.isPart(of: amr) {
            return nil
        } else {
            self = .aal1
        }
    }

    /// The assurance of a session; nil for a guest's.
    /// - Parameter proofs: `amr` of each of its proofs.
    package init?(ofSession proofs: [[String]]) {
        guard let highest = proofs.compactMap({ Assurance(of: $0) }).max() else { return nil }
        self = highest
    }

    package static func < (one: Assurance, other: Assurance) -> Bool {
        one == .aal1 && other == .aal2
    }
}
