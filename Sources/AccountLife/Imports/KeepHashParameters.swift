import Cryptography
import IdentityService
package import Messages
package import RPC
import ServiceRuntime

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
}
