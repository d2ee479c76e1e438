import Contracts
import Cryptography
import ServiceRuntime

/// What holds for a token whose signature is ours (S-07). Pure:
///
///     expired (60 s leeway)   session ended   silent for too long   verdict
///     yes                     any             any                   refused: expired
///     no                      yes             any                   refused: session ended
///     no                      no              yes                   refused: stale
///     no                      no              no                    good
enum VerdictRule {
    /// - Parameter silentFor: how long nothing has been heard; nil where nothing ever was.
    static func verdict(
        _ session: VerifiedSession, hasEnded: Bool, silentFor: Duration?,
        silence: VerifierSettings.Silence, at now: Timestamp
    ) -> Verdict {
        guard now < session.expiresAt + TokenVerifier.leeway else {
            return .refused(.token(.expired))
        }
        if hasEnded { return .refused(.sessionEnded) }
        if case .refuses(let after) = silence, silentFor.map({ $0 > after }) ?? true {
            return .refused(.stale)
        }
        return .good(session)
    }
}
