import Contracts
package import Messages
package import RPC

extension SessionsHandler {
    /// Validates an access token (`Validation`).
    /// - Throws: `rpc/unavailable` while the clock is not trusted.
    package func validate(
        _ request: SessionV1.ValidateRequest, _ context: CallContext
    ) throws -> SessionV1.ValidateResponse {
        try validation.run(request)
    }

    /// The rpcs of `Sessions` for a server: those of the generated dispatcher, except that
    /// `Validate` returns the response that was encoded when its token was first verified.
    package var methods: ServiceMethods {
        SessionsDispatcher.methods(of: self).replacing(
            .onLoop(SessionsDescription.validate) {
                [validation] (request: SessionV1.ValidateRequest, _) in
                try validation.encoded(request)
            })
    }
}
