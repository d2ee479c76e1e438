import Contracts
import Storage

/// Decides whether a right password alone replaces the address of its account (G-02, D2 "Change
/// email"). Pure:
///
///     the address    the account has            and is                  the address is
///     verified       anything                   anything                kept
///     unverified     no password, or more       anything                kept
///     unverified     its password alone         suspended or deleting   kept
///     unverified     its password alone         pending or active       replaced
///
/// Whoever keeps its address gets the answer to a wrong password, in the same time.
///
/// Attack: somebody has a leaked password, and moves the account to another address without a proof
/// of the old one. A verified address is such a proof, and so is any other method and any second
/// factor: their owners change the address in a session, with a recent proof and a link. Whoever has
/// neither could be signed in as by the password alone, and could change the address then.
enum CorrectionRule {
    /// Whether the address is replaced.
    static func replaces(
        isProved: Bool, methods: [SignInMethod], hasSecondFactor: Bool, status: AccountStatus
    ) -> Bool {
        !isProved && methods == [.password] && !hasSecondFactor && status.mayVerify
    }
}

extension SQLSession {
    /// Whether the password of an account replaces its address.
    func replacesAddress(of row: AccountRow) throws -> Bool {
        CorrectionRule.replaces(
            isProved: row.address?.provedAt != nil, methods: row.methods,
            hasSecondFactor: try hasSecondFactor(row.account), status: row.status)
    }
}
