import Contracts
import Cryptography
import JSON
import Logging
import ServiceRuntime
import Synchronization

/// Reports that a claim of the setting `token-claims` has the name of one that an account has: the
/// operator's is in the token. Once in a run, whatever the backend gives to its accounts.
final class OverriddenClaims: Sendable {
    private let logger: Logger
    private let isReported = Atomic(false)

    init(logger: Logger) {
        self.logger = logger
    }

    /// Logs the first token in which a claim of `extra` replaces one of `custom`, or the roles.
    func look(at claims: TokenClaims) {
        guard let extra = claims.extra, !claims.roles.isEmpty || !claims.custom.members.isEmpty,
            !isReported.load(ordering: .relaxed),
            extra.replaces(claims.custom, hasRoles: !claims.roles.isEmpty),
            !isReported.exchange(true, ordering: .relaxed)
        else { return }
        logger.warning(
            "session.claims.overridden",
            """
            an account has a claim with a name of the setting token-claims, whose value is in its \
            tokens instead
            """,
            fields: [.setting: "token-claims"])
    }
}
