import IdentityService
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension ImportsHandler {
    /// Looks up accounts by their ids in another system.
    package func lookUpImported(
        _ request: IdentityV1.LookUpImportedRequest, _ context: CallContext
    ) async throws -> IdentityV1.LookUpImportedResponse {
        try context.requireOperator()
        guard request.externalIds.count <= Self.accountsMax else {
            throw ServiceError(.invalidArgument, fields: ["external_ids"])
        }
        let lookUpKeys = request.externalIds.map { id in
            ImportedID(source: request.source, id: id).map { keys.lookUpKey(of: $0) }
        }
        let accounts = try await store.read { session in
            try lookUpKeys.map { try $0.flatMap { try session.importedAccount(lookUpKey: $0) } }
        }
        return IdentityV1.LookUpImportedResponse(accountIds: accounts.map { $0?.text ?? "" })
    }
}
