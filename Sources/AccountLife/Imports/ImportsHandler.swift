import Contracts
import Cryptography
package import IdentityService
import Logging
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.Imports`: import and export of accounts (I-03), for `postern import` and
/// `postern export`.
///
/// For the operator's tool only: an import can create an account for any free address, and an
/// export reveals everything.
package struct ImportsHandler: ImportsService, AccountWriting {
    /// Maximum accounts in a batch. A batch is one write transaction, which blocks all other
    /// writers: 200 accounts take some 10 ms.
    static let accountsMax = 200

    let settings: IdentitySettings
    let store: Store
    /// Writes accounts.
    package let writer: AccountWriter
    let passwords: PasswordHashPool
    let responseTimeFloor: ResponseTimeFloor
    let time: any Time
    let answers: AccountAnswers
    let logger: Logger
    let rowKeys: ImportedAccount.RowKeys

    /// Creates the handler.
    init(
        answers: AccountAnswers, passwords: PasswordHashPool, responseTimeFloor: ResponseTimeFloor,
        time: any Time, logger: Logger
    ) {
        settings = answers.settings
        store = answers.store
        writer = answers.writer
        self.answers = answers
        self.passwords = passwords
        self.responseTimeFloor = responseTimeFloor
        self.time = time
        self.logger = logger
        rowKeys = ImportedAccount.RowKeys(randomness: answers.randomness)
    }

    var projects: FirebaseProjects { FirebaseProjects(store: store, keys: keys) }
}

extension ImportsHandler {
    /// Stores the parameters that a Firebase project's password hashes share, and returns their id.
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
            parametersId: try await projects.keep(project))
    }

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
