import Contracts
import IdentityService
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Returns all accounts, a page at a time.
    package func listAccountsWithData(
        _ request: AccountDataV1.ListAccountsWithDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ListAccountsWithDataResponse {
        try context.requireIdentity()
        let after = try request.after()
        let limit = Int64(AccountDataV1.ListAccountsWithDataResponse.accountsMax)
        return AccountDataV1.ListAccountsWithDataResponse([
            (
                .account,
                try await store.read { try $0.accountIDs(after: after, limit: limit) }
            )
        ])
    }
}
