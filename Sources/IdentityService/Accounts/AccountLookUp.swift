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
        return IdentityV1.GetAccountResponse(
            account: try reading.message(row),
            hasPassword: try await request.withProofs ? hasPassword(account) : false)
    }

    private func hasPassword(_ account: AccountID) async throws -> Bool {
        try await parts.store.read { try $0.passwordHolder(account)?.sealedHash != nil }
    }
}
