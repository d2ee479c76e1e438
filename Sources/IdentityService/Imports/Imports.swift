import Contracts
import Cryptography
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// Import and export of accounts (I-03): `postern import` and `postern export`.
///
/// For the operator's tool only: an import can create an account for any free address, and an
/// export reveals everything.
package struct Imports: ImportsService {
    let parts: IdentityParts
    private let keys: ImportKeys

    /// Serves these rpcs over the store of `service`.
    package init(beside service: IdentityService) {
        parts = service.parts
        keys = ImportKeys(randomness: service.parts.randomness)
    }

    /// Stores the parameters that a Firebase project's password hashes share, and returns their id.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`.
    package func keepHashParameters(
        _ request: IdentityV1.KeepHashParametersRequest, _ context: CallContext
    ) async throws -> IdentityV1.KeepHashParametersResponse {
        try context.requireOperator()
        guard
            // `try?`: there is only one cause of failure.
            let project = try? FirebaseProject(
                signerKey: SecretBytes(copying: request.signerKey),
                saltSeparator: request.saltSeparator)
        else {
            throw ServiceError(.invalidArgument, fields: ["signer_key", "salt_separator"])
        }
        return IdentityV1.KeepHashParametersResponse(
            parametersId: try await FirebaseProjects(parts: parts).keep(project))
    }

    /// Imports a batch of accounts.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`. A rejected record is part of the
    ///   response.
    package func importAccounts(
        _ request: IdentityV1.ImportAccountsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ImportAccountsResponse {
        try context.requireOperator()
        return try await AccountImport(parts: parts, keys: keys).run(request)
    }

    /// Looks up accounts by their ids in another system.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument` for too many ids.
    package func lookUpImported(
        _ request: IdentityV1.LookUpImportedRequest, _ context: CallContext
    ) async throws -> IdentityV1.LookUpImportedResponse {
        try context.requireOperator()
        guard request.externalIds.count <= AccountImport.accountsMax else {
            throw ServiceError(.invalidArgument, fields: ["external_ids"])
        }
        let lookUpKeys = request.externalIds.map { id in
            ImportedID(source: request.source, id: id).map { parts.keys.lookUpKey(of: $0) }
        }
        let accounts = try await parts.store.read { session in
            try lookUpKeys.map { try $0.flatMap { try session.importedAccount(lookUpKey: $0) } }
        }
        return IdentityV1.LookUpImportedResponse(accountIds: accounts.map { $0?.text ?? "" })
    }

    /// Streams all accounts.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument` for a malformed position.
    package func exportAccounts(
        _ request: IdentityV1.ExportAccountsRequest,
        _ items: OutgoingItems<IdentityV1.ExportAccountsItem>, _ context: CallContext
    ) async throws {
        try context.requireOperator()
        try await AccountExport(parts: parts).run(request, items)
    }
}
