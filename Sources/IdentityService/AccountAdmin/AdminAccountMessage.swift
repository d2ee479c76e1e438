import Messages
import ServiceRuntime
import Storage

/// The operator's view of an account.
extension AccountAdminHandler {
    /// The message for an account's row.
    /// - Parameter showsPersonal: Whether email, phone number, name and picture were requested.
    ///   Otherwise they are masked or left out.
    func message(
        _ row: AccountRow, _ suspension: Suspension?, showsPersonal: Bool
    ) throws -> IdentityV1.AdminAccount {
        var account = try reader.message(row)
        if !showsPersonal {
            account.email = MaskedText.email(account.email)
            account.phoneNumber = MaskedText.phone(account.phoneNumber)
            account.displayName = ""
            account.photoUrl = ""
        }
        let vault = try reader.vault(row)
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
        return try message(row, try transaction.suspension(account), showsPersonal: false)
    }
}

/// Masks addresses and phone numbers for operators who did not request personal data. The result is
/// enough to recognise an address that a person has just named, and too little to write to it.
enum MaskedText {
    /// `ada@example.org` → `a…@example.org`.
    static func email(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@"), let first = address.first, first != "@" else {
            return address.isEmpty ? "" : "…"
        }
        return "\(first)…\(address[at...])"
    }

    /// `+4915112345678` → `+49…78`. Country codes have up to three digits; two of them are enough.
    static func phone(_ number: String) -> String {
        // In a shorter number, both ends together would be most of the number.
        guard number.count >= 8 else { return number.isEmpty ? "" : "…" }
        return "\(number.prefix(3))…\(number.suffix(2))"
    }
}
