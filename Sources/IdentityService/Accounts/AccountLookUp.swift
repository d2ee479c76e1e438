import Messages
import ServiceRuntime
import Storage

/// One account by its id (G-01), and how it could prove itself where that is asked for (G-13).
struct AccountLookUp: Sendable {
    let parts: IdentityParts

    /// - Throws: `rpc/invalid-argument` for what is no id, `rpc/not-found`.
    func run(_ request: IdentityV1.GetAccountRequest) async throws -> IdentityV1.GetAccountResponse
    {
        guard let account = AccountID(text: request.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        let reading = AccountReading(parts: parts)
        let row = try await reading.account(account)
        var message = try reading.message(row)
        message.pendingEmail = try await pendingEmail(row)
        return IdentityV1.GetAccountResponse(
            account: message,
            hasPassword: try await request.withProofs ? hasPassword(account) : false)
    }

    /// The address that a change waits with, or a claim; empty for none.
    private func pendingEmail(_ row: AccountRow) async throws -> String {
        let now = parts.time.now()
        let (change, claim) = try await parts.store.read { session in
            (
                try session.pendingChangeAddress(of: row.account, at: now),
                try session.claim(of: row.account, at: now)
            )
        }
        guard change != nil || claim != nil else { return "" }
        let vault = try AccountReading(parts: parts).vault(row)
        if let change { return try vault.open(change, .newAddress) }
        return try claim.map { try vault.open($0.sealedAddress, .claimedAddress) } ?? ""
    }

    private func hasPassword(_ account: AccountID) async throws -> Bool {
        try await parts.store.read { try $0.passwordHolder(account)?.sealedHash != nil }
    }
}
