import Contracts
import Cryptography
import ServiceRuntime

/// The verdict on a token with a valid signature (S-07). Pure:
///
///     expired (60 s leeway)   session ended   feed silent too long   verdict
///     yes                     any             any                    refused: expired
///     no                      yes             any                    refused: session ended
///     no                      no              yes                    refused: stale
///     no                      no              no                     good
enum VerdictRule {
    /// - Parameter silentFor: time since the revocations were last complete; nil if never.
    static func verdict(
        _ session: SessionClaims, hasEnded: Bool, silentFor: Duration?,
        silence: VerifierSettings.Silence, at now: Timestamp
    ) -> Verdict {
        guard now < session.expiresAt + TokenVerifier.leeway else {
            return .refused(.token(.expired))
        }
        if hasEnded { return .refused(.sessionEnded) }
        if case .refuses(let after) = silence, silentFor.map({ $0 > after }) ?? true {
            return .refused(.stale)
        }
        return .good(VerifiedSession(session))
    }
}
