import Contracts
import ServiceRuntime
import Storage

extension AccountWriter {
    /// The proofs that an account's owner can give now, in a session that is bound to a device key or
    /// not (F-04, G-13). A factor of a kind that a later build has stored can be given none of, and the
    /// account has it: what needs its highest assurance is refused until that build is back.
    ///
    /// A passkey is a proof of aal2, and raises what the account needs only where the operator
    /// requires a second factor (F-01): a convenience locks no one out.
    /// - Throws: `SQLError`.
    func availableProofs(
        of row: AccountRow, _ settings: IdentitySettings, hasDeviceKey: Bool,
        in session: some SQLSession
    ) throws -> AvailableProofs {
        let account = row.account
        let hasPasskey = try session.hasPasskey(account, of: settings.passkeys.id)
        let isOn =
            try gate.factors?.hasSecondFactor(account, in: session) ?? false
            || hasPasskey && settings.countsPasskeys
        var factors = isOn ? try session.factorProofs(of: account) : []
        if hasPasskey { factors.insert(.passkey) }
        return AvailableProofs(
            methods: settings.opening(row.methods), hasSecondFactor: isOn, factors: factors,
            strongProviders: settings.providers.strongProviders, hasDeviceKey: hasDeviceKey)
    }
}

extension SQLSession {
    /// The kinds of proof that an account's second factors and recovery codes give.
    fileprivate func factorProofs(of account: AccountID) throws -> Set<ProofKind> {
        var kinds: Set<ProofKind> = []
        if try secondFactors(of: account).contains(where: \.isTOTP) { kinds.insert(.totp) }
        if try recoveryCodes(of: account) > 0 { kinds.insert(.recoveryCode) }
        return kinds
    }
}
