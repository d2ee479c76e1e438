import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension SessionsHandler {
    /// Sets what the next access tokens of an account have besides (I-10), if identity has sent
    /// nothing later (`KnownClaims`). Tokens that exist stay as they are.
    ///
    /// Nothing is stored of an account whose deletion has begun: this call may be late, and what it
    /// stored would stay. A day later such a row is found as an orphan.
    package func setAccountClaims(
        _ request: SessionV1.SetAccountClaimsRequest, _ context: CallContext
    ) async throws -> SessionV1.SetAccountClaimsResponse {
        // Attack: somebody has taken the gateway over, and gives their account a role.
        try context.requireIdentity()
        guard let account = AccountID(text: request.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        guard request.version > 0 else {
            throw ServiceError(.invalidArgument, fields: ["version"])
        }
        guard let claims = AccountClaims(sent: request.roles, json: request.claimsJson) else {
            throw ServiceError(.invalidArgument, fields: ["claims_json", "roles"])
        }
        let sent = SentClaims(claims: claims, version: request.version)
        let changed = try await store.write(about: [.account(account)]) { transaction in
            guard try !transaction.isDeleted(account) else { return false }
            return try transaction.take(sent, of: account, keys.claims).changed
        }
        return SessionV1.SetAccountClaimsResponse(changed: changed)
    }
}

extension Transaction {
    /// Whether the deletion of an account has ended its sessions lately.
    fileprivate func isDeleted(_ account: AccountID) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM account_end WHERE account = ? AND reason = ?",
            [.integer(account.key), .integer(EndReason.accountDeleted.rawValue)]
        ) { _ in true } ?? false
    }
}
