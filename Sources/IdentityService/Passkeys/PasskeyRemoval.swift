import Contracts
import ServiceRuntime
package import Storage

/// Decides whether the owner of an account may remove a passkey. Pure:
///
///     what remains                                           result
///     no passkey, and no other way to sign in                auth/last-sign-in-method
///     no passkey that can be used, no other second factor,   auth/last-second-factor
///     and the operator requires one
///     otherwise                                              removed
enum PasskeyRemovalRule {
    /// The error code of a removal; nil when it may be done.
    /// - Parameters:
    ///   - methods: Those of the account that can open it, before the removal.
    ///   - passkeysLeft: After it.
    ///   - usableLeft: Those of them that can be used.
    ///   - hasSecondFactor: Beside the passkeys.
    ///   - isFactor: A passkey counts as a second factor (`IdentitySettings.countsPasskeys`).
    static func refusal(
        methods: [SignInMethod], passkeysLeft: Int, usableLeft: Int, hasSecondFactor: Bool,
        isFactor: Bool
    ) -> ErrorCode? {
        if passkeysLeft == 0, methods.allSatisfy({ $0 == .passkey }) { return .lastMethod }
        return isFactor && usableLeft == 0 && !hasSecondFactor ? .lastSecondFactor : nil
    }
}

/// Removes passkeys from an account, and tells its owner (F-01). The caller has judged whether they
/// may go, and ends sessions.
///
/// Attack: a thief of the password adds a passkey, confirms another one by it, which has no link to
/// remove it, and removes the first. So the link about a passkey that is removed goes over to the
/// next one that was added since; it removes that one, and all after it.
package struct PasskeyRemoval: AccountWriting {
    /// Writes accounts.
    package let writer: AccountWriter
    let transaction: Transaction

    /// Removes in a transaction.
    package init(writer: AccountWriter, transaction: Transaction) {
        self.writer = writer
        self.transaction = transaction
    }

    /// - Parameters:
    ///   - passkeys: Some of the account's.
    ///   - row: The account before it: the notice goes to the ways that it had.
    ///   - session: The session that removes them, "ses_…"; empty for none.
    ///   - actor: The operator or application that does; nil for the owner.
    /// - Throws: `SQLError`; if sealing the notice fails.
    package func run(
        _ passkeys: [PasskeyRow], from row: AccountRow, _ device: DeviceShown, origin: CallOrigin,
        except session: String = "", by actor: String? = nil
    ) throws {
        guard !passkeys.isEmpty else { return }
        let account = row.account
        let all = try transaction.passkeys(of: account)
        let gone = Set(passkeys.map(\.passkey))
        for passkey in passkeys {
            let later = all.drop { $0.passkey != passkey.passkey }.dropFirst()
            let next = later.first { !gone.contains($0.passkey) }
            try transaction.setLink(about: passkey.passkey, to: next?.passkey, of: account)
            try transaction.removePasskey(passkey.passkey, of: account)
            let event = AuditEvent(.passkeyRemoved, account: account.key)
            try transaction.audit(actor.map { event.by($0) } ?? event.from(origin))
        }
        if all.allSatisfy({ gone.contains($0.passkey) }),
            try !transaction.hasSecondFactor(account)
        {
            // They stood in for a passkey where the operator requires a second factor.
            try transaction.removeRecoveryCodes(of: account)
        }
        try notices.write(
            .methodRemoved, to: row, device, with: [.method(.passkey)], byOperator: actor != nil,
            except: session, transaction)
    }
}

extension SQLSession {
    /// The passkey that the link of a mail is about, and those that were added since; none for a
    /// link about something else.
    func passkeys(disownedBy link: Link) throws -> [PasskeyRow] {
        guard let passkey = link.aboutPasskey else { return [] }
        return Array(try passkeys(of: link.account).drop { $0.passkey != passkey })
    }
}
