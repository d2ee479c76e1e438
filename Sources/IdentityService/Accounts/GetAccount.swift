import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountsHandler {
    /// Returns one account by its id (G-01), and on request how its owner could authenticate again
    /// (G-13).
    func getAccount(
        _ request: IdentityV1.GetAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetAccountResponse {
        let account = try AccountID.required(request.accountId)
        guard let found = try await find(account, withProofs: request.withProofs) else {
            throw ServiceError(.notFound, fields: ["account_id"])
        }
        let answer = try answers.answer(
            found.row, found.facts, lastSignInAt: found.row.lastSignInAt,
            pendingEmail: try found.pendingEmail.text(of: found.row, reader))
        return IdentityV1.GetAccountResponse(
            account: answer.account, hasPassword: found.hasPassword,
            requiredActions: answer.requiredActions, proofs: found.proofs)
    }

    private struct Found: Sendable {
        let row: AccountRow
        let facts: AccountFacts
        let pendingEmail: PendingEmail
        /// Always false unless the request asks for it.
        let hasPassword: Bool
        /// Always empty unless the request asks for it.
        let proofs: [IdentityV1.AvailableProof]
    }

    /// Reads everything in one transaction, because every check of a session's state calls this.
    private func find(_ account: AccountID, withProofs: Bool) async throws -> Found? {
        let now = time.now()
        return try await store.read { session in
            guard let row = try session.account(account) else { return nil }
            return Found(
                row: row, facts: try answers.facts(row, in: session),
                pendingEmail: try PendingEmail(of: account, at: now, in: session),
                hasPassword: try withProofs
                    && session.passwordHolder(account)?.sealedHash != nil,
                proofs: try withProofs ? proofs(of: row, in: session) : [])
        }
    }
    /// By which proofs the owner could authenticate again, but for a device's key.
    private func proofs(
        of row: AccountRow, in session: some SQLSession
    ) throws -> [IdentityV1.AvailableProof] {
        try writer.availableProofs(
            of: row, settings, hasDeviceKey: false, in: session
        ).messages
    }
}
