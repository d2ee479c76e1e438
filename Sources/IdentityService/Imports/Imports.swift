import CallRecords
import Contracts
import Cryptography
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// Accounts that come from elsewhere and leave (I-03): `postern import` and `postern export`.
///
/// For the operator's tool alone: who may import may make an account for any address that is free,
/// and who may export sees all.
package struct Imports: ImportsService {
    let parts: IdentityParts
    private let keys: ImportKeys

    /// The service beside `service`, over the same store.
    package init(beside service: IdentityService) {
        parts = service.parts
        keys = ImportKeys(randomness: service.parts.randomness)
    }

    package func keepHashParameters(
        _ request: IdentityV1.KeepHashParametersRequest, _ context: CallContext
    ) async throws -> IdentityV1.KeepHashParametersResponse {
        try context.requireOperator()
        guard
            // try?: there is one thing that can be wrong with them.
            let project = try? FirebaseProject(
                signerKey: SecretBytes(copying: request.signerKey),
                saltSeparator: request.saltSeparator)
        else {
            throw ServiceError(.invalidArgument, fields: ["signer_key", "salt_separator"])
        }
        return IdentityV1.KeepHashParametersResponse(
            parametersId: try await FirebaseProjects(parts: parts).keep(project))
    }

    package func importAccounts(
        _ request: IdentityV1.ImportAccountsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ImportAccountsResponse {
        try context.requireOperator()
        return try await AccountImport(parts: parts, keys: keys).run(request)
    }

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

    package func exportAccounts(
        _ request: IdentityV1.ExportAccountsRequest,
        _ items: OutgoingItems<IdentityV1.ExportAccountsItem>, _ context: CallContext
    ) async throws {
        try context.requireOperator()
        try await AccountExport(parts: parts).run(request, items)
    }
}
