import Messages
import ServiceRuntime
import Storage

/// Builds the operator's view of an account.
struct AdminAccountReader: Sendable {
    let parts: IdentityParts

    /// The message for an account's row.
    /// - Parameter showsPersonal: Whether email, phone number, name and picture were requested.
    ///   Otherwise they are masked or left out.
    func message(
        _ row: AccountRow, _ suspension: Suspension?, showsPersonal: Bool
    ) throws -> IdentityV1.AdminAccount {
        let reading = AccountReader(parts: parts)
        var account = try reading.message(row)
        if !showsPersonal {
            account.email = MaskedText.email(account.email)
            account.phoneNumber = MaskedText.phone(account.phoneNumber)
            account.displayName = ""
            account.photoUrl = ""
        }
        let vault = try reading.vault(row)
        return IdentityV1.AdminAccount(
            account: account,
            suspension: try suspension.map {
                IdentityV1.Suspension(
                    reason: try vault.open($0.sealedReason, .suspensionReason),
                    sinceMs: $0.since.milliseconds)
            })
    }

    /// The account as of this transaction, without personal data.
    /// - Throws: `rpc/not-found`.
    func message(
        _ account: AccountID, _ transaction: Transaction
    ) throws -> IdentityV1.AdminAccount {
        guard let row = try transaction.account(account) else {
            throw ServiceError(.notFound, fields: ["account_id"])
        }
        return try message(
            row, try transaction.suspension(account), showsPersonal: false)
    }
}

extension AccountID {
    /// Parses the id in a request.
    /// - Throws: `rpc/invalid-argument`.
    static func required(_ text: String) throws(ServiceError) -> AccountID {
        guard let account = AccountID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        return account
    }
}
